package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
)

func TestUsageIsTheSameBeforeAndAfterJobsAreForgotten(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		midnight := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
		now := midnight.Add(-time.Second)
		for i := range 6 {
			job := aJob(o, node, 5)
			begin(t, s, job)
			end := completed(job, 4)
			if i%3 == 0 {
				end = failed(job)
			}
			settle(t, s, end, now.Add(time.Duration(i/3)*time.Second)) // three a day
		}
		want := []earshot.DayUsage{
			{Date: now.Format(time.DateOnly), Provider: "chatassistant", Completed: 2, Failed: 1, CreditsCharged: 8},
			{Date: midnight.Format(time.DateOnly), Provider: "chatassistant", Completed: 2, Failed: 1, CreditsCharged: 8},
		}
		check := func(when string) {
			got, err := s.Usage(t.Context(), o.ID, now.AddDate(0, 0, -1), now.AddDate(0, 0, 1))
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v, (-want +got):\n%s", when, err, diff)
			}
		}
		check("while they are kept")
		later := midnight.Add(time.Hour)
		if n, err := s.DeleteFinished(t.Context(), later, later); err != nil || n != 6 {
			t.Fatalf("deleted %d, %v", n, err)
		}
		check("once they are gone")
		if one, err := s.Usage(t.Context(), o.ID, now, now); err != nil || len(one) != 1 {
			t.Errorf("of one day there is %v, %v", one, err)
		}
	})
}
