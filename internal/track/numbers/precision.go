package numbers

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/stats"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
)

// spreadSweeps is the number of sweeps from which the variances of a tracker are estimated.
const spreadSweeps = 28

// Precision returns the smallest change that a comparison of two 28-day periods finds, and
// the share of lasting falls that the change detector finds with the tracker's own threshold.
// It uses the variances of the tracker's last sweeps, or default variances if there are too
// few sweeps.
func (s *Reader) Precision(ctx context.Context, t *tracking.Tracker, d *definition.Definition, now time.Time) (earshot.Precision, error) {
	p := earshot.Precision{Prompts: len(d.Prompts), Samples: d.Samples, Sweeps: d.SweepsIn(28, now)}
	spread, measured, err := s.spread(ctx, t)
	if err != nil {
		return p, err
	}
	p.Measured = measured
	plan := stats.Plan{Prompts: p.Prompts, Sweeps: p.Sweeps, Samples: p.Samples}
	if change, ok := plan.Visible(spread); ok {
		p.SmallestChange = &change
	}
	if p.Series = d.Detectors(d.TargetNames()); p.Series > 0 {
		p.Threshold = new(d.Threshold(p.Series, now))
		p.FallsFound = new(plan.Found(spread, *p.Threshold))
		if fall, ok := plan.SmallestFall(spread, *p.Threshold); ok {
			p.SmallestFall = &fall
		}
	}
	return p, nil
}

// spread returns the variances of the visibility of the first own brand, or of the first
// brand if none is an own brand. It reports whether they are estimates or defaults.
func (s *Reader) spread(ctx context.Context, t *tracking.Tracker) (stats.Components, bool, error) {
	if t.Version == 0 {
		return stats.DefaultComponents, false, nil
	}
	closed, err := s.store.ClosedSweeps(ctx, t)
	if err != nil {
		return stats.Components{}, false, err
	}
	first := len(closed)
	for first > 0 && len(closed)-first < spreadSweeps && aggregate.Submitted(closed[first-1:]) <= aggregate.MaxCounted {
		first--
	}
	if len(closed)-first < stats.EnoughSweeps {
		return stats.DefaultComponents, false, nil
	}
	d, err := s.definitions.Of(t)
	if err != nil {
		return stats.Components{}, false, err
	}
	b, err := s.counter.Count(ctx, t, d, aggregate.Options{}, definition.Span{From: closed[first].DueAt})
	if aggregate.IsTooMany(err) || err == nil && len(b.Panel.Brands) == 0 {
		return stats.DefaultComponents, false, nil
	}
	if err != nil {
		return stats.Components{}, false, err
	}
	brand := max(0, slices.IndexFunc(b.Panel.Brands, func(brand metric.PanelBrand) bool { return brand.Own }))
	// If all answers agree, their variance is 0, which is not a useful estimate.
	if spread, ok := b.Components(b.Panel.Brands[brand].Name); ok && spread.Answer > 0 {
		return spread, true, nil
	}
	return stats.DefaultComponents, false, nil
}
