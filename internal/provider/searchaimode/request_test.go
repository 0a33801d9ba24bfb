package searchaimode_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/searchaimode"
	"earshot/internal/provider/serp"
	"earshot/internal/schema"
)

var aimode = searchaimode.Provider{Engine: serp.Engine{Host: "search.lab.test"}}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want []string // field: part of the message
	}{
		"nothing":            {`{}`, []string{"prompt: is required"}},
		"empty prompt":       {`{"prompt":" \n "}`, []string{"prompt: must not be empty"}},
		"long prompt":        {`{"prompt":"` + strings.Repeat("é", 10_001) + `"}`, []string{"prompt: must have at most 10000"}},
		"country not served": {`{"prompt":"x","country":"CU"}`, []string{"country: searchaimode is not available in CU"}},
		"gl not served":      {`{"prompt":"x","gl":"kp"}`, []string{"gl: searchaimode is not available in KP"}},
		"country lower case": {`{"prompt":"x","country":"us"}`, []string{"country: must be an ISO"}},
		"country and gl":     {`{"prompt":"x","country":"US","gl":"de"}`, []string{"gl: differs from country"}},
		"bad language":       {`{"prompt":"x","hl":"english\n"}`, []string{"hl: must have 1 to 64 printable characters"}},
		"location and uule":  {`{"prompt":"x","location":"Austin,Texas,United States","uule":"w+CAIQ"}`, []string{"uule: cannot be combined"}},
		"bad uule":           {`{"prompt":"x","uule":"<>"}`, []string{"uule: must be an encoded location"}},
		"other device":       {`{"prompt":"x","device":"ios"}`, []string{"device: must be one of desktop, mobile"}},
		"query":              {`{"query":"x"}`, []string{"prompt: is required", `query: unknown field "query"`}},
		"pages":              {`{"prompt":"x","pages":2}`, []string{`pages: unknown field`}},
		"state":              {`{"prompt":"x","country":"US","state":"CA"}`, []string{`state: unknown field`}},
		"misspelt flag":      {`{"prompt":"x","include":{"expandProduct":true}}`, []string{`include.expandProduct: unknown field "expandProduct", did you mean "expandProducts"?`}},
		"raw response":       {`{"prompt":"x","include":{"rawResponse":true}}`, []string{"include.rawResponse: unknown field"}},
		"wrong types":        {`{"prompt":1,"country":true,"gl":2,"hl":3,"device":4,"include":{"html":"yes","expandProducts":null}}`, []string{"prompt: must be a string", "country: must be a string", "gl: must be a string", "hl: must be a string", "device: must be a string", "include.html: must be a boolean", "include.expandProducts: must be a boolean"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := schema.Parse([]byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			aimode.Decode(in)
			checkProblems(t, in.Err(), test.want)
		})
	}
}

func checkProblems(t *testing.T, err error, want []string) {
	t.Helper()
	var invalid *earshot.Error
	if !errors.As(err, &invalid) || invalid.Code != earshot.CodeValidation {
		t.Fatalf("got %v, want a validation error", err)
	}
	problems, _ := invalid.Details.([]earshot.FieldProblem)
	if len(problems) != len(want) {
		t.Fatalf("got %d problems, want %d: %v", len(problems), len(want), problems)
	}
	for i, problem := range problems {
		if line := problem.Field + ": " + problem.Message; !strings.HasPrefix(line, want[i]) {
			t.Errorf("problem %d is %q, want %q", i, line, want[i])
		}
	}
}

func TestBill(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]provider.Bill{
		`{"prompt":"x"}`: {"base": 1},
		`{"prompt":"x","country":"DE","gl":"de","hl":"pt-BR","location":"Austin,Texas,United States","device":"mobile"}`: {"base": 1},
		`{"prompt":"x","uule":"w+CAIQICINVW5pdGVk","include":{"html":true,"markdown":true}}`:                             {"base": 1},
		`{"prompt":"x","include":{"expandProducts":false,"searchGoto":"whatever"}}`:                                      {"base": 1},
		`{"prompt":"x","include":{"expandProducts":true,"searchGoto":{"a":[1]}}}`:                                        {"base": 1, "cluster": 6},
	} {
		if got := providertest.Decode(t, aimode, body).Bill(); !cmp.Equal(got, want) {
			t.Errorf("%s: bill %v, want %v", body, got, want)
		}
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	catalogue, err := provider.NewCatalogue([]provider.Provider{aimode}, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for clusters, want := range map[int]int64{0: 4, 1: 5, 6: 10} {
		if got := catalogue.Cost("searchaimode", provider.Bill{"base": 1, "cluster": clusters}); got != want {
			t.Errorf("%d clusters cost %d, want %d", clusters, got, want)
		}
	}
}
