package track_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store/storetest"
)

// Days in exports of sweeps and metrics are days in the tracker's time zone.
func TestExportsUseTheTimeZoneOfTheTracker(t *testing.T) {
	t.Parallel()
	// In Auckland, this is the morning of the 11th.
	w := newWorld(t, storetest.SQLite(t), time.Date(2026, 3, 10, 20, 0, 0, 0, time.UTC))
	w.apply("far", fmt.Sprintf(cells, "two")+"\nschedule: {every: day, at: '12:00', timezone: Pacific/Auckland}\n")
	if _, err := w.services[0].RunNow(t.Context(), w.organization, "far", earshot.SweepRequest{}, account.Operator(), w.now); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.stepOf(0)
		w.work()
	}
	for _, table := range []string{"sweeps", "metrics"} {
		for day, some := range map[string]bool{"2026-03-10": false, "2026-03-11": true} {
			q := &earshot.ExportQuery{Table: table, AnswerFilter: earshot.AnswerFilter{From: day, To: day}}
			found, err := w.services[0].Export(t.Context(), w.organization, "far", q, time.Time{}, time.Time{}, w.now)
			if err != nil {
				t.Fatal(err)
			}
			size := 0
			for piece, err := range found.Pieces {
				if size += len(piece); err != nil {
					t.Fatal(err)
				}
			}
			if some != (size > 0) {
				t.Errorf("the export of %s on %s has %d bytes", table, day, size)
			}
		}
	}
}
