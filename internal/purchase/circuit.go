package purchase

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"earshot"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

const (
	// breakAfter is how many failures in a row open a circuit: more than one job can
	// cause before its last attempt succeeds.
	breakAfter = 5
	// breakTime is how long a circuit stays open before one job may try again.
	breakTime = 30 * time.Second
)

// circuit identifies a circuit breaker: by provider, upstream and place.
type circuit struct{ provider, upstream, place string }

// everywhere returns the circuit that covers all places.
func (c circuit) everywhere() circuit {
	c.place = ""
	return c
}

// circuits holds the state of all circuits. A circuit that failed too often is open: jobs
// do not use it for a while. The zero value is ready to use.
type circuits struct {
	mu    sync.Mutex
	state map[circuit]*breaker
}

type breaker struct {
	failures int
	until    time.Time // no job may try before this time; zero while closed
	last     *upstream.Failure
}

// allow returns nil if a job may use the circuit, and otherwise a failure with the reason
// and the time to wait. When the time of an open circuit is over, one job may try it; other
// jobs wait until note gets the outcome.
func (b *circuits) allow(c circuit) *upstream.Failure {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.state) == 0 { // no circuit has failed lately
		return nil
	}
	now := time.Now()
	state := []*breaker{b.state[c], b.state[c.everywhere()]}
	for _, s := range state {
		if s == nil {
			continue
		}
		if wait := s.until.Sub(now); wait > 0 {
			return &upstream.Failure{Reason: s.last.Reason, Err: fmt.Errorf("the circuit of %s is open after failures: %w", c.upstream, s.last.Err), RetryAfter: wait, Skipped: true}
		}
	}
	for _, s := range state {
		if s != nil && !s.until.IsZero() {
			s.until = now.Add(breakTime)
		}
	}
	return nil
}

// note records the outcome of a try. A nil failure is a success. Failures that the question
// may have caused count as success. A failure with RetryAfter opens the circuit for all
// places.
func (b *circuits) note(c circuit, failure *upstream.Failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case failure != nil && (errors.Is(failure, browser.ErrBusy) || failure.Skipped && failure.RetryAfter == 0): // it was not asked
	case failure != nil && failure.RetryAfter > 0:
		b.get(c.everywhere()).open(failure, failure.RetryAfter)
	case failure == nil, failure.Final, failure.Reason == earshot.ReasonUnreadable, failure.Reason == earshot.ReasonEmpty:
		delete(b.state, c)
		delete(b.state, c.everywhere())
	default:
		s := b.get(c)
		s.failures++
		if s.failures >= breakAfter {
			s.open(failure, breakTime)
		}
	}
}

// isOpen reports whether a circuit is open.
func (b *circuits) isOpen(c circuit) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	state := b.state[c]
	return state != nil && time.Now().Before(state.until)
}

func (b *circuits) get(c circuit) *breaker {
	if b.state == nil {
		b.state = map[circuit]*breaker{}
	}
	s := b.state[c]
	if s == nil {
		s = &breaker{}
		b.state[c] = s
	}
	return s
}

func (s *breaker) open(failure *upstream.Failure, wait time.Duration) {
	s.last, s.until = failure, time.Now().Add(wait)
}
