package tracker_test

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
