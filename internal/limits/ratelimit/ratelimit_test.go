package ratelimit_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/limits/ratelimit"
)

func take(t *testing.T, l interface {
	Take(context.Context, string, int) (ratelimit.Verdict, error)
}, key string,
) ratelimit.Verdict {
	t.Helper()
	v, err := l.Take(t.Context(), key, 3)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLocalWindowOpensWithTheFirstRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.NewLocal()
		for want := 2; want >= 0; want-- {
			if v := take(t, l, "a"); !v.Allowed || v.Remaining != want || v.Limit != 3 {
				t.Errorf("got %+v, want %d remaining", v, want)
			}
		}
		time.Sleep(999 * time.Millisecond)
		if v := take(t, l, "a"); v.Allowed || v.Remaining != 0 {
			t.Errorf("a fourth request within the second: %+v", v)
		}
		if v := take(t, l, "b"); !v.Allowed || v.Remaining != 2 {
			t.Errorf("another key: %+v", v)
		}
		time.Sleep(time.Millisecond)
		if v := l.Peek("a", 3); v.Remaining != 3 {
			t.Errorf("a peek after the second: %+v", v)
		}
		if v := take(t, l, "a"); !v.Allowed || v.Remaining != 2 {
			t.Errorf("after the second: %+v", v)
		}
		if v := l.Peek("a", 3); v.Remaining != 2 {
			t.Errorf("a peek: %+v", v)
		}
		time.Sleep(2 * time.Minute)
		if v := take(t, l, "c"); !v.Allowed {
			t.Errorf("after the sweep: %+v", v)
		}
	})
}

func TestSharedCountsWaitingRequestsTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var used, trips int
		l := ratelimit.NewShared(func(_ context.Context, _ string, n int, window time.Duration) (int, error) {
			time.Sleep(10 * time.Millisecond)
			if window != time.Second {
				t.Errorf("the window is %s", window)
			}
			used += n // counts of one key never overlap
			trips++
			return used, nil
		})
		var allowed atomic.Int64
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				if v := take(t, l, "a"); v.Allowed {
					allowed.Add(1)
				}
			})
		}
		group.Wait()
		if allowed.Load() != 3 || used != 100 || trips > 3 {
			t.Errorf("%d allowed, %d counted in %d trips; want 3, 100 and few", allowed.Load(), used, trips)
		}
	})
}

func TestFailedCountFailsOnlyItsRequests(t *testing.T) {
	t.Parallel()
	fail := errors.New("away")
	calls := 0
	l := ratelimit.NewShared(func(context.Context, string, int, time.Duration) (int, error) {
		if calls++; calls == 1 {
			return 0, fail
		}
		return 1, nil
	})
	if _, err := l.Take(t.Context(), "a", 3); !errors.Is(err, fail) {
		t.Errorf("got %v", err)
	}
	if v := take(t, l, "a"); !v.Allowed {
		t.Errorf("after a failure: %+v", v)
	}
}
