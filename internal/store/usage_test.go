package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

func TestUsageIsTheSameBeforeAndAfterJobsAreDeleted(t *testing.T) {
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

// Every ended job is counted exactly once: calls and tasks of two concurrent nodes, jobs of a lost
// node, and tasks that cannot be paid.
func TestEveryEndIsCountedOnce(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		stores := []*store.Store{storetest.Open(t, address), storetest.Open(t, address)}
		s := stores[0]
		o, poor := storetest.Organization(t, s, 100, 1000), storetest.Organization(t, s, 100, 10)
		lost, node, now := aNode(t, s), aNode(t, s), time.Now()

		var group errgroup.Group
		for i := range 40 {
			group.Go(func() error {
				at := stores[i%2]
				job := aJob(o, node, 5)
				job.StartedAt = now
				if _, err := at.Begin(job); err != nil {
					return err
				}
				end := completed(job, 2)
				if i%4 == 0 {
					end = failed(job)
				}
				if _, err := at.Settle(end, now); err != nil {
					return err
				}
				_, err := stores[(i+1)%2].Settle(end, now) // as after an unknown outcome
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		// A lost node leaves a call, which is released, and a task, which another node takes over.
		begin(t, s, aJob(o, lost, 5))
		submit(t, s, o, aTask(o, 1))
		claimed(t, s, lost, 1)
		if err := s.RemoveNode(lost); err != nil {
			t.Fatal(err)
		}
		if n, err := s.ReleaseLost(t.Context(), now); err != nil || n != 1 {
			t.Fatalf("released %d, %v", n, err)
		}
		adopted, err := s.Adopt(t.Context(), node, 10)
		if err != nil || len(adopted) != 1 {
			t.Fatalf("adopted %d, %v", len(adopted), err)
		}
		adopted[0].StartedAt = now
		settle(t, s, completed(*adopted[0], 3), now)
		// The third task of an organization that can pay for two.
		submit(t, s, poor, someTasks(poor, 3)...)
		for _, job := range claimed(t, s, node, 10) {
			job.StartedAt = now
			settle(t, s, completed(job, 5), now)
		}
		claim(t, s, node, "when the others are paid", 0)

		for id, want := range map[string]earshot.DayUsage{
			o.ID:    {Completed: 31, Failed: 11, CreditsCharged: 63},
			poor.ID: {Completed: 2, Failed: 1, CreditsCharged: 10},
		} {
			var sum earshot.DayUsage // the test may run past midnight
			usage, err := s.Usage(t.Context(), id, now.AddDate(0, 0, -1), now.AddDate(0, 0, 1))
			for _, day := range usage {
				sum.Completed, sum.Failed, sum.CreditsCharged = sum.Completed+day.Completed, sum.Failed+day.Failed, sum.CreditsCharged+day.CreditsCharged
			}
			if err != nil || sum != want {
				t.Errorf("the usage is %+v, %v; want %+v", sum, err, want)
			}
			var jobs, failed int64
			hours, err := s.Stats(t.Context(), id, now.Add(-time.Hour))
			for _, hour := range hours {
				jobs, failed = jobs+hour.Jobs, failed+hour.Failed
			}
			if err != nil || jobs != want.Completed+want.Failed || failed != want.Failed {
				t.Errorf("the statistics have %d jobs, %d failed, %v; want %+v", jobs, failed, err, want)
			}
		}
		storetest.Audited(t, s)
	})
}
