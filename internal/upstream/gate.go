package upstream

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// gateTime is how long further requests wait for the outcome of the one that passes a gate again.
const gateTime = 30 * time.Second

// gate stops all requests to an upstream after a failure with Everyone, whichever
// provider they are for. The zero value lets requests pass.
type gate struct {
	mu     sync.Mutex
	last   *Failure // nil while requests may pass
	closed time.Time
	until  time.Time
}

// check returns nil when requests may pass, and otherwise a failure with the time to wait.
func (g *gate) check(upstream string) *Failure {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.wait(upstream)
}

// pass is check for a request that is about to be sent. After the time to wait one
// request passes; the others wait until its outcome is noted.
func (g *gate) pass(upstream string) *Failure {
	g.mu.Lock()
	defer g.mu.Unlock()
	failure := g.wait(upstream)
	if failure == nil && g.last != nil {
		g.until = time.Now().Add(gateTime)
	}
	return failure
}

func (g *gate) wait(upstream string) *Failure {
	wait := time.Until(g.until)
	if g.last == nil || wait <= 0 {
		return nil
	}
	return &Failure{Reason: g.last.Reason, Err: fmt.Errorf("%s has asked for a pause: %w", upstream, g.last.Err), RetryAfter: wait, Skipped: true, Refused: true}
}

// note records the outcome of a request that was sent at began. The success of a request
// that was sent before the gate closed does not open the gate.
func (g *gate) note(began time.Time, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	failure, failed := errors.AsType[*Failure](err)
	switch {
	case failed && failure.Everyone && failure.RetryAfter > 0:
		g.last, g.closed, g.until = failure, time.Now(), time.Now().Add(failure.RetryAfter)
	case err == nil && began.After(g.closed):
		g.last = nil
	}
}
