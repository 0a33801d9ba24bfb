package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
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

func TestTheGroupedLedgerHasOneEntryForEachBatchAndSweep(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		f := aTracker(t, s, o, node, 10)
		alone := aJob(o, node, 10)
		begin(t, s, alone)
		settle(t, s, completed(alone, 3), time.Now())
		closed := f.start("closed", 4, "2026-11", nil)
		f.work("x")
		f.record()
		f.close(closed)
		batch, _ := submitBatch(t, s, o, someTasks(o, 3))
		running := f.start("running", 2, "2026-11", nil)
		f.work("y") // its charges are not recorded in the sweep yet
		empty := f.start("empty", 1, "2026-11", nil)

		list := func(limit int, kind earshot.LedgerKind) (found []string) {
			t.Helper()
			for filter := (store.LedgerFilter{Kind: string(kind), Limit: limit}); ; {
				page, next, err := s.GroupedLedger(t.Context(), o.ID, filter)
				if err != nil || len(page) > limit {
					t.Fatalf("%d entries, %v", len(page), err)
				}
				for _, e := range page {
					found = append(found, fmt.Sprintf("%s %d %d %s %t %t", e.ID, e.Credits, e.Tasks, e.Tracker, e.Batch == e.ID, e.Sweep == e.ID))
				}
				if filter.Before = next; next == "" {
					return found
				}
			}
		}
		grant, err := s.Ledger(t.Context(), o.ID, store.LedgerFilter{Kind: "grant", Limit: 1})
		if err != nil || len(grant) != 1 {
			t.Fatal(grant, err)
		}
		want := []string{
			running.ID + " -10 2 shoes false true", batch + " -15 3  true false", closed.ID + " -20 4 shoes false true",
			alone.ID + " -3 0  false false", grant[0].ID + " 1000 0  false false",
		}
		for limit := 1; limit <= len(want); limit++ {
			if got := list(limit, ""); !slices.Equal(got, want) {
				t.Errorf("in pages of %d, the ledger is\n%s, want\n%s", limit, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		if got := list(9, earshot.LedgerCharge); !slices.Equal(got, want[:4]) {
			t.Errorf("the charges are %s", got)
		}
		for id, n := range map[string]int{closed.ID: 4, batch: 3, running.ID: 2, empty.ID: 0, alone.ID: 0} {
			first, err := s.Ledger(t.Context(), o.ID, store.LedgerFilter{Of: id, Limit: 2})
			if err != nil || len(first) != min(n, 2) {
				t.Fatalf("%d of %d entries, %v", len(first), n, err)
			}
			if n > 2 {
				rest, err := s.Ledger(t.Context(), o.ID, store.LedgerFilter{Of: id, Before: first[1].ID, Limit: 9})
				if err != nil || len(rest) != n-2 || rest[0].Credits != -5 {
					t.Errorf("then %+v, %v", rest, err)
				}
			}
		}

		// Charges of deleted tasks and answers stay in the ledger.
		f.record()
		later := time.Now().Add(time.Hour)
		if _, err := s.DeleteFinished(t.Context(), later, later); err != nil {
			t.Fatal(err)
		}
		if got := list(9, ""); len(got) != 7 || got[0] != want[0] || !slices.Equal(got[4:], want[2:]) {
			t.Errorf("without the tasks of the batch, the ledger is\n%s", strings.Join(got, "\n"))
		}
		answers, _, err := tracking.New(s).Answers(t.Context(), f.t, tracking.AnswerFilter{Sweep: closed.ID, Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(s.Exec(`DELETE FROM answers WHERE id = $1`, answers[0].ID), tracking.New(s).Prune(closed))
		if got := list(9, ""); err != nil || len(got) != 8 || !slices.Contains(got, closed.ID+" -15 4 shoes false true") {
			t.Errorf("without an answer of the sweep, the ledger is\n%s, %v", strings.Join(got, "\n"), err)
		}
	})
}
