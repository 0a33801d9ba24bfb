package store_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

// onEach runs a test on each database, with an organization that has the given slots and credits,
// and a node.
func onEach(t *testing.T, slots int, credits int64, test func(t *testing.T, s *store.Store, o *account.Organization, node string)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.OpenVirtual(t, address)
		test(t, s, storetest.Organization(t, s, slots, credits), aNode(t, s))
	})
}

// aNode registers a node.
func aNode(t *testing.T, s *store.Store) string {
	t.Helper()
	id, err := s.RegisterNode("test", 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func aJob(o *account.Organization, node string, maxCost int64) store.Job {
	return store.Job{
		ID: uuid.Must(uuid.NewV7()).String(), Organization: o.ID, KeyID: "key", Provider: "chatassistant",
		Mode: store.ModeSync, Request: []byte(`{}`), MaxCost: maxCost, Node: node, CreatedAt: time.Now(),
	}
}

func TestAHeartbeatFailsWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		node := aNode(t, s)
		readOnly := s
		if store.Shared(address) {
			readOnly = storetest.Open(t, storetest.With(t, address, "default_transaction_read_only", "on"))
		} else if err := s.Exec(`PRAGMA query_only = 1`); err != nil {
			t.Fatal(err)
		}
		if err := readOnly.Ping(t.Context()); err != nil {
			t.Errorf("the store cannot be read: %v", err)
		}
		if err := readOnly.Beat(node, 1); err == nil || errors.Is(err, store.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	})
}

// begin starts a job that must be admitted.
func begin(t *testing.T, s *store.Store, job store.Job) {
	t.Helper()
	if _, err := s.Begin(job); err != nil {
		t.Fatal(err)
	}
}

// settle ends a job, which must succeed.
func settle(t *testing.T, s *store.Store, end store.Settlement, now time.Time) {
	t.Helper()
	if _, err := s.Settle(end, now); err != nil {
		t.Fatal(err)
	}
}

func completed(job store.Job, charge int64) store.Settlement {
	return store.Settlement{Job: &job, Status: earshot.StatusCompleted, Charge: charge, Attempts: 1}
}

func failed(job store.Job) store.Settlement {
	return store.Settlement{Job: &job, Status: earshot.StatusFailed, Attempts: 1, Error: &earshot.Error{Code: earshot.CodeUpstream}}
}

func TestAJobTakesASlotAndHoldsThenPaysWhatItCost(t *testing.T) {
	t.Parallel()
	onEach(t, 2, 100, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 7)

		o, err := s.Begin(job)
		if err != nil {
			t.Fatal(err)
		}
		if o.Running != 1 || o.Held != 7 || o.Balance != 100 {
			t.Errorf("after begin: %+v", o)
		}
		storetest.Audited(t, s)

		o, err = s.Settle(completed(job, 5), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if o.Running != 0 || o.Held != 0 || o.Balance != 95 || o.CycleUsed != 5 {
			t.Errorf("after settle: %+v", o)
		}
		storetest.Audited(t, s)
	})
}

// Many readers must not keep jobs from beginning and ending.
func TestReadersTakeNoConnectionFromJobs(t *testing.T) {
	t.Parallel()
	onEach(t, 1, 100, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		release := s.HoldReaders(t, o.ID)
		job := aJob(o, node, 5)
		begin(t, s, job)
		settle(t, s, completed(job, 5), time.Now())
		release()
		storetest.Audited(t, s)
	})
}

func TestAFailedJobCostsNothing(t *testing.T) {
	t.Parallel()
	onEach(t, 2, 100, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 7)
		begin(t, s, job)
		o, err := s.Settle(failed(job), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if o.Running != 0 || o.Held != 0 || o.Balance != 100 {
			t.Errorf("after settle: %+v", o)
		}
		storetest.Audited(t, s)
	})
}

func TestOnlyAsManyJobsRunAsThereAreSlots(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s, second := storetest.Open(t, address), storetest.Open(t, address)
		o := storetest.Organization(t, s, 20, 100_000)
		node := aNode(t, s)
		var begun, refused atomic.Int64
		var group errgroup.Group
		for i := range 80 {
			group.Go(func() error {
				nodes := []*store.Store{s, second}
				_, err := nodes[i%2].Begin(aJob(o, node, 5))
				switch earshot.ErrorCode(err) {
				case "":
					begun.Add(1)
				case earshot.CodeConcurrencyLimit:
					refused.Add(1)
				default:
					return err
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if begun.Load() != 20 || refused.Load() != 60 {
			t.Errorf("%d begun and %d refused, want 20 and 60", begun.Load(), refused.Load())
		}
		storetest.Audited(t, s)
	})
}

func TestMoneyFor137JobsPaysFor137(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s, second := storetest.Open(t, address), storetest.Open(t, address)
		o := storetest.Organization(t, s, 1000, 137*5+4)
		node := aNode(t, s)
		var paid, refused atomic.Int64
		var group errgroup.Group
		for i := range 1000 {
			group.Go(func() error {
				nodes := []*store.Store{s, second}
				job := aJob(o, node, 5)
				_, err := nodes[i%2].Begin(job)
				if earshot.ErrorCode(err) == earshot.CodeNoCredits {
					refused.Add(1)
					return nil
				}
				if err != nil {
					return err
				}
				paid.Add(1)
				_, err = nodes[i%2].Settle(completed(job, 5), time.Now())
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if paid.Load() != 137 || refused.Load() != 863 {
			t.Errorf("%d paid and %d refused, want 137 and 863", paid.Load(), refused.Load())
		}
		end, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if end.Balance != 4 || end.Held != 0 || end.Running != 0 {
			t.Errorf("at the end: %+v", end)
		}
		storetest.Audited(t, s)
	})
}

func TestARefusalSaysWhyAndReturnsTheOrganization(t *testing.T) {
	t.Parallel()
	onEach(t, 1, 12, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		begin(t, s, aJob(o, node, 7))
		standing, err := s.Begin(aJob(o, node, 7)) // neither credits nor a slot: credits are checked first
		var refusal *earshot.Error
		if !errors.As(err, &refusal) || refusal.Code != earshot.CodeNoCredits {
			t.Fatalf("got %v, want no credits", err)
		}
		if refusal.Details != (earshot.CreditDetails{Required: 7, Remaining: 12, Held: 7}) || standing.Balance != 12 {
			t.Errorf("details %+v, standing %+v", refusal.Details, standing)
		}
		_, err = s.Begin(aJob(o, node, 5))
		if !errors.As(err, &refusal) || refusal.Code != earshot.CodeConcurrencyLimit {
			t.Fatalf("got %v, want no slot", err)
		}
		if refusal.Details != (earshot.LimitDetails{Limit: 1}) {
			t.Errorf("details %+v", refusal.Details)
		}
		storetest.Audited(t, s)
	})
}

func TestSettlingIsRepeatableButChargesOnce(t *testing.T) {
	t.Parallel()
	onEach(t, 2, 100, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 5)
		begin(t, s, job)
		var group errgroup.Group
		for range 16 {
			group.Go(func() error {
				_, err := s.Settle(completed(job, 5), time.Now())
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("a repeated settlement failed: %v", err)
		}
		if _, err := s.Settle(failed(job), time.Now()); !errors.Is(err, store.ErrLost) {
			t.Errorf("another outcome for the same job: %v, want ErrLost", err)
		}
		stranger := job
		stranger.Node = aNode(t, s)
		if _, err := s.Settle(completed(stranger, 5), time.Now()); !errors.Is(err, store.ErrLost) {
			t.Errorf("settled by a node that does not own it: %v, want ErrLost", err)
		}
		end, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if end.Balance != 95 || end.Running != 0 {
			t.Errorf("at the end: %+v", end)
		}
		storetest.Audited(t, s)
	})
}

func TestJobsOfADeadNodeAreReleased(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		dead := aNode(t, s)
		o := storetest.Organization(t, s, 5, 100)
		lost := aJob(o, dead, 5)
		begin(t, s, lost)
		sweep := func() int {
			if err := s.DeclareDead(); err != nil {
				t.Fatal(err)
			}
			n, err := s.ReleaseLost(t.Context(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := sweep(); n != 0 {
			t.Fatalf("released %d jobs of a live node", n)
		}
		if err := s.Exec(`UPDATE nodes SET seen_at = seen_at - 11000`); err != nil {
			t.Fatal(err)
		}
		alive := aNode(t, s)
		kept := aJob(o, alive, 5)
		begin(t, s, kept)
		if n := sweep(); n != 1 {
			t.Fatalf("released %d jobs, want 1", n)
		}
		if err := s.Beat(dead, 1); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a heartbeat of the dead node: %v", err)
		}
		if err := s.Beat(alive, 1); err != nil {
			t.Errorf("a heartbeat of the live node: %v", err)
		}
		if _, err := s.Settle(completed(lost, 5), time.Now()); !errors.Is(err, store.ErrLost) {
			t.Errorf("the dead node settled its job: %v, want ErrLost", err)
		}
		end, err := s.Settle(completed(kept, 5), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if end.Running != 0 || end.Held != 0 || end.Balance != 95 {
			t.Errorf("at the end: %+v", end)
		}
		storetest.Audited(t, s)
	})
}

func TestFinishedJobsAreDeletedAfterTheirRetention(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 100, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		for range 3 {
			job := aJob(o, node, 5)
			begin(t, s, job)
			settle(t, s, completed(job, 5), time.Now())
		}
		if n, err := s.DeleteFinished(t.Context(), time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)); err != nil || n != 0 {
			t.Errorf("deleted %d young jobs, %v", n, err)
		}
		if n, err := s.DeleteFinished(t.Context(), time.Now().Add(time.Hour), time.Now().Add(time.Hour)); err != nil || n != 3 {
			t.Errorf("deleted %d old jobs, %v; want 3", n, err)
		}
		storetest.Audited(t, s) // the ledger keeps the charges
	})
}

func TestCapturesAreFoundUntilTheyExpire(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 100, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 5)
		begin(t, s, job)
		end, now := completed(job, 5), time.Now()
		end.Capture = &store.Capture{ID: "abc", Pages: 2, ExpiresAt: now.Add(time.Hour)}
		settle(t, s, end, now)
		if c, err := s.Capture(t.Context(), "abc", now); err != nil || c.Pages != 2 {
			t.Errorf("got %+v, %v", c, err)
		}
		later := now.Add(2 * time.Hour)
		if _, err := s.Capture(t.Context(), "abc", later); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an expired capture is found: %v", err)
		}
		expired, err := s.ExpiredCaptures(t.Context(), later)
		if err != nil || len(expired) != 1 || expired[0] != "abc" {
			t.Fatalf("expired are %v, %v", expired, err)
		}
		if err := s.DeleteCapture("abc"); err != nil {
			t.Fatal(err)
		}
		if expired, err := s.ExpiredCaptures(t.Context(), later); err != nil || len(expired) != 0 {
			t.Errorf("expired are %v, %v", expired, err)
		}
	})
}
