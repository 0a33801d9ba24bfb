package store_test

import (
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

func TestUnusedCreditsOfACycleExpireAndOthersStay(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		if _, err := orgs.New(s).Grant(o.ID, 40, account.Operator(), time.Now()); err != nil { // does not expire
			t.Fatal(err)
		}
		job := aJob(o, node, 10)
		begin(t, s, job)
		settle(t, s, completed(job, 10), time.Now())
		o, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now())
		if err != nil || o.Balance != 330 {
			t.Fatalf("before the reset: %+v, %v", o, err)
		}

		next, err := orgs.New(s).Organization(t.Context(), o.ID, time.UnixMilli(o.CycleResetsAt))
		if err != nil {
			t.Fatal(err)
		}
		if next.Balance != 40+1000 || next.CycleUsed != 0 || next.CycleGrant != 1000 {
			t.Errorf("after the reset: %+v", next)
		}
		if next.CycleStartedAt != o.CycleResetsAt || next.CycleResetsAt <= next.CycleStartedAt {
			t.Errorf("the new cycle is %d to %d", next.CycleStartedAt, next.CycleResetsAt)
		}

		// A call begins the next cycle.
		late := aJob(next, node, 10)
		late.CreatedAt = time.UnixMilli(next.CycleResetsAt).AddDate(1, 0, 0)
		after, err := s.Begin(late)
		if err != nil {
			t.Fatal(err)
		}
		if after.Balance != 40+1000 || after.Held != 10 || late.CreatedAt.UnixMilli() >= after.CycleResetsAt {
			t.Errorf("a year later: %+v", after)
		}
		settle(t, s, failed(late), late.CreatedAt)
		storetest.Audited(t, s)
	})
}

func TestABalanceCannotBeSetBelowHeldCredits(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		begin(t, s, aJob(o, node, 10))
		if _, err := orgs.New(s).SetBalance(o.ID, 9, account.Operator(), time.Now()); err == nil {
			t.Error("the balance was set below what is held")
		}
		set, err := orgs.New(s).SetBalance(o.ID, 10, account.Operator(), time.Now())
		if err != nil || set.Balance != 10 {
			t.Errorf("got %+v, %v", set, err)
		}
		storetest.Audited(t, s)
	})
}

func TestTheAuditFindsWrongValues(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]string{
		"balance":     `UPDATE organizations SET balance = balance + 1`,
		"held":        `UPDATE organizations SET held = held + 1`,
		"running":     `UPDATE organizations SET running = running + 1`,
		"used":        `UPDATE organizations SET cycle_used = cycle_used + 1`,
		"charge":      `UPDATE finished SET charged = charged + 1`,
		"lost charge": `DELETE FROM finished`,
		"false end":   `UPDATE finished SET status = 'FAILED'`,
		"lost usage":  `DELETE FROM usage`,
		"little used": `UPDATE usage SET charged = charged - 1`,
		"more used":   `UPDATE usage SET charged = charged + 1`,
		"used twice":  `UPDATE usage SET completed = completed + 1`,
		"statistics":  `UPDATE statistics SET jobs = jobs - 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
				job := aJob(o, node, 5)
				begin(t, s, job)
				settle(t, s, completed(job, 5), time.Now())
				storetest.Audited(t, s)
				if err := s.Exec(harm); err != nil {
					t.Fatal(err)
				}
				findings, err := s.Audit(t.Context())
				if err != nil || len(findings) == 0 {
					t.Errorf("found %v, %v", findings, err)
				}
			})
		})
	}
}

// After a restart of the server, every connection of a pool is closed.
func TestRequestsAreCountedWhenAllConnectionsAreLost(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Postgres(t))
	o := storetest.Organization(t, s, 5, 300)
	s.CutLookups(t)
	if used, err := orgs.New(s).CountRequests(t.Context(), o.ID, 1, time.Hour); err != nil || used != 1 {
		t.Errorf("the first request is number %d, %v", used, err)
	}
}
