package news_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
)

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want []string // field: beginning of the message
	}{
		"nothing":         {`{}`, []string{"query: is required"}},
		"empty query":     {`{"query":""}`, []string{"query: must not be empty"}},
		"long query":      {`{"query":"` + strings.Repeat("é", 10_001) + `"}`, []string{"query: must have at most 10000"}},
		"lower case":      {`{"query":"x","country":"us"}`, []string{"country: must be an ISO"}},
		"no such country": {`{"query":"x","gl":"zz"}`, []string{"gl: must be an ISO"}},
		"different":       {`{"query":"x","country":"US","gl":"de"}`, []string{"gl: differs from country"}},
		"language":        {`{"query":"x","hl":"english\n"}`, []string{"hl: must have 1 to 64 printable characters"}},
		"device":          {`{"query":"x","device":"tv"}`, []string{"device: must be one of"}},
		"pages":           {`{"query":"x","pages":11}`, []string{"pages: must be an integer from 1 to 10"}},
		"of websearch":    {`{"query":"x","url":"y","location":"z","uule":"u","include":{"searchGoto":true}}`, []string{"url: unknown field", "location: unknown field", "uule: unknown field", "include.searchGoto: unknown field"}},
		"html":            {`{"query":"x","include":{"html":"yes"}}`, []string{"include.html: must be a boolean"}},
		"include":         {`{"query":"x","include":true}`, []string{"include: must be an object"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Refuses(t, lab, test.body, test.want)
		})
	}
}

func TestBill(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]provider.Bill{
		`{"query":"x"}`: {"base": 1, "page": 0},
		`{"query":"x","gl":"de","hl":"en-GB","device":"mobile","include":{"html":true}}`: {"base": 1, "page": 0},
		`{"query":"x","country":"DE","gl":"de","pages":10}`:                              {"base": 1, "page": 9},
	} {
		if got := providertest.Decode(t, lab, body).Bill(); !cmp.Equal(got, want) {
			t.Errorf("%s: bill %v, want %v", body, got, want)
		}
	}
}
