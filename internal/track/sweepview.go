package track

import (
	"earshot"
	"earshot/internal/store"
)

func sweepView(sweep *store.Sweep) earshot.Sweep {
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
