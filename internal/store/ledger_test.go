package store_test

import (
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

func TestTheLedgerHasCyclesAndChargesOfDeletedJobs(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		storetest.Organization(t, s, 5, 7) // another organization, which must not be listed
		job := aJob(o, node, 10)
		begin(t, s, job)
		settle(t, s, completed(job, 4), time.Now())
		later := time.UnixMilli(o.CycleResetsAt)
		after, err := orgs.New(s).Organization(t.Context(), o.ID, later)
		if err != nil {
			t.Fatal(err)
		}
		list := func(filter store.LedgerFilter) []earshot.LedgerEntry {
			t.Helper()
			entries, err := s.Ledger(t.Context(), o.ID, filter)
			if err != nil {
				t.Fatal(err)
			}
			return entries
		}
		check := func(note bool) {
			t.Helper()
			all := list(store.LedgerFilter{Limit: 9})
			sum := int64(0)
			for i, want := range []struct {
				kind    earshot.LedgerKind
				credits int64
			}{{"grant", 1000}, {"lapse", -296}, {"charge", -4}, {"grant", 300}} {
				if len(all) != 4 || all[i].Kind != want.kind || all[i].Credits != want.credits || all[i].TaskID != nil || (all[i].Note != nil) != (note && i == 2) {
					t.Fatalf("entry %d of %+v is not %+v", i, all, want)
				}
				sum += all[i].Credits
			}
			if sum != after.Balance || all[2].ID != job.ID || all[0].At.UnixMilli() != later.UnixMilli() {
				t.Errorf("the sum is %d, and the balance %d: %+v", sum, after.Balance, all)
			}
		}
		check(true)
		// Earlier versions inserted the entry when the job ended.
		if err := s.Exec(`INSERT INTO ledger (id, organization, at, kind, amount) SELECT id, organization, finished_at, 'charge', -charged FROM finished`); err != nil {
			t.Fatal(err)
		}
		check(true)
		storetest.Audited(t, s)
		if n, err := s.DeleteFinished(t.Context(), later, later); err != nil || n != 1 {
			t.Fatalf("deleted %d, %v", n, err)
		}
		check(false)
		for _, kind := range earshot.LedgerGrant.Values() {
			for _, e := range list(store.LedgerFilter{Kind: string(kind), Limit: 9}) {
				if e.Kind != kind {
					t.Errorf("asked for %s, and got %+v", kind, e)
				}
			}
		}
		grants := list(store.LedgerFilter{Kind: "grant", Limit: 1})
		rest := list(store.LedgerFilter{Kind: "grant", Before: grants[0].ID, Limit: 9})
		if grants[0].Credits != 1000 || len(rest) != 1 || rest[0].Credits != 300 {
			t.Errorf("the grants are %+v, then %+v", grants, rest)
		}
	})
}
