package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot"
	"earshot/client"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick makes the waits between attempts too short to notice.
var quick = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond}

// node is a running application, and a view of its database.
type node struct {
	*app.App
	store *store.Store
	logs  *logs
	stop  func() error // ends it as a signal would
}

// start runs a node on the database until the test ends.
func start(t *testing.T, address string, change ...func(*app.Config)) *node {
	t.Helper()
	logs := &logs{}
	cfg := app.Config{
		Listen:  "127.0.0.1:0",
		Data:    filepath.Dir(address),
		Backoff: quick,
		Log:     slog.New(slog.NewTextHandler(logs, nil)),
	}
	if store.Shared(address) {
		cfg.Database, cfg.Data = address, t.TempDir()
	}
	for _, c := range change {
		c(&cfg)
	}
	a, err := app.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("stopping: %v", err)
		}
		if t.Failed() {
			t.Logf("the end of the node's log:\n%s", logs.tail())
		}
	})
	return &node{App: a, store: storetest.Open(t, address), logs: logs, stop: stop}
}

// logs collects what a node logs.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// tail is what was logged last.
func (l *logs) tail() string {
	lines := strings.SplitAfter(l.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "")
}

// organization makes an organization on a plan, with a key that may do what
// scopes say, or everything.
func (n *node) organization(t *testing.T, plan string, credits int64, scopes ...account.Scope) *app.Account {
	t.Helper()
	name := fmt.Sprintf("%s-%d", t.Name(), time.Now().UnixNano())
	a, err := app.CreateOrganization(n.store, app.Settings{}, name, plan, &credits)
	if err != nil {
		t.Fatal(err)
	}
	if len(scopes) > 0 {
		a.Key = account.NewKey()
		if err := n.store.CreateKey(a.Organization.ID, a.Key, scopes, time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func (n *node) client(a *app.Account) *client.Client { return client.New(n.BaseURL, a.Key.Text) }

// reply is a response, read.
type reply struct {
	*http.Response
	body []byte
}

// post sends a JSON text to a path of the node.
func (n *node) post(t *testing.T, a *app.Account, path, body string) *reply {
	t.Helper()
	return n.send(t, a, http.MethodPost, path, body)
}

func (n *node) get(t *testing.T, a *app.Account, path string) *reply {
	t.Helper()
	return n.send(t, a, http.MethodGet, path, "")
}

// send makes a request; a nil account sends no key.
func (n *node) send(t *testing.T, a *app.Account, method, path, body string) *reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, n.BaseURL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	if a != nil {
		req.Header.Set("Authorization", "Bearer "+a.Key.Text)
	}
	return do(t, req)
}

// do makes a request on a connection of its own.
func do(t *testing.T, req *http.Request) *reply {
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
	return &reply{resp, body}
}

// code is the error code of a reply.
func (r *reply) code(t *testing.T) earshot.Code {
	t.Helper()
	return r.failure(t).Code
}

func (r *reply) failure(t *testing.T) client.Error {
	t.Helper()
	var envelope struct {
		Success bool         `json:"success"`
		Error   client.Error `json:"error"`
	}
	if err := json.Unmarshal(r.body, &envelope); err != nil || envelope.Success || envelope.Error.RequestID != r.Header.Get("X-Request-Id") {
		t.Fatalf("not an error envelope: %s (%v)", r.body, err)
	}
	return envelope.Error
}

// number is the value of a header that must hold one.
func (r *reply) number(t *testing.T, header string) int {
	t.Helper()
	n, err := strconv.Atoi(r.Header.Get(header))
	if err != nil {
		t.Fatalf("%s is %q on a %d: %s", header, r.Header.Get(header), r.StatusCode, r.body)
	}
	return n
}

// standing reads how an account stands in the database.
func (n *node) standing(t *testing.T, a *app.Account) *account.Organization {
	t.Helper()
	o, err := n.store.Organization(t.Context(), a.Organization.ID, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// eventually waits for a condition that another goroutine brings about.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline.C:
			t.Fatalf("it never came to pass that %s", what)
		case <-tick.C:
		}
	}
}

// fields are the fields that a validation error names, sorted.
func (r *reply) fields(t *testing.T) []string {
	t.Helper()
	var problems []earshot.FieldProblem
	if err := json.Unmarshal(r.failure(t).Details, &problems); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
	var names []string
	for _, p := range problems {
		names = append(names, p.Field)
	}
	slices.Sort(names)
	return names
}
