package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/history"
)

func TestMovementListsQueuedRunningAndEndedTasks(t *testing.T) {
	t.Parallel()
	onEach(t, 1, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		began := time.Now().Add(-time.Minute)
		look := func(since time.Time, event int64) *history.Movement {
			t.Helper()
			m, err := history.New(s).Movement(t.Context(), o.ID, since, event)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		check := func(m *history.Movement, underWay map[string]earshot.Status, ended ...string) {
			t.Helper()
			if diff := cmp.Diff(underWay, m.UnderWay) + cmp.Diff(ended, m.Ended); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		tasks := someTasks(o, 3)
		submit(t, s, o, tasks...)
		first, second, third := tasks[0].ID, tasks[1].ID, tasks[2].ID
		check(look(began, 0), map[string]earshot.Status{first: "QUEUED", second: "QUEUED", third: "QUEUED"})
		check(look(time.Now().Add(time.Minute), 0), map[string]earshot.Status{})
		for range 2 {
			settle(t, s, completed(claimed(t, s, node, 1)[0], 5), time.Now())
		}
		claimed(t, s, node, 1)
		m := look(time.Now().Add(time.Minute), 0) // running tasks are listed regardless of their age
		check(m, map[string]earshot.Status{third: "PROCESSING"}, second, first)
		if m.Organization.Events != 2 || m.Processing != 1 || m.Organization.Balance != 990 {
			t.Errorf("the organization is %+v with %d running", m.Organization, m.Processing)
		}
		check(look(began, 1), map[string]earshot.Status{third: "PROCESSING"}, second)
	})
}
