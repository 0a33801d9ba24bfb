package aggregate

import (
	"context"
	"errors"
	"slices"

	"earshot/internal/store/tracking"
	"earshot/internal/track/cited"
)

// Cited calls use with the domains or the URLs that the answers of each sweep of an Aggregate cite,
// except for sweeps without answers, and of URLs also without deleted answers. It counts sweeps
// that are not counted yet. The caller must hold
// a Turn of the organization.
func (s *Counter) Cited(ctx context.Context, b *Aggregate, urls bool, use func(sweep int, sheet *cited.Sheet) error) error {
	decode := func(sweep int, encoded []byte) error {
		sheet, err := cited.Decode(encoded)
		if err != nil {
			return err
		}
		if c := b.counted[b.Sweeps[sweep].ID]; c != nil {
			sheet.Brands = b.brands[c.Rules]
		}
		return use(sweep, sheet)
	}
	var uncounted []*tracking.Sweep
	for i, sweep := range b.Sweeps {
		if sweep.Answered == 0 {
			continue
		}
		c := b.counted[sweep.ID]
		if c == nil {
			uncounted = append(uncounted, sweep)
			continue
		}
		stored, err := s.analyses.Sources(ctx, c, urls)
		if err != nil {
			return err
		}
		isLost := stored == nil // URLs are deleted with the answers
		if !isLost {
			err = decode(i, stored)
			isLost = errors.Is(err, cited.ErrDamaged)
		}
		switch {
		case err != nil && !isLost:
			return err
		case err != nil:
			s.dropCounted(sweep, c, err)
		}
		if isLost && !sweep.Pruned {
			uncounted = append(uncounted, sweep)
		}
	}
	if len(uncounted) == 0 {
		return nil
	}
	counted, err := s.countCited(ctx, b, uncounted)
	if err != nil {
		return err
	}
	for i, sweep := range uncounted {
		encoded, byURL := counted[i].Encode()
		if urls {
			encoded = byURL
		}
		if err := decode(slices.Index(b.Sweeps, sweep), encoded); err != nil {
			return err
		}
	}
	return nil
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
		s.queueCount(b.Rules)
	}
	h, err := s.readClosed(ctx, b, b.Sweeps, b.counted)
	if err != nil {
		return nil, err
	}
	read := newCollector(h, sweeps, Options{cited: true})
	return read.cited, s.readAnalyses(ctx, sweeps, read)
}
