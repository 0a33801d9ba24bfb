package service_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

// follower is a client that follows its organization, and what it was told.
type follower struct {
	events chan client.LiveEvent // closed at the stream's end
	err    error                 // how it ended; set before
	leave  func()

	status earshot.LiveStatus
	named  map[string]int // how often a task was
}

// follow opens a stream and waits for its first status.
func follow(t *testing.T, c *client.Client) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &follower{events: make(chan client.LiveEvent), leave: cancel, named: map[string]int{}}
	go func() {
		defer close(f.events)
		for event, err := range c.Live(ctx) {
			if f.err = err; err != nil {
				return
			}
			select {
			case f.events <- event:
			case <-ctx.Done():
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		for range f.events { // until it has ended
		}
	})
	f.until(t, "it tells how the organization stands", func() bool { return f.status.Queue.Concurrency.Max > 0 })
	return f
}

// until reads events until a condition holds.
func (f *follower) until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for !condition() {
		event, open := f.next(t, what)
		if !open {
			t.Fatalf("the stream ended before %s: %v", what, f.err)
		}
		if event.Status != nil {
			f.status = *event.Status
		}
		if event.Tasks != nil {
			for _, id := range event.Tasks.IDs {
				f.named[id]++
			}
		}
	}
}

func (f *follower) next(t *testing.T, what string) (event client.LiveEvent, open bool) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	select {
	case event, open = <-f.events:
	case <-deadline.C:
		t.Fatalf("it never came to pass that %s; it stands at %+v", what, f.status)
	}
	return event, open
}

// ends waits for the stream's end, which the service must have made.
func (f *follower) ends(t *testing.T) {
	t.Helper()
	for open := true; open; {
		_, open = f.next(t, "the stream ends")
	}
	if f.err != nil {
		t.Errorf("the stream ended with %v", f.err)
	}
}

func TestAStreamShowsWhatATaskGoesThrough(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "one", 1000)
		streams := []*follower{follow(t, n.Client(a)), follow(t, other.Client(a))}
		each := func(what string, holds func(f *follower) bool) {
			t.Helper()
			for _, f := range streams {
				f.until(t, what, func() bool { return holds(f) })
			}
		}
		each("nothing happens", func(f *follower) bool {
			return f.status.Credits.Remaining == 1000 && f.status.Credits.Held == 0 && f.status.Queue.Concurrency == earshot.Concurrency{Max: 1}
		})
		leave := n.Hang(t, a)
		each("a call runs", func(f *follower) bool { return f.status.Credits.Held == 5 && f.status.Queue.Concurrency.Used == 1 })
		id := n.Submit(t, a, harness.ChatTask("best hats")).ID
		each("the task waits", func(f *follower) bool { return f.status.Queue.QueuedTasks == 1 && f.named[id] == 1 })
		leave()
		each("the task has ended", func(f *follower) bool {
			return f.status.Queue.QueuedTasks == 0 && f.status.Credits.Held == 0 && f.status.Credits.Remaining == 995 && f.named[id] > 1
		})

		// Who comes later sees what is, and not what was.
		late := follow(t, n.Client(a))
		if late.status.Credits.Remaining != 995 || len(late.named) != 0 {
			t.Errorf("a late stream begins with %+v", late)
		}
		var want []string
		for _, item := range n.SubmitAll(t, a, slices.Repeat([]string{harness.ChatTask("many hats")}, 30)...).Results {
			want = append(want, item.Task.ID)
		}
		streams = append(streams, late)
		each("all of a batch have ended", func(f *follower) bool {
			for _, id := range want {
				if f.named[id] == 0 {
					return false
				}
			}
			return f.status.Credits.Remaining == 995-30*5
		})
		credits, err := n.Client(a).Credits(t.Context())
		if err != nil || harness.JSON(t, credits) != harness.JSON(t, late.status.Credits) {
			t.Errorf("the stream says %+v, and the lookup %+v, %v", late.status.Credits, credits, err)
		}
		if status := n.Queue(t, a); harness.JSON(t, status) != harness.JSON(t, late.status.Queue) {
			t.Errorf("the stream says %+v, and the lookup %+v", late.status.Queue, status)
		}
	})
}

func TestAStreamIsOfOneOrganization(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	mine, theirs := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
	f := follow(t, n.Client(mine))
	n.Wait(t, theirs, n.Submit(t, theirs, harness.ChatTask("their hats")).ID)
	id := n.Submit(t, mine, harness.ChatTask("my hats")).ID
	f.until(t, "my task has ended", func() bool { return f.status.Credits.Remaining == 995 && f.named[id] > 0 })
	if len(f.named) != 1 {
		t.Errorf("the stream named %v", f.named)
	}
}

func TestAStreamEndsWhenTheNodeStops(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, func(cfg *app.Config) { cfg.StopGrace = time.Minute })
	a := n.Organization(t, "many", 1000)
	f := follow(t, n.Client(a))
	leave := n.Hang(t, a)
	stopped := make(chan error, 1)
	go func() { stopped <- n.Stop() }()
	f.ends(t) // while the node still waits for the call
	if r := n.Get(t, a, harness.LivePath); r.Code(t) != earshot.CodeServerUnavailable {
		t.Errorf("a stream of a node that stops: %d %s", r.StatusCode, r.Body)
	}
	leave()
	if err := harness.Next(t, "the end of the node", stopped); err != nil {
		t.Error(err)
	}
}

func TestAStreamEndsWithItsKey(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		admin := n.Key(t, a, time.Time{}, account.ScopeAdmin)
		reader := n.Key(t, a, time.Time{}, account.ScopeRead)
		revoked, stays := follow(t, n.Client(reader)), follow(t, n.Client(a))
		other.Send(t, admin, http.MethodDelete, "/v1/keys/"+reader.Key.ID, "").Has(t, "revoking", http.StatusOK)
		revoked.ends(t)
		id := n.Submit(t, a, harness.ChatTask("best hats")).ID
		stays.until(t, "the task has ended", func() bool { return stays.status.Credits.Remaining == 995 && stays.named[id] > 0 })
	})
}

func TestAKeyHasEightStreams(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	var open []*follower
	for range 8 {
		open = append(open, follow(t, n.Client(a)))
	}
	refusal := func() *client.Error {
		var refused *client.Error
		for _, err := range n.Client(a).Live(t.Context()) {
			if !errors.As(err, &refused) && err != nil {
				t.Fatal(err)
			}
			break
		}
		return refused
	}
	if e := refusal(); e == nil || e.Status != http.StatusTooManyRequests || e.Code != earshot.CodeConcurrencyLimit || string(e.Details) != `{"limit":8}` {
		t.Errorf("the ninth is refused with %v", e)
	}
	follow(t, n.Client(n.Key(t, a, time.Time{}, account.ScopeRead)))
	if used := n.Queue(t, a).Concurrency.Used; used != 0 {
		t.Errorf("streams use %d slots", used)
	}
	open[3].leave()
	harness.Eventually(t, "a place is free", func() bool { return refusal() == nil })
}
