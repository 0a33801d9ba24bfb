package job

import (
	"context"
	"sync"
	"time"

	"earshot/internal/store/outbound"
)

// spendingEvery is how often a node reads what all nodes spent on upstreams.
const spendingEvery = 5 * time.Second

// spending caches what all nodes spent on upstreams today, in micro-USD. Between two reads
// of the database it adds the charges that this node settles.
type spending struct {
	mu         sync.Mutex
	byUpstream map[string]int64
}

// Spent returns what was spent on an upstream today, in micro-USD.
func (r *Runner) Spent(name string) int64 {
	r.spending.mu.Lock()
	defer r.spending.mu.Unlock()
	return r.spending.byUpstream[name]
}

func (s *spending) add(uses []outbound.Use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, use := range uses {
		if use.MicroUSD > 0 {
			if s.byUpstream == nil {
				s.byUpstream = map[string]int64{}
			}
			s.byUpstream[use.Upstream] += use.MicroUSD
		}
	}
}

// readSpending reads today's charges of all nodes from the database.
func (r *Runner) readSpending(ctx context.Context, now time.Time) error {
	spent, err := r.outbound.SpentOn(ctx, now)
	if err != nil {
		return err
	}
	r.spending.mu.Lock()
	defer r.spending.mu.Unlock()
	r.spending.byUpstream = spent
	return nil
}
