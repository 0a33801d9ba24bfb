package orgs_test

import (
	"crypto/rand"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

func TestAnOrganizationsNameIsItsOwn(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := orgs.New(storetest.Open(t, address))
		o := storetest.Organization(t, s.Store, 1, 500)
		if o.Balance != 500 || o.CycleGrant != 500 {
			t.Errorf("a new organization is %+v", o)
		}
		_, err := s.CreateOrganization(orgs.NewOrganization{Name: o.Name, Plan: o.Plan, Key: account.NewKey()}, account.Operator(), time.Now())
		if !errors.Is(err, orgs.ErrExists) {
			t.Errorf("got %v, want ErrExists", err)
		}
		found, err := s.OrganizationByName(t.Context(), o.Name)
		if err != nil || *found != *o {
			t.Errorf("found %+v, %v; want %+v", found, err, o)
		}
		if _, err := s.OrganizationByName(t.Context(), "nobody"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
		storetest.Audited(t, s.Store)
	})
}

func TestNamesAreUniqueOverAllShards(t *testing.T) {
	t.Parallel()
	s := orgs.New(storetest.Open(t, storetest.Citus(t)))
	create := func(name string, at time.Time) error {
		_, err := s.CreateOrganization(orgs.NewOrganization{Name: name, Plan: account.Plan{Name: "hobby", Slots: 1}, WebhookSecret: "none", Key: account.NewKey()}, account.Operator(), at)
		return err
	}
	now, name := time.Now(), "org-"+rand.Text()
	if err := create(name, now); err != nil {
		t.Fatal(err)
	}
	for range 8 { // some of them would be on another worker
		if err := create(name, now.Add(time.Hour)); !errors.Is(err, orgs.ErrExists) {
			t.Errorf("another organization of the same name: %v", err)
		}
	}
	left := "org-" + rand.Text()
	if err := s.Reserve(left, now); err != nil {
		t.Fatal(err)
	}
	if err := create(left, now.Add(30*time.Second)); !errors.Is(err, orgs.ErrExists) {
		t.Errorf("a name that is reserved: %v", err)
	}
	if err := create(left, now.Add(2*time.Minute)); err != nil {
		t.Errorf("a name whose reservation has expired: %v", err)
	}
}

func TestACycleThatIsDueGetsTheCreditsOfThePlanUntilThen(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := orgs.New(storetest.OpenVirtual(t, address))
		o := storetest.Organization(t, s.Store, 1, 500)
		plan, due := o.Plan, time.UnixMilli(o.CycleResetsAt).Add(time.Hour)
		plan.CreditsPerCycle = 9000
		if err := s.SetPlan(o.ID, plan, account.Operator(), due); err != nil {
			t.Fatal(err)
		}
		got, err := s.Organization(t.Context(), o.ID, due)
		if err != nil || got.CycleStartedAt != o.CycleResetsAt || got.CycleGrant != o.Plan.CreditsPerCycle || got.Plan != plan {
			t.Errorf("the organization is %+v, %v", got, err)
		}
		storetest.Audited(t, s.Store)
	})
}

func TestManyCallsAtTheResetGrantOnce(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s, second := orgs.New(storetest.OpenVirtual(t, address)), orgs.New(storetest.OpenVirtual(t, address))
		o := storetest.Organization(t, s.Store, 5, 300)
		var group errgroup.Group
		for i := range 20 {
			group.Go(func() error {
				_, err := []*orgs.Store{s, second}[i%2].Organization(t.Context(), o.ID, time.UnixMilli(o.CycleResetsAt))
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
		storetest.Audited(t, s.Store)
	})
}

func TestApplyPlansUpdatesOrganizations(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := orgs.New(storetest.Open(t, address))
		o := storetest.Organization(t, s.Store, 5, 300) // on the plan hobby, but with other limits
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

func TestNodesShareTheRateWindow(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s, second := orgs.New(storetest.Open(t, address)), orgs.New(storetest.Open(t, address))
	o := storetest.Organization(t, s.Store, 5, 300)
	var highest atomic.Int64
	var group errgroup.Group
	for i := range 40 {
		group.Go(func() error {
			used, err := []*orgs.Store{s, second}[i%2].CountRequests(t.Context(), o.ID, 2, time.Hour)
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
