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
	"earshot/internal/store/tracking"
	"earshot/internal/track/metric"
)

// repeatFacts are those of a sweep that repeats another, by version of the rules.
type repeatFacts struct {
	Noise map[int]*keptNoise `json:"noise"`
}

// keptNoise is how far a sweep is from the one that it repeats, by some rules.
type keptNoise struct {
	Weights int64                 `json:"weights"` // of the questions, as a hash: visibility is by them
	Targets []earshot.TargetNoise `json:"targets"`
}

// noteNoise compares the newest sweep that repeats another with that one, and stores how
// far they are apart by the rules of h.
func (s *Counter) noteNoise(ctx context.Context, h *ClosedSweeps) error {
	repeat, err := s.store.NewestRepeat(ctx, h.tracker)
	if err != nil || repeat.Pruned {
		return ignoreGone(err)
	}
	first, err := s.store.Sweep(ctx, h.tracker, repeat.Repeats)
	if errors.Is(err, store.ErrNotFound) || err == nil && first.Pruned {
		if repeat.Facts == nil {
			return s.store.SaveFacts(repeat, []byte(`{}`)) // nothing is left to compare with
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, sweep := range []*tracking.Sweep{first, repeat} {
		if h.asked[sweep.Version] == nil {
			if err := s.noteAsked(ctx, h, sweep.Version); err != nil {
				return err
			}
		}
	}
	known, weights := noiseFacts(repeat), h.asked[repeat.Version].weights
	if kept := known[h.rules.Version]; kept != nil && kept.Weights == weights {
		return nil
	}
	b := &Aggregate{
		Tracker: h.tracker, Rules: h.rules, Panel: h.panel, Zone: h.zone, Sweeps: []*tracking.Sweep{first, repeat},
		need: Options{Sources: metric.ByDomain, later: true},
	}
	if err := s.fill(ctx, b, h); err != nil {
		return err
	}
	found, err := b.Noise(first.ID, repeat.ID)
	if err != nil {
		return err
	}
	return s.keepNoise(ctx, h, repeat, &keptNoise{Weights: weights, Targets: targetNoises(found)})
}

// keepNoise stores the noise of a sweep, beside that by other rules that are in use.
func (s *Counter) keepNoise(ctx context.Context, h *ClosedSweeps, repeat *tracking.Sweep, noise *keptNoise) error {
	rules, err := s.store.Rules(ctx, h.tracker.Organization, h.tracker.ID)
	if err != nil {
		return err
	}
	all := noiseFacts(repeat)
	maps.DeleteFunc(all, func(version int, _ *keptNoise) bool {
		return slices.ContainsFunc(rules, func(r *tracking.Rules) bool { return r.Version == version && r.State == tracking.RulesOld })
	})
	all[h.rules.Version] = noise
	text, err := json.Marshal(repeatFacts{all})
	if err != nil {
		return fmt.Errorf("encode the noise of a sweep: %w", err)
	}
	return s.store.SaveFacts(repeat, text)
}

// noiseFacts is what is stored of a sweep that repeats another, by version of the rules.
func noiseFacts(repeat *tracking.Sweep) map[int]*keptNoise {
	var facts repeatFacts
	if repeat.Facts != nil {
		_ = json.Unmarshal(repeat.Facts, &facts) // else it is counted anew
	}
	if facts.Noise == nil {
		return map[int]*keptNoise{}
	}
	return facts.Noise
}

func targetNoises(found []metric.Noise) (all []earshot.TargetNoise) {
	for _, n := range found {
		one := earshot.TargetNoise{NumberLabels: LabelsOf(n.Labels), Cells: n.Cells, Differs: n.Differs, BrandDistance: n.Named, DomainDistance: n.Domains}
		for _, brand := range n.Brands {
			one.Brands = append(one.Brands, earshot.BrandNoise{Brand: brand.Brand, Differs: brand.Differs, Visibility: brand.Visibility})
		}
		all = append(all, one)
	}
	return all
}

// Noise is the noise of the newest pair of an Aggregate's tracker, nil where there is none.
// One that is missing is counted soon.
func (s *Counter) Noise(ctx context.Context, b *Aggregate) (*earshot.NoiseReport, error) {
	repeat, err := s.store.NewestRepeat(ctx, b.Tracker)
	if err != nil {
		return nil, ignoreGone(err)
	}
	kept := noiseFacts(repeat)[b.Rules.Version]
	if kept == nil {
		if !repeat.Pruned && b.Rules.Version > 0 {
			s.wantTallies(b.Rules)
		}
		return nil, nil //nolint:nilnil // there is none, which is no error
	}
	return &earshot.NoiseReport{Sweep: repeat.ID, Repeats: repeat.Repeats, Targets: kept.Targets}, nil
}
