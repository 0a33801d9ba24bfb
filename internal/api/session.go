package api

import (
	"fmt"
	"sync"
	"time"

	"earshot"
	"earshot/internal/ratelimit"
	"earshot/internal/schema"
)

const (
	// tokenTries is how many tokens an address may try in a minute. Nobody guesses
	// one; this keeps the trying from being worth anybody's while.
	tokenTries = 5
	maxToken   = 1 << 10 // the body's length
)

// session exchanges the token that the operator was shown for a key.
func (s *Server) session(c *call) error {
	if s.WorkerOnly {
		return errWorkerOnly()
	}
	if s.Jobs.Draining() {
		return errStopping()
	}
	verdict := s.tries.take(c.address(), tokenTries, c.started)
	c.limits(verdict)
	if !verdict.Allowed {
		return &earshot.Error{Code: earshot.CodeRateLimit, Message: fmt.Sprintf("more than %d tokens in one minute", tokenTries)}
	}
	body, err := c.body(maxToken)
	if err != nil {
		return err
	}
	in, err := schema.Parse(body)
	if err != nil {
		return err
	}
	var asked earshot.SessionRequest
	in.Decode(&asked)
	if err := in.Err(); err != nil {
		return err
	}
	key, expires, err := s.SignIn(c.r.Context(), asked.Token)
	if err != nil {
		return err
	}
	c.w.Header().Set("Cache-Control", "no-store")
	return c.json(earshot.Session{Secret: key, ExpiresAt: earshot.Timestamp{Time: expires}})
}

// minute counts by key in windows of a minute that are the same for all. The zero
// value is ready to use.
type minute struct {
	mu    sync.Mutex
	began time.Time
	used  map[string]int
}

func (m *minute) take(key string, limit int, now time.Time) ratelimit.Verdict {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used == nil || now.Sub(m.began) >= time.Minute {
		m.began, m.used = now, map[string]int{}
	}
	m.used[key]++
	used := m.used[key]
	return ratelimit.Verdict{Allowed: used <= limit, Limit: limit, Remaining: max(0, limit-used)}
}
