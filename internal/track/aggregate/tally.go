package aggregate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/metric"
	"earshot/internal/track/tally"
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

// spanDays are the lengths of the ranges of days whose cells large trackers store merged.
var spanDays = []int{64, 16, 4}

// sweepIDs returns the ids of the sweeps of a span as they are stored. They start with the
// format of the cells, so that a span in another format matches no sweeps.
func sweepIDs(sweeps []*tracking.Sweep) []byte {
	all := []byte{tally.Format}
	for _, sweep := range sweeps {
		id := uuid.MustParse(sweep.ID)
		all = append(all, id[:]...)
	}
	return all
}

// ranges groups sweeps by the range of days in which they were due.
func ranges(sweeps []*tracking.Sweep, days int) map[int][]*tracking.Sweep {
	found := map[int][]*tracking.Sweep{}
	for _, sweep := range sweeps {
		number := analysing.Range(sweep.DueAt, days)
		found[number] = append(found[number], sweep)
	}
	return found
}

// tallyStep is the number of answers that TallyRules counts before it yields to other work.
const tallyStep = 50_000

// queueTallies notes that sweeps lack tallies by some rules. It does nothing if many rules are
// noted, since the next request notes them again.
func (s *Counter) queueTallies(r *analysing.Rules) {
	select {
	case s.untallied <- r:
		s.wake()
	default:
	}
}

// Untallied returns rules by which requests found no tallies since the last call.
func (s *Counter) Untallied() (all []*analysing.Rules) {
	for {
		select {
		case r := <-s.untallied:
			all = append(all, r)
		default:
			return all
		}
	}
}

// TallyRules stores tallies of rules that are missing or based on other weights, until it has
// counted many answers. It returns the number of sweeps that it has counted and that are left. If
// none is left, it also stores missing spans and the noise.
func (s *Counter) TallyRules(ctx context.Context, r *analysing.Rules) (counted, left int, err error) {
	t, err := s.store.TrackerByID(ctx, r.Organization, r.Tracker)
	if err != nil {
		return 0, 0, ignoreNotFound(err)
	}
	h, err := s.Closed(ctx, t, r)
	if err != nil {
		return 0, 0, err
	}
	unsourced, err := s.analyses.WithoutSources(ctx, r)
	if err != nil {
		return 0, 0, err
	}
	answers := 0
	for _, sweep := range h.All {
		if sweep.Pruned {
			continue
		}
		uncounted := sweep.Answered > 0 && (!h.isCurrent(sweep) || slices.Contains(unsourced, sweep.ID))
		switch {
		case !uncounted && sweep.Facts != nil:
			continue
		case answers > tallyStep:
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
			if err := s.tallySweep(ctx, h, sweep); err != nil {
				return counted, left, err
			}
		}
	}
	if answers > 0 {
		s.log.Debug("stored the tallies of sweeps", "tracker", t.Name, "rules", r.Version, "answers", answers)
	}
	if left > 0 {
		return counted, left, nil
	}
	return counted, 0, errors.Join(s.tallySpans(ctx, h), s.storeNoise(ctx, h))
}

func ignoreNotFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// tallySweep counts the answers of a sweep and stores the tally.
func (s *Counter) tallySweep(ctx context.Context, h *ClosedSweeps, sweep *tracking.Sweep) error {
	b := h.newAggregate(Options{isUnlimited: true, cited: true}, sweep)
	if err := s.fill(ctx, b, h); err != nil {
		return err
	}
	stored := &analysing.Tally{
		Organization: h.tracker.Organization, Tracker: h.tracker.ID, Rules: h.rules.Version, Sweep: sweep.ID, Weights: h.asked[sweep.Version].weights,
	}
	var sheets []metric.Sheet
	for target, surfaces := range b.keys {
		for surface, key := range surfaces {
			sheet, ok := b.Sheet(sweep.ID, key)
			if !ok {
				continue
			}
			n := 0
			for _, g := range sheet.Groups {
				n += int(g.Counts.Eligible)
			}
			stored.Answers += n
			sheet.Key, sheet.Answers = tally.Key{Target: target, Surface: surface}, n
			sheets = append(sheets, sheet)
		}
	}
	if stored.Answers != sweep.Answered {
		return s.explainCount(ctx, sweep, stored.Answers)
	}
	stored.Sums, stored.Cells = metric.Tallies.EncodeGroups(sheets), metric.Tallies.EncodeCells(sheets)
	stored.Domains, stored.URLs = b.cited[0].Encode()
	return s.analyses.SaveTally(stored)
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

// dropTally deletes a stored tally that cannot be true, so that the sweep is counted again.
func (s *Counter) dropTally(h *ClosedSweeps, sweep *tracking.Sweep, reason error) {
	delete(h.tallies, sweep.ID)
	err := s.analyses.DropTallies(h.tracker.Organization, h.tracker.ID, sweep.ID, sweep.DueAt)
	s.log.Error("a stored tally is damaged; its sweep is counted again", "tracker", h.tracker.Name, "sweep", sweep.ID, "reason", reason, "error", err)
	s.queueTallies(h.rules)
}

// tallySpans stores the merged cells of ranges of days if the tracker is large.
func (s *Counter) tallySpans(ctx context.Context, h *ClosedSweeps) error {
	if !isLarge(Submitted(h.All), h.panel) {
		return nil
	}
	known, err := s.analyses.TallySpans(ctx, h.rules)
	if err != nil {
		return err
	}
	for _, span := range h.missingSpans(known) {
		var ids []string
		for _, sweep := range span.sweeps {
			ids = append(ids, sweep.ID)
		}
		cells, err := s.analyses.TallyCells(ctx, h.rules, ids)
		if err != nil {
			return err
		}
		var stored [][]byte
		for _, id := range ids {
			if cells[id] != nil {
				stored = append(stored, cells[id])
			}
		}
		merged, err := metric.Tallies.MergeCells(stored, len(h.panel.Brands))
		if err != nil {
			return err
		}
		err = s.analyses.SaveTallySpan(&analysing.TallySpan{
			Organization: h.tracker.Organization, Tracker: h.tracker.ID, Rules: h.rules.Version, Days: span.days, Number: span.number,
			Sweeps: sweepIDs(span.sweeps), Cells: merged,
		}, ids)
		if err != nil {
			return err
		}
	}
	return nil
}

// sweepRange contains the sweeps that were due in a range of days.
type sweepRange struct {
	days, number int
	sweeps       []*tracking.Sweep
}

// missingSpans returns the past ranges of days without a stored span. Ranges in which a
// sweep is pruned or lacks its tally are left out.
func (h *ClosedSweeps) missingSpans(known []*analysing.TallySpan) (missing []sweepRange) {
	if len(h.All) == 0 {
		return nil
	}
	stored := map[[2]int]string{}
	for _, span := range known {
		stored[[2]int{span.Days, span.Number}] = string(span.Sweeps)
	}
	newest := h.All[len(h.All)-1].DueAt
	for _, days := range spanDays {
		for number, sweeps := range ranges(h.All, days) {
			isPast := analysing.Range(newest, days) > number
			isIncomplete := slices.ContainsFunc(sweeps, func(sweep *tracking.Sweep) bool {
				return sweep.Pruned || sweep.Answered > 0 && h.tallies[sweep.ID] == nil
			})
			if isPast && !isIncomplete && len(sweeps) > 1 && stored[[2]int{days, number}] != string(sweepIDs(sweeps)) {
				missing = append(missing, sweepRange{days, number, sweeps})
			}
		}
	}
	return missing
}
