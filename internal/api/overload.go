package api

import (
	"log/slog"
	"sync"
	"time"
)

// overload logs refusals of a node that has too much to do, together once a second: a
// line for each would be more work than the refusal.
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
	to.Warn("requests were refused: the node has more to do than it can", "refused", o.refused)
	o.refused, o.logged = 0, time.Now()
}
