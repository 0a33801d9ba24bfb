package store_test

import (
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// What a node remembers of an organization is checked when it is used: others, and the
// node itself on another way, may have changed it.
func TestWhatWasRememberedOfAnOrganizationIsChecked(t *testing.T) {
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
			if err := by.SetPlan(o.ID, plan); err != nil {
				t.Fatal(err)
			}
			if _, err := one.Begin(aJob(o, node, 5)); earshot.ErrorCode(err) != earshot.CodeConcurrencyLimit {
				t.Errorf("a second call with one slot: %v", err)
			}
			settle(t, one, completed(running, 3), time.Now())
			plan.Slots = 2
			if err := by.SetPlan(o.ID, plan); err != nil {
				t.Fatal(err)
			}
		}
		storetest.Audited(t, one)
	})
}

func TestANodeThatIsAloneRemembers(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Postgres(t))
	node := aNode(t, s)
	o := storetest.Organization(t, s, 2, 1000)
	job := aJob(o, node, 5)
	begin(t, s, job)
	if !s.Remembers(o.ID) {
		t.Error("it has forgotten an organization that only it changed")
	}
	settle(t, s, completed(job, 3), time.Now())
	if err := s.SetPlan(o.ID, o.Plan); err != nil {
		t.Fatal(err)
	}
	if s.Remembers(o.ID) {
		t.Error("it remembers an organization whose plan was set since")
	}
}

func organization(t *testing.T, s *store.Store, id string) *account.Organization {
	t.Helper()
	o, err := s.Organization(t.Context(), id, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return o
}
