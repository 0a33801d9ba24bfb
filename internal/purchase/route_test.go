package purchase

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/limits/share"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// named returns an upstream that is never contacted.
func named(t *testing.T, name string, api *upstream.API) *upstream.Client {
	t.Helper()
	c, err := upstream.NewClient(upstream.Config{Name: name, Surface: earshot.SurfaceWeb, API: api})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// routes returns a desk that asks clients for the provider chat.
func routes(clients ...*upstream.Client) *Desk {
	return New(Config{Upstreams: map[string][]*upstream.Client{"chat": clients}, Log: slog.New(slog.DiscardHandler)})
}

// attemptAt returns an attempt that asks all upstreams from a place.
func (d *Desk) attemptAt(place string) *attempt {
	return &attempt{Visit: upstream.Visit{Provider: "chat", Attempt: 1}, clients: d.Of("chat"), place: place}
}

// try makes an attempt in which each upstream returns its error in failures. It returns the
// names of the upstreams that were asked.
func try(d *Desk, place string, failures map[string]error) (asked []string, err error) {
	err = d.try(context.Background(), d.attemptAt(place), func(s *upstream.Session) error {
		asked = append(asked, s.Upstream())
		return failures[s.Upstream()]
	})
	return asked, err
}

func TestUpstreamsAreTriedInTurn(t *testing.T) {
	t.Parallel()
	blocked := upstream.Fail(earshot.ReasonBlocked, "refused")
	final := &upstream.Failure{Reason: earshot.ReasonBlocked, Err: errors.New("bad key"), Final: true}
	broken := errors.New("a bug")
	for name, test := range map[string]struct {
		failures map[string]error
		asked    string
		reason   earshot.Reason
		final    bool
	}{
		"the first answers":      {nil, "a", "", false},
		"the second answers":     {map[string]error{"a": blocked}, "a b", "", false},
		"none answers":           {map[string]error{"a": blocked, "b": upstream.Fail(earshot.ReasonTimeout, "slow")}, "a b", earshot.ReasonTimeout, false},
		"one could answer later": {map[string]error{"a": blocked, "b": final}, "a b", earshot.ReasonBlocked, false},
		"none ever answers":      {map[string]error{"a": final, "b": final}, "a b", earshot.ReasonBlocked, true},
		"a bug ends it":          {map[string]error{"a": broken}, "a", "", false},
	} {
		asked, err := try(routes(named(t, "a", nil), named(t, "b", nil)), "US", test.failures)
		if got := strings.Join(asked, " "); got != test.asked {
			t.Errorf("%s: asked %s, want %s", name, got, test.asked)
		}
		failure, failed := errors.AsType[*upstream.Failure](err)
		if failed != (test.reason != "") || failed && (failure.Reason != test.reason || failure.Final != test.final) {
			t.Errorf("%s: %+v, want %s, final: %t", name, err, test.reason, test.final)
		}
	}
	if _, err := try(routes(), "US", nil); upstream.Outcome(err) != string(earshot.ReasonUnavailable) {
		t.Errorf("without upstreams: %v", err)
	}
}

func TestAnUpstreamThatFailsIsLeftAloneWhereItFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := routes(named(t, "a", nil), named(t, "b", nil))
		down := map[string]error{"a": upstream.Fail(earshot.ReasonBlocked, "refused")}
		for range 5 {
			if asked, err := try(r, "DE", down); len(asked) != 2 || err != nil {
				t.Fatalf("asked %v: %v", asked, err)
			}
		}
		if asked, _ := try(r, "DE", down); slices.Contains(asked, "a") {
			t.Error("asked again after five failures")
		}
		if asked, _ := try(r, "FR", down); !slices.Contains(asked, "a") {
			t.Error("not asked for another place")
		}
		time.Sleep(30 * time.Second)
		if asked, _ := try(r, "DE", down); !slices.Contains(asked, "a") {
			t.Error("not asked again after its rest")
		}
		if asked, _ := try(r, "DE", down); slices.Contains(asked, "a") {
			t.Error("asked again although the first try after its rest failed")
		}
		time.Sleep(30 * time.Second)
		if asked, _ := try(r, "DE", nil); len(asked) != 1 {
			t.Errorf("asked %v after its rest", asked)
		}
		for range 4 { // it answered, so the count begins at 0
			_, _ = try(r, "DE", down)
		}
		if asked, _ := try(r, "DE", down); !slices.Contains(asked, "a") {
			t.Error("left alone after four failures")
		}
	})
}

func TestWhereAllAreLeftAloneTheJobIsToldHowLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := routes(named(t, "a", nil), named(t, "b", nil))
		down := map[string]error{
			"a": &upstream.Failure{Reason: earshot.ReasonBlocked, Err: errors.New("slow down"), RetryAfter: 20 * time.Second},
			"b": &upstream.Failure{Reason: earshot.ReasonUnavailable, Err: errors.New("overloaded"), RetryAfter: 40 * time.Second},
		}
		_, _ = try(r, "DE", down)
		time.Sleep(5 * time.Second)
		asked, err := try(r, "FR", down) // RetryAfter applies to all places
		failure, ok := errors.AsType[*upstream.Failure](err)
		if len(asked) != 0 || !ok || failure.RetryAfter != 15*time.Second || failure.Final {
			t.Errorf("asked %v: %+v", asked, err)
		}
	})
}

func TestPromptsDoNotBreakACircuit(t *testing.T) {
	t.Parallel()
	for _, failure := range []*upstream.Failure{
		{Reason: earshot.ReasonBlocked, Err: errors.New("content"), Final: true},
		{Reason: earshot.ReasonTimeout, Err: browser.ErrBusy}, // other jobs used the browser
		upstream.Fail(earshot.ReasonEmpty, "said nothing"), upstream.Fail(earshot.ReasonUnreadable, "odd"),
	} {
		r := routes(named(t, "a", nil))
		for range 6 {
			if asked, _ := try(r, "US", map[string]error{"a": failure}); len(asked) != 1 {
				t.Errorf("%v opened the circuit", failure)
			}
		}
	}
}

func TestABudgetHoldsForAKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := routes(named(t, "api:x", &upstream.API{Name: "x", Calls: 2, CallsPerMinute: 5}))
		var under, most, done atomic.Int64
		var mu sync.Mutex
		var starts []time.Time
		for range 12 {
			go func() {
				err := r.try(t.Context(), r.attemptAt(""), func(*upstream.Session) error {
					mu.Lock()
					starts = append(starts, time.Now())
					mu.Unlock()
					most.Store(max(most.Load(), under.Add(1)))
					time.Sleep(time.Second)
					under.Add(-1)
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				done.Add(1)
			}()
		}
		time.Sleep(59 * time.Second)
		if got := done.Load(); got != 5 {
			t.Errorf("%d calls in the first minute", got)
		}
		time.Sleep(5 * time.Minute)
		if done.Load() != 12 || most.Load() != 2 {
			t.Errorf("%d calls, %d at a time", done.Load(), most.Load())
		}
		for i := 5; i < len(starts); i++ {
			if gap := starts[i].Sub(starts[i-5]); gap < time.Minute {
				t.Errorf("calls %d to %d within %s of each other", i-5, i, gap)
			}
		}
	})
}

func TestAJobThatEndsWhileItWaitsForItsTurnHoldsNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := routes(named(t, "api:x", &upstream.API{Name: "x", Calls: 1}))
		turns := share.NewTurns(share.Patience)
		for turns.Take("me", 1) {
		}
		free := make(chan struct{})
		go func() {
			err := r.try(t.Context(), r.attemptAt(""), func(*upstream.Session) error {
				<-free
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			a := r.attemptAt("")
			a.turn = turns.Later("me")
			ended <- r.try(ctx, a, func(*upstream.Session) error {
				t.Error("it is asked without a turn")
				return nil
			})
		}()
		synctest.Wait() // it waits for the slot
		close(free)
		synctest.Wait() // it has the slot and waits for its turn
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
		if asked, err := try(r, "US", nil); len(asked) != 1 {
			t.Errorf("the next job asked %v, %v", asked, err)
		}
	})
}

func TestASpentBudgetSendsToTheNextUpstream(t *testing.T) {
	t.Parallel()
	r := routes(named(t, "api:x", &upstream.API{Name: "x", Calls: 1, CallsPerMinute: 1}), named(t, "b", nil))
	first, _ := try(r, "US", nil)
	second, _ := try(r, "US", nil)
	if first[0] != "api:x" || second[0] != "b" {
		t.Errorf("asked %v, then %v", first, second)
	}
}

func TestAnAnswerThatWaitsForItsTurnIsNotLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := routes(upstream.NewStored(earshot.SurfaceWeb, [][]byte{[]byte("the answer")}, nil))
		turns := share.NewTurns(share.Patience)
		var others []func()
		for turns.Room("me") > 0 {
			release, ok := turns.Hold("me")
			if !ok {
				t.Fatal("no turn")
			}
			others = append(others, release)
		}
		time.AfterFunc(time.Hour, func() {
			for _, release := range others {
				release()
			}
		})
		a := r.attemptAt("")
		a.turn = turns.Later("me")
		a.Account, a.Turn, a.Job = "me", a.turn, t.Context()
		err := r.try(t.Context(), a, func(up *upstream.Session) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // the attempt's time
			defer cancel()
			response, err := up.Fetch(ctx, &upstream.Request{Site: "x"})
			if err == nil && string(response.Body) != "the answer" {
				t.Errorf("got %q", response.Body)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
