package schema_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/schema"
)

// order is a type with every kind of field that a request may have.
type order struct {
	Name    string         `json:"name" schema:"maxLength=5"`
	Kind    earshot.Status `json:"kind,omitempty"`
	Place   string         `json:"place,omitempty" schema:"country"`
	Lang    string         `json:"lang,omitempty" schema:"hl"`
	Link    string         `json:"link,omitempty" schema:"uri,excludes=place|count"`
	Either  string         `json:"either,omitempty" schema:"maxLength=9,unless=link"`
	Count   int            `json:"count,omitempty" schema:"min=1,max=3,default=2"`
	Fast    bool           `json:"fast,omitempty"`
	Tags    []string       `json:"tags,omitempty" schema:"enum=a|b,minItems=1,unique"`
	Until   time.Time      `json:"until,omitzero"`
	Raw     any            `json:"raw,omitempty" schema:"object"`
	Old     any            `json:"old,omitempty" schema:"ignored"`
	Include parts          `json:"include,omitzero"`
	Hook    *hook          `json:"hook,omitempty"`
	Page
}

type parts struct {
	HTML bool `json:"html,omitempty"`
}

type hook struct {
	URL string `json:"url" schema:"uri"`
}

// Page is embedded: its fields are the outer struct's.
type Page struct {
	Limit int `json:"limit,omitempty" schema:"min=1,max=100,default=50"`
}

func decode(t *testing.T, body string) (order, error) {
	t.Helper()
	in, err := schema.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var o order
	in.Decode(&o)
	in.Object("raw").IgnoreAll() // the fields of raw are not checked
	return o, in.Err()
}

func TestDecode(t *testing.T) {
	t.Parallel()
	got, err := decode(t, `{"name":" abc ","kind":"FAILED","place":"US","lang":"pt-BR","either":"x","count":3,"fast":true,"tags":["b","a"],
		"until":"2026-09-08T09:30:00Z","raw":{"x":[1]},"old":[{}],"include":{"html":true},"hook":{"url":"http://a.example"},"limit":7}`)
	if err != nil {
		t.Fatal(err)
	}
	want := order{
		Name: "abc", Kind: "FAILED", Place: "US", Lang: "pt-BR", Either: "x", Count: 3, Fast: true, Tags: []string{"b", "a"},
		Until: time.Date(2026, 9, 8, 9, 30, 0, 0, time.UTC), Raw: json.RawMessage(`{"x":[1]}`), Include: parts{HTML: true},
		Hook: &hook{URL: "http://a.example"}, Page: Page{Limit: 7},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err = decode(t, `{"name":"x","either":"y"}`); err != nil || got.Count != 2 || got.Limit != 50 || got.Hook != nil {
		t.Errorf("defaults are %+v, %v", got, err)
	}
}

func TestDecodeReportsAllProblemsInTheOrderOfTheFields(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`:                             "name: is required; either: is required",
		`{"name":"abcdef","either":"x"}`: "name: must have at most 5 characters, but has 6",
		`{"name":"x","either":"x","kind":"failed"}`:                `kind: must be one of QUEUED, PROCESSING, COMPLETED, FAILED, did you mean "FAILED"?`,
		`{"name":"x","either":"x","lang":""}`:                      "lang: must have 1 to 64 printable characters, such as en, pt-BR or en_US",
		`{"name":"x","link":"l","place":7,"count":9}`:              "place: cannot be combined with link; count: cannot be combined with link",
		`{"name":"x","either":"x","count":"1"}`:                    "count: must be an integer",
		`{"name":"x","either":"x","tags":[]}`:                      "tags: must be a list of at least 1 of a, b",
		`{"name":"x","either":"x","tags":["a","a"]}`:               "tags: must be a list of a, b, each at most once",
		`{"name":"x","either":"x","tags":["c"]}`:                   "tags: must be a list of a, b, each at most once",
		`{"name":"x","either":"x","until":"tomorrow"}`:             "until: must be a time in RFC 3339, such as 2026-09-08T09:30:00Z",
		`{"name":"x","either":"x","raw":1}`:                        "raw: must be an object",
		`{"name":"x","either":"x","hook":null}`:                    "hook: must be an object",
		`{"name":"x","either":"x","hook":{}}`:                      "hook.url: is required",
		`{"name":"x","either":"x","include":{"htlm":true}}`:        `include.htlm: unknown field "htlm", did you mean "html"?`,
		`{"x":1,"limit":0,"include":{"html":1},"name":1,"fast":1}`: `name: must be a string; either: is required; fast: must be a boolean; include.html: must be a boolean; limit: must be an integer from 1 to 100; x: unknown field "x"`,
	} {
		_, err := decode(t, body)
		if got := listed(t, err); got != want {
			t.Errorf("%s:\n got %s\nwant %s", body, got, want)
		}
	}
}

// listed returns the problems of a validation error in one line.
func listed(t *testing.T, err error) string {
	t.Helper()
	var lines []string
	for _, p := range problems(t, err) {
		lines = append(lines, p.Field+": "+p.Message)
	}
	return strings.Join(lines, "; ")
}

func TestDecodeQuery(t *testing.T) {
	t.Parallel()
	type query struct {
		Status earshot.Status `json:"status,omitempty"`
		earshot.PageQuery
	}
	read := func(text string) (q query, err error) {
		values, err := url.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		err = schema.DecodeQuery(values, &q)
		return q, err
	}
	for text, want := range map[string]query{
		"":                               {PageQuery: earshot.PageQuery{Limit: 50}},
		"limit=&cursor=":                 {PageQuery: earshot.PageQuery{Limit: 50}},
		"status=QUEUED&limit=3&cursor=x": {Status: "QUEUED", PageQuery: earshot.PageQuery{Limit: 3, Cursor: "x"}},
	} {
		if got, err := read(text); err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"status=":                 "status: must be one of QUEUED, PROCESSING, COMPLETED, FAILED",
		"limit=x":                 "limit: must be an integer from 1 to 100",
		"limit=5.5":               "limit: must be an integer from 1 to 100",
		"limit=0x1p1":             "limit: must be an integer from 1 to 100",
		"limit=101&status=queued": `status: must be one of QUEUED, PROCESSING, COMPLETED, FAILED, did you mean "QUEUED"?; limit: must be an integer from 1 to 100`,
		"cursor=a&cursor=b":       "cursor: is given more than once",
		"other=1&limti=3&=2":      `: unknown parameter ""; limti: unknown parameter "limti", did you mean "limit"?; other: unknown parameter "other"`,
	} {
		_, err := read(text)
		if got := listed(t, err); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	d := &schema.Describer{Comments: map[string]string{"order": "An order.", "order.name": "Whose it is."}}
	if ref := d.Of(order{}).Get("$ref"); ref != "#/components/schemas/order" {
		t.Errorf("the reference is %v", ref)
	}
	text, err := json.Marshal(d.Components)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"order":{"description":"An order.","type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"description":"Whose it is.","type":"string","minLength":1,"pattern":"\\S","maxLength":5}`,
		`"kind":{"$ref":"#/components/schemas/Status"}`,
		`"tags":{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"uniqueItems":true}`,
		`"count":{"type":"integer","minimum":1,"maximum":3,"default":2}`,
		`"if":{"not":{"required":["link"]}},"then":{"required":["either"]}`,
		`"dependentSchemas":{"link":{"not":{"anyOf":[{"required":["place"]},{"required":["count"]}]}}}`,
		`"limit":{"type":"integer","minimum":1,"maximum":100,"default":50}`,
		`"hook":{"type":"object","additionalProperties":false,"required":["url"]`,
		`"Status":{"type":"string","enum":["QUEUED","PROCESSING","COMPLETED","FAILED"]}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
	nullable, err := json.Marshal(d.Of(earshot.Task{}))
	if err != nil || string(nullable) != `{"$ref":"#/components/schemas/Task"}` {
		t.Errorf("a task is %s, %v", nullable, err)
	}
	task, _ := d.Components.Get("Task").(schema.Map)
	properties, _ := task.Get("properties").(schema.Map)
	if key, _ := json.Marshal(properties.Get("idempotencyKey")); string(key) != `{"type":["string","null"]}` {
		t.Errorf("a key that may be null is %s", key)
	}
}

// An invalid tag causes a panic when the type is read. It must not drop a limit silently.
func TestInvalidTag(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  string // in the text of the panic
	}{
		{struct {
			Name string `json:"name" schema:"maxLenght=500"`
		}{}, `.Name: "maxLenght=500"`},
		{struct {
			Name string `json:"name" schema:"uid"`
		}{}, `.Name: "uid"`},
		{struct {
			Count int `json:"count" schema:"min=1,max=1O"`
		}{}, `.Count: "max=1O"`},
		{struct {
			Tags []string `json:"tags" schema:"unique=yes"`
		}{}, `.Tags: "unique=yes"`},
		{struct {
			Fast bool `json:"fast" schema:"const"`
		}{}, `.Fast: "const"`},
		{struct {
			URL string `json:"url" schema:"uri,unless=link"`
		}{}, `.URL names "link"`},
		{struct {
			URL  string `json:"url" schema:"excludes=place|links"`
			Link string `json:"place"`
		}{}, `.URL names "links"`},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, c.want) || !strings.Contains(got, "struct {") {
					t.Errorf("it panics with %s, want the type and %s", got, c.want)
				}
			}()
			(&schema.Describer{}).Parameters(c.value)
		}()
	}
}
