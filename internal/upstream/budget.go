package upstream

import (
	"context"
	"sync"
	"time"
)

// budget bounds what is asked of an official API with one key: so many jobs at
// a time, and so many calls in any minute.
type budget struct {
	places chan struct{} // one for each job under way; nil for no limit

	mu     sync.Mutex
	starts []time.Time // of the last calls, a ring as long as the limit
	next   int         // in starts: the oldest
}

const budgetWindow = time.Minute

func newBudget(atOnce, perMinute int) *budget {
	b := &budget{starts: make([]time.Time, perMinute)}
	if atOnce > 0 {
		b.places = make(chan struct{}, atOnce)
	}
	return b
}

// enter takes a place for a job and its first call, and waits for both. The job
// must leave.
func (b *budget) enter(ctx context.Context) error {
	if b.places != nil {
		select {
		case b.places <- struct{}{}:
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

// tryEnter enters if that needs no waiting.
func (b *budget) tryEnter() bool {
	if b.places != nil {
		select {
		case b.places <- struct{}{}:
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
	if b.places != nil {
		<-b.places
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

// take takes a call, or tells how long none will be left.
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
