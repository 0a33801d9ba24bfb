// Package ratelimit counts requests in windows of one second. A window opens with the
// first request after the previous window has ended.
package ratelimit

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Window is the length of a window.
const Window = time.Second

// Verdict is the decision of a limiter on one request.
type Verdict struct {
	Allowed   bool
	Limit     int
	Remaining int
}

func verdict(used, limit int) Verdict {
	return Verdict{Allowed: used <= limit, Limit: limit, Remaining: max(0, limit-used)}
}

// Local counts requests in memory, so it is exact for one node only. It is safe for
// concurrent use.
type Local struct {
	mu      sync.Mutex
	windows map[string]window
	sweepAt time.Time
}

type window struct {
	opened time.Time
	used   int
}

// NewLocal returns a limiter that counts in memory.
func NewLocal() *Local { return &Local{windows: map[string]window{}} }

// Take counts a request of key. It never fails.
func (l *Local) Take(_ context.Context, key string, limit int) (Verdict, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.sweep(now)
	w, open := l.windows[key]
	if !open || now.Sub(w.opened) >= Window {
		w = window{opened: now}
	}
	w.used++
	l.windows[key] = w
	return verdict(w.used, limit), nil
}

// Peek returns the state of the window of key without counting a request.
func (l *Local) Peek(key string, limit int) Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, open := l.windows[key]
	if !open || time.Since(w.opened) >= Window {
		return verdict(0, limit)
	}
	return verdict(w.used, limit)
}

// sweep removes windows that have ended, at most once a minute.
func (l *Local) sweep(now time.Time) {
	if now.Before(l.sweepAt) {
		return
	}
	l.sweepAt = now.Add(time.Minute)
	maps.DeleteFunc(l.windows, func(_ string, w window) bool { return now.Sub(w.opened) >= Window })
}
