package store_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

// limitedKey creates a key with a budget.
func limitedKey(t *testing.T, s *store.Store, o *account.Organization, perDay, perMonth int64, now time.Time) string {
	t.Helper()
	key := account.NewKey()
	key.CreditsPerDay, key.CreditsPerMonth = perDay, perMonth
	if err := orgs.New(s).CreateKey(o.ID, key, account.DefaultScopes(), time.Time{}, account.Operator(), now); err != nil {
		t.Fatal(err)
	}
	return key.ID
}

func limits(perDay, perMonth int64) earshot.KeyPatch {
	return earshot.KeyPatch{CreditsPerDay: &perDay, CreditsPerMonth: &perMonth}
}

func budgetOf(t *testing.T, s *store.Store, o *account.Organization, key string, now time.Time) *earshot.KeyBudget {
	t.Helper()
	keys, err := orgs.New(s).Keys(t.Context(), o.ID, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.ID == key {
			return k.Budget
		}
	}
	return nil
}

// TestBudgetsOfOtherKeysAreNotRead counts the rows, because reading many takes long.
func TestBudgetsOfOtherKeysAreNotRead(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s, now := storetest.Open(t, address), time.Now()
		o := storetest.Organization(t, s, 100, 1_000_000)
		for range 10 {
			if _, err := orgs.New(s).RevokeKey(t.Context(), limitedKey(t, s, o, 100, 0, now), account.Operator(), now); err != nil {
				t.Fatal(err)
			}
		}
		job := aJob(o, aNode(t, s), 7)
		job.KeyID = limitedKey(t, s, o, 5, 0, now)
		if n, err := s.BudgetsRead(&job); n != 1 || err != nil {
			t.Errorf("%d budgets were read, %v; want the one of the job's key", n, err)
		}
		if _, err := s.Begin(job); earshot.ErrorCode(err) != earshot.CodeKeyBudget {
			t.Errorf("a job above the budget: %v", err)
		}
	})
}

// TestTwoNodesNeverExceedTheBudgetOfAKey lets two nodes begin and settle calls of one key as fast
// as they can. Their charges together must never exceed the budget.
func TestTwoNodesNeverExceedTheBudgetOfAKey(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		stores := []*store.Store{storetest.Open(t, address), nil}
		if stores[1] = stores[0]; store.Shared(address) {
			stores[1] = storetest.Open(t, address)
		}
		s, now := stores[0], time.Now()
		o := storetest.Organization(t, s, 100, 1_000_000)
		key, free := limitedKey(t, s, o, 100, 0, now), limitedKey(t, s, o, 0, 0, now)
		nodes := []string{aNode(t, s), aNode(t, s)}
		var charged, refused, others atomic.Int64
		var group errgroup.Group
		for i := range 8 {
			group.Go(func() error {
				for range 15 {
					job := aJob(o, nodes[i%2], 7)
					job.KeyID, job.CreatedAt = key, now
					if i >= 6 {
						job.KeyID = free
					}
					_, err := stores[i%2].Begin(job)
					if earshot.ErrorCode(err) == earshot.CodeKeyBudget {
						refused.Add(1)
						continue
					}
					if err != nil {
						return err
					}
					if _, err := stores[i%2].Settle(completed(job, 5), now); err != nil {
						return err
					}
					if i >= 6 {
						others.Add(5)
					} else {
						charged.Add(5)
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		// A call holds 7 credits and costs 5: the budget is used up when less than 7 are left.
		if n := charged.Load(); n > 100 || n < 95 || refused.Load() == 0 || others.Load() != 150 {
			t.Errorf("%d credits were charged of 100, %d calls refused, %d charged of a key without a ceiling", n, refused.Load(), others.Load())
		}
		if b := budgetOf(t, s, o, key, now); b == nil || b.UsedToday != charged.Load() || b.UsedThisMonth != charged.Load() || b.Held != 0 {
			t.Errorf("the budget is %+v", b)
		}
		storetest.Audited(t, s)
	})
}

func TestARefusalNamesTheBudgetAndTheNextDayResetsIt(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1_000_000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		now := time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC)
		key := limitedKey(t, s, o, 10, 25, now)
		call := func(at time.Time) (store.Job, error) {
			job := aJob(o, node, 6)
			job.KeyID, job.CreatedAt = key, at
			_, err := s.Begin(job)
			return job, err
		}
		first, err := call(now)
		if err != nil {
			t.Fatal(err)
		}
		_, err = call(now)
		want := "the key " + key + " may spend 10 credits a day: 0 are spent, 6 are held for running jobs, and this can cost 6; the budget resets at 2026-11-30T00:00:00Z"
		if earshot.ErrorCode(err) != earshot.CodeKeyBudget || !strings.Contains(err.Error(), want) {
			t.Errorf("a call while another holds: %v", err)
		}
		settle(t, s, completed(first, 6), now)
		for i, at := range []time.Time{now, now.AddDate(0, 0, 1)} {
			if _, err := call(at); (err == nil) != (i == 1) {
				t.Errorf("at %s: %v", at, err)
			}
		}
		// Held credits count against the month, too: 6 + 6 + 6 fit into 25, but 24 + 6 do not.
		if _, err := orgs.New(s).ChangeKey(t.Context(), o.ID, key, limits(0, 25), account.Operator(), now); err != nil {
			t.Fatal(err)
		}
		at := now.AddDate(0, 0, 1)
		for i := range 4 {
			job, err := call(at)
			if (err == nil) != (i < 2) {
				t.Errorf("call %d of the month: %v", i, err)
			}
			if err == nil {
				settle(t, s, failed(job), at)
				settle2, err := call(at)
				if err != nil {
					t.Fatal(err)
				}
				settle(t, s, completed(settle2, 6), at)
			}
		}
		if _, err := call(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)); err != nil {
			t.Errorf("in the next month: %v", err)
		}
	})
}

func TestAQueuedTaskBeyondTheBudgetFails(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1_000_000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		now := time.Now()
		key := limitedKey(t, s, o, 0, 0, now)
		var tasks []store.Job
		for range 3 {
			task := aJob(o, "", 6)
			task.KeyID, task.CreatedAt = key, now
			tasks = append(tasks, task)
		}
		if _, err := s.Submit(o.ID, tasks[:1], 1, now); err != nil {
			t.Fatal(err)
		}
		// The budget is set while a task is running, whose held credits count.
		started, _, err := s.Claim(t.Context(), node, store.ClaimLimits{Tasks: 10}, now)
		if err != nil || len(started) != 1 {
			t.Fatalf("started %d, %v", len(started), err)
		}
		if _, err := s.Submit(o.ID, tasks[1:], 2, now); err != nil {
			t.Fatal(err)
		}
		if k, err := orgs.New(s).ChangeKey(t.Context(), o.ID, key, limits(13, 0), account.Operator(), now); err != nil || k.Budget.Held != 6 {
			t.Fatalf("the key is %+v, %v", k, err)
		}
		// The second task fits into the budget; the third waits for credits held by the others.
		more, handled, err := s.Claim(t.Context(), node, store.ClaimLimits{Tasks: 10}, now)
		if err != nil || len(more) != 1 || handled != 2 {
			t.Fatalf("started %d of %d, %v", len(more), handled, err)
		}
		for _, job := range append(started, more...) {
			settle(t, s, completed(*job, 5), now)
		}
		if none, handled, err := s.Claim(t.Context(), node, store.ClaimLimits{Tasks: 10}, now); err != nil || len(none) != 0 || handled != 1 {
			t.Fatalf("when the others are charged: started %d of %d, %v", len(none), handled, err)
		}
		if task, err := s.Task(t.Context(), o.ID, tasks[2].ID); err != nil || task.Status != earshot.StatusFailed || !strings.Contains(string(task.Error), `"KEY_BUDGET_EXCEEDED"`) {
			t.Errorf("the third is %+v, %v", task, err)
		}
		refusals, err := s.Submit(o.ID, []store.Job{func() store.Job { j := aJob(o, "", 6); j.KeyID = key; return j }()}, 1, now)
		if err != nil || earshot.ErrorCode(refusals[0]) != earshot.CodeKeyBudget {
			t.Errorf("one more task: %v, %v", refusals, err)
		}
		if b := budgetOf(t, s, o, key, now); b.UsedToday != 10 || b.Held != 0 {
			t.Errorf("the budget is %+v", b)
		}
		storetest.Audited(t, s)
		if k, err := orgs.New(s).ChangeKey(t.Context(), o.ID, key, limits(0, 0), account.Operator(), now); err != nil || k.Budget != nil {
			t.Errorf("without a budget the key is %+v, %v", k, err)
		}
		storetest.Audited(t, s)
	})
}
