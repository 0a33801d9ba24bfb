package aggregate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/metric"
)

// repeatFacts are the stored facts of a sweep that repeats another.
type repeatFacts struct {
	Noise map[int]*storedNoise `json:"noise"` // by version of the rules
}

// storedNoise is the difference between a sweep and the sweep that it repeats.
type storedNoise struct {
	Weights int64                 `json:"weights"` // hash of the weights of the prompts
	Targets []earshot.TargetNoise `json:"targets"`
}

// storeNoise compares the newest repeating sweep with the sweep that it repeats, and stores
// the noise by the rules of h.
func (s *Counter) storeNoise(ctx context.Context, h *ClosedSweeps) error {
	repeat, err := s.store.NewestRepeat(ctx, h.tracker)
	if err != nil || repeat.Pruned {
		return ignoreNotFound(err)
	}
	first, err := s.store.Sweep(ctx, h.tracker, repeat.Repeats)
	if errors.Is(err, store.ErrNotFound) || err == nil && first.Pruned {
		if repeat.Facts == nil {
			return s.store.SaveFacts(repeat, []byte(`{}`)) // the other sweep was deleted
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, sweep := range []*tracking.Sweep{first, repeat} {
		if h.asked[sweep.Version] == nil {
			if err := s.readAsked(ctx, h, sweep.Version); err != nil {
				return err
			}
		}
	}
	all, weights := noiseFacts(repeat), h.asked[repeat.Version].weights
	if known := all[h.rules.Version]; known != nil && known.Weights == weights {
		return nil
	}
	b := h.newAggregate(Options{Sources: metric.ByDomain, isUnlimited: true}, first, repeat)
	if err := s.fill(ctx, b, h); err != nil {
		return err
	}
	found, err := b.Noise(first.ID, repeat.ID)
	if err != nil {
		return err
	}
	rules, err := s.analyses.Rules(ctx, h.tracker.Organization, h.tracker.ID)
	if err != nil {
		return err
	}
	maps.DeleteFunc(all, func(version int, _ *storedNoise) bool {
		return slices.ContainsFunc(rules, func(r *analysing.Rules) bool { return r.Version == version && r.State == analysing.RulesOld })
	})
	all[h.rules.Version] = &storedNoise{Weights: weights, Targets: targetNoises(found)}
	text, err := json.Marshal(repeatFacts{all})
	if err != nil {
		return fmt.Errorf("encode the noise of a sweep: %w", err)
	}
	return s.store.SaveFacts(repeat, text)
}

// noiseFacts returns the stored noise of a repeating sweep by version of the rules.
func noiseFacts(repeat *tracking.Sweep) map[int]*storedNoise {
	var facts repeatFacts
	if repeat.Facts != nil {
		_ = json.Unmarshal(repeat.Facts, &facts) // after an error the noise is computed again
	}
	if facts.Noise == nil {
		return map[int]*storedNoise{}
	}
	return facts.Noise
}

func targetNoises(found []metric.Noise) (all []earshot.TargetNoise) {
	for _, n := range found {
		one := earshot.TargetNoise{MetricLabels: LabelsOf(n.Labels), Cells: n.Cells, Differs: n.Differs, BrandDistance: n.Named, DomainDistance: n.Domains}
		for _, brand := range n.Brands {
			one.Brands = append(one.Brands, earshot.BrandNoise{Brand: brand.Brand, Differs: brand.Differs, Visibility: brand.Visibility})
		}
		all = append(all, one)
	}
	return all
}

// Noise returns the noise of the newest repeating sweep of a tracker, or nil if there is no
// such sweep or its noise is not stored yet. Noise that is missing is queued.
func (s *Counter) Noise(ctx context.Context, b *Aggregate) (*earshot.NoiseReport, error) {
	repeat, err := s.store.NewestRepeat(ctx, b.Tracker)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	stored := noiseFacts(repeat)[b.Rules.Version]
	if stored == nil {
		if !repeat.Pruned && b.Rules.Version > 0 {
			s.queueCount(b.Rules)
		}
		return nil, nil
	}
	return &earshot.NoiseReport{Sweep: repeat.ID, Repeats: repeat.Repeats, Targets: stored.Targets}, nil
}
