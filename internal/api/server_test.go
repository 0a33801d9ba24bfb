package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/geo"
	"earshot/internal/job"
	"earshot/internal/limits/ratelimit"
	"earshot/internal/provider"
	"earshot/internal/purchase"
	"earshot/internal/schema"
	"earshot/internal/signin"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/people"
	"earshot/internal/store/sharing"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	echoPath = "/v1/monitor/echo"
	echoCall = `{"prompt":"x"}`
	echoTask = `{"taskType":"ECHO","payload":` + echoCall + `}`
)

// echo is a provider that answers with the prompt and costs 5 credits.
type echo struct{}

func (echo) Definition() provider.Definition {
	return provider.Definition{
		Name: "echo", TaskType: "ECHO", Prices: []provider.Price{{Item: provider.ItemBase, Credits: 5}},
		Countries: []provider.Countries{{Model: "echo", Except: "CN"}},
	}
}

func (echo) Decode(in *schema.Object) provider.Request {
	in.Require("prompt")
	return question(in.Text("prompt", 10_000))
}

// question is a prompt; some prompts make the attempt fail.
type question string

func (question) Bill() provider.Bill { return provider.Bill{provider.ItemBase: 1} }

func (question) Locale() geo.Locale { return geo.Locale{} }

func (q question) Ask(ctx context.Context, _ *upstream.Session) (*provider.Outcome, error) {
	switch q {
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	case "blocked":
		return nil, &upstream.Failure{Reason: earshot.ReasonBlocked}
	case "broken":
		return nil, errors.New("secret.go: a bug")
	}
	return &provider.Outcome{Result: &earshot.Answer{Text: string(q)}, Bill: q.Bill()}, nil
}

// server is the API on its own store, with one organization.
type server struct {
	*httptest.Server
	api   *api.Server
	store *store.Store
	orgs  *orgs.Store
	file  string // of the store
	org   *account.Organization
	key   string // with all scopes
	logs  *logs
}

// logs collects the log of the server.
type logs struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logs) contain(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

// serve starts the API with the provider echo. Its organization has one slot and 1,000
// credits.
func serve(t *testing.T, change ...func(*api.Config)) *server {
	t.Helper()
	return serveOn(t, storetest.SQLite(t), change...)
}

// serveOn is serve on a given database.
func serveOn(t *testing.T, address string, change ...func(*api.Config)) *server {
	t.Helper()
	s := storetest.Open(t, address)
	accounts, links := orgs.New(s), sharing.New(s)
	lines, registry := &logs{}, prometheus.NewRegistry()
	log := slog.New(slog.NewTextHandler(lines, nil))
	catalogue, err := provider.NewCatalogue([]provider.Provider{echo{}}, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := upstream.NewClient(upstream.Config{})
	if err != nil {
		t.Fatal(err)
	}
	captures, err := capture.NewFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	desk := purchase.New(purchase.Config{
		Upstreams: map[string][]*upstream.Client{"echo": {client}}, Catalogue: catalogue, Store: s, Captures: captures, CaptureURL: "http://x/captures", Log: log,
		Backoff: []time.Duration{},
	})
	jobs, err := job.NewRunner(job.Config{
		Store: s, Orgs: accounts, Catalogue: catalogue, Desk: desk, Captures: captures, Log: log, Metrics: job.NewMetrics(registry),
	})
	if err != nil {
		t.Fatal(err)
	}
	members := people.New(s)
	signIn, err := signin.New(signin.Config{People: members, Orgs: accounts, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	cfg := api.Config{
		Store: history.New(s), Orgs: accounts, People: members, SignIn: signIn, Links: links, Jobs: jobs, Catalogue: catalogue, Captures: captures, Limiter: ratelimit.NewLocal(), Planned: func() {},
		CheckWebhook: func(string) error { return nil }, OpenAPI: func() ([]byte, error) { return []byte(`{}`), nil },
		Dashboard: http.NewServeMux(), MCP: http.NotFoundHandler(), Metrics: registry, Log: log,
	}
	for _, c := range change {
		c(&cfg)
	}
	handler := api.New(cfg)
	sv := &server{Server: httptest.NewServer(handler), api: handler, store: s, orgs: accounts, file: address, org: storetest.Organization(t, s, 1, 1000), logs: lines}
	t.Cleanup(sv.Close)
	sv.key = sv.newKey(t, append(account.DefaultScopes(), account.ScopeAdmin)...)
	return sv
}

// newKey creates a key of the organization.
func (s *server) newKey(t *testing.T, scopes ...account.Scope) string {
	t.Helper()
	return s.expiringKey(t, s.org, time.Time{}, scopes...).Text
}

func (s *server) expiringKey(t *testing.T, o *account.Organization, expires time.Time, scopes ...account.Scope) account.Key {
	t.Helper()
	key := account.NewKey()
	if err := s.orgs.CreateKey(o.ID, key, scopes, expires, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	return key
}

// request is a request to the server; header are additional headers.
type request struct {
	method, path, key, body string
	header                  map[string]string
}

func (r request) String() string {
	return r.method + " " + r.path + " " + r.body[:min(len(r.body), 80)]
}

// reply is a response with its decoded error, if any.
type reply struct {
	status  int
	header  http.Header
	body    string
	code    earshot.Code
	details string
	fields  []string // of a validation error, sorted
}

// send sends a request on its own connection.
func (s *server) send(t *testing.T, in request) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), in.method, s.URL+in.path, strings.NewReader(in.body))
	if err != nil {
		t.Fatal(err)
	}
	if in.key != "" {
		req.Header.Set("Authorization", "Bearer "+in.key)
	}
	for name, value := range in.header {
		req.Header.Set(name, value)
	}
	return do(t, req)
}

// unharmed checks that the server is ready, has logged no errors, and passes the audit.
func (s *server) unharmed(t *testing.T) {
	t.Helper()
	s.succeeds(t, request{method: "GET", path: "/readyz"})
	if s.logs.contain("level=ERROR") {
		t.Error("the log has errors")
	}
	storetest.Audited(t, s.store)
}

// organization reads the organization from the database.
func (s *server) organization(t *testing.T, id string) *account.Organization {
	t.Helper()
	o, err := s.orgs.Organization(t.Context(), id, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// eventually waits until a condition is true.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline, tick := time.After(time.Minute), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("it never came to pass that %s", what)
		case <-tick.C:
		}
	}
}

func (s *server) get(t *testing.T, path string) reply {
	t.Helper()
	return s.send(t, request{method: "GET", path: path, key: s.key})
}

func do(t *testing.T, req *http.Request) reply {
	t.Helper()
	req.Close = true
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := reply{status: resp.StatusCode, header: resp.Header, body: string(body)}
	if resp.StatusCode < 400 || req.Method == http.MethodHead {
		return out
	}
	var envelope struct {
		Success bool
		Error   struct {
			Code               earshot.Code
			Message, RequestID string
			Details            json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Success || envelope.Error.Message == "" ||
		envelope.Error.RequestID == "" || envelope.Error.RequestID != resp.Header.Get("X-Request-Id") || resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s: not an error envelope: %d %s (%v)", req.URL.Path, resp.StatusCode, body, err)
	}
	out.code, out.details = envelope.Error.Code, string(envelope.Error.Details)
	var problems []earshot.FieldProblem
	if out.code == earshot.CodeValidation && json.Unmarshal(envelope.Error.Details, &problems) == nil {
		for _, p := range problems {
			out.fields = append(out.fields, p.Field)
		}
		slices.Sort(out.fields)
	}
	return out
}

// fails checks that a request is refused with the given status and code.
func (s *server) fails(t *testing.T, in request, status int, code earshot.Code) reply {
	t.Helper()
	r := s.send(t, in)
	if r.status != status || r.code != code {
		t.Errorf("%v: %d %.300s, want %d %s", in, r.status, r.body, status, code)
	}
	return r
}

// invalid checks that a request is refused because of the given fields.
func (s *server) invalid(t *testing.T, in request, status int, fields ...string) {
	t.Helper()
	if r := s.fails(t, in, status, earshot.CodeValidation); !slices.Equal(r.fields, fields) {
		t.Errorf("%v: the fields are %q, want %q", in, r.fields, fields)
	}
}

// succeeds checks that a request gets the status 200.
func (s *server) succeeds(t *testing.T, in request) reply {
	t.Helper()
	r := s.send(t, in)
	if r.status != http.StatusOK {
		t.Errorf("%v: %d %.300s", in, r.status, r.body)
	}
	return r
}

// into decodes the response of a path.
func (s *server) into(t *testing.T, path string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.get(t, path).body), v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
