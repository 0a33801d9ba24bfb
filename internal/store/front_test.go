package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// expectStarted fails the test unless a claim of that many tasks starts just these, in this order.
func expectStarted(t *testing.T, s *store.Store, node string, n int, want ...store.Job) {
	t.Helper()
	if diff := cmp.Diff(ids(want), ids(claimed(t, s, node, n))); diff != "" {
		t.Errorf("others were started (-want +got):\n%s", diff)
	}
	storetest.Audited(t, s)
}

func TestTasksAreFoundThatComeBeforeThoseThatWereStarted(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		late, tasks := aTask(o, 1), someTasks(o, 4) // the first of them is the oldest, and is queued last
		submit(t, s, o, tasks...)
		expectStarted(t, s, node, 2, tasks[:2]...)
		urgent := aTask(o, 9)
		submit(t, s, o, urgent)
		submit(t, s, o, late)
		expectStarted(t, s, node, 3, urgent, late, tasks[2])
		last := aTask(o, 1)
		submit(t, s, o, last)
		expectStarted(t, s, node, 10, tasks[3], last)
		expectStarted(t, s, node, 10)
	})
}

// What is queued in the transaction of a claim is not stored when the claim searches.
func TestATaskIsFoundThatWasQueuedTogetherWithAClaim(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		tasks, urgent := someTasks(o, 3), aTask(o, 9)
		submit(t, s, o, tasks...)
		full, release := s.Occupy(t, o.ID)
		started, submitted := make(chan []store.Job, 1), make(chan struct{})
		go func() { started <- claimed(t, s, node, 2) }()
		full()
		go func() {
			defer close(submitted)
			submit(t, s, o, urgent)
		}()
		s.AwaitWrites(o.ID, 2)
		release()
		if diff := cmp.Diff(ids(tasks[:2]), ids(<-started)); diff != "" {
			t.Errorf("others were started (-want +got):\n%s", diff)
		}
		<-submitted
		expectStarted(t, s, node, 2, urgent, tasks[2])
	})
}

// Whoever changes the queue by hand need not know of its front.
func TestATaskIsFoundWhosePriorityWasSetByHand(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		tasks := someTasks(o, 4)
		submit(t, s, o, tasks...)
		expectStarted(t, s, node, 2, tasks[:2]...)
		if err := s.Exec(`UPDATE jobs SET priority = 9 WHERE id = $1`, tasks[3].ID); err != nil {
			t.Fatal(err)
		}
		if findings, err := s.Audit(t.Context()); err != nil || len(findings) != 1 {
			t.Errorf("the audit found %v, %v", findings, err)
		}
		started := append(claimed(t, s, node, 10), claimed(t, s, node, 10)...)
		if len(started) != 2 {
			t.Errorf("of two tasks %d were started", len(started))
		}
		storetest.Audited(t, s)
	})
}
