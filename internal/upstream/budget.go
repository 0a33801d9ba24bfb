package upstream

import (
	"context"
	"sync"
	"time"
)

// budget limits the use of an official API with one key: the jobs at a time, and the
// calls in any minute.
type budget struct {
	slots chan struct{} // one for each job under way; nil for no limit

	mu     sync.Mutex
	starts []time.Time // of the last calls, a ring as long as the limit
	next   int         // in starts: the oldest
}

const budgetWindow = time.Minute

func newBudget(atOnce, perMinute int) *budget {
	b := &budget{starts: make([]time.Time, perMinute)}
	if atOnce > 0 {
		b.slots = make(chan struct{}, atOnce)
	}
	return b
}

// enter takes a slot for a job and its first call, and waits for both. The job must
// call leave at its end.
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

// tryEnter is enter without waiting; it returns false where it would have to.
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

// spend takes a call, and waits until there is one to take.
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

// take takes a call, or returns the time until the next one is free.
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
