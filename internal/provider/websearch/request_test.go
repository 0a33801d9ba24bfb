package websearch_test

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
		"nothing":            {`{}`, []string{"query: is required", "country: is required, unless gl is given"}},
		"no query":           {`{"country":"US"}`, []string{"query: is required"}},
		"empty query":        {`{"query":" \t","country":"US"}`, []string{"query: must not be empty"}},
		"long query":         {`{"query":"` + strings.Repeat("é", 10_001) + `","country":"US"}`, []string{"query: must have at most 10000"}},
		"no country":         {`{"query":"x"}`, []string{"country: is required, unless gl is given"}},
		"lower case":         {`{"query":"x","country":"us"}`, []string{"country: must be an ISO"}},
		"no such country":    {`{"query":"x","gl":"zz"}`, []string{"gl: must be an ISO"}},
		"different":          {`{"query":"x","country":"US","gl":"de"}`, []string{"gl: differs from country"}},
		"state":              {`{"query":"x","country":"US","state":"CA"}`, []string{`state: unknown field "state"`}},
		"language":           {`{"query":"x","country":"US","hl":"en\t"}`, []string{"hl: must have 1 to 64 printable characters"}},
		"long language":      {`{"query":"x","country":"US","hl":"` + strings.Repeat("a", 65) + `"}`, []string{"hl: must have 1 to 64"}},
		"no language":        {`{"query":"x","country":"US","hl":""}`, []string{"hl: must have 1 to 64"}},
		"url, q not UTF-8":   {`{"url":"https://search.lab.test/search?q=caf%e9&gl=us"}`, []string{"url: must have a q in UTF-8"}},
		"url, port of http":  {`{"url":"https://search.lab.test:80/search?q=x&gl=us"}`, []string{"url: must not name a port other"}},
		"location and uule":  {`{"query":"x","country":"US","location":"A,B,C","uule":"w+CAIQ"}`, []string{"uule: cannot be combined with location"}},
		"long location":      {`{"query":"x","country":"US","location":"` + strings.Repeat("a", 201) + `"}`, []string{"location: must have at most 200"}},
		"long uule":          {`{"query":"x","country":"US","uule":"` + strings.Repeat("a", 401) + `"}`, []string{"uule: must have at most 400"}},
		"device":             {`{"query":"x","country":"US","device":"tablet"}`, []string{"device: must be one of desktop, mobile, ios, android"}},
		"no pages":           {`{"query":"x","country":"US","pages":0}`, []string{"pages: must be an integer from 1 to 10"}},
		"eleven pages":       {`{"query":"x","country":"US","pages":11}`, []string{"pages: must be an integer from 1 to 10"}},
		"half a page":        {`{"query":"x","country":"US","pages":1.5}`, []string{"pages: must be an integer"}},
		"pages in words":     {`{"query":"x","country":"US","pages":"2"}`, []string{"pages: must be an integer"}},
		"overview is a flag": {`{"query":"x","country":"US","include":{"searchoverview":true}}`, []string{"include.searchoverview: must be an object"}},
		"overview is null":   {`{"query":"x","country":"US","include":{"searchoverview":null}}`, []string{"include.searchoverview: must be an object"}},
		"unknown in it":      {`{"query":"x","country":"US","include":{"searchoverview":{"markdwon":true}}}`, []string{`include.searchoverview.markdwon: unknown field "markdwon", did you mean "markdown"?`}},
		"markdown no flag":   {`{"query":"x","country":"US","include":{"searchoverview":{"markdown":1}}}`, []string{"include.searchoverview.markdown: must be a boolean"}},
		"flags":              {`{"query":"x","country":"US","include":{"html":1,"paaSearchoverview":"yes"}}`, []string{"include.html: must be a boolean", "include.paaSearchoverview: must be a boolean"}},
		"misspelt":           {`{"query":"x","country":"US","inclued":{}}`, []string{`inclued: unknown field "inclued", did you mean "include"?`}},
		"of chat assistants": {`{"query":"x","country":"US","include":{"rawResponse":true}}`, []string{"include.rawResponse: unknown field"}},
		"url and query":      {`{"url":"https://search.lab.test/search?q=x&gl=us","query":"x"}`, []string{"query: cannot be combined with url"}},
		"url and all":        {`{"url":"https://search.lab.test/search?q=x&gl=us","query":"x","location":"A","uule":"w+C","pages":2}`, []string{"query: ", "location: ", "uule: ", "pages: "}},
		"url of a vertical":  {`{"url":"https://search.lab.test/search?q=x&gl=us&tbm=nws"}`, []string{"url: must not have tbm"}},
		"url elsewhere":      {`{"url":"https://evil.example/search?q=x&gl=us"}`, []string{"url: must be on a web host of the search engine"}},
		"url of news":        {`{"url":"https://news.search.lab.test/search?q=x&gl=us"}`, []string{"url: must be on a web host of the search engine"}},
		"url with a path":    {`{"url":"https://search.lab.test/searchx?q=x&gl=us"}`, []string{"url: must have the path /search"}},
		"url without q":      {`{"url":"https://search.lab.test/search?q=+&gl=us"}`, []string{"url: must have a q"}},
		"url without gl":     {`{"url":"https://search.lab.test/search?q=x"}`, []string{"url: has no gl"}},
		"url not absolute":   {`{"url":"/search?q=x&gl=us"}`, []string{"url: must be an absolute http(s) URL"}},
		"url is a number":    {`{"url":1}`, []string{"url: must be a string"}},
		"url, country bad":   {`{"url":"https://search.lab.test/search?q=x&gl=us","country":"xx"}`, []string{"country: must be an ISO"}},
		"all at once":        {`{"query":"","country":"USA","hl":"","device":"x","pages":99,"include":{"html":0},"extra":1}`, []string{"query: ", "country: ", "hl: ", "device: ", "pages: ", "include.html: ", "extra: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Refuses(t, engineOfLab, test.body, test.want)
		})
	}
}

func TestBill(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]provider.Bill{
		`{"query":"x","country":"US"}`: {"base": 1, "page": 0},
		`{"query":"x","gl":"us","hl":"DE","device":"ios","location":"Austin,Texas,United States"}`:                       {"base": 1, "page": 0},
		`{"query":"x","gl":"US","uule":"w+CAIQICI","device":"android","include":{"html":true}}`:                          {"base": 1, "page": 0},
		`{"query":"x","country":"US","gl":"us","pages":10}`:                                                              {"base": 1, "page": 9},
		`{"query":"x","country":"US","include":{"searchoverview":{}}}`:                                                   {"base": 1, "page": 0, "overview": 1},
		`{"query":"x","country":"US","include":{"searchoverview":{"markdown":false}}}`:                                   {"base": 1, "page": 0, "overview": 1},
		`{"query":"x","country":"US","include":{"paaSearchoverview":true}}`:                                              {"base": 1, "page": 0, "overview": 1},
		`{"query":"x","country":"US","pages":3,"include":{"searchoverview":{"markdown":true},"paaSearchoverview":true}}`: {"base": 1, "page": 2, "overview": 1},
		`{"query":"x","country":"IS","include":{"searchoverview":{"markdown":true},"paaSearchoverview":true}}`:           {"base": 1, "page": 0},
		`{"url":"https://search.lab.test:443/search?q=x&gl=cn","include":{"searchoverview":{}}}`:                         {"base": 1, "page": 0},
		`{"query":"x","country":"US","hl":"en_US"}`:                                                                      {"base": 1, "page": 0},
		`{"url":"http://search.lab.test:80/search?q=x&gl=us&hl=en_US"}`:                                                  {"base": 1, "page": 0},
		`{"query":"x","country":"US","include":{"paaSearchoverview":false,"searchGoto":true}}`:                           {"base": 1, "page": 0},
		`{"query":"x","country":"US","include":{"searchGoto":{"any":["thing",null]}}}`:                                   {"base": 1, "page": 0},
		`{"url":"https://www.search.co.uk/search?q=x&gl=gb&num=100"}`:                                                    {"base": 1, "page": 9},
		`{"url":"http://search.lab.test/search?q=x&num=11","country":"DE","hl":"fr","device":"mobile"}`:                  {"base": 1, "page": 1},
	} {
		if got := providertest.Decode(t, engineOfLab, body).Bill(); !cmp.Equal(got, want) {
			t.Errorf("%s: bill %v, want %v", body, got, want)
		}
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	catalogue, err := provider.NewCatalogue([]provider.Provider{engineOfLab}, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]int64{
		`{"query":"x","country":"US"}`:           3,
		`{"query":"x","country":"US","pages":4}`: 9,
		`{"query":"x","country":"US","include":{"searchoverview":{},"paaSearchoverview":true}}`: 5,
	} {
		if got := catalogue.Cost("websearch", providertest.Decode(t, engineOfLab, body).Bill()); got != want {
			t.Errorf("%s costs %d, want %d", body, got, want)
		}
	}
}
