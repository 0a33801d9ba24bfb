package purchase

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/upstream"
	"earshot/internal/upstream/capture"
)

var definition = provider.Definition{Name: "fake"}

// script is a request that calls a function for each attempt.
type script func(ctx context.Context, up *upstream.Session) (*provider.Outcome, error)

func (s script) Bill() provider.Bill { return provider.Bill{provider.ItemBase: 1} }

func (s script) Locale() geo.Locale { return geo.Locale{Country: "US"} }

func (s script) Ask(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
	return s(ctx, up)
}

// asking is a call of the script.
func asking(s script, receivedAt time.Time) *Call {
	return &Call{Job: &store.Job{ID: "id", Provider: definition.Name, Mode: store.ModeSync, CreatedAt: receivedAt}, Watched: definition.HealthFields, Request: s}
}

// attempter returns a desk that can only make attempts.
func attempter(t *testing.T) *Desk {
	t.Helper()
	client, err := upstream.NewClient(upstream.Config{})
	if err != nil {
		t.Fatal(err)
	}
	captures, err := capture.NewFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{
		Upstreams: map[string][]*upstream.Client{definition.Name: {client}}, Captures: captures, CaptureURL: "http://x/captures",
		Log: slog.New(slog.DiscardHandler),
	})
}

// reasonOf returns the reason in the details of an error for the client.
func reasonOf(t *testing.T, err error) earshot.Reason {
	t.Helper()
	var e *earshot.Error
	if !errors.As(err, &e) || e.Code != earshot.CodeUpstream {
		t.Fatalf("got %v, want an error of the upstream", err)
	}
	details, ok := e.Details.(earshot.UpstreamDetails)
	if !ok {
		t.Fatalf("the details are %#v", e.Details)
	}
	return details.Reason
}

// captured counts the captures.
func captured(t *testing.T, r *Desk) int {
	t.Helper()
	n := 0
	for _, err := range r.Captures.Older(t.Context(), time.Now().Add(1_000_000*time.Hour)) { // the clock of a bubble is far behind
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestFiveAttemptsWithGrowingWaits(t *testing.T) {
	t.Parallel()
	r := attempter(t)
	synctest.Test(t, func(t *testing.T) {
		var starts []time.Time
		o := r.attempts(t.Context(), asking(func(context.Context, *upstream.Session) (*provider.Outcome, error) {
			starts = append(starts, time.Now())
			return nil, upstream.Fail(earshot.ReasonBlocked, "no")
		}, time.Now()))
		if o.Attempts != 5 || len(starts) != 5 || reasonOf(t, o.Err) != earshot.ReasonBlocked {
			t.Fatalf("%d attempts, %v", o.Attempts, o.Err)
		}
		for i, want := range r.Backoff {
			if wait := starts[i+1].Sub(starts[i]); wait < want*8/10 || wait > want*12/10 {
				t.Errorf("wait %d is %s, want about %s", i+1, wait, want)
			}
		}
	})
}

func TestNoAttemptStartsFiveMinutesAfterTheCall(t *testing.T) {
	t.Parallel()
	r := attempter(t)
	synctest.Test(t, func(t *testing.T) {
		received := time.Now()
		o := r.attempts(t.Context(), asking(func(ctx context.Context, _ *upstream.Session) (*provider.Outcome, error) {
			if late := time.Since(received); late > 5*time.Minute {
				t.Errorf("an attempt started after %s", late)
			}
			<-ctx.Done() // the attempt's own deadline
			return nil, upstream.Fail(earshot.ReasonTimeout, "slow")
		}, received))
		if o.Attempts != 3 || reasonOf(t, o.Err) != earshot.ReasonTimeout {
			t.Errorf("%d attempts, %v", o.Attempts, o.Err)
		}
	})
}

func TestAPauseIsHeededAndIsNoAttempt(t *testing.T) {
	t.Parallel()
	r := attempter(t)
	synctest.Test(t, func(t *testing.T) {
		began, tries := time.Now(), 0
		busy := asking(func(context.Context, *upstream.Session) (*provider.Outcome, error) {
			tries++
			return nil, &upstream.Failure{Reason: earshot.ReasonBlocked, Err: errors.New("slow down"), RetryAfter: 20 * time.Second}
		}, began)
		other := asking(func(context.Context, *upstream.Session) (*provider.Outcome, error) {
			tries++
			return &provider.Outcome{Result: 1}, nil
		}, began)
		if _, err := r.attempt(t.Context(), busy, 1); err == nil {
			t.Fatal("it succeeded")
		}
		o := r.attempts(t.Context(), other) // the circuit of the upstream is open
		if waited := time.Since(began); o.Err != nil || o.Attempts != 1 || tries != 2 || waited < 20*time.Second || waited > 21*time.Second {
			t.Errorf("%d attempts and %d tries after %s: %v", o.Attempts, tries, waited, o.Err)
		}
	})
}

func TestAFinalFailureIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	tries := 0
	o := attempter(t).attempts(t.Context(), asking(func(context.Context, *upstream.Session) (*provider.Outcome, error) {
		tries++
		return nil, &upstream.Failure{Reason: earshot.ReasonBlocked, Err: errors.New("bad key"), Final: true}
	}, time.Now()))
	if tries != 1 || o.Attempts != 1 || reasonOf(t, o.Err) != earshot.ReasonBlocked {
		t.Errorf("%d tries, %v", tries, o.Err)
	}
}

func TestAnAttemptMaySucceedAfterOthersFailed(t *testing.T) {
	t.Parallel()
	r := attempter(t)
	var address string
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		o := r.attempts(t.Context(), asking(func(_ context.Context, up *upstream.Session) (*provider.Outcome, error) {
			address = up.Keep([]byte("page"))
			if tries++; tries < 3 {
				return nil, upstream.Fail(earshot.ReasonEmpty, "nothing")
			}
			return &provider.Outcome{Result: map[string]int{"n": tries}, Bill: provider.Bill{provider.ItemBase: 1}}, nil
		}, time.Now()))
		if o.Err != nil || o.Attempts != 3 || string(o.Result) != `{"n":3}` || o.Capture == nil || o.Capture.Pages != 1 {
			t.Fatalf("got %+v", o)
		}
		if want := "http://x/captures/" + o.Capture.ID + "/page-1.html"; address != want {
			t.Errorf("the page is at %s, want %s", address, want)
		}
		if page, err := r.Captures.Page(t.Context(), o.Capture.ID, 1); err != nil || string(page) != "page" {
			t.Errorf("the page holds %q, %v", page, err)
		}
		if n := captured(t, r); n != 1 {
			t.Errorf("%d captures were stored, want that of the last attempt", n)
		}
	})
}

func TestAPanicIsOneUnreadablePage(t *testing.T) {
	t.Parallel()
	r := attempter(t)
	synctest.Test(t, func(t *testing.T) {
		o := r.attempts(t.Context(), asking(func(context.Context, *upstream.Session) (*provider.Outcome, error) {
			panic("a bug")
		}, time.Now()))
		if reasonOf(t, o.Err) != earshot.ReasonUnreadable {
			t.Errorf("got %v", o.Err)
		}
	})
}

func TestAnErrorOfOursIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	bug := errors.New("a bug")
	o := attempter(t).attempts(t.Context(), asking(func(context.Context, *upstream.Session) (*provider.Outcome, error) {
		return nil, bug
	}, time.Now()))
	if o.Attempts != 1 || !errors.Is(o.Err, bug) || earshot.ErrorCode(o.Err) != earshot.CodeInternal {
		t.Errorf("%d attempts, %v", o.Attempts, o.Err)
	}
}

func TestACancelEndsTheWait(t *testing.T) {
	t.Parallel()
	r := attempter(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(300*time.Millisecond, func() { cancel(ErrStopping) })
		started := time.Now()
		o := r.attempts(ctx, asking(func(context.Context, *upstream.Session) (*provider.Outcome, error) {
			return nil, upstream.Fail(earshot.ReasonEmpty, "nothing")
		}, started))
		if o.Attempts != 1 || earshot.ErrorCode(o.Err) != earshot.CodeServerUnavailable || time.Since(started) != 300*time.Millisecond {
			t.Errorf("%d attempts, %v after %s", o.Attempts, o.Err, time.Since(started))
		}
	})
}

func TestAnAttemptThatRunsOutOfTimeIsATimeout(t *testing.T) {
	t.Parallel()
	r := attempter(t)
	r.Backoff = nil
	synctest.Test(t, func(t *testing.T) {
		o := r.attempts(t.Context(), asking(func(ctx context.Context, _ *upstream.Session) (*provider.Outcome, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, time.Now()))
		if reasonOf(t, o.Err) != earshot.ReasonTimeout {
			t.Errorf("got %v", o.Err)
		}
	})
}
