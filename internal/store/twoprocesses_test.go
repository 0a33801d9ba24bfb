package store_test

import (
	"database/sql"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

// Two processes change the same organization in turn, and neither loses the other's changes.
func TestTwoProcessesChangeTheSameOrganization(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		one, other := storetest.Open(t, address), storetest.Open(t, address)
		node := aNode(t, one)
		o := storetest.Organization(t, one, 2, 1000)
		for range 5 {
			for _, s := range []*store.Store{one, other, other} {
				job := aJob(o, node, 5)
				begin(t, s, job)
				settle(t, s, completed(job, 3), time.Now())
			}
		}
		if got := organization(t, one, o.ID); got.Balance != 1000-5*3*3 || got.Running != 0 || got.Held != 0 {
			t.Errorf("after 15 calls of 3 credits it is %+v", got)
		}
		plan := o.Plan
		for _, by := range []*store.Store{one, other} {
			running := aJob(o, node, 5)
			begin(t, one, running)
			plan.Slots = 1
			if err := orgs.New(by).SetPlan(o.ID, plan, account.Operator(), time.Now()); err != nil {
				t.Fatal(err)
			}
			if _, err := one.Begin(aJob(o, node, 5)); earshot.ErrorCode(err) != earshot.CodeConcurrencyLimit {
				t.Errorf("a second call with one slot: %v", err)
			}
			settle(t, one, completed(running, 3), time.Now())
			plan.Slots = 2
			if err := orgs.New(by).SetPlan(o.ID, plan, account.Operator(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		storetest.Audited(t, one)
	})
}

func organization(t *testing.T, s *store.Store, id string) *account.Organization {
	t.Helper()
	o, err := orgs.New(s).Organization(t.Context(), id, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A transaction that waits for an organization's row must not have locked anything else, which
// could cause a deadlock.
func TestAWaitingTransactionHasLockedNothingElse(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s := storetest.Open(t, address)
	node := aNode(t, s)
	o := storetest.Organization(t, s, 2, 1000)
	submit(t, s, o, aTask(o, 1))
	started, _, err := s.Claim(t.Context(), node, store.ClaimLimits{Tasks: 1}, time.Now())
	if err != nil || len(started) != 1 {
		t.Fatalf("claimed %d, %v", len(started), err)
	}
	raw, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	outside, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = outside.Rollback() }() // no effect after the rollback below
	var pid int
	if err := outside.QueryRowContext(t.Context(), `SELECT pg_backend_pid() FROM organizations WHERE id = $1 FOR UPDATE`, o.ID).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	end := completed(*started[0], 5)
	settled := make(chan error, 1)
	s.SettleLater(end, time.Now(), func(_ *account.Organization, err error) { settled <- err })
	for waiting := false; !waiting; {
		if err := raw.QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)))`, pid).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := outside.ExecContext(t.Context(), `SELECT 1 FROM jobs FOR UPDATE NOWAIT`); err != nil {
		t.Errorf("the task that waits to be settled is locked: %v", err)
	}
	if err := outside.Rollback(); err != nil {
		t.Fatal(err)
	}
	if <-settled != nil { // it may time out on a slow machine
		settle(t, s, end, time.Now())
	}
	storetest.Audited(t, s)
}
