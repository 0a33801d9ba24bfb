package upstream

import (
	"context"
	"sync"
	"time"
)

// budget limits the use of an official API or a vendor with one key: the number of jobs at
// a time and of calls per minute.
type budget struct {
	slots chan struct{} // one item for each running job; nil for no limit

	mu     sync.Mutex
	starts []time.Time // times of the last calls, a ring buffer as long as the limit
	next   int         // index of the oldest time in starts
}

const budgetWindow = time.Minute

func newBudget(atOnce, perMinute int) *budget {
	b := &budget{starts: make([]time.Time, perMinute)}
	if atOnce > 0 {
		b.slots = make(chan struct{}, atOnce)
	}
	return b
}

// enter waits for a slot for a job, and for its first call. The job must call leave at its
// end.
func (b *budget) enter(ctx context.Context) error {
	if b.slots != nil {
		select {
		case b.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := b.spend(ctx); err != nil {
		b.leave()
		return err
	}
	return nil
}

// tryEnter is like enter but returns false instead of waiting.
func (b *budget) tryEnter() bool {
	if b.slots != nil {
		select {
		case b.slots <- struct{}{}:
		default:
			return false
		}
	}
	if b.take() > 0 {
		b.leave()
		return false
	}
	return true
}

func (b *budget) leave() {
	if b.slots != nil {
		<-b.slots
	}
}

// spend takes one call from the budget and waits until one is available.
func (b *budget) spend(ctx context.Context) error {
	for {
		wait := b.take()
		if wait <= 0 {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take takes one call from the budget and returns 0, or returns the time until the next
// call is available.
func (b *budget) take() (wait time.Duration) {
	if len(b.starts) == 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if wait := b.starts[b.next].Add(budgetWindow).Sub(now); wait > 0 {
		return wait
	}
	b.starts[b.next] = now
	b.next = (b.next + 1) % len(b.starts)
	return 0
}
