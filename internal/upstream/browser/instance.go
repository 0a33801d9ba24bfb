package browser

import (
	"context"
	"fmt"
	"time"
)

// instance is one Chromium process with its use by visits. Its fields are guarded by
// Browser.mu, but for those that are set before ready is closed.
type instance struct {
	ready   chan struct{}
	process *process // nil if the start failed
	err     error

	users  int
	visits int
	idle   *time.Timer
	ended  bool
}

// gone reports whether the instance can serve no further visit.
func (l *instance) gone() bool {
	select {
	case <-l.ready:
	default:
		return false
	}
	if l.err != nil {
		return true
	}
	select {
	case <-l.process.conn.lost:
		return true
	default:
		return false
	}
}

// acquire returns a Chromium that is ready. The caller must pass it to release.
func (b *Browser) acquire(ctx context.Context) (*instance, error) {
	b.mu.Lock()
	select {
	case <-b.closing:
		b.mu.Unlock()
		return nil, ErrClosed
	default:
	}
	if b.current == nil || b.current.gone() || b.current.visits >= b.maxVisits {
		b.retire(b.current)
		b.current = b.begin()
	}
	l := b.current
	l.users++
	l.visits++
	if l.idle != nil {
		l.idle.Stop()
	}
	b.mu.Unlock()

	select {
	case <-l.ready:
		if l.err == nil {
			return l, nil
		}
		b.release(l)
		return nil, fmt.Errorf("%w: %w", ErrCrashed, l.err)
	case <-ctx.Done():
		b.release(l)
		return nil, ctx.Err()
	}
}

// release ends the use of an instance that acquire returned.
func (b *Browser) release(l *instance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.users--
	switch {
	case l.users > 0:
	case l != b.current || l.gone():
		b.retire(l)
	default:
		l.idle = time.AfterFunc(b.maxIdle, func() { b.retireIdle(l) })
	}
}

// retireIdle ends an instance that has not been used for a while.
func (b *Browser) retireIdle(l *instance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.users == 0 {
		b.retire(l)
	}
}

// retire takes an instance out of service. It ends after its last visit.
func (b *Browser) retire(l *instance) {
	if l == nil {
		return
	}
	if b.current == l {
		b.current = nil
	}
	if l.users == 0 || l.gone() {
		b.end(l)
	}
}

// begin starts a Chromium in the background.
func (b *Browser) begin() *instance {
	l := &instance{ready: make(chan struct{})}
	b.instances[l] = struct{}{}
	b.work.Go(func() {
		l.process, l.err = start(b.cfg)
		close(l.ready)
		if l.err != nil {
			b.cfg.Log.Error("Chromium did not start", "error", l.err)
		}
	})
	return l
}

// end kills the instance's process, if it still runs, and removes the instance once
// the process and its folder are gone.
func (b *Browser) end(l *instance) {
	if l.ended {
		return
	}
	l.ended = true
	if l.idle != nil {
		l.idle.Stop()
	}
	b.work.Go(func() {
		<-l.ready
		if l.process != nil {
			l.process.kill()
			<-l.process.gone
		}
		b.mu.Lock()
		delete(b.instances, l)
		b.mu.Unlock()
	})
}
