package upstream

import (
	"context"
	"sync"
	"time"

	"earshot/internal/limits/share"
)

// budget limits the use of an official API or a vendor with one key: the number of jobs at
// a time and of calls per minute.
type budget struct {
	slots *share.Pool // for running jobs; nil for no limit

	mu     sync.Mutex
	starts []time.Time // times of the last calls, a ring buffer as long as the limit
	next   int         // index of the oldest time in starts
}

const budgetWindow = time.Minute

func newBudget(atOnce, perMinute int) *budget {
	b := &budget{starts: make([]time.Time, perMinute)}
	if atOnce > 0 {
		b.slots = share.NewQueue(int64(atOnce))
	}
	return b
}

// enter waits for a slot for a job of an account, and for its first call. The job must call
// leave at its end.
func (b *budget) enter(ctx context.Context, account string) (leave func(), err error) {
	leave = func() {}
	if b.slots != nil {
		if leave, err = b.slots.Wait(ctx, account); err != nil {
			return nil, err
		}
	}
	if err := b.spend(ctx); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// tryEnter is like enter but returns false instead of waiting.
func (b *budget) tryEnter(account string) (leave func(), ok bool) {
	leave = func() {}
	if b.slots != nil {
		if leave, ok = b.slots.Hold(account); !ok {
			return nil, false
		}
	}
	if b.take() > 0 {
		leave()
		return nil, false
	}
	return leave, true
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
