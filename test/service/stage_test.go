package service_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/app"
	"earshot/internal/provider"
	"earshot/internal/provider/search"
	"earshot/internal/ratelimit"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// stage is a server in a certain condition, and keys of accounts on it.
type stage struct {
	url      string
	accounts map[string]*app.Account // by what is special about them
	store    *store.Store
	things   map[string]string // what stands for a name in a row's path or body: <capture>, <queued> …
}

// The keys that a request of the contract can carry.
const (
	anyKey     = "full"   // may do everything and has the means
	noKey      = ""       // no Authorization at all
	wrongKey   = "wrong"  // well-formed, but nobody's
	readKey    = "reader" // scope read only
	monitorKey = "caller" // scope monitor only
	tasksKey   = "sender" // scope tasks only
	poorKey    = "poor"   // 4 credits
	brokeKey   = "broke"  // no credits
	busyKey    = "busy"   // its only slot is taken and its queue is full
	listKey    = "lister" // has tasks in every state, and their webhooks
	waitKey    = "waiter" // its only slot is taken, and its queue has room
	unpaidKey  = "unpaid" // has a task that it could not pay
	hastyKey   = "hasty"  // one request a second
	leaverKey  = "leaver" // for a client that goes away
	adminKey   = "admin"  // scope admin only, for the account of listKey
)

// busy is a plan with one slot that any number of rows may find taken at once.
var busy = app.Settings{Plans: account.Plans{{Name: "busy", Slots: 1, CreditsPerCycle: 500, RequestsPerSecond: 1000, QueueCapacity: 1}}}

// hasty is a plan whose window a second request overflows.
var hasty = app.Settings{Plans: account.Plans{{Name: "hasty", Slots: 1, CreditsPerCycle: 100_000, RequestsPerSecond: 1}}}

// plan makes an organization on a plan of the settings.
func (n *node) plan(t *testing.T, settings app.Settings, plan string, credits int64) *app.Account {
	t.Helper()
	a, err := app.CreateOrganization(n.store, settings, plan+"-"+rand.Text(), plan, &credits)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// key makes a further key of an account.
func (n *node) key(t *testing.T, a *app.Account, expires time.Time, scopes ...account.Scope) *app.Account {
	t.Helper()
	key := account.NewKey()
	if err := n.store.CreateKey(a.Organization.ID, key, scopes, expires, time.Now()); err != nil {
		t.Fatal(err)
	}
	return &app.Account{Organization: a.Organization, Key: key}
}

// hang starts a call that gets no answer, and waits until it runs. It ends with
// the test, or when the caller leaves.
func (n *node) hang(t *testing.T, a *app.Account) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.BaseURL+chat, strings.NewReader(`{"prompt":"kites [[hang]]","country":"US"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.Key.Text)
	req.Close = true
	var group sync.WaitGroup
	group.Go(func() {
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
			t.Errorf("the call that hangs was answered with %d", resp.StatusCode)
		}
	})
	leave = func() {
		cancel()
		group.Wait()
	}
	t.Cleanup(leave)
	eventually(t, "the call runs", func() bool { return n.standing(t, a).Running == 1 })
	return leave
}

// rename gives a table of a SQLite database another name until the test ends,
// as if it were lost.
func rename(t *testing.T, address, table string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+address+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `ALTER TABLE `+table+` RENAME TO lost_`+table); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), `ALTER TABLE lost_`+table+` RENAME TO `+table); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// stages makes each condition that the contract speaks of.
var stages = map[string]func(t *testing.T) *stage{
	"": func(t *testing.T) *stage { // all is well
		n, s := newStage(t, func(cfg *app.Config) {
			cfg.AllowPrivateWebhooks = true
			cfg.StopGrace = time.Millisecond // a task of the stage never ends
		})
		full := s.accounts[anyKey]
		s.accounts[readKey] = n.key(t, full, time.Time{}, account.ScopeRead)
		s.accounts[monitorKey] = n.key(t, full, time.Time{}, account.ScopeMonitor)
		s.accounts[tasksKey] = n.key(t, full, time.Time{}, account.ScopeTasks)
		s.accounts[wrongKey] = &app.Account{Key: account.NewKey()}
		s.accounts[poorKey] = n.plan(t, app.Settings{}, "lite", 4)
		s.accounts[brokeKey] = n.plan(t, app.Settings{}, "lite", 0)
		s.accounts[busyKey] = n.plan(t, busy, "busy", 500)
		s.accounts[hastyKey] = n.plan(t, hasty, "hasty", 10_000)
		s.accounts[leaverKey] = n.plan(t, app.Settings{}, "lite", 500)
		n.hang(t, s.accounts[busyKey])
		r := n.post(t, full, chat, `{"prompt":"hats","country":"US","include":{"html":true}}`)
		_, rest, _ := strings.Cut(string(r.body), n.BaseURL)
		capture, _, _ := strings.Cut(rest, `"`)
		s.things = map[string]string{"<capture>": capture, "<capture2>": strings.Replace(capture, "page-1", "page-2", 1)}
		n.fillQueues(t, s)
		n.administer(t, s)
		s.things["<token>"] = n.token(t)
		return s
	},
	"hidden": func(t *testing.T) *stage { // the operator does not offer the provider
		released := false
		_, s := newStage(t, func(cfg *app.Config) {
			cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": {Released: &released}}
		})
		return s
	},
	"keyless": func(t *testing.T) *stage { // the database lost the keys
		n, s := newStage(t)
		s.things = map[string]string{"<token>": n.token(t)}
		rename(t, n.address, "api_keys")
		return s
	},
	"jobless": func(t *testing.T) *stage { // the database lost the jobs
		n, s := newStage(t)
		rename(t, n.address, "jobs")
		return s
	},
	"draining": func(t *testing.T) *stage { // the node stops
		n, s := newStage(t, func(cfg *app.Config) { cfg.StopGrace = 10 * time.Minute })
		leave := n.hang(t, n.plan(t, app.Settings{}, "free", 500))
		var group sync.WaitGroup
		group.Go(func() { _ = n.stop() }) // start looks at the error
		t.Cleanup(func() {
			leave()
			group.Wait()
		})
		eventually(t, "the node drains", func() bool { return n.get(t, nil, "/readyz").StatusCode == http.StatusServiceUnavailable })
		return s
	},
	"full": crowded, // the node is past its capacity
}

func newStage(t *testing.T, change ...func(*app.Config)) (*addressed, *stage) {
	t.Helper()
	address := filepath.Join(t.TempDir(), "earshot.db")
	n := &addressed{start(t, address, change...), address}
	full := n.plan(t, app.Settings{}, "enterprise-5k", 100_000)
	return n, &stage{url: n.BaseURL, accounts: map[string]*app.Account{anyKey: full}, store: n.store}
}

// addressed is a node whose database is known.
type addressed struct {
	*node
	address string
}

// waiting is a limiter that nobody gets past.
type waiting struct {
	entered chan struct{}
	release chan struct{}
}

func (w *waiting) Take(context.Context, string, int) (ratelimit.Verdict, error) {
	w.entered <- struct{}{}
	<-w.release
	return ratelimit.Verdict{Limit: 1}, nil
}

// crowded is a server that has room for one request of each kind, and both are
// there.
func crowded(t *testing.T) *stage {
	address := filepath.Join(t.TempDir(), "earshot.db")
	s := storetest.Open(t, address)
	full, err := app.CreateOrganization(s, app.Settings{}, "crowd", "hobby", nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := provider.NewCatalogue(app.Providers(search.Engine{Host: "search.lab.test"}), func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &waiting{make(chan struct{}), make(chan struct{})}
	server := httptest.NewServer(api.New(api.Config{
		Store: s, Catalogue: catalogue, Limiter: w, Dashboard: http.NotFoundHandler(), Metrics: prometheus.NewRegistry(),
		Log: slog.New(slog.DiscardHandler), CallsInFlight: 1, RequestsInFlight: 1,
	}))
	n := &node{App: &app.App{BaseURL: server.URL}}
	var group sync.WaitGroup
	t.Cleanup(func() {
		close(w.release)
		group.Wait()
		server.Close()
	})
	for method, path := range map[string]string{http.MethodGet: "/v1/credits", http.MethodPost: chat} {
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, n.BaseURL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+full.Key.Text)
		group.Go(func() { do(t, req) })
		<-w.entered
	}
	return &stage{url: server.URL, accounts: map[string]*app.Account{anyKey: full}, store: s}
}

// exchange is a response as it came over the wire.
type exchange struct {
	*reply
	head string // as it was spelled
}

// send makes the request on a connection of its own. before, if any, runs when
// the request is out, and gives what it read; the client then says that nothing
// more will come, which a server takes for a client that leaves, but still listens.
func (s *stage) send(t *testing.T, req *http.Request, before func(io.Reader) (read []byte)) *exchange {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req.Close = true
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	var text []byte
	if before != nil {
		text = before(conn)
		if half, ok := conn.(*net.TCPConn); !ok || half.CloseWrite() != nil {
			t.Fatal("the connection cannot be closed on one side")
		}
	}
	rest, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, rest...)
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), req)
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "\r\n\r\n")
	return &exchange{&reply{resp, body}, head}
}
