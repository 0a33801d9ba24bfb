package share_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/limits/share"
)

// busy takes turns for an account until it would have to wait.
func busy(t *testing.T, turns *share.Turns, account string) (taken []*share.Turn) {
	t.Helper()
	for turns.Room(account) > 0 {
		turn, err := turns.Begin(t.Context(), account)
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, turn)
	}
	return taken
}

// Two accounts are served in turn, although many requests of one account were waiting
// first.
func TestQueuesAreServedInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := share.NewPool(2)
		p.ForceTake("other", 2)
		var order []string
		for _, account := range []string{"flood", "flood", "flood", "calm", "flood", "calm"} {
			go func() {
				release, err := p.Wait(t.Context(), account)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, account) // one at a time, since there is one unit
				release()
			}()
			synctest.Wait()
		}
		p.Release("other", 1)
		synctest.Wait()
		if want := []string{"flood", "calm", "flood", "calm", "flood", "flood"}; !slices.Equal(order, want) {
			t.Errorf("they are served in the order %v, want %v", order, want)
		}
		if s := p.Stats(); s.Used != 1 || s.Accounts != 1 {
			t.Errorf("in the end it is %+v", s)
		}
	})
}

// In a queue, an account takes all units, and another one waits for the next unit only.
func TestAQueueReservesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := share.NewQueue(2)
		if !p.Take("flood", 2) || p.Take("calm", 1) {
			t.Fatal("the first account does not get all units")
		}
		var order []string
		for _, account := range []string{"flood", "flood", "flood", "calm"} {
			go func() {
				if _, err := p.Wait(t.Context(), account); err != nil {
					t.Error(err)
				}
				order = append(order, account)
			}()
			synctest.Wait()
		}
		for range 3 {
			p.Release("flood", 1)
			synctest.Wait()
		}
		if want := []string{"flood", "calm", "flood"}; !slices.Equal(order, want) {
			t.Errorf("they are served in the order %v, want %v", order, want)
		}
		p.Release("flood", 1) // the last waiter
		synctest.Wait()
	})
}

func TestNewWorkIsRefusedWhenItWouldWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := share.NewTurns(share.Patience)
		taken := busy(t, turns, "flood")
		late := make(chan error, 1)
		go func() {
			_, err := turns.Begin(t.Context(), "flood")
			late <- err
		}()
		synctest.Wait()
		time.Sleep(400 * time.Millisecond)
		began := time.Now()
		if _, err := turns.Begin(t.Context(), "flood"); !errors.Is(err, share.ErrBusy) || time.Since(began) > 0 {
			t.Errorf("a request behind one that has waited for 400 ms: %v after %s", err, time.Since(began))
		}
		if turn, err := turns.Begin(t.Context(), "calm"); err != nil {
			t.Errorf("another account is refused: %v", err)
		} else {
			turn.End()
			turn.End()
		}
		if err := <-late; !errors.Is(err, share.ErrBusy) || time.Since(began) > 3*time.Second {
			t.Errorf("a request that is never served: %v after %s", err, time.Since(began))
		}
		for _, turn := range taken {
			turn.End()
		}
		if s := turns.Stats(); s.Used != 0 || s.Refused != 2 {
			t.Errorf("in the end it is %+v", s)
		}
	})
}

func TestQueueLengthIsLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := share.NewTurns(share.Patience)
		busy(t, turns, "flood")
		ctx, leave := context.WithCancel(t.Context())
		answers := make(chan error, 2000)
		for range cap(answers) {
			go func() {
				_, err := turns.Begin(ctx, "flood")
				answers <- err
			}()
		}
		synctest.Wait()
		waiting := cap(answers) - len(answers)
		if waiting < 1000 || waiting > 1100 {
			t.Errorf("%d of %d wait", waiting, cap(answers))
		}
		leave() // clients that have left stop waiting
		synctest.Wait()
		if len(answers) != cap(answers) {
			t.Errorf("%d still wait", cap(answers)-len(answers))
		}
	})
}

// Work that resumes after a pause is served before new requests.
func TestResumedWorkGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := share.NewTurns(share.Patience)
		paused := turns.Later("a")
		paused.Pause()
		paused.Pause()
		taken := busy(t, turns, "a")
		var order []string
		go func() {
			turn, err := turns.Begin(t.Context(), "a")
			if err != nil {
				t.Error(err)
			}
			order = append(order, "new")
			turn.End()
		}()
		synctest.Wait()
		go func() {
			for range 2 {
				if err := paused.Resume(t.Context()); err != nil {
					t.Error(err)
				}
			}
			order = append(order, "under way")
			paused.End()
		}()
		synctest.Wait()
		for _, turn := range taken {
			turn.End()
			synctest.Wait() // so that there is room for one at a time
		}
		if want := []string{"under way", "new"}; !slices.Equal(order, want) {
			t.Errorf("they are served in the order %v, want %v", order, want)
		}
		if s := turns.Stats(); s.Used != 0 {
			t.Errorf("in the end it is %+v", s)
		}
	})
}

// A node gets six times the load that it can serve. After the initial burst, the requests
// that are accepted wait only for a short time, and no turn is unused.
func TestQueueStaysShortUnderOverload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const flood = 10 * time.Second
		turns := share.NewTurns(share.Patience)
		room := int(turns.Room("flood")) // the share of a single account
		work := time.Duration(room) * time.Second / 160
		began := time.Now()
		var mu sync.Mutex
		var late time.Duration // the longest wait of a request after the burst
		done := 0
		var group sync.WaitGroup
		for time.Since(began) < flood {
			group.Go(func() {
				came := time.Now()
				turn, err := turns.Begin(t.Context(), "flood")
				if err != nil {
					return
				}
				waited := time.Since(came)
				time.Sleep(work)
				turn.End()
				mu.Lock()
				defer mu.Unlock()
				if came.Sub(began) > 4*time.Second {
					late = max(late, waited)
				}
				if time.Since(began) < flood {
					done++
				}
			})
			time.Sleep(time.Millisecond)
		}
		group.Wait()
		if late > 2*share.Patience {
			t.Errorf("an accepted request waited for %s", late)
		}
		if done < 1500 { // of 160 a second
			t.Errorf("only %d were done in %s", done, flood)
		}
	})
}

// Two goroutines of a job wait for the end of their pauses at the same time: the job gets one turn.
func TestConcurrentPausesTakeOneTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := share.NewTurns(share.Patience)
		turn := turns.Later("a")
		taken := busy(t, turns, "a")
		for range 2 {
			turn.Pause()
			go func() {
				if err := turn.Resume(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait() // the first waits for a turn while the second pauses
		}
		for _, other := range taken {
			other.End()
			synctest.Wait()
		}
		if s := turns.Stats(); s.Used != 1 {
			t.Errorf("%d turns are taken, want 1", s.Used)
		}
		turn.End()
		if s := turns.Stats(); s.Used != 0 {
			t.Errorf("in the end it is %+v", s)
		}
	})
}
