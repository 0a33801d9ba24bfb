package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// simple starts a node on SQLite.
func simple(t *testing.T, change ...func(*app.Config)) *node {
	t.Helper()
	return start(t, filepath.Join(t.TempDir(), "earshot.db"), change...)
}

// with sends a request that has headers of its own.
func (n *node) with(t *testing.T, a *app.Account, method, path, body string, header map[string]string) *reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, n.BaseURL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if a != nil {
		req.Header.Set("Authorization", "Bearer "+a.Key.Text)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return do(t, req)
}

// fails checks that a reply is a failure of that status and code.
func (r *reply) fails(t *testing.T, what string, status int, code earshot.Code) {
	t.Helper()
	if r.StatusCode != status || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s: %d %s %.200s, want %d", what, r.StatusCode, r.Header.Get("Content-Type"), r.body, status)
		return
	}
	if got := r.code(t); got != code {
		t.Errorf("%s: %s, want %s", what, got, code)
	}
}

// into decodes the reply's body.
func (r *reply) into(t *testing.T, v any) {
	t.Helper()
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if err := json.Unmarshal(r.body, v); err != nil {
		t.Fatalf("%v in %.200s", err, r.body)
	}
}

func TestUnknownPathsAreFoundOutAfterTheKey(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "enterprise-5k", 1000)
	for _, c := range []struct{ method, path string }{
		{"GET", "/v1"},
		{"GET", "/v1/"},
		{"GET", "/v1//"},
		{"GET", "/v1/."},
		{"GET", "/v1/nosuch"},
		{"GET", "/v1//countries"},
		{"GET", "//v1/countries"},
		{"GET", "/v1/countries/"},
		{"GET", "/v1/countries/US"},
		{"GET", "/v1/./countries"},
		{"GET", "/v1/x/../countries"},
		{"GET", "/v1/%2e/countries"},
		{"GET", "/v1/countries%2F"},
		{"GET", "/v1/countries%00"},
		{"GET", "/v1/Countries"},
		{"POST", "/v1/countries"},
		{"PATCH", "/v1/credits"},
		{"OPTIONS", "/v1/states"},
		{"GET", chat},
		{"HEAD", chat},
		{"DELETE", chat},
		{"POST", chat + "/"},
		{"POST", "/v1/monitor"},
		{"POST", "/v1/monitor/"},
		{"POST", "/v1/monitor//chatassistant"},
		{"POST", "/v1/monitor/ChatAssistant"},
	} {
		what := c.method + " " + c.path
		without, with := n.send(t, nil, c.method, c.path, ""), n.send(t, a, c.method, c.path, "")
		if c.method == http.MethodHead {
			if without.StatusCode != http.StatusUnauthorized || with.StatusCode != http.StatusNotFound {
				t.Errorf("%s: %d without a key, %d with one", what, without.StatusCode, with.StatusCode)
			}
			continue
		}
		without.fails(t, what+" without a key", http.StatusUnauthorized, earshot.CodeMissingKey)
		with.fails(t, what+" with a key", http.StatusNotFound, earshot.CodeNotFound)
		if limit := with.number(t, "X-RateLimit-Limit"); limit != 1000 {
			t.Errorf("%s with a key: X-RateLimit-Limit is %d, not that of the account", what, limit)
		}
	}
}

func TestOtherPathsAreNotFoundAndNeverRedirected(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "enterprise-5k", 1000)
	for _, path := range []string{
		"/V1/countries", "/v2/countries", "/nosuch", "/healthz/", "//healthz", "/Healthz", "/index.html", "/openapi.yaml",
		"/captures", "/captures/", "/captures/a", "/captures/a/b/c", "/captures//page-1.html", "/captures/../healthz", "/v1x", "/v1%2Fcountries",
	} {
		n.get(t, nil, path).fails(t, path, http.StatusNotFound, earshot.CodeNotFound)
		n.get(t, a, path).fails(t, path, http.StatusNotFound, earshot.CodeNotFound)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		for _, path := range []string{"/", "/healthz", "/readyz", "/metrics", "/openapi.json"} {
			n.send(t, nil, method, path, "").fails(t, method+" "+path, http.StatusNotFound, earshot.CodeNotFound)
		}
	}
	n.get(t, a, "/v1/../healthz").fails(t, "out of /v1 with a key", http.StatusNotFound, earshot.CodeNotFound)
	if r := n.get(t, nil, "/v1/../healthz"); r.StatusCode != http.StatusUnauthorized && r.StatusCode != http.StatusNotFound {
		t.Errorf("out of /v1 without a key: %d", r.StatusCode)
	}
}

func TestChecksComeInTheOrderOfTheContract(t *testing.T) {
	t.Parallel()
	n := simple(t)
	const broken = `{"prompt":`

	hurried := n.key(t, n.plan(t, hasty, "hasty", 1000), time.Time{}, account.ScopeRead)
	eventually(t, "the rate limit comes before the scope", func() bool {
		r := n.post(t, hurried, chat, broken)
		if r.StatusCode == http.StatusForbidden {
			return false // the window's first
		}
		r.fails(t, "rate before scope", http.StatusTooManyRequests, earshot.CodeRateLimit)
		return true
	})

	poor := n.organization(t, "free", 8)
	n.post(t, n.key(t, poor, time.Time{}, account.ScopeRead), chat, broken).fails(t, "scope before body", http.StatusForbidden, earshot.CodeNoPermission)
	n.hang(t, poor) // takes the only slot, and 5 of 8 credits
	n.post(t, poor, chat, broken).fails(t, "body before credits", http.StatusBadRequest, earshot.CodeValidation)
	r := n.post(t, poor, chat, `{"prompt":"x","country":"US"}`)
	r.fails(t, "credits before slot", http.StatusForbidden, earshot.CodeNoCredits)
	if got := string(r.failure(t).Details); got != `{"required":5,"remaining":3}` {
		t.Errorf("the details are %s", got)
	}

	released := false
	hidden := simple(t, func(cfg *app.Config) {
		cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": {Released: &released}}
	})
	reader := hidden.organization(t, "lite", 0, account.ScopeRead)
	hidden.post(t, nil, chat, broken).fails(t, "hidden without a key", http.StatusUnauthorized, earshot.CodeMissingKey)
	hidden.post(t, reader, chat, broken).fails(t, "hidden with a key", http.StatusNotFound, earshot.CodeNotFound)
	var codes []string
	hidden.get(t, reader, "/v1/countries?model=chatassistant").into(t, &codes)
	if len(codes) == 0 {
		t.Error("a hidden provider has no countries")
	}
}

func TestFormsOfAuthorization(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "enterprise-5k", 1000)
	text := a.Key.Text
	head, _ := strings.CutSuffix(text, text[len(text)-8:])
	last := "0"
	if strings.HasSuffix(text, last) {
		last = "1"
	}
	for header, want := range map[string]earshot.Code{
		"Bearer " + text:                      "",
		"bearer " + text:                      "",
		"BEARER " + text:                      "",
		"bEaReR  " + text + " ":               "",
		"":                                    earshot.CodeMissingKey,
		"Bearer":                              earshot.CodeMissingKey,
		"Bearer ":                             earshot.CodeMissingKey,
		"bearer   ":                           earshot.CodeMissingKey,
		text:                                  earshot.CodeInvalidKey,
		"Basic dXNlcjpwYXNz":                  earshot.CodeInvalidKey,
		"Basic " + text:                       earshot.CodeInvalidKey,
		"Token " + text:                       earshot.CodeInvalidKey,
		"Bearer:" + text:                      earshot.CodeInvalidKey,
		"Bearer x":                            earshot.CodeInvalidKey,
		"Bearer \"" + text + "\"":             earshot.CodeInvalidKey,
		"Bearer " + text[:len(text)-1]:        earshot.CodeInvalidKey,
		"Bearer " + text + "0":                earshot.CodeInvalidKey,
		"Bearer " + text[:len(text)-1] + last: earshot.CodeInvalidKey, // wrong checksum
		"Bearer " + strings.ToUpper(text):     earshot.CodeInvalidKey,
		"Bearer " + head + "zzzzzzzz":         earshot.CodeInvalidKey,
		"Bearer " + account.NewKey().Text:     earshot.CodeInvalidKey, // unknown id
		"Bearer " + text + ", Bearer " + text: earshot.CodeInvalidKey,
		"Bearer " + text + " " + text:         earshot.CodeInvalidKey,
		"Bearer ' OR 1=1 --":                  earshot.CodeInvalidKey,
		"Bearer ear_live_" + strings.Repeat("é", 38): earshot.CodeInvalidKey,
	} {
		r := n.with(t, nil, http.MethodGet, "/v1/credits", "", map[string]string{"Authorization": header})
		if want != "" {
			r.fails(t, header, http.StatusUnauthorized, want)
			if bytes.Contains(r.body, []byte(text)) {
				t.Errorf("%s: the key is repeated: %s", header, r.body)
			}
		} else if r.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", header, r.StatusCode, r.body)
		}
	}
	for _, elsewhere := range []string{"?key=" + text, "?access_token=" + text} {
		n.get(t, nil, "/v1/credits"+elsewhere).fails(t, elsewhere, http.StatusUnauthorized, earshot.CodeMissingKey)
	}
	n.with(t, nil, http.MethodGet, "/v1/credits", "", map[string]string{"X-Api-Key": text}).fails(t, "X-Api-Key", http.StatusUnauthorized, earshot.CodeMissingKey)
	if strings.Contains(n.logs.String(), text) {
		t.Error("the key is in the log")
	}
}

func TestKeysThatAreNotValid(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "enterprise-5k", 1000)
	key := account.NewKey() // nobody can make another of the same id, so another is stored under it
	if err := n.store.CreateKey(a.Organization.ID, account.Key{ID: key.ID, Text: account.NewKey().Text}, account.DefaultScopes(), time.Time{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	n.get(t, &app.Account{Key: key}, "/v1/credits").fails(t, "the right id with another secret", http.StatusUnauthorized, earshot.CodeInvalidKey)

	expired := n.key(t, a, time.Now().Add(-time.Millisecond), account.DefaultScopes()...)
	n.get(t, expired, "/v1/credits").fails(t, "an expired key", http.StatusUnauthorized, earshot.CodeInvalidKey)
	valid := n.key(t, a, time.Now().Add(time.Hour), account.DefaultScopes()...)
	if r := n.get(t, valid, "/v1/credits"); r.StatusCode != http.StatusOK {
		t.Errorf("a key that has not expired yet: %d %s", r.StatusCode, r.body)
	}

	if err := n.store.RevokeKey(valid.Key.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the key is revoked", func() bool { return n.get(t, valid, "/v1/credits").StatusCode == http.StatusUnauthorized })
	n.post(t, valid, chat, `{}`).fails(t, "a revoked key", http.StatusUnauthorized, earshot.CodeInvalidKey)
	if r := n.get(t, a, "/v1/credits"); r.StatusCode != http.StatusOK {
		t.Errorf("another key of the same account: %d %s", r.StatusCode, r.body)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "enterprise-5k", 1000)
	needs := map[string]account.Scope{
		"GET /v1/countries": account.ScopeRead, "GET /v1/states?country=US": account.ScopeRead, "GET /v1/credits": account.ScopeRead,
		"POST " + chat: account.ScopeMonitor,
	}
	all := account.DefaultScopes()
	for set := 1; set < 1<<len(all); set++ {
		var scopes []account.Scope
		for i, scope := range all {
			if set&(1<<i) != 0 {
				scopes = append(scopes, scope)
			}
		}
		key := n.key(t, a, time.Time{}, scopes...)
		for operation, scope := range needs {
			method, path, _ := strings.Cut(operation, " ")
			r := n.send(t, key, method, path, `{"prompt":"x","country":"US"}`)
			what := fmt.Sprintf("%s with %v", operation, scopes)
			if slices.Contains(scopes, scope) {
				if r.StatusCode != http.StatusOK {
					t.Errorf("%s: %d %s", what, r.StatusCode, r.body)
				}
				continue
			}
			r.fails(t, what, http.StatusForbidden, earshot.CodeNoPermission)
			if got := string(r.failure(t).Details); got != `{"requiredScope":"`+string(scope)+`"}` {
				t.Errorf("%s: the details are %s", what, got)
			}
		}
		n.get(t, key, "/v1/nosuch").fails(t, "a path that needs no scope", http.StatusNotFound, earshot.CodeNotFound)
	}
}

// TestTheRateWindow sends 30 requests at once and expects 10 to pass on the free
// plan. A burst that a slow machine spread over two windows, which the headers
// tell, is tried again.
func TestTheRateWindow(t *testing.T) {
	t.Parallel()
	onNodes(t, func(t *testing.T, nodes []*node) {
		eventually(t, "a burst falls into one window", func() bool {
			a := nodes[0].organization(t, "free", 1000)
			replies := make([]*reply, 30)
			var group sync.WaitGroup
			for i := range replies {
				group.Go(func() { replies[i] = nodes[i%len(nodes)].get(t, a, "/v1/nosuch") })
			}
			group.Wait()
			passed, refused := map[int]int{}, 0
			for _, r := range replies {
				remaining := r.number(t, "X-RateLimit-Remaining")
				if r.number(t, "X-RateLimit-Limit") != 10 {
					t.Errorf("the limit is %s", r.Header.Get("X-RateLimit-Limit"))
				}
				if r.StatusCode == http.StatusNotFound {
					passed[remaining]++
					continue
				}
				refused++
				r.fails(t, "past the limit", http.StatusTooManyRequests, earshot.CodeRateLimit)
				if failure := r.failure(t); r.Header.Get("Retry-After") != "" || remaining != 0 || failure.Details != nil {
					t.Errorf("refused with %v, %s", r.Header, r.body)
				}
			}
			if passed[9] > 1 {
				return false
			}
			if want := map[int]int{0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1}; !maps.Equal(passed, want) || refused != 20 {
				t.Errorf("passed by what remained then: %v, and %d refused", passed, refused)
			}
			return true
		})
	})
}

// TestEveryRequestWithAKeyCounts looks at what remains after requests that fail
// for all kinds of reasons.
func TestEveryRequestWithAKeyCounts(t *testing.T) {
	t.Parallel()
	n := simple(t)
	eventually(t, "all requests fall into one window", func() bool {
		a := n.organization(t, "lite", 4)
		reader := n.key(t, a, time.Time{}, account.ScopeRead)
		for i, r := range []*reply{
			n.get(t, a, "/v1/countries"),
			n.get(t, a, "/v1/countries?model=x"),
			n.get(t, a, "/v1/nosuch"),
			n.get(t, a, "/v1//credits"),
			n.send(t, a, http.MethodPut, chat, ""),
			n.post(t, a, chat, "{}"),
			n.post(t, reader, chat, "{}"), // another key, the same account
			n.post(t, a, chat, `{"prompt":"x","country":"US"}`),
		} {
			remaining := r.number(t, "X-RateLimit-Remaining")
			if i > 0 && remaining == 49 {
				return false // the next window
			}
			if remaining != 49-i {
				t.Errorf("%d remain after request %d, a %d", remaining, i+1, r.StatusCode)
			}
		}
		return true
	})
}

func TestRequestsWithoutAKeyAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "lite", 100)
	guess := func() *reply { return n.get(t, &app.Account{Key: account.NewKey()}, "/v1/credits") }
	if r := guess(); r.number(t, "X-RateLimit-Limit") != 100 || r.number(t, "X-RateLimit-Remaining") != 99 {
		t.Errorf("after one: %v", r.Header)
	}
	eventually(t, "guesses are refused", func() bool {
		replies := make([]*reply, 128)
		var group sync.WaitGroup
		for i := range replies {
			group.Go(func() { replies[i] = guess() })
		}
		group.Wait()
		for _, r := range replies {
			if r.StatusCode == http.StatusUnauthorized {
				continue
			}
			r.fails(t, "past the limit", http.StatusTooManyRequests, earshot.CodeRateLimit)
			if r.Header.Get("Retry-After") != "" || r.number(t, "X-RateLimit-Remaining") != 0 {
				t.Errorf("refused with %v", r.Header)
			}
			return true
		}
		return false
	})
	// Neither who has a key nor who needs none is held up.
	for range 3 {
		if r := n.get(t, a, "/v1/credits"); r.StatusCode != http.StatusOK || r.number(t, "X-RateLimit-Limit") != 50 {
			t.Errorf("with a key: %d %v", r.StatusCode, r.Header)
		}
		if r := n.get(t, nil, "/healthz"); r.StatusCode != http.StatusOK {
			t.Errorf("/healthz: %d", r.StatusCode)
		}
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "enterprise-5k", 1000)
	for header, want := range map[string]int{
		"":                                  200,
		"application/json":                  200,
		"Application/JSON":                  200,
		"application/json; charset=utf-8":   200,
		"application/json;charset=UTF-8":    200,
		`application/json; charset="Utf-8"`: 200,
		"application/json; charset=latin1":  400,
		"application/json; charset=utf-16":  400,
		"application/json; charset=":        400,
		"text/plain":                        400,
		"text/json":                         400,
		"application/x-www-form-urlencoded": 400,
		"multipart/form-data; boundary=x":   400,
		"application/vnd.api+json":          400,
		"application/jsonp":                 400,
		"application/*":                     400,
		";":                                 400,
		"application/json, text/plain":      400,
	} {
		r := n.with(t, a, http.MethodPost, chat, `{"prompt":"x","country":"US"}`, map[string]string{"Content-Type": header})
		if r.StatusCode != want {
			t.Errorf("Content-Type %q: %d %s", header, r.StatusCode, r.body)
		}
		if r.StatusCode == http.StatusBadRequest && !slices.Equal(r.fields(t), []string{"body"}) {
			t.Errorf("Content-Type %q: %s", header, r.body)
		}
	}
	for encoding, want := range map[string]int{"identity": 200, "Identity": 200, "gzip": 400, "br": 400, "nonsense": 400} {
		r := n.with(t, a, http.MethodPost, chat, `{"prompt":"x","country":"US"}`, map[string]string{"Content-Encoding": encoding})
		if r.StatusCode != want {
			t.Errorf("Content-Encoding %q: %d %s", encoding, r.StatusCode, r.body)
		}
	}
}

func TestTheSizeOfABody(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "lite", 1000)
	const most = 1 << 20
	document := `{"prompt":"x","country":"US"}`
	padded := document + strings.Repeat(" ", most-len(document))
	if r := n.post(t, a, chat, padded); r.StatusCode != http.StatusOK {
		t.Errorf("1 MiB: %d %s", r.StatusCode, r.body)
	}
	for what, body := range map[string]string{"a byte more": padded + " ", "much more": strings.Repeat(padded, 3), "a long key": `{"` + padded + `":1}`} {
		r := n.post(t, a, chat, body)
		r.fails(t, what, http.StatusBadRequest, earshot.CodeValidation)
		if !slices.Equal(r.fields(t), []string{"body"}) {
			t.Errorf("%s: %s", what, r.body)
		}
	}
	// A length that is not announced.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.BaseURL+chat, struct{ *strings.Reader }{strings.NewReader(padded + " ")})
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.Key.Text)
	do(t, req).fails(t, "chunked", http.StatusBadRequest, earshot.CodeValidation)
	for characters, want := range map[int]int{10_000: 200, 10_001: 400} {
		if r := n.post(t, a, chat, `{"prompt":"  `+strings.Repeat("語", characters)+`\n","country":"US"}`); r.StatusCode != want {
			t.Errorf("a prompt of %d characters: %d %.200s", characters, r.StatusCode, r.body)
		}
	}
	if o := n.standing(t, a); o.Balance != 990 {
		t.Errorf("two good calls cost %d", 1000-o.Balance)
	}
}

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "enterprise-5k", 1000)
	for body, want := range map[string]map[string]string{ // messages that are fixed by the contract; "" for any
		`{}`:                          {"prompt": "", "country": ""},
		`{"prompt":"","country":""}`:  {"prompt": "", "country": ""},
		`{"country":"US","state":""}`: {"prompt": "", "state": ""},
		`{"prompt":5,"country":"us","state":"ZZ","legacy":"no","disableWebSearch":0,"inclued":{},"include":{"html":1,"markdown":null,"markdwn":true,"rawResponse":"yes","searchQueries":[],"ads":{},"shopping":0}}`: {
			"prompt": "", "country": "", "state": "", "legacy": "must be a boolean", "disableWebSearch": "must be a boolean",
			"inclued":             `unknown field "inclued", did you mean "include"?`,
			"include.html":        "must be a boolean",
			"include.markdown":    "must be a boolean",
			"include.markdwn":     `unknown field "markdwn", did you mean "markdown"?`,
			"include.rawResponse": "must be a boolean", "include.searchQueries": "must be a boolean",
			"include.ads": "must be a boolean", "include.shopping": "must be a boolean",
		},
		`{"prompt":"x","country":"US","include":[],"Prompt":"y","zzzzzzzzzzzz":1}`: {
			"include": "", "Prompt": `unknown field "Prompt", did you mean "prompt"?`, "zzzzzzzzzzzz": `unknown field "zzzzzzzzzzzz"`,
		},
		`{"prompt":"x","country":"HK","state":"CA"}`:                        {"country": "", "state": ""},
		`{"prompt":"x","country":"DE","state":"CA"}`:                        {"state": ""},
		`{"prompt":"x","country":"US","state":"ca"}`:                        {"state": ""},
		`{"prompt":"x","country":"US","state":"PR"}`:                        {"state": ""},
		`{"prompt":"x","country":"US","include":{"html":true,"html":true}}`: {"include.html": ""},
		`{"prompt":"x","country":"US","device":"mobile"}`:                   {"device": ""},
		`{"prompt":"x","country":"US","gl":"us"}`:                           {"gl": ""},
	} {
		r := n.post(t, a, chat, body)
		r.fails(t, body, http.StatusBadRequest, earshot.CodeValidation)
		if fields := slices.Sorted(maps.Keys(want)); !slices.Equal(r.fields(t), fields) {
			t.Errorf("%s: the fields are %q, want %q", body, r.fields(t), fields)
		}
		var problems []earshot.FieldProblem
		if err := json.Unmarshal(r.failure(t).Details, &problems); err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if w := want[p.Field]; p.Message == "" || w != "" && p.Message != w {
				t.Errorf("%s: %s %q, want %q", body, p.Field, p.Message, w)
			}
		}
	}
	if o := n.standing(t, a); o.Balance != 1000 {
		t.Errorf("faults cost %d", 1000-o.Balance)
	}
}

func TestWhatFlagsCost(t *testing.T) {
	t.Parallel()
	n := simple(t)
	flags := []string{"html", "markdown", "shopping", "rawResponse", "searchQueries", "ads"} // the last four are paid
	a := n.organization(t, "enterprise-5k", 10_000)
	balance := int64(10_000)
	ask := func(what, body string, cost int64) {
		r := n.post(t, a, chat, body)
		if r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", what, r.StatusCode, r.body)
		}
		now := n.standing(t, a).Balance
		if balance-now != cost || int64(r.number(t, "X-Credits-Charged")) != cost || int64(r.number(t, "X-Credits-Remaining")) != now {
			t.Errorf("%s: cost %d, the headers say %s of which %s remain; want %d", what, balance-now,
				r.Header.Get("X-Credits-Charged"), r.Header.Get("X-Credits-Remaining"), cost)
		}
		balance = now
	}
	for set := range 1 << len(flags) {
		include, cost := map[string]bool{}, int64(5)
		for i, flag := range flags {
			include[flag] = set&(1<<i) != 0
			if include[flag] && i >= 2 {
				cost = 7
			}
		}
		body, err := json.Marshal(map[string]any{"prompt": "hats", "country": "US", "include": include})
		if err != nil {
			t.Fatal(err)
		}
		ask(string(body), string(body), cost)
	}
	ask("a state", `{"prompt":"hats","country":"US","state":"NY"}`, 5)
	ask("legacy", `{"prompt":"hats","country":"US","legacy":true}`, 5)
	ask("no search", `{"prompt":"hats","country":"US","disableWebSearch":true}`, 5)
	ask("all of it", `{"prompt":"hats","country":"US","state":"NY","legacy":true,"include":{"ads":true}}`, 7)
}

func TestAnOperatorsPrices(t *testing.T) {
	t.Parallel()
	n := simple(t, func(cfg *app.Config) {
		cfg.Settings.Prices = provider.Prices{"chatassistant.base": 11, "surcharge.state": 3, "surcharge.sync": 1}
	})
	a := n.organization(t, "lite", 1000)
	for body, cost := range map[string]int{
		`{"prompt":"x","country":"US"}`:                                        12,
		`{"prompt":"x","country":"US","state":"NY"}`:                           15,
		`{"prompt":"x","country":"US","state":"NY","include":{"ads":true}}`:    17,
		`{"prompt":"x","country":"US","include":{"ads":true,"shopping":true}}`: 14,
	} {
		if r := n.post(t, a, chat, body); r.StatusCode != http.StatusOK || r.number(t, "X-Credits-Charged") != cost {
			t.Errorf("%s: %d, charged %s, want %d", body, r.StatusCode, r.Header.Get("X-Credits-Charged"), cost)
		}
	}
	poor := n.organization(t, "lite", 11)
	r := n.post(t, poor, chat, `{"prompt":"x","country":"US"}`)
	r.fails(t, "11 of 12 credits", http.StatusForbidden, earshot.CodeNoCredits)
	if got := string(r.failure(t).Details); got != `{"required":12,"remaining":11}` {
		t.Errorf("the details are %s", got)
	}
	for name, credits := range map[string]int64{"chatassistant.nosuch": 1, "nosuch.base": 1, "chatassistant.base": -1} {
		cfg := app.Config{Listen: "127.0.0.1:0", Data: t.TempDir(), Settings: app.Settings{Prices: provider.Prices{name: credits}}}
		if _, err := app.New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a price of %d for %s: %v", credits, name, err)
		}
	}
}

func TestAnOperatorsPlans(t *testing.T) {
	t.Parallel()
	address := filepath.Join(t.TempDir(), "earshot.db")
	run := func(plan account.Plan, credits string, firstKey *app.Account) *app.Account {
		n := start(t, address, func(cfg *app.Config) { cfg.Settings.Plans = account.Plans{plan} })
		if firstKey == nil {
			firstKey = n.First
		} else if n.First != nil {
			t.Error("a second first organization was made")
		}
		r := n.get(t, firstKey, "/v1/credits")
		if !strings.HasPrefix(string(r.body), credits) || r.number(t, "X-RateLimit-Limit") != plan.RequestsPerSecond {
			t.Errorf("with %+v: %s %v", plan, r.body, r.Header)
		}
		if r := n.post(t, firstKey, chat, "{}"); r.number(t, "X-Concurrent-Limit") != plan.Slots {
			t.Errorf("with %+v: %v", plan, r.Header)
		}
		if err := n.stop(); err != nil {
			t.Error(err)
		}
		return firstKey
	}
	first := run(account.Plan{Name: "hobby", Slots: 2, CreditsPerCycle: 77, RequestsPerSecond: 33}, `{"remaining":77,"held":0,"perCycle":77,`, nil)
	run(account.Plan{Name: "hobby", Slots: 3, CreditsPerCycle: 99, RequestsPerSecond: 44}, `{"remaining":77,"held":0,"perCycle":99,`, first)
}

func TestPlansOfTheContract(t *testing.T) {
	t.Parallel()
	n := simple(t)
	for plan, want := range map[string]string{
		"free": "1 10 500", "lite": "10 50 37500", "hobby": "20 100 250000", "starter": "50 250 650000", "growth": "75 400 1350000",
		"business": "100 500 2800000", "enterprise-2k": "135 1000 5871025", "enterprise-3k": "175 1000 9306606",
		"enterprise-4k": "215 1000 12756261", "enterprise-5k": "255 1000 16391783",
	} {
		a, err := app.CreateOrganization(n.store, app.Settings{}, plan, plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := n.post(t, a, chat, "{}")
		got := r.Header.Get("X-Concurrent-Limit") + " " + r.Header.Get("X-RateLimit-Limit") + " " + r.Header.Get("X-Credits-Remaining")
		if got != want {
			t.Errorf("%s: %s, want %s", plan, got, want)
		}
	}
}

func TestCountries(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "enterprise-5k", 0)
	var all []string
	n.get(t, a, "/v1/countries").into(t, &all)
	if len(all) != 250 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != 250 || !slices.Contains(all, "XK") || slices.Contains(all, "UK") {
		t.Errorf("%d countries: %v", len(all), all)
	}
	for model, gaps := range map[string]string{ // part 5 of the contract
		"chatassistant": "CN HK IR MO RU VE", "genassistant": "BY CN RU", "socialassistant": "BY CN HK RU VE",
		"officeassistant": "BY CN RU SY VE", "answerengine": "CN", "searchaimode": "CN CU IR KP", "websearch": "",
		"searchoverview": "BL BV CN CU ET GF GP IR IS LK MF MQ NC PF PM RE TF WF YT",
	} {
		var served []string
		n.get(t, a, "/v1/countries?model="+model).into(t, &served)
		want := slices.DeleteFunc(slices.Clone(all), func(code string) bool { return slices.Contains(strings.Fields(gaps), code) })
		if !slices.Equal(served, want) {
			t.Errorf("%s: %v", model, served)
		}
	}
	for _, query := range []string{"model=", "model", "model=x", "model=CHATASSISTANT", "model=websearch/news", "model=chatassistant%20", "model=%00", "model=goto"} {
		r := n.get(t, a, "/v1/countries?"+query)
		r.fails(t, query, http.StatusBadRequest, earshot.CodeValidation)
		if !slices.Equal(r.fields(t), []string{"model"}) {
			t.Errorf("%s: %s", query, r.body)
		}
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "enterprise-5k", 0)
	var states []earshot.State
	n.get(t, a, "/v1/states?country=US").into(t, &states)
	byName := func(a, b earshot.State) int { return strings.Compare(a.Name, b.Name) }
	if len(states) != 51 || !slices.IsSortedFunc(states, byName) || !slices.Contains(states, earshot.State{Code: "DC", Name: "District of Columbia"}) ||
		slices.ContainsFunc(states, func(s earshot.State) bool { return s.Code == "PR" || len(s.Code) != 2 }) {
		t.Errorf("%d states: %v", len(states), states)
	}
	for _, country := range []string{"DE", "CN", "XK"} {
		if r := n.get(t, a, "/v1/states?country="+country); r.StatusCode != http.StatusOK || string(r.body) != "[]" {
			t.Errorf("%s: %d %s", country, r.StatusCode, r.body)
		}
	}
	for _, query := range []string{"", "?country", "?country=", "?country=us", "?country=USA", "?country=ZZ", "?country=U", "?country=US%20", "?Country=US", "?country=%ff"} {
		r := n.get(t, a, "/v1/states"+query)
		r.fails(t, query, http.StatusBadRequest, earshot.CodeValidation)
		if !slices.Equal(r.fields(t), []string{"country"}) {
			t.Errorf("%s: %s", query, r.body)
		}
	}
}

func TestCredits(t *testing.T) {
	t.Parallel()
	n := simple(t)
	read := func(a *app.Account) (c struct {
		Remaining, Held, PerCycle     int64
		CycleStartedAt, CycleResetsAt string
		Plan                          string
	},
	) {
		n.get(t, a, "/v1/credits").into(t, &c)
		return c
	}
	instant := func(text string) time.Time {
		at, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		if err != nil {
			t.Error(err)
		}
		return at
	}
	a := n.organization(t, "lite", 123)
	c := read(a)
	begun := instant(c.CycleStartedAt)
	_, end := account.Cycle(begun, begun)
	if c.Remaining != 123 || c.Held != 0 || c.PerCycle != 37_500 || c.Plan != "lite" || begun.UnixMilli() != a.Organization.CreatedAt || !instant(c.CycleResetsAt).Equal(end) {
		t.Errorf("at first: %+v", c)
	}
	n.hang(t, a)
	if c := read(a); c.Remaining != 123 || c.Held != 5 {
		t.Errorf("while a call runs: %+v", c)
	}
	if r := n.post(t, a, chat, `{"prompt":"x","country":"US","include":{"ads":true}}`); r.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if c := read(a); c.Remaining != 116 || c.Held != 5 {
		t.Errorf("after another: %+v", c)
	}

	// One that began 40 days ago is in its second cycle, and what was unused of
	// the first grant has lapsed.
	then := time.Now().AddDate(0, 0, -40)
	plan, err := account.DefaultPlans().Find("free")
	if err != nil {
		t.Fatal(err)
	}
	old, err := n.store.CreateOrganization(store.NewOrganization{Name: "old", Plan: plan, FirstGrant: 77, WebhookSecret: account.NewWebhookSecret()}, then)
	if err != nil {
		t.Fatal(err)
	}
	c = read(n.key(t, &app.Account{Organization: old}, time.Time{}, account.ScopeRead))
	from, to := account.Cycle(time.UnixMilli(old.CreatedAt), time.Now())
	if c.Remaining != 500 || !instant(c.CycleStartedAt).Equal(from) || !instant(c.CycleResetsAt).Equal(to) || !instant(c.CycleResetsAt).After(time.Now()) {
		t.Errorf("in its second cycle: %+v, want %s to %s", c, from, to)
	}
	storetest.Audited(t, n.store)
}

func TestHead(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.organization(t, "lite", 100)
	for _, path := range []string{"/v1/countries", "/v1/states?country=US", "/v1/credits", "/healthz", "/readyz", "/openapi.json"} {
		get, head := n.get(t, a, path), n.send(t, a, http.MethodHead, path, "")
		if head.StatusCode != http.StatusOK || len(head.body) != 0 || head.Header.Get("Content-Length") != strconv.Itoa(len(get.body)) ||
			head.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d %v, %d bytes", path, head.StatusCode, head.Header, len(head.body))
		}
	}
	for path, want := range map[string]int{"/v1/credits": 401, "/v1/nosuch": 401, "/nosuch": 404} {
		if head := n.send(t, nil, http.MethodHead, path, ""); head.StatusCode != want || len(head.body) != 0 {
			t.Errorf("%s without a key: %d", path, head.StatusCode)
		}
	}
}
