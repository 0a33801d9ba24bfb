package slowdown_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/limits/slowdown"
)

// attempt returns an attempt and how long it waited. It returns nil and the time after which to
// try again if the attempt was refused.
func attempt(t *testing.T, s *slowdown.Slowdown, account, address string, known bool) (*slowdown.Attempt, time.Duration) {
	t.Helper()
	began := time.Now()
	a, err := s.Begin(t.Context(), account, address, known)
	waited := time.Since(began)
	var refused *slowdown.RefusedError
	switch {
	case err == nil:
		return a, waited
	case !errors.As(err, &refused):
		t.Fatal(err)
	case waited > 0:
		t.Errorf("the attempt was refused after waiting %s", waited)
	}
	return nil, refused.After
}

// waits returns how long each of n failing attempts waits.
func waits(t *testing.T, s *slowdown.Slowdown, n int, account, address string) []time.Duration {
	t.Helper()
	var all []time.Duration
	for range n {
		_, waited := attempt(t, s, account, address, false)
		all = append(all, waited)
	}
	return all
}

func TestAttemptsOnOneAccountFromOneAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		want := []time.Duration{0, 0, 0, 0, 0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 16 * time.Second}
		if got := waits(t, s, len(want), "ann", "192.0.2.1"); !slices.Equal(got, want) {
			t.Errorf("the attempts wait %v, want %v", got, want)
		}
		for range 3 { // refused attempts do not count, so the tenth attempt is allowed after 16 s
			time.Sleep(20 * time.Second)
			if a, waited := attempt(t, s, "ann", "192.0.2.1", false); a == nil || waited > 10*time.Second {
				t.Errorf("after 20 s: refused for %s", waited)
			}
		}
		if a, after := attempt(t, s, "ann", "192.0.2.1", true); a != nil || after != 30*time.Second {
			t.Errorf("at last: refused for %s, want 30 s, even from a known address", after)
		}
	})
}

func TestParallelAttemptsWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		var mu sync.Mutex
		var all []time.Duration
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				if a, waited := attempt(t, s, "ann", "192.0.2.1", false); a != nil {
					mu.Lock()
					defer mu.Unlock()
					all = append(all, waited)
				}
			})
		}
		group.Wait()
		want := []time.Duration{0, 0, 0, 0, 0, time.Second, 3 * time.Second, 7 * time.Second}
		if !slices.Equal(all, want) {
			t.Errorf("attempts were allowed after %v, want %v", all, want)
		}
	})
}

func TestAttacksDelayOthersBySeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		var group sync.WaitGroup
		for i := range 100 {
			group.Go(func() { // on one account from many addresses
				_, _ = attempt(t, s, "ann", fmt.Sprintf("2001:db8:0:%x::1", i), false)
			})
			waits(t, s, 1, fmt.Sprint("user", i), "192.0.2.1") // on many accounts from one address
		}
		group.Wait()
		for _, test := range []struct {
			name, account, address string
			known                  bool
			want                   time.Duration
		}{
			{"the attacked account elsewhere", "ann", "192.0.2.2", false, 5 * time.Second},
			{"the attacked account at a known address", "ann", "192.0.2.3", true, 0},
			{"another account at the attacker's address", "ben", "192.0.2.1", false, 2 * time.Second},
			{"another account elsewhere", "ben", "192.0.2.4", false, 0},
		} {
			if a, waited := attempt(t, s, test.account, test.address, test.known); a == nil || waited != test.want {
				t.Errorf("%s waits %s, want %s", test.name, waited, test.want)
			}
		}
	})
}

func TestAnAddressHasFewWaitingAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		for range 2 { // the places are free again after the waits
			var allowed, waiting atomic.Int64
			var group sync.WaitGroup
			for i := range 100 {
				group.Go(func() {
					if a, waited := attempt(t, s, fmt.Sprint("user", i), "192.0.2.1", false); a != nil {
						allowed.Add(1)
						waiting.Add(int64(min(waited, 1)))
					}
				})
			}
			group.Wait()
			if waiting.Load() != 20 || allowed.Load() > 40 {
				t.Errorf("%d attempts were allowed, %d of them after a wait; want 20 after a wait", allowed.Load(), waiting.Load())
			}
		}
	})
}

func TestSuccessForgetsTheFailuresOfItsPair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		waits(t, s, 6, "ann", "192.0.2.1")
		waits(t, s, 6, "ann", "192.0.2.2")
		time.Sleep(time.Minute)
		a, _ := attempt(t, s, "ann", "192.0.2.1", false)
		a.Succeeded()
		if _, waited := attempt(t, s, "ann", "192.0.2.1", false); waited != 0 {
			t.Errorf("after a success: %s", waited)
		}
		waits(t, s, 1, "ann", "192.0.2.2")
		if _, waited := attempt(t, s, "ann", "192.0.2.2", false); waited != 4*time.Second {
			t.Errorf("at another address: %s, want 4 s", waited)
		}
	})
}

func TestSuccessfulAttemptsCauseNoDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		for range 100 {
			a, waited := attempt(t, s, "ann", "192.0.2.1", false)
			if waited != 0 {
				t.Fatalf("waited %s", waited)
			}
			a.Succeeded()
		}
	})
}

func TestCancelledAttemptsDoNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		waits(t, s, 6, "ann", "192.0.2.1")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Begin(ctx, "ann", "192.0.2.1", false); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled: %v", err)
		}
		time.Sleep(time.Minute)
		waits(t, s, 1, "ann", "192.0.2.1")
		if _, waited := attempt(t, s, "ann", "192.0.2.1", false); waited != 4*time.Second {
			t.Errorf("the eighth counted attempt waits %s, want 4 s", waited)
		}
	})
}

func TestFailuresAreForgottenAfterAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		waits(t, s, 6, "ann", "192.0.2.1")
		time.Sleep(time.Hour)
		if waits(t, s, 1, "ben", "192.0.2.2"); s.Records() != 3 {
			t.Errorf("%d records, want ben's 3", s.Records())
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		waits(t, s, 6, "old", "192.0.2.1")
		for i := range slowdown.MaxRecords/3 + 10 {
			waits(t, s, 1, fmt.Sprint("user", i), fmt.Sprint("address", i))
		}
		waits(t, s, 6, "new", "192.0.2.2")
		if s.Records() != slowdown.MaxRecords {
			t.Errorf("%d records, want %d", s.Records(), slowdown.MaxRecords)
		}
		if _, waited := attempt(t, s, "old", "192.0.2.1", false); waited != 0 {
			t.Errorf("the oldest pair waits %s", waited)
		}
		if _, waited := attempt(t, s, "new", "192.0.2.2", false); waited == 0 {
			t.Error("the newest pair was forgotten")
		}
	})
}

func TestIPv6AddressesCountByTheir64(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := slowdown.New()
		for i := range 6 {
			waits(t, s, 1, "ann", fmt.Sprintf("2001:db8::%x", i))
		}
		if _, waited := attempt(t, s, "ann", "[2001:db8::ffff]:443", false); waited != 2*time.Second {
			t.Errorf("the same /64 waits %s, want 2 s", waited)
		}
		if _, waited := attempt(t, s, "ann", "2001:db8:0:1::1", false); waited != 0 {
			t.Errorf("another /64 waits %s", waited)
		}
	})
}
