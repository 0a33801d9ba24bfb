package upstream

import (
	"sync"
	"time"

	"earshot"
)

const (
	// breakAfter is how many failures in a row open a circuit: more than one job
	// makes on its way to an answer that comes late.
	breakAfter = 5
	// breakTime is how long it stays open before one job may try again.
	breakTime = 30 * time.Second
)

// circuit is one way to an answer: a provider through an upstream, for a place.
type circuit struct{ provider, upstream, place string }

// everywhere is the circuit for all places at once.
func (c circuit) everywhere() circuit {
	c.place = ""
	return c
}

// breakers know which circuits have failed so often that they are left alone.
// The zero value is ready to use.
type breakers struct {
	mu    sync.Mutex
	state map[circuit]*breaker
}

type breaker struct {
	failures int
	until    time.Time // no job may try before
	last     *Failure
}

// allow tells whether a job may try the circuit. If not, the failure says why and
// for how long. Of those that wait for an open circuit one may try when its time
// is over, and the others wait for what comes of it.
func (b *breakers) allow(c circuit) *Failure {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	state := []*breaker{b.state[c], b.state[c.everywhere()]}
	for _, s := range state {
		if s == nil {
			continue
		}
		if wait := s.until.Sub(now); wait > 0 {
			return &Failure{Reason: s.last.Reason, Err: errOpen(c.upstream, s.last), RetryAfter: wait, Unasked: true}
		}
	}
	for _, s := range state {
		if s != nil && !s.until.IsZero() {
			s.until = now.Add(breakTime)
		}
	}
	return nil
}

// note counts what came of a try: nil for an answer. A failure that a question
// can cause is an answer too; one that asks for a pause asks for it wherever the
// question comes from.
func (b *breakers) note(c circuit, failure *Failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case failure != nil && failure.RetryAfter > 0:
		b.of(c.everywhere()).open(failure, failure.RetryAfter)
	case failure == nil, failure.Final, failure.Reason == earshot.ReasonUnreadable, failure.Reason == earshot.ReasonEmpty:
		delete(b.state, c)
		delete(b.state, c.everywhere())
	default:
		s := b.of(c)
		s.failures++
		if s.failures >= breakAfter {
			s.open(failure, breakTime)
		}
	}
}

func (b *breakers) of(c circuit) *breaker {
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

func (s *breaker) open(failure *Failure, wait time.Duration) {
	s.last, s.until = failure, time.Now().Add(wait)
}
