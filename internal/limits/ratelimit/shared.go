package ratelimit

import (
	"context"
	"sync"
	"time"
)

// Counter adds n requests to the window of key and returns the number of requests in it.
type Counter func(ctx context.Context, key string, n int, window time.Duration) (used int, err error)

// countTime is the timeout for one count.
const countTime = 5 * time.Second

// Shared counts requests in a store that all nodes share, so it is exact across nodes.
// Requests of a key that arrive during a count of this key are counted together by the
// next count. So a busy key needs one round trip at a time, not one for each request. It
// is safe for concurrent use.
type Shared struct {
	count Counter
	mu    sync.Mutex
	// waiting has the requests for the next count, for each key that is being counted.
	waiting map[string][]chan<- outcome
}

type outcome struct {
	lead bool // not an outcome: the receiver must call countWaiting
	used int  // the request's number in the window
	err  error
}

// NewShared returns a limiter that uses count.
func NewShared(count Counter) *Shared {
	return &Shared{count: count, waiting: map[string][]chan<- outcome{}}
}

// Take counts a request of key. It fails if the shared store cannot be reached.
func (s *Shared) Take(ctx context.Context, key string, limit int) (Verdict, error) {
	mine := make(chan outcome, 2) // for a message to lead, and for the outcome
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

// countWaiting counts all waiting requests of key. Then the first request that has
// arrived in the meantime becomes the leader.
func (s *Shared) countWaiting(ctx context.Context, key string) {
	s.mu.Lock()
	batch := s.waiting[key]
	s.waiting[key] = nil
	s.mu.Unlock()

	// The count is for all requests, so it must not end with the leader's request.
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
