package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/internal/store/orgs"
	"earshot/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// row is one response of the contract, and a request that provokes it.
type row struct {
	name   string
	on     string // the stage
	method string
	path   string
	as     string // the documented operation; method and path unless said
	key    string
	header map[string]string
	body   string
	leaves bool // the client goes away while the call runs
	stream bool // the client goes away after the first event
	burst  bool // many requests at once, of which one is refused
	status int
	media  string // the content type without its parameters; JSON unless said
	code   earshot.Code
	// refused: the document refuses the request as well. A 400 without it is for
	// a reason that a schema cannot express.
	refused bool
	check   func(t *testing.T, r *exchange)
}

const (
	callOp    = "POST " + harness.ChatPath
	captureOp = "GET /captures/{id}/{page}"
)

var contract = withStrictRows(slices.Concat(validRows(), monitorRows, providerRows(), gotoRows(), lookupRows(), taskRows(), requestRows(), trackerRows(), batchesRows(), accountRows(), operatorRows(), liveRows(), peopleRows(), keyedRows(), versionRows(), spoiltRows(), serviceRows))

var monitorRows = []row{
	{name: "an answer for a key of one scope", method: "POST", path: harness.ChatPath, key: monitorKey, body: harness.GoodCall, status: 200, check: charged(5)},
	{name: "everything, legacy", method: "POST", path: harness.ChatPath, key: anyKey, body: strings.Replace(harness.EveryFlag, `"legacy":false`, `"legacy":true`, 1), status: 200, check: charged(7)},
	{name: "no web search", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"hats","country":"DE","disableWebSearch":true,"include":{}}`, status: 200, check: charged(5)},

	{name: "the longest prompt", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"` + strings.Repeat("語", 10_000) + `","country":"US"}`, status: 200, check: charged(5)},

	{name: "no body", method: "POST", path: harness.ChatPath, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "not JSON", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "an array", method: "POST", path: harness.ChatPath, key: anyKey, body: `[]`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "another content type", method: "POST", path: harness.ChatPath, key: anyKey, header: map[string]string{"Content-Type": "text/plain"}, body: harness.GoodCall, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "nothing required", method: "POST", path: harness.ChatPath, key: anyKey, body: `{}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("country", "prompt")},
	{name: "a blank prompt", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":" \n","country":"US"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("prompt")},
	{name: "a long prompt", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"` + strings.Repeat("ä", 10_001) + `","country":"US"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("prompt")},
	{name: "a country in lower case", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","country":"us"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("country")},
	{name: "a country that is none", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","country":"ZZ"}`, status: 400, code: "VALIDATION_ERROR", check: fields("country")},
	{name: "a country that is not served", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","country":"CN"}`, status: 400, code: "VALIDATION_ERROR", check: fields("country")},
	{name: "a state elsewhere", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","country":"DE","state":"CO"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("state")},
	{name: "an unknown state", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","country":"US","state":"ZZ"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("state")},
	{name: "a flag that is a number", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","country":"US","include":{"html":1}}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("include.html")},
	{name: "null", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","country":"US","include":null}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("include")},
	{name: "an unknown field", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","country":"US","inclued":{}}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("inclued")},
	{name: "a field of another provider", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","country":"US","include":{"searchGoto":true}}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("include.searchGoto")},
	{name: "a field twice", method: "POST", path: harness.ChatPath, key: anyKey, body: `{"prompt":"x","prompt":"y","country":"US"}`, status: 400, code: "VALIDATION_ERROR", check: fields("prompt")},

	{name: "too few credits", method: "POST", path: harness.ChatPath, key: poorKey, body: harness.GoodCall, status: 403, code: "INSUFFICIENT_CREDITS", check: details(`{"required":5,"remaining":4,"held":0}`)},
	{name: "a hidden provider", on: "hidden", method: "POST", path: harness.ChatPath, key: anyKey, body: harness.GoodCall, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + harness.ChatPath + `"}`)},
	{name: "an unknown path below monitor", method: "POST", path: "/v1/monitor/nosuch", as: callOp, key: anyKey, body: harness.GoodCall, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"/v1/monitor/nosuch"}`)},
}

func lookupRows() []row {
	return slices.Concat(
		commonRows("countries", "GET /v1/countries", "", "", account.ScopeRead),
		commonRows("states", "GET /v1/states", "/v1/states?country=US", "", account.ScopeRead),
		commonRows("credits", "GET /v1/credits", "", "", account.ScopeRead),
		commonRows("upstreams", "GET /v1/upstreams", "", "", account.ScopeRead),
		commonRows("agreement", "GET /v1/health/agreement", "", "", account.ScopeRead), []row{
			{name: "upstreams", method: "GET", path: "/v1/upstreams", key: readKey, status: 200, check: holds(`{"name":"lab","surface":"lab","state":"ready","requests":0,`)},
			{name: "all countries", method: "GET", path: "/v1/countries", key: anyKey, status: 200, check: says(`["AD","AE",`)},
			{name: "countries of a model", method: "GET", path: "/v1/countries?model=genassistant", key: readKey, status: 200},
			{name: "countries of no model", method: "GET", path: "/v1/countries?model=chatasistant", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("model")},
			{name: "countries by another method", method: "DELETE", path: "/v1/countries", as: "GET /v1/countries", key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"/v1/countries"}`)},

			{name: "states", method: "GET", path: "/v1/states?country=US", key: anyKey, status: 200, check: says(`[{"code":"AL","name":"Alabama"},`)},
			{name: "no states", method: "GET", path: "/v1/states?country=DE", key: readKey, status: 200, check: says(`[]`)},
			{name: "states of nowhere", method: "GET", path: "/v1/states", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("country")},
			{name: "states in lower case", method: "GET", path: "/v1/states?country=us", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("country")},

			{name: "credits", method: "GET", path: "/v1/credits", key: busyKey, status: 200, check: says(`{"remaining":500,"held":5,"perCycle":500,`)},
			{name: "credits while the node stops", on: "draining", method: "GET", path: "/v1/credits", key: anyKey, status: 200, check: says(`{"remaining":100000,"held":0,`)},
			{name: "agreement", method: "GET", path: "/v1/health/agreement", key: anyKey, status: 200, check: says(`{"groups":[]}`)},
			{name: "agreement of a week", method: "GET", path: "/v1/health/agreement?days=7", key: readKey, status: 200, check: says(`{"groups":[]}`)},
			{name: "agreement of no days", method: "GET", path: "/v1/health/agreement?days=0", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("days")},
		},
	)
}

var serviceRows = []row{
	{name: "alive", method: "GET", path: "/healthz", status: 200, check: says(`{"status":"ok"}`)},
	{name: "alive while it stops", on: "draining", method: "GET", path: "/healthz", status: 200, check: says(`{"status":"ok"}`)},
	{name: "alive with a key of nobody", method: "GET", path: "/healthz", key: wrongKey, status: 200},
	{name: "ready", method: "GET", path: "/readyz", status: 200, check: says(`{"status":"ready"}`)},
	{name: "not ready", on: "draining", method: "GET", path: "/readyz", status: 503, code: "SERVICE_UNAVAILABLE"},
	{name: "metrics", method: "GET", path: "/metrics", status: 200, media: "text/plain", check: holds("# TYPE earshot_http_request_duration_seconds histogram")},
	{name: "metrics of a ready node", method: "GET", path: "/metrics", status: 200, media: "text/plain", check: holds("\nearshot_ready 1\n")},
	{name: "metrics while it stops", on: "draining", method: "GET", path: "/metrics", status: 200, media: "text/plain", check: holds("\nearshot_ready 0\n")},
	{name: "the document", method: "GET", path: "/openapi.json", status: 200, check: holds(`"openapi":"3.1.0"`)},
	{name: "a capture", method: "GET", path: "<capture>", as: captureOp, status: 200, media: "text/html", check: holds("<html")},
	{name: "a page that the capture lacks", method: "GET", path: "<capture2>", as: captureOp, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "no capture", method: "GET", path: "/captures/abcdefghijklmnopqrstuvwxyz/page-1.html", as: captureOp, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"/captures/abcdefghijklmnopqrstuvwxyz/page-1.html"}`)},
	{name: "captures too fast", burst: true, method: "GET", path: "/captures/abcdefghijklmnopqrstuvwxyz/page-1.html", as: captureOp, status: 429, code: earshot.CodeRateLimit},
	{name: "a capture that cannot be read", on: "keyless", method: "GET", path: "/captures/abcdefghijklmnopqrstuvwxyz/page-1.html", as: captureOp, status: 500, code: "INTERNAL_SERVER_ERROR"},
	{name: "a capture when the node is full", on: "full", method: "GET", path: "/captures/abcdefghijklmnopqrstuvwxyz/page-1.html", as: captureOp, status: 503, code: "SERVICE_UNAVAILABLE"},
	{name: "the document when the node is full", on: "full", method: "GET", path: "/openapi.json", status: 503, code: "SERVICE_UNAVAILABLE"},
	{name: "no page of a capture", method: "GET", path: "/captures/abcdefghijklmnopqrstuvwxyz/etc", as: captureOp, status: 404, code: "RESOURCE_NOT_FOUND"},
}

// TestContract runs before the tests that are parallel: its rows must not wait for
// them while the calls that its stages keep running come to an end.
func TestContract(t *testing.T) {
	document := load(t)
	open := map[string]*stage{}
	for _, c := range contract {
		if open[c.on] == nil {
			open[c.on] = stages[c.on](t)
		}
	}
	for _, c := range contract {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open[c.on]
			var r *exchange
			// The window of a key that is too fast must fill first, and that of the test's
			// address must have room: a machine that is quick fills it with rows of no key.
			harness.Eventually(t, fmt.Sprintf("it answers %d with %s", c.status, c.code), func() bool {
				r = c.send(t, s)
				tooFast := r.StatusCode == http.StatusTooManyRequests && r.Failure(t).Code == earshot.CodeRateLimit
				return tooFast == (c.code == earshot.CodeRateLimit)
			})
			if r.StatusCode != c.status {
				t.Fatalf("%d %.500s", r.StatusCode, r.Body)
			}
			if r.StatusCode != http.StatusOK {
				c.checkFailure(t, r)
			}
			c.checkHeaders(t, r)
			if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); media != c.mediaType() {
				t.Errorf("the content type is %s, want %s", media, c.mediaType())
			}
			if err := document.Response(c.operation(), r.Reply); err != nil {
				t.Errorf("the response is not as documented: %v\n%.500s", err, r.Body)
			}
			if c.status == http.StatusOK || c.refused {
				if err := document.request(t, c, s); (err != nil) != c.refused {
					t.Errorf("the document says of the request: %v", err)
				}
			}
			if c.check != nil {
				c.check(t, r)
			}
		})
	}
}

// request makes the row's request.
func (c row) request(t *testing.T, s *stage) *http.Request {
	t.Helper()
	path, body := c.path, c.body
	for name, there := range s.things {
		path, body = strings.ReplaceAll(path, name, there), strings.ReplaceAll(body, name, there)
	}
	req, err := http.NewRequestWithContext(t.Context(), c.method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if c.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != noKey {
		harness.Authenticate(req, s.accounts[c.key])
	}
	for name, value := range c.header {
		for thing, there := range s.things {
			value = strings.ReplaceAll(value, thing, there)
		}
		req.Header.Set(name, value)
	}
	return req
}

func (c row) send(t *testing.T, s *stage) *exchange {
	t.Helper()
	if c.burst {
		return c.sendMany(t, s)
	}
	if c.stream {
		return s.send(t, c.request(t, s), firstEvent(t))
	}
	if !c.leaves {
		return s.send(t, c.request(t, s), nil)
	}
	n := &harness.Node{Store: s.store, Orgs: orgs.New(s.store)}
	return s.send(t, c.request(t, s), func(io.Reader) (read []byte) {
		harness.Eventually(t, "the call runs", func() bool { return n.Reload(t, s.accounts[c.key]).Running >= 1 })
		return nil
	})
}

// nine are the headers of the specification's part 8, as they are spelled.
var nine = []string{
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Request-Id",
	"X-Concurrent-Limit", "X-Concurrent-Current", "X-Concurrent-Remaining",
	"X-Credits-Remaining", "X-Credits-Charged", "X-Latency-Ms",
}

// checkHeaders checks what every response carries.
func (c row) checkHeaders(t *testing.T, r *exchange) {
	t.Helper()
	expected := nine[:3]
	known := c.key != noKey && c.key != wrongKey && c.on != "keyless" && c.on != "full" // never got as far as the key
	monitor := strings.HasPrefix(c.path, "/v1/monitor/") && known
	switch {
	case monitor:
		expected = nine
	case r.StatusCode == http.StatusInternalServerError && strings.HasPrefix(c.path, "/v1/monitor/"):
		expected = append(slices.Clone(expected), "X-Credits-Charged", "X-Latency-Ms") // what is known without a database
		charged(0)(t, r)
	}
	for _, name := range expected {
		if strings.Count(r.head, "\r\n"+name+": ") != 1 {
			t.Errorf("no %s in\n%s", name, r.head)
		}
	}
	if id, err := uuid.Parse(r.Header.Get("X-Request-Id")); err != nil || id.Version() != 7 {
		t.Errorf("X-Request-Id is %q", r.Header.Get("X-Request-Id"))
	}
	if limit, remaining := r.Number(t, "X-RateLimit-Limit"), r.Number(t, "X-RateLimit-Remaining"); limit < 1 || remaining < 0 || remaining > limit {
		t.Errorf("%d of %d requests remain", remaining, limit)
	}
	if after := r.Header.Get("Retry-After"); (after != "") != (r.StatusCode == http.StatusServiceUnavailable) {
		t.Errorf("Retry-After is %q on a %d", after, r.StatusCode)
	}
	if json.Valid(r.Body) != (r.Header.Get("Content-Type") == "application/json") {
		t.Errorf("Content-Type is %q for %.50s", r.Header.Get("Content-Type"), r.Body)
	}
	if !monitor {
		return
	}
	if used, free, all := r.Number(t, "X-Concurrent-Current"), r.Number(t, "X-Concurrent-Remaining"), r.Number(t, "X-Concurrent-Limit"); free != max(0, all-used) {
		t.Errorf("%d slots used and %d free of %d", used, free, all)
	}
	if r.StatusCode != http.StatusOK && r.Number(t, "X-Credits-Charged") != 0 {
		t.Errorf("a failure cost %d", r.Number(t, "X-Credits-Charged"))
	}
}

// internals are words that no client should read.
var internals = regexp.MustCompile(`(?i)sql|select|insert|api_keys|lost_|no such|\bjobs?\b|\.go\b|goroutine|panic|/work|/tmp|/root`)

// checkFailure checks the one envelope of all failures.
func (c row) checkFailure(t *testing.T, r *exchange) {
	t.Helper()
	failure := r.Failure(t)
	if failure.Code != c.code || failure.Message == "" {
		t.Errorf("it fails with %+v, want %s", failure, c.code)
	}
	if found := internals.Find(r.Body); found != nil && r.StatusCode == http.StatusInternalServerError {
		t.Errorf("it says %q in %s", found, r.Body)
	}
	var envelope map[string]map[string]json.RawMessage
	_ = json.Unmarshal(bytes.Replace(r.Body, []byte(`"success":false,`), nil, 1), &envelope)
	for name := range envelope["error"] {
		if !slices.Contains([]string{"code", "message", "details", "timestamp", "requestId"}, name) {
			t.Errorf("the envelope has %q: %s", name, r.Body)
		}
	}
}

func charged(credits int) func(*testing.T, *exchange) {
	return func(t *testing.T, r *exchange) {
		t.Helper()
		if got := r.Number(t, "X-Credits-Charged"); got != credits {
			t.Errorf("it cost %d, want %d", got, credits)
		}
	}
}

func details(want string) func(*testing.T, *exchange) {
	return func(t *testing.T, r *exchange) {
		t.Helper()
		if got := string(r.Failure(t).Details); got != want {
			t.Errorf("the details are %s, want %s", got, want)
		}
	}
}

func fields(want ...string) func(*testing.T, *exchange) {
	return func(t *testing.T, r *exchange) {
		t.Helper()
		if got := r.Fields(t); !slices.Equal(got, want) {
			t.Errorf("the fields are %q, want %q", got, want)
		}
	}
}

func says(start string) func(*testing.T, *exchange) {
	return func(t *testing.T, r *exchange) {
		t.Helper()
		if !strings.HasPrefix(string(r.Body), start) {
			t.Errorf("it says %.200s, want %s …", r.Body, start)
		}
	}
}

// lacks checks that the body does not contain part.
func lacks(part string) func(*testing.T, *exchange) {
	return func(t *testing.T, r *exchange) {
		t.Helper()
		if bytes.Contains(r.Body, []byte(part)) {
			t.Errorf("the body is %s", r.Body)
		}
	}
}

func holds(part string) func(*testing.T, *exchange) {
	return func(t *testing.T, r *exchange) {
		t.Helper()
		if !bytes.Contains(r.Body, []byte(part)) {
			t.Errorf("%q is not in %.200s", part, r.Body)
		}
	}
}

// undocumented are routes that are no part of the API.
var undocumented = map[string]string{
	"GET /{$}":            "the dashboard, a page for people",
	"GET /docs":           "the reference, likewise",
	"GET /assets/{file}":  "the program of both",
	"GET /share/{token}":  "the page of a share link, for people",
	"POST /share/{token}": "the form for its password",
	"GET /robots.txt":     "for crawlers",
	"GET /llms.txt":       "introduces AI agents to the API",
	"POST /mcp":           "the MCP protocol, described in docs/mcp.md; its tools call the API",
	"GET /mcp":            "there are no sessions to listen to, which the protocol wants to be said by a 405",
	"DELETE /mcp":         "likewise, nor to end",

	"GET /.well-known/oauth-protected-resource":     "RFC 9728: where agents sign in",
	"GET /.well-known/oauth-protected-resource/mcp": "the same, at the path that the RFC derives from /mcp",

	"GET /signin/{provider}":          "redirects the browser to an identity provider",
	"GET /signin/{provider}/callback": "where the browser returns",
}

// TestTheServerAndTheDocumentOfferTheSame compares them in both directions.
func TestTheServerAndTheDocumentOfferTheSame(t *testing.T) {
	t.Parallel()
	var offered []string
	for _, o := range api.Operations(app.Providers()) {
		offered = append(offered, o.Method+" "+o.Path)
	}
	documented := map[string]bool{}
	_, s := newStage(t)
	load(t).Operations(func(name string, _ *openapi3.Operation) {
		documented[name] = true
		method, path, _ := strings.Cut(name, " ")
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		r := row{method: method, path: path, key: anyKey, stream: name == liveOp}
		if method == http.MethodPost {
			r.body = `{` // so that nothing is carried out: a demo of 90 days takes its time
		}
		response := r.send(t, s)
		// What is missing below a route is named by its id, a missing route by its path.
		if response.StatusCode == http.StatusNotFound && name != captureOp && string(response.Failure(t).Details) == `{"id":"`+path+`"}` {
			t.Errorf("%s is documented, but not served", name)
		}
		if !slices.Contains(offered, name) {
			t.Errorf("%s is documented, but there is no route", name)
		}
	})
	for _, name := range offered {
		if documented[name] == (undocumented[name] != "") {
			t.Errorf("%s: documented is %t, and the reason not to be is %q", name, documented[name], undocumented[name])
		}
	}
}
