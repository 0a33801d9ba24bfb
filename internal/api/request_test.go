package api_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/limits/ratelimit"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

// limiter counts requests and allows the first ones.
type limiter struct {
	mu    sync.Mutex
	taken int
	allow int
}

func (l *limiter) Take(_ context.Context, _ string, limit int) (ratelimit.Verdict, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken++
	return ratelimit.Verdict{Allowed: l.taken <= l.allow, Limit: limit, Remaining: max(0, l.allow-l.taken)}, nil
}

// An unknown path is refused after the key was checked and the request was counted.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, c := range []string{
		"GET /v1", "GET /v1/", "GET /v1//", "GET /v1/.", "GET /v1/nosuch", "GET /v1//countries", "GET //v1/countries", "GET /v1/countries/",
		"GET /v1/countries/US", "GET /v1/./countries", "GET /v1/x/../countries", "GET /v1/%2e/countries", "GET /v1/countries%2F",
		"GET /v1/countries%00", "GET /v1/Countries", "POST /v1/countries", "PATCH /v1/credits", "OPTIONS /v1/states",
		"GET " + echoPath, "DELETE " + echoPath, "POST " + echoPath + "/", "POST /v1/monitor", "POST /v1/monitor/", "POST /v1/monitor//echo",
		"POST /v1/monitor/Echo", "PUT /mcp",
	} {
		method, path, _ := strings.Cut(c, " ")
		s.fails(t, request{method: method, path: path}, http.StatusUnauthorized, earshot.CodeMissingKey)
		r := s.fails(t, request{method: method, path: path, key: s.key}, http.StatusNotFound, earshot.CodeNotFound)
		if limit := r.header.Get("X-RateLimit-Limit"); limit != "1000" {
			t.Errorf("%s with a key: X-RateLimit-Limit is %s, not the account's limit", c, limit)
		}
	}
	for _, path := range []string{
		"/V1/countries", "/v2/countries", "/nosuch", "/healthz/", "//healthz", "/Healthz", "/index.html", "/openapi.yaml", "//", "/v1x", "/v1%2Fcountries",
		"/captures", "/captures/", "/captures/a", "/captures/a/b/c", "/captures//page-1.html", "/captures/../healthz",
		"/captures/%ff/page-1.html", "/captures/%00/page-1.html", "/captures/A/page-1.html",
	} {
		s.fails(t, request{method: "GET", path: path}, http.StatusNotFound, earshot.CodeNotFound)
		s.fails(t, request{method: "GET", path: path, key: s.key}, http.StatusNotFound, earshot.CodeNotFound)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		for _, path := range []string{"/", "/healthz", "/readyz", "/metrics", "/openapi.json"} {
			s.fails(t, request{method: method, path: path}, http.StatusNotFound, earshot.CodeNotFound)
		}
	}
	for _, path := range []string{"/v1/../healthz", "/v1/.."} { // outside of /v1
		s.fails(t, request{method: "GET", path: path, key: s.key}, http.StatusNotFound, earshot.CodeNotFound)
		s.fails(t, request{method: "GET", path: path}, http.StatusNotFound, earshot.CodeNotFound)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, path := range []string{"/v1/countries", "/v1/states?country=US", "/v1/credits", "/healthz", "/readyz", "/openapi.json"} {
		get, head := s.get(t, path), s.succeeds(t, request{method: "HEAD", path: path, key: s.key})
		if head.body != "" || head.header.Get("Content-Length") != strconv.Itoa(len(get.body)) || head.header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %v, %d bytes", path, head.header, len(head.body))
		}
	}
	for path, want := range map[string]int{"/v1/credits": 401, "/v1/nosuch": 401, echoPath: 401, "/nosuch": 404} {
		if head := s.send(t, request{method: "HEAD", path: path}); head.status != want || head.body != "" {
			t.Errorf("%s without a key: %d", path, head.status)
		}
	}
	if head := s.send(t, request{method: "HEAD", path: echoPath, key: s.key}); head.status != http.StatusNotFound {
		t.Errorf("a call with a key: %d", head.status)
	}
}

// Each request fails for several reasons; the first in the documented order is reported.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	const broken = `{"prompt":`
	l := &limiter{}
	limited := serve(t, func(cfg *api.Config) { cfg.Limiter = l })
	limited.fails(t, request{method: "POST", path: echoPath, key: limited.newKey(t, account.ScopeRead), body: broken}, http.StatusTooManyRequests, earshot.CodeRateLimit)

	s := serve(t)
	reader := s.newKey(t, account.ScopeRead)
	s.fails(t, request{method: "POST", path: echoPath, key: reader, body: broken}, http.StatusForbidden, earshot.CodeNoPermission)
	o := storetest.Organization(t, s.store, 1, 8)
	poor := s.expiringKey(t, o, time.Time{}, account.DefaultScopes()...).Text
	ctx, leave := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { // takes the only slot, and 5 of 8 credits
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+echoPath, strings.NewReader(`{"prompt":"hang"}`))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer "+poor)
		if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
			t.Errorf("the call that hangs got %s", resp.Status)
			resp.Body.Close()
		}
	})
	eventually(t, "the call runs", func() bool { return s.organization(t, o.ID).Running == 1 })
	s.fails(t, request{method: "POST", path: echoPath, key: poor, body: broken}, http.StatusBadRequest, earshot.CodeValidation)
	r := s.fails(t, request{method: "POST", path: echoPath, key: poor, body: echoCall}, http.StatusForbidden, earshot.CodeNoCredits)
	if r.details != `{"required":5,"remaining":8,"held":5}` {
		t.Errorf("the details are %s", r.details)
	}
	leave()
	group.Wait()

	catalogue, err := provider.NewCatalogue([]provider.Provider{echo{}}, func(string) bool { return true }, nil)
	if err != nil {
		t.Fatal(err)
	}
	hidden := serve(t, func(cfg *api.Config) { cfg.Catalogue = catalogue })
	hidden.fails(t, request{method: "POST", path: echoPath, body: broken}, http.StatusUnauthorized, earshot.CodeMissingKey)
	hidden.fails(t, request{method: "POST", path: echoPath, key: hidden.newKey(t, account.ScopeRead), body: broken}, http.StatusNotFound, earshot.CodeNotFound)
	if r := hidden.get(t, "/v1/countries?model=echo"); r.status != http.StatusOK || len(r.body) < 1000 {
		t.Errorf("the countries of a hidden provider: %d %s", r.status, r.body)
	}
}

func TestAuthorization(t *testing.T) {
	t.Parallel()
	s := serve(t)
	text := s.key
	last := "0"
	if strings.HasSuffix(text, last) {
		last = "1"
	}
	for header, want := range map[string]earshot.Code{
		"Bearer " + text: "", "bearer " + text: "", "BEARER " + text: "", "bEaReR  " + text + " ": "",
		"": earshot.CodeMissingKey, "Bearer": earshot.CodeMissingKey, "Bearer ": earshot.CodeMissingKey, "bearer   ": earshot.CodeMissingKey,
		text:                                         earshot.CodeInvalidKey,
		"Basic dXNlcjpwYXNz":                         earshot.CodeInvalidKey,
		"Basic " + text:                              earshot.CodeInvalidKey,
		"Token " + text:                              earshot.CodeInvalidKey,
		"Bearer:" + text:                             earshot.CodeInvalidKey,
		"Bearer x":                                   earshot.CodeInvalidKey,
		"Bearer \"" + text + "\"":                    earshot.CodeInvalidKey,
		"Bearer " + text[:len(text)-1]:               earshot.CodeInvalidKey,
		"Bearer " + text + "0":                       earshot.CodeInvalidKey,
		"Bearer " + text[:len(text)-1] + last:        earshot.CodeInvalidKey, // wrong checksum
		"Bearer " + strings.ToUpper(text):            earshot.CodeInvalidKey,
		"Bearer " + text[:len(text)-8] + "zzzzzzzz":  earshot.CodeInvalidKey,
		"Bearer " + account.NewKey().Text:            earshot.CodeInvalidKey, // unknown id
		"Bearer " + text + ", Bearer " + text:        earshot.CodeInvalidKey,
		"Bearer " + text + " " + text:                earshot.CodeInvalidKey,
		"Bearer ' OR 1=1 --":                         earshot.CodeInvalidKey,
		"Bearer ear_live_" + strings.Repeat("é", 38): earshot.CodeInvalidKey,
	} {
		in := request{method: "GET", path: "/v1/credits", header: map[string]string{"Authorization": header}}
		if want == "" {
			s.succeeds(t, in)
		} else if r := s.fails(t, in, http.StatusUnauthorized, want); strings.Contains(r.body, text) {
			t.Errorf("%s: the key is repeated: %s", header, r.body)
		}
	}
	for _, in := range []request{
		{path: "/v1/credits?key=" + text},
		{path: "/v1/credits?access_token=" + text},
		{path: "/v1/credits", header: map[string]string{"X-Api-Key": text}},
	} {
		in.method = "GET"
		s.fails(t, in, http.StatusUnauthorized, earshot.CodeMissingKey)
	}
	if s.logs.contain(text) {
		t.Error("the key is in the log")
	}
}

func TestInvalidKeys(t *testing.T) {
	t.Parallel()
	s := serve(t)
	credits := func(key account.Key) request { return request{method: "GET", path: "/v1/credits", key: key.Text} }
	key := account.NewKey() // nobody can make another of the same id, so another is stored under it
	if err := s.orgs.CreateKey(s.org.ID, account.Key{ID: key.ID, Text: account.NewKey().Text}, account.DefaultScopes(), time.Time{}, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	s.fails(t, credits(key), http.StatusUnauthorized, earshot.CodeInvalidKey)
	s.fails(t, credits(s.expiringKey(t, s.org, time.Now().Add(-time.Millisecond), account.DefaultScopes()...)), http.StatusUnauthorized, earshot.CodeInvalidKey)
	valid := s.expiringKey(t, s.org, time.Now().Add(time.Hour), account.DefaultScopes()...)
	s.succeeds(t, credits(valid))
	if _, err := s.orgs.RevokeKey(t.Context(), valid.ID, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the key is revoked", func() bool { return s.send(t, credits(valid)).status == http.StatusUnauthorized })
	s.fails(t, request{method: "POST", path: echoPath, key: valid.Text, body: `{}`}, http.StatusUnauthorized, earshot.CodeInvalidKey)
	s.succeeds(t, request{method: "GET", path: "/v1/credits", key: s.key})
}

func TestKeyUseIsNotWrittenDuringTheRequest(t *testing.T) {
	t.Parallel()
	s := serve(t)
	other := orgs.New(storetest.Open(t, s.file))
	// used reports whether the key of the test was used, as a store knows it.
	used := func(from *orgs.Store) bool {
		t.Helper()
		keys, err := from.Keys(t.Context(), s.org.ID, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		id, _ := account.KeyID(s.key)
		return slices.ContainsFunc(keys, func(k *earshot.Key) bool { return k.ID == id && k.LastUsedAt != nil })
	}
	db, err := sql.Open("sqlite", s.file+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	lock, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.succeeds(t, request{method: "GET", path: "/v1/credits", key: s.key}) // while nobody can write
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if !used(s.orgs) || used(other) {
		t.Errorf("the key is used: %t; written: %t", used(s.orgs), used(other))
	}
	if err := s.orgs.WriteKeyUses(); err != nil || !used(other) {
		t.Errorf("written: %t, %v", used(other), err)
	}
}

// Every request with a valid key counts once, whatever its result.
func TestEveryRequestWithAKeyCounts(t *testing.T) {
	t.Parallel()
	l := &limiter{allow: 100}
	s := serve(t, func(cfg *api.Config) { cfg.Limiter = l })
	reader := s.newKey(t, account.ScopeRead) // another key, the same account
	for i, in := range []request{
		{method: "GET", path: "/v1/countries", key: s.key},
		{method: "GET", path: "/v1/countries?model=x", key: s.key},
		{method: "GET", path: "/v1/nosuch", key: s.key},
		{method: "GET", path: "/v1//credits", key: s.key},
		{method: "PUT", path: echoPath, key: s.key},
		{method: "POST", path: echoPath, key: s.key, body: `{}`},
		{method: "POST", path: echoPath, key: reader, body: `{}`},
		{method: "POST", path: echoPath, key: s.key, body: echoCall},
	} {
		r := s.send(t, in)
		if l.taken != i+1 || r.header.Get("X-RateLimit-Limit") != "1000" || r.header.Get("X-RateLimit-Remaining") != strconv.Itoa(99-i) {
			t.Errorf("%v: counted as request %d, %v", in, l.taken, r.header)
		}
	}
	for _, in := range []request{{method: "GET", path: "/v1/credits"}, {method: "GET", path: "/healthz", key: s.key}} {
		if s.send(t, in); l.taken != 8 {
			t.Errorf("%v counts against an account", in)
		}
	}
}

func TestRequestsWithoutAKeyAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	s := serve(t)
	guess := func() *http.Response {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v1/credits", http.NoBody)
		r.Header.Set("Authorization", "Bearer nobody's")
		s.api.ServeHTTP(w, r)
		return w.Result()
	}
	synctest.Test(t, func(t *testing.T) {
		for window := range 2 {
			check := func(i, want, remaining int) {
				r := guess()
				header := map[string][]string(r.Header) // spelled as documented, which is not Go's way
				if r.StatusCode != want || header["X-RateLimit-Limit"][0] != "100" || header["X-RateLimit-Remaining"][0] != strconv.Itoa(remaining) || header["Retry-After"] != nil {
					t.Errorf("request %d of window %d: %d %v", i, window, r.StatusCode, r.Header)
				}
			}
			for i := range 100 {
				check(i, http.StatusUnauthorized, 99-i)
			}
			began := time.Now()
			var refused sync.WaitGroup
			for i := range 10 {
				refused.Go(func() {
					check(100+i, http.StatusTooManyRequests, 0)
					if waited := time.Since(began); waited < 500*time.Millisecond || waited > 1500*time.Millisecond {
						t.Errorf("request %d of window %d is refused after %s", 100+i, window, waited)
					}
				})
			}
			refused.Wait()
			time.Sleep(time.Second) // in a bubble, where it takes no time
		}
	})
	var guesses sync.WaitGroup
	for range 110 {
		guesses.Go(func() { guess() })
	}
	defer guesses.Wait()
	// Neither who has a key nor who needs none is held up.
	for range 3 {
		if r := s.succeeds(t, request{method: "GET", path: "/v1/credits", key: s.key}); r.header.Get("X-RateLimit-Limit") != "1000" {
			t.Errorf("with a key: %v", r.header)
		}
		s.succeeds(t, request{method: "GET", path: "/healthz"})
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for header, types := range map[string]map[string]int{
		"Content-Type": {
			"": 200, "application/json": 200, "Application/JSON": 200, "application/json; charset=utf-8": 200, "application/json;charset=UTF-8": 200,
			`application/json; charset="Utf-8"`: 200,
			"application/json; charset=latin1":  400, "application/json; charset=utf-16": 400, "application/json; charset=": 400, "text/plain": 400, "text/json": 400,
			"application/x-www-form-urlencoded": 400, "multipart/form-data; boundary=x": 400, "application/vnd.api+json": 400, "application/jsonp": 400,
			"application/*": 400, ";": 400, "application/json, text/plain": 400,
		},
		"Content-Encoding": {"identity": 200, "Identity": 200, "gzip": 400, "br": 400, "nonsense": 400},
	} {
		for value, want := range types {
			in := request{method: "POST", path: echoPath, key: s.key, body: echoCall, header: map[string]string{header: value}}
			if want == http.StatusOK {
				s.succeeds(t, in)
			} else {
				s.invalid(t, in, want, "body")
				in.path = "/v1/quote" // the specification does not list the statuses of this operation
				s.fails(t, in, http.StatusUnsupportedMediaType, earshot.CodeMediaType)
			}
		}
	}
}

func TestSizesOfBodies(t *testing.T) {
	t.Parallel()
	s := serve(t)
	padded := func(text string, size int) string { return strings.Repeat(" ", size-len(text)) + text }
	for _, c := range []struct {
		path, body string
		status     int // of a byte more
	}{
		{echoPath, padded(echoCall, 1<<20), 400},
		{"/v1/async/task", padded(echoTask, 1<<20), 422},
		{"/v1/async/task/batch", padded("["+echoTask+"]", 8<<20), 422},
		{"/v1/quote", padded(echoTask, 1<<20), 400},
		{"/v1/quote", padded("["+echoTask+"]", 8<<20), 400},
	} {
		in := request{method: "POST", path: c.path, key: s.key, body: c.body}
		s.succeeds(t, in)
		in.body += " "
		s.invalid(t, in, c.status, "body")
		in.body += in.body
		s.invalid(t, in, c.status, "body")
	}
	s.invalid(t, request{method: "POST", path: echoPath, key: s.key, body: `{"` + strings.Repeat("x", 1<<20) + `":1}`}, 400, "body")
	// Characters count, not bytes, and not the space around them.
	prompt := func(characters int) string { return `{"prompt":"  ` + strings.Repeat("語", characters) + `\n"}` }
	s.succeeds(t, request{method: "POST", path: echoPath, key: s.key, body: prompt(10_000)})
	s.invalid(t, request{method: "POST", path: echoPath, key: s.key, body: prompt(10_001)}, 400, "prompt")
	// A length that is not announced.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+echoPath, struct{ *strings.Reader }{strings.NewReader(padded(echoCall, 1<<20+1))})
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	if r := do(t, req); r.status != http.StatusBadRequest || r.code != earshot.CodeValidation {
		t.Errorf("chunked: %d %s", r.status, r.body)
	}
	if o := s.organization(t, s.org.ID); o.Balance != 990 {
		t.Errorf("two good calls cost %d", 1000-o.Balance)
	}
	s.unharmed(t)
}

// The server does not wait for a client that announces a body and never sends it.
func TestUnreadBodyIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for request, want := range map[string]int{
		"POST " + echoPath + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n":         http.StatusUnauthorized,
		"POST " + echoPath + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n": http.StatusUnauthorized,
		"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n":                  http.StatusOK,
		"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n":                  http.StatusOK,
		"POST /nosuch HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n":                  http.StatusNotFound,
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, request)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != want || !resp.Close {
			t.Errorf("%.40s: %d, closed %t", request, resp.StatusCode, resp.Close)
		}
		resp.Body.Close()
		conn.Close()
	}
}

func TestCountriesAndStates(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var states []earshot.State
	s.into(t, "/v1/states?country=US", &states)
	byName := func(a, b earshot.State) int { return strings.Compare(a.Name, b.Name) }
	if len(states) != 51 || !slices.IsSortedFunc(states, byName) || !slices.Contains(states, earshot.State{Code: "DC", Name: "District of Columbia"}) ||
		slices.ContainsFunc(states, func(s earshot.State) bool { return s.Code == "PR" || len(s.Code) != 2 }) {
		t.Errorf("%d states: %v", len(states), states)
	}
	for _, country := range []string{"DE", "CN", "XK"} {
		if r := s.get(t, "/v1/states?country="+country); r.status != http.StatusOK || r.body != "[]" {
			t.Errorf("%s: %d %s", country, r.status, r.body)
		}
	}
	for _, query := range []string{"", "?country", "?country=", "?country=us", "?country=USA", "?country=ZZ", "?country=U", "?country=US%20", "?country=%ff"} {
		s.invalid(t, request{method: "GET", path: "/v1/states" + query, key: s.key}, 400, "country")
	}
	s.invalid(t, request{method: "GET", path: "/v1/states?Country=US", key: s.key}, 400, "Country", "country")
	for _, query := range []string{"model=", "model", "model=x", "model=ECHO", "model=echo%20", "model=%00", "model=goto"} {
		s.invalid(t, request{method: "GET", path: "/v1/countries?" + query, key: s.key}, 400, "model")
	}
}

func TestHostileQueries(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, value := range []string{
		"%00", "%ff", "%c0%af", "US%00", "US%0d%0aX-Injected:1", "%F0%9F%98%80", "US;US", "US%20", "+US", "[US]",
		"%27%20OR%201=1", "..%2f..%2fetc", "%zz", "%", strings.Repeat("U", 8000),
	} {
		for path, names := range map[string][]string{
			"/v1/states":              {"country"},
			"/v1/countries":           {"model"},
			"/v1/async/tasks":         {"status", "taskType", "limit", "cursor"},
			"/v1/events":              {"limit", "cursor"},
			"/v1/webhooks/deliveries": {"state", "limit", "cursor"},
			"/v1/usage":               {"from", "to"},
			"/v1/stats":               {"hours"},
			"/v1/ledger":              {"kind", "limit", "cursor"},
		} {
			for _, name := range names {
				in := request{method: "GET", path: path + "?" + name + "=" + value, key: s.key}
				if r := s.fails(t, in, http.StatusBadRequest, earshot.CodeValidation); len(r.fields) != 1 {
					t.Errorf("%v: no field is named: %s", in, r.body)
				}
			}
		}
	}
	s.unharmed(t)
}

// TestErrorsFromBelow makes each dependency of the API fail.
func TestErrorsFromBelow(t *testing.T) {
	t.Parallel()
	var failure error
	s := serve(t, func(cfg *api.Config) {
		cfg.Goto = func(context.Context, string) (string, error) { return "", failure }
		cfg.Exchange = func(context.Context, string) (string, *account.Principal, error) { return "", nil, failure }
		cfg.TestWebhook = func(context.Context, string, string) (*earshot.WebhookTest, error) {
			if failure == nil {
				panic("secret")
			}
			return nil, failure
		}
		cfg.CheckWebhook = func(url string) error {
			if url == "inner" {
				return errors.New("must be public")
			}
			return nil
		}
	})
	const hook, session, jump = "/v1/webhooks/test", "/v1/session", "/v1/monitor/websearch/goto"
	const link = `{"url":"https://search.lab.test/url?q=x"}`
	for _, c := range []struct {
		path, body string
		failure    error
		status     int
		code       earshot.Code
	}{
		{jump, `{}`, schema.Invalid("url", "is required"), 400, earshot.CodeValidation},
		{jump, link, &earshot.Error{Code: earshot.CodeUpstream}, 502, earshot.CodeUpstream},
		{jump, link, fmt.Errorf("wrapped: %w", &earshot.Error{Code: earshot.CodeServerUnavailable}), 503, earshot.CodeServerUnavailable},
		{jump, link, errors.New("secret"), 500, earshot.CodeInternal},
		{session, `{"token":"x"}`, &earshot.Error{Code: earshot.CodeInvalidKey}, 401, earshot.CodeInvalidKey},
		{session, `{"token":"x"}`, errors.New("secret"), 500, earshot.CodeInternal},
		{hook, `{"url":"x"}`, &earshot.Error{Code: earshot.CodeConcurrencyLimit}, 429, earshot.CodeConcurrencyLimit},
		{hook, `{"url":"x"}`, nil, 500, earshot.CodeInternal},
		{hook, `{"url":"inner"}`, nil, 400, earshot.CodeValidation},
		{echoPath, `{"prompt":"blocked"}`, nil, 502, earshot.CodeUpstream},
		{echoPath, `{"prompt":"broken"}`, nil, 500, earshot.CodeInternal},
		{echoPath, `{"prompt":""}`, nil, 400, earshot.CodeValidation},
		{"/v1/async/task", `{"taskType":"ECHO","payload":{}}`, nil, 422, earshot.CodeValidation},
		{"/v1/async/task", `{"taskType":"ECHO","payload":{"prompt":"x"},"webhook":{"url":"inner"}}`, nil, 422, earshot.CodeValidation},
		{"/v1/async/task/batch", `[]`, nil, 422, earshot.CodeValidation},
		{"/v1/quote", `[]`, nil, 400, earshot.CodeValidation},
		{"/v1/keys", `{"scopes":[]}`, nil, 400, earshot.CodeValidation},
	} {
		failure = c.failure
		if failure, ok := errors.AsType[*earshot.Error](failure); ok && failure.Message == "" {
			failure.Message = "something happened"
		}
		r := s.fails(t, request{method: "POST", path: c.path, key: s.key, body: c.body}, c.status, c.code)
		if strings.Contains(r.body, "secret") || (r.header.Get("Retry-After") != "") != (c.status == http.StatusServiceUnavailable) {
			t.Errorf("%s: %v %s", c.path, r.header, r.body)
		}
	}
}

// TestPages reads lists page by page: all items, newest first, without duplicates.
func TestPages(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const tasks = 7
	for range tasks {
		s.succeeds(t, request{method: "POST", path: "/v1/async/task", key: s.key, body: echoTask})
	}
	for range tasks - 1 {
		if _, err := s.orgs.Grant(s.org.ID, 1, account.Operator(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	for path, list := range map[string]string{"/v1/async/tasks": "tasks", "/v1/ledger": "entries"} {
		for _, limit := range []int{1, 2, 6, 7, 8, 100} {
			var ids []string
			pages := 0
			for cursor := ""; pages == 0 || cursor != ""; pages++ {
				var page map[string]any
				s.into(t, fmt.Sprintf("%s?limit=%d&cursor=%s", path, limit, cursor), &page)
				items, _ := page[list].([]any)
				for _, item := range items {
					object, _ := item.(map[string]any)
					if task, ok := object["task"].(map[string]any); ok {
						object = task
					}
					ids = append(ids, fmt.Sprint(object["id"]))
				}
				cursor, _ = page["nextCursor"].(string)
			}
			newestFirst := slices.IsSortedFunc(ids, func(a, b string) int { return strings.Compare(b, a) })
			if len(slices.Compact(ids)) != tasks || !newestFirst || pages != (tasks+limit-1)/limit {
				t.Errorf("%s by %d: %d pages of %q", path, limit, pages, ids)
			}
		}
	}
}

// A worker serves only operations without a key.
func TestWorkerHasNoAPI(t *testing.T) {
	t.Parallel()
	s := serve(t, func(cfg *api.Config) { cfg.WorkerOnly = true })
	for _, c := range []string{"GET /v1/credits", "GET /v1/nosuch", "GET /v1", "POST " + echoPath, "POST /v1/session", "POST /mcp"} {
		method, path, _ := strings.Cut(c, " ")
		s.fails(t, request{method: method, path: path, key: s.key, body: `{}`}, http.StatusServiceUnavailable, earshot.CodeServerUnavailable)
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/openapi.json"} {
		s.succeeds(t, request{method: "GET", path: path})
	}
}

func TestLimitOfStreams(t *testing.T) {
	t.Parallel()
	const live = "/v1/live"
	s := serve(t, func(cfg *api.Config) { cfg.RequestsInFlight, cfg.Streams = 1, 4 }) // half of them for one account
	s.succeeds(t, request{method: "HEAD", path: live, key: s.key})
	// A place is free again when the handler has returned, a moment after its answer is read.
	for range 2 {
		eventually(t, "a place for a stream is free", func() bool {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+live, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+s.key)
			req.Close = true
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { resp.Body.Close() })
			return resp.StatusCode == http.StatusOK
		})
	}
	// Streams do not count as requests in flight; the limit here is one request.
	eventually(t, "a place is free", func() bool {
		return s.send(t, request{method: "GET", path: "/v1/credits", key: s.key}).status == http.StatusOK
	})
	if r := s.fails(t, request{method: "GET", path: live, key: s.key}, http.StatusServiceUnavailable, earshot.CodeServerUnavailable); r.header.Get("Retry-After") == "" {
		t.Errorf("one stream too many: %v", r.header)
	}
}

func TestStoppingNodeIsNotLoggedAsFailure(t *testing.T) {
	t.Parallel()
	s := serve(t, func(cfg *api.Config) { cfg.Jobs.Drain() })
	for _, path := range []string{"/readyz", "/v1/monitor/echo"} {
		method := "GET"
		if strings.HasPrefix(path, "/v1/") {
			method = "POST"
		}
		s.fails(t, request{method: method, path: path, key: s.key, body: `{"prompt":"x"}`}, http.StatusServiceUnavailable, earshot.CodeServerUnavailable)
		eventually(t, "the refusal is logged", func() bool { return s.logs.contain("route=" + path) })
	}
	if s.logs.contain("level=ERROR") {
		t.Error("the log has errors")
	}
}
