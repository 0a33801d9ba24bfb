// Package harness runs the whole service inside a test and talks to it from
// outside.
//
//	node.go     starting and stopping nodes, on each database
//	account.go  organizations and their keys
//	document.go what the OpenAPI document says of responses and webhooks
//	lab.go      upstreams that leave nothing to chance or to time
//	request.go  requests, and what to expect of the replies
//	task.go     tasks, and calls that never end
//	webhook.go  a receiver of webhooks
package harness

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream/browser"
)

// quick replaces the waits between attempts.
var quick = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond}

// Node is a running service and a view of its database.
type Node struct {
	*app.App
	Store    *store.Store
	Logs     *Logs
	Stop     func() error // stops it as a signal would, once
	Database string       // the address of its database

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
		// However slow the machine is, what a test asks for is done.
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
		return <-ended
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
	return &Node{App: a, Store: storetest.Open(tb, address), Logs: logs, Stop: stop, Database: address, describe: described}
}

// Logs collects what a node logs.
type Logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes a line of the log.
func (l *Logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String is everything logged so far.
func (l *Logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Tail is what was logged last.
func (l *Logs) Tail() string {
	lines := strings.SplitAfter(l.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "")
}

// Start runs a node on SQLite until the test ends.
func Start(tb testing.TB, change ...func(*app.Config)) *Node {
	tb.Helper()
	return StartOn(tb, filepath.Join(tb.TempDir(), "earshot.db"), change...)
}

// OnEach runs the test on each database, on a pair of nodes. The books must balance at
// the end.
func OnEach(t *testing.T, test func(t *testing.T, n, other *Node), change ...func(*app.Config)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		n, other := Pair(t, address, change...)
		test(t, n, other)
		storetest.Audited(t, n.Store)
	})
}

// Pair runs two nodes that share the work on PostgreSQL, and the same node twice on
// SQLite.
func Pair(tb testing.TB, address string, change ...func(*app.Config)) (n, other *Node) {
	tb.Helper()
	n = StartOn(tb, address, change...)
	if !store.Shared(address) {
		return n, n
	}
	return n, StartOn(tb, address, change...)
}

// Eventually waits for a condition that something else brings about. It gives up
// only after a time that no loaded machine needs.
func Eventually(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	deadline := time.NewTimer(5 * time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline.C:
			tb.Fatalf("it never came to pass that %s", what)
		case <-tick.C:
		}
	}
}

// NeedBrowser skips a test where there is no Chromium; in CI it fails the test.
func NeedBrowser(tb testing.TB) {
	tb.Helper()
	if _, err := browser.Find(); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
}
