package contract_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot/internal/account"
	"earshot/test/harness"
)

// asked is a provider and what it is asked here. PROMPT stands for the question.
type asked struct {
	name       string
	plain      string // only what is required
	cost       int
	everything string // every option at once
	fullCost   int
	wrong      string // several mistakes
	fields     []string
}

var providers = []asked{
	{
		name: "chatassistant", plain: `{"prompt":"PROMPT","country":"US"}`, cost: 5,
		everything: strings.Replace(harness.EveryFlag, "best hats", "PROMPT", 1), fullCost: 7,
		wrong: `{"country":"us","state":"ZZ","include":{"searchGoto":true}}`, fields: []string{"country", "include.searchGoto", "prompt", "state"},
	},
	chatLike("genassistant", 4), chatLike("socialassistant", 4), chatLike("officeassistant", 5), chatLike("answerengine", 4), chatLike("claude", 4),
	{
		name: "model", plain: `{"model":"lab","prompt":"PROMPT","country":"US"}`, cost: 3,
		everything: `{"model":"lab","prompt":"PROMPT","country":"US","state":"CO","include":{"html":true,"markdown":true,"rawResponse":true}}`, fullCost: 3,
		wrong: `{"model":"gone","prompt":7,"include":{"html":1}}`, fields: []string{"country", "include.html", "model", "prompt"},
	},
	{
		name: "websearch", plain: `{"query":"PROMPT","country":"US"}`, cost: 3,
		everything: `{"query":"PROMPT","gl":"us","hl":"en","location":"Austin,Texas,United States","device":"mobile","pages":2,` +
			`"include":{"html":true,"searchoverview":{"markdown":true},"paaSearchoverview":true,"searchGoto":1}}`, fullCost: 7,
		wrong: `{"query":"","country":"DE","gl":"us","pages":0}`, fields: []string{"gl", "pages", "query"},
	},
	{
		name: "websearch/news", plain: `{"query":"PROMPT"}`, cost: 3,
		everything: `{"query":"PROMPT","country":"DE","gl":"de","hl":"de","device":"ios","pages":3,"include":{"html":true}}`, fullCost: 7,
		wrong: `{"country":"XX","pages":11,"include":{"html":"1"}}`, fields: []string{"country", "include.html", "pages", "query"},
	},
	{
		name: "searchaimode", plain: `{"prompt":"PROMPT"}`, cost: 4,
		everything: `{"prompt":"PROMPT [[clusters=3]]","country":"US","gl":"us","hl":"en","uule":"w+CAIQICIaQXVzdGluLFRleGFzLFVuaXRlZCBTdGF0ZXM=",` +
			`"device":"mobile","include":{"html":true,"markdown":true,"expandProducts":true,"searchGoto":"x"}}`, fullCost: 7,
		wrong: `{"query":"x","device":"ios","location":"a","uule":"b"}`, fields: []string{"device", "prompt", "query", "uule"},
	},
}

// chatLike is an assistant that takes what they all take.
func chatLike(name string, cost int) asked {
	return asked{
		name: name, plain: `{"prompt":"PROMPT","country":"US"}`, cost: cost,
		everything: `{"prompt":"PROMPT","country":"US","state":"CO","include":{"html":true,"markdown":true,"rawResponse":true}}`, fullCost: cost,
		wrong: `{"prompt":7,"include":{"html":1},"legacy":true}`, fields: []string{"country", "include.html", "legacy", "prompt"},
	}
}

// with puts the question into a body.
func with(body, question string) string { return strings.Replace(body, "PROMPT", question, 1) }

// rows are all documented responses of the provider.
func (a asked) rows() []row {
	path := "/v1/monitor/" + a.name
	good := with(a.plain, "best hats")
	rows := []row{
		{name: "an answer", body: good, status: 200, check: charged(a.cost)},
		{name: "everything", body: with(a.everything, "best hats"), status: 200, check: charged(a.fullCost)},
		{name: "mistakes", body: a.wrong, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields(a.fields...)},
		{name: "no credits", key: brokeKey, body: good, status: 403, code: "INSUFFICIENT_CREDITS", check: details(fmt.Sprintf(`{"required":%d,"remaining":0,"held":0}`, a.cost))},
		{name: "another method", method: "PUT", body: good, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + path + `"}`)},
		{
			name: "a key in no form", header: map[string]string{"Idempotency-Key": strings.Repeat("k", 256)}, body: good, status: 400, code: "VALIDATION_ERROR",
			refused: true, check: fields("Idempotency-Key"),
		},
		{
			name: "the key of a task", header: map[string]string{"Idempotency-Key": "taken"}, body: good, status: 409, code: "RESOURCE_ALREADY_EXISTS",
			check: holds(`"details":{"field":"Idempotency-Key","value":"taken","taskId":"`),
		},
		{
			name: "the answer of an earlier call", header: map[string]string{"Idempotency-Key": "key of " + a.name}, body: good, status: 200, check: replayed,
		},
		{name: "no slot", key: busyKey, body: good, status: 429, code: "CONCURRENT_LIMIT_EXCEEDED", check: details(`{"limit":1}`)},
		{name: "the client leaves", key: leaverKey, body: with(a.plain, "kites [[hang]]"), leaves: true, status: 499, code: "REQUEST_CANCELED"},
		{name: "jobs cannot be written", on: "jobless", body: good, status: 500, code: "INTERNAL_SERVER_ERROR"},
		{
			name: "the provider fails", body: with(a.plain, "hats [[block]]"), status: 502, code: "EXTERNAL_SERVICE_ERROR",
			check: details(`{"service":"` + a.name + `","reason":"blocked"}`),
		},
		{name: "the node stops", on: "draining", body: good, status: 503, code: "SERVICE_UNAVAILABLE"},
	}
	for i := range rows {
		rows[i].name, rows[i].path, rows[i].as = a.name+": "+rows[i].name, path, "POST "+path
		rows[i].method, rows[i].key = cmp.Or(rows[i].method, http.MethodPost), cmp.Or(rows[i].key, anyKey)
	}
	return append(commonRows(a.name, "POST "+path, "", good, account.ScopeMonitor), rows...)
}

// replayed expects the answer of an earlier call.
func replayed(t *testing.T, r *exchange) {
	t.Helper()
	charged(0)(t, r)
	if r.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the headers are %v", r.Header)
	}
}

func providerRows() []row {
	var rows []row
	for _, a := range providers {
		rows = append(rows, a.rows()...)
	}
	return rows
}

func gotoRows() []row {
	return append(commonRows("goto", "POST "+harness.GotoPath, "", `{}`, account.ScopeMonitor), []row{
		{name: "goto", method: "POST", path: harness.GotoPath, key: anyKey, body: `{"url":"https://www.search.lab.test/url?q=https%3A%2F%2Fexample.com%2F"}`, status: 200, check: says(`{"success":true,"url":"https://example.com/"}`)},
		{name: "goto for free", method: "POST", path: harness.GotoPath, key: brokeKey, body: `{"url":"http://search.lab.test/url?q=https%3A%2F%2Fexample.com%2F"}`, status: 200, check: charged(0)},
		{name: "goto without a slot", method: "POST", path: harness.GotoPath, key: busyKey, body: `{"url":"http://search.lab.test/url?q=https%3A%2F%2Fexample.com%2F"}`, status: 200, check: charged(0)},
		{name: "goto nowhere", method: "POST", path: harness.GotoPath, key: anyKey, body: `{}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("url")},
		{name: "goto elsewhere", method: "POST", path: harness.GotoPath, key: anyKey, body: `{"url":"https://attacker.test/url?q=x"}`, status: 400, code: "VALIDATION_ERROR", check: fields("url")},
		{
			name: "goto what is no link", method: "POST", path: harness.GotoPath, key: anyKey, body: `{"url":"https://search.lab.test/goto?url=nonsense"}`, status: 502,
			code: "EXTERNAL_SERVICE_ERROR", check: details(`{"service":"websearch/goto","reason":"unavailable"}`),
		},
		{name: "goto when the node stops", on: "draining", method: "POST", path: harness.GotoPath, key: anyKey, body: `{}`, status: 503, code: "SERVICE_UNAVAILABLE"},
	}...)
}

// TestRedirectLinksLeadWhereTheResultSays asks goto for every redirect link of
// the search family's answers.
func TestRedirectLinksLeadWhereTheResultSays(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 10_000)
	for _, path := range []string{"websearch", "websearch/news", "searchaimode"} {
		i := slices.IndexFunc(providers, func(o asked) bool { return o.name == path })
		r := n.Post(t, a, "/v1/monitor/"+path, with(providers[i].everything, "best hats"))
		if r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", path, r.StatusCode, r.Body)
		}
		var result any
		if err := json.Unmarshal(r.Body, &result); err != nil {
			t.Fatal(err)
		}
		pairs := redirects(result, nil)
		if len(pairs) == 0 {
			t.Errorf("%s serves no redirect links", path)
		}
		for redirect, destination := range pairs {
			got := n.Post(t, a, harness.GotoPath, `{"url":"`+redirect+`"}`)
			var body struct {
				URL string `json:"url"`
			}
			if err := json.Unmarshal(got.Body, &body); err != nil || body.URL != destination {
				t.Errorf("%s leads to %q, %v; the result says %q", redirect, body.URL, err, destination)
			}
		}
	}
}

// redirects collects the redirect links in a result with the destinations beside
// them.
func redirects(v any, into map[string]string) map[string]string {
	if into == nil {
		into = map[string]string{}
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			redirects(item, into)
		}
	case map[string]any:
		if redirect, ok := v["redirectLink"].(string); ok {
			destination, ok := v["url"].(string)
			if !ok {
				destination, _ = v["link"].(string)
			}
			into[redirect] = destination
		}
		for _, part := range v {
			redirects(part, into)
		}
	}
	return into
}
