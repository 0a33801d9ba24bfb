package purchase

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/store/outbound"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// statuses is a transport that answers each path with a status after a second, and
// counts the requests.
type statuses struct {
	status   map[string]int
	requests atomic.Int64
}

func (s *statuses) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests.Add(1)
	status := s.status[r.URL.Path]
	time.Sleep(time.Second)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

// tooMany is a refusal that holds for everyone.
func tooMany(int, http.Header, []byte) *upstream.Failure {
	failure := upstream.Fail(earshot.ReasonBlocked, "too many requests")
	failure.RetryAfter, failure.Everyone = time.Minute, true
	return failure
}

// TestARefusalForEveryoneStopsAllRequests proves that one such refusal stops the requests
// of all providers and the polls of tickets, and that one request tries again afterwards.
func TestARefusalForEveryoneStopsAllRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := &statuses{status: map[string]int{"/early": 200, "/ask": 429}}
		client, err := upstream.NewClient(upstream.Config{
			Name: "via:x", Via: "x", Surface: earshot.SurfaceVendor, API: &upstream.API{Name: "x"}, Sites: map[string]string{"x": "http://x.test"}, Transport: wire,
		})
		if err != nil {
			t.Fatal(err)
		}
		next := named(t, "next", nil)
		d := routes(client, next)
		fetch := func(ctx context.Context, up *upstream.Session, path string) error {
			_, err := up.Fetch(ctx, &upstream.Request{Site: "x", Path: path, Refusal: tooMany})
			return err
		}
		ask := func(provider, path string) (answeredBy string) {
			a := d.attemptAt("US")
			a.Provider = provider
			err := d.try(t.Context(), a, func(up *upstream.Session) error {
				answeredBy = up.Upstream()
				if answeredBy == "next" {
					return nil
				}
				return fetch(t.Context(), up, path)
			})
			if err != nil {
				t.Error(err)
			}
			return answeredBy
		}
		expect := func(what, got, want string, requests int) {
			t.Helper()
			if got != want || wire.requests.Load() != int64(requests) {
				t.Errorf("%s: answered by %s after %d requests, want %s after %d", what, got, wire.requests.Load(), want, requests)
			}
		}

		go func() { // it succeeds just after the refusal, and must not cancel it
			time.Sleep(time.Second / 2)
			ask("chat", "/early")
		}()
		expect("the refused request", ask("chat", "/ask"), "next", 2)
		time.Sleep(time.Second)
		expect("another provider", ask("search", "/ask"), "next", 2)
		if client.Stopped() == nil {
			t.Error("the upstream is not stopped")
		}

		basket := d.ordering(&outbound.Purchase{Number: 1, Key: "job-1", Item: itemOrder, VendorID: "v1", Upstream: "via:x", State: stateOpen, SentAt: time.Now(), Deadline: time.Now().Add(time.Hour)})
		poll := func() (pending *upstream.Pending) {
			err := d.order(t.Context(), basket, &upstream.Order{Every: time.Second, Poll: func(ctx context.Context, _ string) ([]byte, error) {
				return []byte("document"), fetch(ctx, client.NewSession(1, ""), "/ask")
			}})
			if err != nil {
				pending, _ = err.(*upstream.Pending) //nolint:errorlint // try passes it on unchanged
			}
			return pending
		}
		if pending := poll(); pending == nil || pending.After < 58*time.Second || wire.requests.Load() != 2 {
			t.Errorf("a poll during the pause: %v after %d requests", pending, wire.requests.Load())
		}

		time.Sleep(time.Minute)
		wire.status["/ask"] = 200
		answered := make(chan string)
		for range 3 {
			go func() { answered <- ask("search", "/ask") }()
		}
		count := map[string]int{}
		for range 3 {
			count[<-answered]++
		}
		if count["via:x"] != 1 || wire.requests.Load() != 3 {
			t.Errorf("after the pause the requests were answered by %v", count)
		}
		if pending := poll(); pending != nil || wire.requests.Load() != 4 {
			t.Errorf("after the successful request a poll is %v after %d requests", pending, wire.requests.Load())
		}
	})
}

// A browser that dies at its start is an upstream that fails: its circuit opens.
func TestABrowserThatDiesOpensTheCircuit(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho last words >&2\necho >>$0.starts\nkill -TRAP $$\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	pages := browser.New(browser.Config{Path: program, Proxy: func(string) (string, error) { return "127.0.0.1:9", nil }})
	t.Cleanup(pages.Close)
	client, err := upstream.NewClient(upstream.Config{Surface: earshot.SurfaceWeb, Sites: map[string]string{"site": "http://site.test"}, Browser: pages})
	if err != nil {
		t.Fatal(err)
	}
	d, opened := routes(client), 0
	for range 6 {
		err = d.try(t.Context(), d.attemptAt(""), func(s *upstream.Session) error {
			opened++
			_, err := s.Fetch(t.Context(), &upstream.Request{Site: "site", Steps: []browser.Step{browser.TakePage("p")}})
			return err
		})
		if upstream.Outcome(err) != string(earshot.ReasonUnavailable) || !strings.Contains(err.Error(), "last words") {
			t.Errorf("got %v", err)
		}
	}
	if failure, ok := errors.AsType[*upstream.Failure](err); !ok || !failure.Skipped || opened != 5 {
		t.Errorf("%d visits, then %v", opened, err)
	}
	if starts, _ := os.ReadFile(program + ".starts"); len(starts) != 2*opened {
		t.Errorf("%d visits started it %d times", opened, len(starts))
	}
}
