package aggregate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
)

// hashWeights returns a hash of the weights of prompts.
func hashWeights(prompts []int, weights map[int]float64) int64 {
	hash := fnv.New64a()
	for _, prompt := range slices.Sorted(slices.Values(prompts)) {
		var pair [16]byte
		binary.LittleEndian.PutUint64(pair[:8], uint64(prompt))
		binary.LittleEndian.PutUint64(pair[8:], math.Float64bits(weights[prompt]))
		_, _ = hash.Write(pair[:]) // never fails
	}
	return int64(hash.Sum64())
}

// countStep is the number of answers that CountRules counts before it yields to other work.
const countStep = 50_000

// queueCount notes that some rules have not counted all sweeps. It does nothing if many rules are
// noted, since the next request notes them again.
func (s *Counter) queueCount(r *analysing.Rules) {
	select {
	case s.uncounted <- r:
		s.wake()
	default:
	}
}

// Uncounted returns rules by which requests found no counts since the last call.
func (s *Counter) Uncounted() (all []*analysing.Rules) {
	for {
		select {
		case r := <-s.uncounted:
			all = append(all, r)
		default:
			return all
		}
	}
}

// CountRules counts sweeps that some rules have not counted, until it has counted many answers. It
// returns the number of sweeps that it has counted and that are left. If none is left, it also
// stores the noise.
func (s *Counter) CountRules(ctx context.Context, r *analysing.Rules) (counted, left int, err error) {
	t, err := s.store.TrackerByID(ctx, r.Organization, r.Tracker)
	if err != nil {
		return 0, 0, ignoreNotFound(err)
	}
	h, err := s.Closed(ctx, t, r)
	if err != nil {
		return 0, 0, err
	}
	answers := 0
	for _, sweep := range h.All {
		if sweep.Pruned {
			continue
		}
		uncounted := sweep.Answered > 0 && h.counted[sweep.ID] == nil
		switch {
		case !uncounted && sweep.Facts != nil:
			continue
		case answers > countStep:
			left++
			continue
		}
		counted++
		if sweep.Facts == nil {
			if err := s.NoteFacts(ctx, sweep); err != nil {
				return counted, left, err
			}
		}
		if uncounted {
			answers += sweep.Answered
			if err := s.storeCounts(ctx, h, sweep); err != nil {
				return counted, left, err
			}
		}
	}
	if answers > 0 {
		s.log.Debug("counted sweeps", "tracker", t.Name, "rules", r.Version, "answers", answers)
	}
	if left > 0 {
		return counted, left, nil
	}
	return counted, 0, s.storeNoise(ctx, h)
}

func ignoreNotFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// storeCounts counts the answers of a sweep and stores the counts.
func (s *Counter) storeCounts(ctx context.Context, h *ClosedSweeps, sweep *tracking.Sweep) error {
	b := h.newAggregate(Options{isUnlimited: true, cited: true}, sweep)
	if err := s.fill(ctx, b, h); err != nil {
		return err
	}
	c := &analysing.Counted{Organization: h.tracker.Organization, Tracker: h.tracker.ID, Rules: h.rules.Version, Sweep: sweep.ID}
	var all []*analysing.Cells
	for target, surfaces := range b.keys {
		for surface, key := range surfaces {
			stored := b.Store(sweep.ID, key)
			if stored == nil {
				continue
			}
			c.Answers += stored.Answers
			for family, content := range stored.Families {
				all = append(all, &analysing.Cells{
					Organization: c.Organization, Tracker: c.Tracker, Rules: c.Rules, Family: family, Sweep: sweep.ID, Target: target, Surface: surface,
					Answers: stored.Answers, Content: content,
				})
			}
		}
	}
	if c.Answers != sweep.Answered {
		return s.explainCount(ctx, sweep, c.Answers)
	}
	c.Domains, c.URLs = b.cited[0].Encode()
	return s.analyses.SaveCounted(c, all)
}

// explainCount returns an error if not all answers of a sweep were counted. If some were deleted, by
// an older version of the service that did not mark the sweep, it marks the sweep as pruned.
func (s *Counter) explainCount(ctx context.Context, sweep *tracking.Sweep, counted int) error {
	found, err := s.store.TargetCounts(ctx, sweep)
	if err != nil {
		return err
	}
	kept := 0
	for _, f := range found {
		if f.Outcome == earshot.OutcomeAnswered || f.Outcome == earshot.OutcomeRefused {
			kept += f.Count
		}
	}
	if kept >= sweep.Answered || counted > sweep.Answered {
		return fmt.Errorf("sweep %s has %d answers, but %d were counted", sweep.ID, sweep.Answered, counted)
	}
	s.log.Error("answers of a sweep are gone, so that its numbers can no longer be computed", "sweep", sweep.ID, "answers", sweep.Answered, "left", kept)
	return s.store.Prune(sweep)
}

// dropCounted deletes stored counts that cannot be true, so that the sweep is counted again.
func (s *Counter) dropCounted(sweep *tracking.Sweep, c *analysing.Counted, reason error) {
	what := "stored counts are damaged; the sweep is counted again"
	if sweep.Pruned {
		what = "stored counts are damaged; the numbers of the sweep are lost, because its answers were deleted"
	}
	err := s.analyses.DropCounted(c)
	s.log.Error(what, "tracker", c.Tracker, "sweep", sweep.ID, "reason", reason, "error", err)
	s.wake()
}
