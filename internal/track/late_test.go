package track_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/store/storetest"
)

// A step that takes long has read its clock before another node started the sweep that it
// then submits: the sweep's answers are listed all the same.
func TestASlowNodeSubmitsASweep(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address, time.Now())
		w.apply("slow", fmt.Sprintf(cells, "two"))
		started, err := w.services[0].RunNow(t.Context(), w.organization, "slow", earshot.SweepRequest{}, w.now)
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
			t.Errorf("%d answers of the sweep are listed, want 2", len(page.Answers))
		}
		storetest.Audited(t, w.store)
	})
}

// What a node ends whose clock is behind has not ended before it began.
func TestASlowNodeEndsASweep(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address, time.Now())
		w.apply("slow", fmt.Sprintf(cells, "two"))
		for i := range 2 { // one that has not asked yet, and one that has
			started, err := w.services[0].RunNow(t.Context(), w.organization, "slow", earshot.SweepRequest{}, w.now)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 {
				w.stepOf(0)
			}
			before := w.now.Add(-time.Second)
			if _, err := w.services[0].Cancel(t.Context(), w.organization, "slow", started.Sweep.ID, before); err != nil {
				t.Fatal(err)
			}
			if err := w.services[0].Step(t.Context(), before); err != nil {
				t.Fatal(err)
			}
		}
		for _, sweep := range w.sweeps("slow") {
			if sweep.State != earshot.SweepCanceled || sweep.ClosedAt.Before(sweep.StartedAt) {
				t.Errorf("the sweep is %s at %v, begun at %v", sweep.State, sweep.ClosedAt, sweep.StartedAt)
			}
			page, err := w.services[0].Answers(t.Context(), w.organization, "slow", &earshot.AnswerFilter{Sweep: sweep.ID}, time.Time{}, time.Time{}, "", 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range page.Answers {
				if a.FinishedAt == nil || a.FinishedAt.Before(a.AskedAt.Time) {
					t.Errorf("an answer is of %v, asked at %v", a.FinishedAt, a.AskedAt)
				}
			}
		}
	})
}

// The detectors know what a sweep was answered with, also where many are closed together
// and not added up yet.
func TestFactsAreKnownBeforeSweepsAreWatched(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w := newWorld(t, address, time.Now())
		names := []string{"one", "two", "three"}
		for _, name := range names {
			w.apply(name, fmt.Sprintf(cells, "two"))
			if _, err := w.services[0].RunNow(t.Context(), w.organization, name, earshot.SweepRequest{}, w.now); err != nil {
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
