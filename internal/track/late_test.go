package track_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/storetest"
)

// A slow step may read its clock before another node starts the sweep that the step then
// submits. The sweep's answers must be listed nevertheless.
func TestNodeWithALateClockSubmitsASweep(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address, time.Now())
		w.apply("slow", fmt.Sprintf(cells, "two"))
		started, err := w.services[0].RunNow(t.Context(), w.organization, "slow", earshot.SweepRequest{}, account.Operator(), w.now)
		if err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(-time.Second)
		for range 3 {
			w.stepOf(1)
			w.work()
		}
		page, err := w.services[0].Answers(t.Context(), w.organization, "slow", &earshot.AnswerFilter{Sweep: started.Sweep.ID}, time.Time{}, time.Time{}, "", 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Answers) != 2 {
			t.Errorf("the list has %d answers of the sweep, want 2", len(page.Answers))
		}
		storetest.Audited(t, w.store)
	})
}

// A sweep that is canceled by a node whose clock is behind must not end before it started.
func TestNodeWithALateClockEndsASweep(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address, time.Now())
		w.apply("slow", fmt.Sprintf(cells, "two"))
		for i := range 2 { // the first sweep has submitted no tasks, the second has
			started, err := w.services[0].RunNow(t.Context(), w.organization, "slow", earshot.SweepRequest{}, account.Operator(), w.now)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				w.stepOf(0)
			}
			before := w.now.Add(-time.Second)
			if _, err := w.services[0].Cancel(t.Context(), w.organization, "slow", started.Sweep.ID, account.Operator(), before); err != nil {
				t.Fatal(err)
			}
			if err := w.services[0].Step(t.Context(), before); err != nil {
				t.Fatal(err)
			}
		}
		for _, sweep := range w.sweeps("slow") {
			if sweep.State != earshot.SweepCanceled || sweep.ClosedAt.Before(sweep.StartedAt) {
				t.Errorf("the sweep is %s, closed at %v, started at %v", sweep.State, sweep.ClosedAt, sweep.StartedAt)
			}
			page, err := w.services[0].Answers(t.Context(), w.organization, "slow", &earshot.AnswerFilter{Sweep: sweep.ID}, time.Time{}, time.Time{}, "", 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range page.Answers {
				if a.FinishedAt == nil || a.FinishedAt.Before(a.AskedAt.Time) {
					t.Errorf("an answer was asked at %v and finished at %v", a.AskedAt, a.FinishedAt)
				}
			}
		}
	})
}

// The change detectors need the facts of a sweep, even if several sweeps close together and
// are not aggregated yet.
func TestFactsAreStoredBeforeDetection(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address, time.Now())
		names := []string{"one", "two", "three"}
		for _, name := range names {
			w.apply(name, fmt.Sprintf(cells, "two"))
			if _, err := w.services[0].RunNow(t.Context(), w.organization, name, earshot.SweepRequest{}, account.Operator(), w.now); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			w.stepOf(0)
			w.work()
		}
		w.stepOf(0)
		for _, name := range names {
			if sweep := w.sweeps(name)[0]; sweep.State != earshot.SweepClosed || sweep.Facts == nil {
				t.Errorf("sweep of %s: %s, facts %s", name, sweep.State, sweep.Facts)
			}
		}
	})
}
