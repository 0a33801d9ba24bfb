package ratelimit

import (
	"context"
	"sync"
	"time"
)

// Counter adds n requests to the window of key and returns how many are in it.
type Counter func(ctx context.Context, key string, n int, window time.Duration) (used int, err error)

// countTime limits one count: a limiter that waits longer is of no use.
const countTime = 5 * time.Second

// Shared counts in a store that all nodes share: exact across them. Requests of
// one key that arrive while a count of it is under way are counted together by
// the next one, so a busy key costs one round trip at a time, not one a
// request. It is safe for concurrent use.
type Shared struct {
	count Counter
	mu    sync.Mutex
	// waiting holds, for each key with a count under way, the requests for the next.
	waiting map[string][]chan<- outcome
}

type outcome struct {
	lead bool // no outcome yet: the receiver must call countWaiting
	used int  // the request's own number in the window
	err  error
}

// NewShared makes a limiter over count.
func NewShared(count Counter) *Shared {
	return &Shared{count: count, waiting: map[string][]chan<- outcome{}}
}

// Take counts a request of key. It fails when the shared store cannot be reached.
func (s *Shared) Take(ctx context.Context, key string, limit int) (Verdict, error) {
	mine := make(chan outcome, 2) // the call to lead, and the outcome
	s.mu.Lock()
	queue, busy := s.waiting[key]
	s.waiting[key] = append(queue, mine)
	s.mu.Unlock()
	if !busy {
		mine <- outcome{lead: true}
	}
	o := <-mine
	if o.lead {
		s.countWaiting(ctx, key)
		o = <-mine
	}
	return verdict(o.used, limit), o.err
}

// countWaiting counts all requests that wait for key, then makes the first of those
// that arrived meanwhile the leader.
func (s *Shared) countWaiting(ctx context.Context, key string) {
	s.mu.Lock()
	batch := s.waiting[key]
	s.waiting[key] = nil
	s.mu.Unlock()

	// The count is for all of them, so it must not end with the leader's request.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTime)
	defer cancel()
	used, err := s.count(ctx, key, len(batch), Window)
	for i, waiter := range batch {
		waiter <- outcome{used: used - len(batch) + 1 + i, err: err}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if next := s.waiting[key]; len(next) > 0 {
		next[0] <- outcome{lead: true}
	} else {
		delete(s.waiting, key)
	}
}
