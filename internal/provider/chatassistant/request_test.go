package chatassistant_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/provider"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/providertest"
)

func TestDecodeRejects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want []string // "field: " and the beginning of the message
	}{
		"nothing":             {`{}`, []string{"prompt: is required", "country: is required"}},
		"empty prompt":        {`{"prompt":" \n ","country":"US"}`, []string{"prompt: must not be empty"}},
		"long prompt":         {`{"prompt":"` + strings.Repeat("é", 10_001) + `","country":"US"}`, []string{"prompt: must have at most 10000"}},
		"country not served":  {`{"prompt":"x","country":"CN"}`, []string{"country: chatassistant is not available in CN"}},
		"country lower case":  {`{"prompt":"x","country":"us"}`, []string{"country: must be an upper-case"}},
		"state elsewhere":     {`{"prompt":"x","country":"DE","state":"CA"}`, []string{"state: is only valid with country US"}},
		"unknown state":       {`{"prompt":"x","country":"US","state":"ca"}`, []string{"state: must be the upper-case"}},
		"misspelt":            {`{"prompt":"x","country":"US","inclued":{}}`, []string{`inclued: unknown field "inclued", did you mean "include"?`}},
		"misspelt flag":       {`{"prompt":"x","country":"US","include":{"markdwon":true}}`, []string{`include.markdwon: unknown field "markdwon", did you mean "markdown"?`}},
		"flag of another one": {`{"prompt":"x","country":"US","include":{"expandProducts":true}}`, []string{"include.expandProducts: unknown field"}},
		"wrong types":         {`{"prompt":1,"country":true,"include":[],"legacy":"yes","disableWebSearch":0}`, []string{"prompt: must be a string", "country: must be a string", "legacy: must be a boolean", "disableWebSearch: must be a boolean", "include: must be an object"}},
		"null flag":           {`{"prompt":"x","country":"US","include":{"html":null}}`, []string{"include.html: must be a boolean"}},
		"all at once":         {`{"prompt":"","country":"RU","state":"XX","include":{"ads":1},"extra":1}`, []string{"prompt: ", "country: ", "state: ", "include.ads: ", "extra: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Refuses(t, chatassistant.Provider{}, test.body, test.want)
		})
	}
}

func TestBill(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]provider.Bill{
		`{"prompt":"x","country":"DE"}`: {"base": 1},
		`{"prompt":"x","country":"DE","legacy":true,"disableWebSearch":true,"include":{"html":true,"markdown":true}}`:      {"base": 1},
		`{"prompt":"x","country":"DE","include":{"ads":true}}`:                                                             {"base": 1, "extras": 1},
		`{"prompt":"x","country":"DE","include":{"shopping":true}}`:                                                        {"base": 1, "extras": 1},
		`{"prompt":"x","country":"DE","include":{"rawResponse":true}}`:                                                     {"base": 1, "extras": 1},
		`{"prompt":"x","country":"DE","include":{"searchQueries":true}}`:                                                   {"base": 1, "extras": 1},
		`{"prompt":"x","country":"DE","include":{"shopping":true,"rawResponse":true,"searchQueries":true,"ads":true}}`:     {"base": 1, "extras": 1},
		`{"prompt":"x","country":"US","state":"CA","include":{"shopping":false,"ads":true}}`:                               {"base": 1, "extras": 1, "state": 1},
		`{"prompt":"x","country":"US","include":{"shopping":false,"rawResponse":false,"searchQueries":false,"ads":false}}`: {"base": 1},
	} {
		if got := providertest.Decode(t, chatassistant.Provider{}, body).Bill(); !cmp.Equal(got, want) {
			t.Errorf("%s: bill %v, want %v", body, got, want)
		}
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	catalogue, err := provider.NewCatalogue([]provider.Provider{chatassistant.Provider{}}, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	bill := provider.Bill{provider.ItemBase: 1}
	if got := catalogue.Cost("chatassistant", bill); got != 5 {
		t.Errorf("base costs %d, want 5", got)
	}
	if got := catalogue.Cost("chatassistant", bill.With("extras").With(provider.ItemState)); got != 7 {
		t.Errorf("with extras and state it costs %d, want 7", got)
	}
}
