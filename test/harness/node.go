// Package harness runs the whole service in a test, which uses the service through its
// API.
//
//	node.go     starting and stopping nodes, on each database
//	account.go  organizations and their keys
//	document.go checks against the OpenAPI document
//	lab.go      upstreams without randomness and without time limits
//	person.go   users and their sessions
//	request.go  requests, and checks of the replies
//	task.go     tasks, and calls that never end
//	webhook.go  a receiver of webhooks
package harness

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream/browser"
	"earshot/test/harness/tool"
)

// quick are short waits between attempts.
var quick = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond}

// Node is a running service and a view of its database.
type Node struct {
	*app.App
	Store    *store.Store
	Orgs     *orgs.Store
	Logs     *Logs
	Stop     func() error // stops the node as a signal would; later calls have no effect
	Database string       // address of the database

	describe func() (*Document, error)
}

// StartOn runs a node on the database until the test ends.
func StartOn(tb testing.TB, address string, change ...func(*app.Config)) *Node {
	tb.Helper()
	logs := &Logs{}
	cfg := app.Config{
		Listen:  "127.0.0.1:0",
		Data:    filepath.Dir(address),
		Backoff: quick,
		// On a slow machine, requests of tests must not be refused.
		Patience: 5 * time.Minute,
		Log:      slog.New(slog.NewTextHandler(logs, nil)),
	}
	if store.Shared(address) {
		cfg.Database, cfg.Data = address, tb.TempDir()
	}
	for _, c := range change {
		c(&cfg)
	}
	a, err := app.New(tb.Context(), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	stop := sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(cfg.StopGrace + time.Minute):
			return errors.New("the node does not stop")
		}
	})
	tb.Cleanup(func() {
		if err := stop(); err != nil {
			tb.Errorf("stopping: %v", err)
		}
		if tb.Failed() {
			tb.Logf("the end of the node's log:\n%s", logs.Tail())
		}
	})
	described := usual
	if cfg.Providers != nil {
		described = describe(cfg.Providers...)
	}
	s := storetest.Open(tb, address)
	return &Node{App: a, Store: s, Orgs: orgs.New(s), Logs: logs, Stop: stop, Database: address, describe: described}
}

// Logs collects the log of a node.
type Logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the log.
func (l *Logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns the whole log.
func (l *Logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Tail returns the last lines of the log.
func (l *Logs) Tail() string {
	lines := strings.SplitAfter(l.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "")
}

// Start runs a node on SQLite until the test ends.
func Start(tb testing.TB, change ...func(*app.Config)) *Node {
	tb.Helper()
	return StartOn(tb, storetest.SQLite(tb), change...)
}

// OnEach runs the test on each database, on a pair of nodes. At the end, an audit of the
// database must find nothing.
func OnEach(t *testing.T, test func(t *testing.T, n, other *Node), change ...func(*app.Config)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		n, other := Pair(t, address, change...)
		test(t, n, other)
		storetest.Audited(t, n.Store)
	})
}

// Pair starts two nodes that share a PostgreSQL database. On SQLite it starts one node and
// returns it twice.
func Pair(tb testing.TB, address string, change ...func(*app.Config)) (n, other *Node) {
	tb.Helper()
	n = StartOn(tb, address, change...)
	if !store.Shared(address) {
		return n, n
	}
	return n, StartOn(tb, address, change...)
}

// Eventually waits until a condition is true. Its timeout is long enough for a heavily
// loaded machine.
func Eventually(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline.C:
			tb.Fatalf("timeout while waiting until %s", what)
		case <-tick.C:
		}
	}
}

// Next returns the next value of a channel, which must come within a minute.
func Next[T any](tb testing.TB, what string, values <-chan T) (value T) {
	tb.Helper()
	select {
	case value = <-values:
	case <-time.After(time.Minute):
		tb.Fatalf("timeout while waiting for %s", what)
	}
	return value
}

// NeedBrowser skips the test if Chromium is not installed; in CI it fails the test.
func NeedBrowser(tb testing.TB) {
	tb.Helper()
	_, err := browser.Find()
	tool.Need(tb, err)
}
