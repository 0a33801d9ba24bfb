package aggregate

import (
	"context"
	"slices"

	"earshot/internal/store/tracking"
	"earshot/internal/track/cited"
)

// Cited returns the domains or the URLs that the answers of each sweep of an Aggregate cite. It
// counts sweeps whose tallies lack them.
func (s *Counter) Cited(ctx context.Context, b *Aggregate, urls bool) ([]*cited.Sheet, error) {
	release, err := s.Turn(ctx, b.Tracker.Organization)
	if err != nil {
		return nil, err
	}
	defer release()
	sheets := make([]*cited.Sheet, len(b.Sweeps))
	var uncounted []*tracking.Sweep
	for i, sweep := range b.Sweeps {
		if sheets[i] = new(cited.Sheet); sweep.Answered == 0 {
			continue
		}
		stored, err := s.analyses.TallySources(ctx, b.Rules, sweep.ID, urls)
		if err != nil {
			return nil, err
		}
		if stored == nil {
			uncounted = append(uncounted, sweep)
		} else if sheets[i], err = cited.Decode(stored); err != nil {
			return nil, err
		}
	}
	if len(uncounted) == 0 {
		return sheets, nil
	}
	counted, err := s.countCited(ctx, b, uncounted)
	if err != nil {
		return nil, err
	}
	for i, sweep := range uncounted {
		encoded, byURL := counted[i].Encode()
		if urls {
			encoded = byURL
		}
		if sheets[slices.Index(b.Sweeps, sweep)], err = cited.Decode(encoded); err != nil {
			return nil, err
		}
	}
	return sheets, nil
}

// countCited reads the analyses of sweeps.
func (s *Counter) countCited(ctx context.Context, b *Aggregate, sweeps []*tracking.Sweep) ([]*cited.Writer, error) {
	answers := 0
	for _, sweep := range sweeps {
		answers += sweep.Answered
	}
	if answers > MaxCounted {
		return nil, errUncounted(answers, MaxCounted)
	}
	if b.Rules.Version > 0 {
		s.queueTallies(b.Rules)
	}
	h, err := s.readClosed(ctx, b, b.Sweeps)
	if err != nil {
		return nil, err
	}
	read := newCollector(h, sweeps, Options{cited: true})
	return read.cited, s.readAnalyses(ctx, sweeps, read)
}
