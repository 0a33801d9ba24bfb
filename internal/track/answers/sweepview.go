package answers

import (
	"context"
	"iter"

	"earshot"
	"earshot/internal/store/tracking"
)

// SweepView returns a sweep as clients see it.
func SweepView(sweep *tracking.Sweep) earshot.Sweep {
	view := earshot.Sweep{
		ID: sweep.ID, Slot: sweep.Slot, State: sweep.State, Reason: sweep.Reason, Version: sweep.Version,
		DueAt: earshot.Timestamp{Time: sweep.DueAt}, StartedAt: earshot.When(sweep.StartedAt), EndsAt: earshot.Timestamp{Time: sweep.EndsAt}, ClosedAt: earshot.When(sweep.ClosedAt),
		Progress: earshot.SweepProgress{Planned: sweep.Planned, Submitted: sweep.Submitted, Answered: sweep.Answered, Missing: sweep.Missing},
		Credits:  earshot.SweepCredits{CreditsToCharge: sweep.MaxCost, CreditsCharged: sweep.Charged},
		Repeats:  sweep.Repeats,
	}
	if sweep.Planned > 0 {
		view.Progress.Coverage = float64(sweep.Answered) / float64(sweep.Planned)
	}
	return view
}

// sweepsPage is the number of sweeps that are read at a time.
const sweepsPage = 500

// EachSweep iterates over the sweeps of a tracker, newest first.
func EachSweep(ctx context.Context, s *tracking.Store, t *tracking.Tracker) iter.Seq2[*tracking.Sweep, error] {
	return func(yield func(*tracking.Sweep, error) bool) {
		for before, more := "", true; more; {
			page, err := s.Sweeps(ctx, t, "", before, sweepsPage)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, sweep := range page {
				before = sweep.ID
				if !yield(sweep, nil) {
					return
				}
			}
			more = len(page) == sweepsPage
		}
	}
}
