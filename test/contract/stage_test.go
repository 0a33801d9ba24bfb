package contract_test

import (
	"bufio"
	"bytes"
	"context"
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
	"earshot/internal/limits/ratelimit"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/people"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
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
	spentKey   = "spent"  // has a task that failed, and too few credits to retry it
	adminKey   = "admin"  // scope admin only, for the account of listKey

	collectorKey = "collector" // has all the trackers that one may have
)

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
		s.accounts[readKey] = n.Key(t, full, time.Time{}, account.ScopeRead)
		s.accounts[monitorKey] = n.Key(t, full, time.Time{}, account.ScopeMonitor)
		s.accounts[tasksKey] = n.Key(t, full, time.Time{}, account.ScopeTasks)
		s.accounts[wrongKey] = &app.Account{Key: account.NewKey()}
		s.accounts[poorKey] = n.Organization(t, "lite", 4)
		s.accounts[brokeKey] = n.Organization(t, "lite", 0)
		s.accounts[busyKey] = n.Organization(t, "busy", 500)
		s.accounts[hastyKey] = n.Organization(t, "hasty", 10_000)
		s.accounts[leaverKey] = n.Organization(t, "lite", 500)
		n.Get(t, s.accounts[leaverKey], "/v1/credits").Has(t, "a key that the node knows is never refused as a stranger's", http.StatusOK)
		n.Hang(t, s.accounts[busyKey])
		r := n.Post(t, full, harness.ChatPath, `{"prompt":"hats","country":"US","include":{"html":true}}`)
		_, rest, _ := strings.Cut(string(r.Body), n.BaseURL)
		capture, _, _ := strings.Cut(rest, `"`)
		s.things = map[string]string{"<capture>": capture, "<capture2>": strings.Replace(capture, "page-1", "page-2", 1)}
		fillQueues(t, n, s)
		makeCalls(t, n, s)
		makeTrackers(t, n, s)
		makeBatches(t, n, s)
		administer(t, n, s)
		makeAlerts(t, n, s)
		makeReviews(t, n, s)
		makeShares(t, n, s)
		makePeople(t, n, s)
		takeKeys(t, n, s)
		operate(t, n, s)
		makePanel(t, n, s)
		spoil(t, n, s)
		s.things["<token>"], s.things["<key>"], s.things["<hasty>"] = n.Token(t), s.accounts[readKey].Key.Text, s.accounts[hastyKey].Key.Text
		return s
	},
	"hidden": func(t *testing.T) *stage { // the operator does not offer the provider
		released := false
		_, s := newStage(t, func(cfg *app.Config) {
			cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": {Released: &released}}
		})
		return s
	},
	"keyless": func(t *testing.T) *stage { // the database lost the keys and the captures
		n, s := newStage(t)
		_, invitation := account.NewSecret(account.InvitationSecret)
		s.things = map[string]string{"<token>": n.Token(t), "<key>": s.accounts[anyKey].Key.Text, "<no invitation>": invitation}
		rename(t, n.Database, "api_keys")
		rename(t, n.Database, "invitations")
		rename(t, n.Database, "captures")
		return s
	},
	"jobless": func(t *testing.T) *stage { // the database lost the jobs
		n, s := newStage(t)
		rename(t, n.Database, "jobs")
		return s
	},
	"draining": func(t *testing.T) *stage { // the node stops
		n, s := newStage(t, func(cfg *app.Config) { cfg.StopGrace = 10 * time.Minute })
		leave := n.Hang(t, n.Organization(t, "free", 500))
		var group sync.WaitGroup
		group.Go(func() { _ = n.Stop() }) // start looks at the error
		t.Cleanup(func() {
			leave()
			group.Wait()
		})
		harness.Eventually(t, "the node drains", func() bool { return n.Get(t, nil, "/readyz").StatusCode == http.StatusServiceUnavailable })
		return s
	},
	"passwordless": passwordless, // users sign in with an identity provider only
	"full":         crowded,      // the node is past its capacity
}

func newStage(t *testing.T, change ...func(*app.Config)) (*harness.Node, *stage) {
	t.Helper()
	n := harness.Start(t, change...)
	full := n.Organization(t, "enterprise-5k", 100_000)
	return n, &stage{url: n.BaseURL, accounts: map[string]*app.Account{anyKey: full}, store: n.Store}
}

// crowded is a server that has room for one request of each kind, which somebody
// else has.
func crowded(t *testing.T) *stage {
	address := filepath.Join(t.TempDir(), "earshot.db")
	s := storetest.Open(t, address)
	accounts := orgs.New(s)
	full, err := app.CreateOrganization(accounts, app.Settings{}, "crowd", "hobby", nil, account.Operator())
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := provider.NewCatalogue(app.Providers(), func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	handler := api.New(api.Config{
		Store: history.New(s), Orgs: accounts, People: people.New(s), Catalogue: catalogue, Limiter: ratelimit.NewLocal(), Dashboard: http.NewServeMux(), Metrics: prometheus.NewRegistry(),
		Log: slog.New(slog.DiscardHandler), CallsInFlight: 1, RequestsInFlight: 1,
	})
	for name, pool := range handler.Pools() {
		if name == "calls" || name == "requests" || strings.Contains(name, "/") { // or of a public operation
			pool.ForceTake("somebody else", pool.Free())
		}
	}
	full.Key = account.NewKey() // which may ask for everything
	if err := accounts.CreateKey(full.Organization.ID, full.Key, append(account.DefaultScopes(), account.ScopeAdmin, account.ScopeOperator), time.Time{}, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &stage{url: server.URL, accounts: map[string]*app.Account{anyKey: full}, store: s}
}

// exchange is a response as it came over the wire.
type exchange struct {
	*harness.Reply
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
	return &exchange{&harness.Reply{Response: resp, Body: body}, head}
}
