package browser

import (
	"context"
	"fmt"
	"time"
)

// instance is a Chromium process and the number of visits that use it. The fields process
// and err are set before ready is closed; Browser.mu guards the others.
type instance struct {
	ready   chan struct{} // closed when Chromium has started, or failed to start
	process *process      // nil if the start failed
	err     error

	users  int // visits that run now
	visits int // visits so far
	idle   *time.Timer
	ended  bool
}

// gone reports whether Chromium failed to start or has ended.
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
	if b.closing.Err() != nil {
		b.mu.Unlock()
		return nil, ErrClosed
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

// retire takes an instance out of service. Its process ends after its last visit.
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

// end kills the instance's process, if it still runs. It removes the instance after the
// process has ended and its folder is deleted.
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
