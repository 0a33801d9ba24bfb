package api

import (
	"log/slog"
	"sync"
	"time"
)

// overload logs the refusals of an overloaded node, at most once a second, because logging
// each would cost more than the refusal.
type overload struct {
	mu      sync.Mutex
	refused int
	logged  time.Time
}

func (o *overload) log(to *slog.Logger) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused++
	if time.Since(o.logged) < time.Second {
		return
	}
	to.Warn("requests refused: the node is overloaded", "refused", o.refused)
	o.refused, o.logged = 0, time.Now()
}
