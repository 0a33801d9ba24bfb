package job

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// crew has n processors, and orders that say what is to be done.
func crew(n int64, do func(*order)) *workers {
	w := newWorkers(do)
	w.maxBrisk = n
	return w
}

func TestTasksThatWaitForNothingAreDoneByFew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most, done atomic.Int64
		w := crew(1, func(*order) {
			most.Store(max(most.Load(), now.Add(1)))
			now.Add(-1)
			done.Add(1)
		})
		w.give(new(order))
		synctest.Wait() // now it is known that they are quick
		most.Store(0)
		for range 2000 {
			w.give(new(order))
		}
		synctest.Wait()
		if done.Load() != 2001 || most.Load() != 1 {
			t.Errorf("%d were done, at most %d at a time", done.Load(), most.Load())
		}
		w.close()
	})
}

func TestATaskThatWaitsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var under, done sync.WaitGroup
		released := make(chan struct{})
		slow := new(order)
		w := crew(1, func(o *order) {
			under.Done()
			if o == slow {
				<-released
			}
			done.Done()
		})
		give := func(o *order) {
			under.Add(1)
			done.Add(1)
			w.give(o)
		}
		give(new(order))
		done.Wait() // now the next is expected to be quick, too
		for range 500 {
			give(slow)
			give(new(order))
		}
		under.Wait() // would not end if one held up another
		close(released)
		done.Wait()
		w.close()
	})
}

func TestTasksOfHoursAreNeverTakenForQuickOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var done sync.WaitGroup
		w := crew(1, func(*order) {
			<-time.After(40 * time.Minute) // of the test's own clock
			done.Done()
		})
		for range 5 { // one worker does them all
			done.Add(1)
			w.give(new(order))
			done.Wait()
		}
		if n := w.brisk.Load(); n != 0 {
			t.Errorf("%d are brisk", n)
		}
		w.close()
	})
}

func TestWorkersThatHaveNothingToDoEndAndOthersFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var done atomic.Int64
		w := crew(2, func(*order) { done.Add(1) })
		for range 3 {
			w.give(new(order))
			w.group.Wait()
			if n := w.idle.Load(); n != 0 {
				t.Errorf("%d workers are still there", n)
			}
		}
		if done.Load() != 3 {
			t.Errorf("%d were done", done.Load())
		}
		w.close()
	})
}
