package browser

import (
	"context"
	"fmt"
	"time"
)

// life is one Chromium process as the visits see it: who uses it, and how often
// it was used. Its fields are guarded by Browser.mu, but for those that are set
// before ready is closed.
type life struct {
	ready   chan struct{}
	process *process // nil if the start failed
	err     error

	users  int
	visits int
	idle   *time.Timer
	ended  bool
}

// gone reports whether the life can serve no further visit.
func (l *life) gone() bool {
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

// acquire returns a Chromium that is ready, which release has to be called with.
func (b *Browser) acquire(ctx context.Context) (*life, error) {
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

// release gives back what acquire returned.
func (b *Browser) release(l *life) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.users--
	switch {
	case l.users > 0:
	case l != b.current || l.gone():
		b.retire(l)
	default:
		l.idle = time.AfterFunc(b.maxIdle, func() { b.rest(l) })
	}
}

// rest ends a life that nobody has used for a while.
func (b *Browser) rest(l *life) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.users == 0 {
		b.retire(l)
	}
}

// retire takes a life out of service. It ends once its last visit has.
func (b *Browser) retire(l *life) {
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
func (b *Browser) begin() *life {
	l := &life{ready: make(chan struct{})}
	b.lives[l] = struct{}{}
	b.work.Go(func() {
		l.process, l.err = start(b.cfg)
		close(l.ready)
		if l.err != nil {
			b.cfg.Log.Error("Chromium did not start", "error", l.err)
		}
	})
	return l
}

// end kills the life's process, if it still runs, and forgets the life once
// every trace is gone.
func (b *Browser) end(l *life) {
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
		delete(b.lives, l)
		b.mu.Unlock()
	})
}
