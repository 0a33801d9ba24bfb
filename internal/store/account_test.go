package store_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

func TestAnOrganizationsNameIsItsOwn(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o := storetest.Organization(t, s, 1, 500)
		if o.Balance != 500 || o.CycleGrant != 500 {
			t.Errorf("a new organization is %+v", o)
		}
		_, err := s.CreateOrganization(store.NewOrganization{Name: o.Name, Plan: o.Plan, Key: account.NewKey()}, time.Now())
		if !errors.Is(err, store.ErrExists) {
			t.Errorf("got %v, want ErrExists", err)
		}
		found, err := s.OrganizationByName(t.Context(), o.Name)
		if err != nil || *found != *o {
			t.Errorf("found %+v, %v; want %+v", found, err, o)
		}
		if _, err := s.OrganizationByName(t.Context(), "nobody"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
		storetest.Audited(t, s)
	})
}

func TestUnusedCreditsOfACycleExpireAndOthersStay(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		if _, err := s.Grant(o.ID, 40, time.Now()); err != nil { // does not expire
			t.Fatal(err)
		}
		job := aJob(o, node, 10)
		begin(t, s, job)
		settle(t, s, completed(job, 10), time.Now())
		o, err := s.Organization(t.Context(), o.ID, time.Now())
		if err != nil || o.Balance != 330 {
			t.Fatalf("before the reset: %+v, %v", o, err)
		}

		next, err := s.Organization(t.Context(), o.ID, time.UnixMilli(o.CycleResetsAt))
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

func TestManyCallsAtTheResetGrantOnce(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s, second := storetest.OpenVirtual(t, address), storetest.OpenVirtual(t, address)
		o := storetest.Organization(t, s, 5, 300)
		var group errgroup.Group
		for i := range 20 {
			group.Go(func() error {
				_, err := []*store.Store{s, second}[i%2].Organization(t.Context(), o.ID, time.UnixMilli(o.CycleResetsAt))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		end, err := s.OrganizationByName(t.Context(), o.Name)
		if err != nil || end.Balance != 1000 {
			t.Errorf("after the reset: %+v, %v", end, err)
		}
		storetest.Audited(t, s)
	})
}

func TestABalanceCannotBeSetBelowHeldCredits(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		begin(t, s, aJob(o, node, 10))
		if _, err := s.SetBalance(o.ID, 9, time.Now()); err == nil {
			t.Error("the balance was set below what is held")
		}
		set, err := s.SetBalance(o.ID, 10, time.Now())
		if err != nil || set.Balance != 10 {
			t.Errorf("got %+v, %v", set, err)
		}
		storetest.Audited(t, s)
	})
}

func TestApplyPlansUpdatesOrganizations(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o := storetest.Organization(t, s, 5, 300) // on the plan hobby, but with other limits
		if err := s.ApplyPlans(t.Context(), account.DefaultPlans()); err != nil {
			t.Fatal(err)
		}
		o, err := s.Organization(t.Context(), o.ID, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if hobby, _ := account.DefaultPlans().Find("hobby"); o.Plan != hobby {
			t.Errorf("the plan is %+v, want %+v", o.Plan, hobby)
		}
		if err := s.ApplyPlans(t.Context(), account.Plans{}); err == nil {
			t.Error("an organization on an unknown plan was accepted")
		}
	})
}

func TestAKeyIsValidUntilItIsRevokedOrExpires(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o, now := storetest.Organization(t, s, 5, 300), time.Now()
		scopes := []account.Scope{account.ScopeRead, account.ScopeMonitor}
		key := account.NewKey()
		if err := s.CreateKey(o.ID, key, scopes, now.Add(time.Hour), now); err != nil {
			t.Fatal(err)
		}
		found, err := s.Key(t.Context(), key.ID, now)
		if err != nil {
			t.Fatal(err)
		}
		if !account.KeyMatches(key.Text, found.Hash) || found.OrganizationID != o.ID || !slices.Equal(found.Scopes, scopes) {
			t.Errorf("found %+v", found)
		}
		if _, err := s.Key(t.Context(), key.ID, now.Add(time.Hour)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an expired key is found: %v", err)
		}
		if err := s.RevokeKey(key.ID, now); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Key(t.Context(), key.ID, now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a revoked key is found: %v", err)
		}
		if err := s.RevokeKey("nokey", now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
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
	if used, err := s.CountRequests(t.Context(), o.ID, 1, time.Hour); err != nil || used != 1 {
		t.Errorf("the first request is number %d, %v", used, err)
	}
}

func TestNodesShareTheRateWindow(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s, second := storetest.Open(t, address), storetest.Open(t, address)
	o := storetest.Organization(t, s, 5, 300)
	var highest atomic.Int64
	var group errgroup.Group
	for i := range 40 {
		group.Go(func() error {
			used, err := []*store.Store{s, second}[i%2].CountRequests(t.Context(), o.ID, 2, time.Hour)
			for {
				seen := highest.Load()
				if int64(used) <= seen || highest.CompareAndSwap(seen, int64(used)) {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if highest.Load() != 80 {
		t.Errorf("the last of 80 requests was number %d", highest.Load())
	}
	if used, err := s.CountRequests(t.Context(), o.ID, 3, 0); err != nil || used != 3 {
		t.Errorf("a new window begins at %d, %v; want 3", used, err)
	}
}
