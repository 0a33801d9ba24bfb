package store_test

import (
	"errors"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

var year2099 = time.Date(2099, 6, 1, 0, 0, 0, 0, time.UTC)

// onEachReal is onEach with a store that does not trust the times of its callers.
func onEachReal(t *testing.T, test func(t *testing.T, s *store.Store, o *account.Organization, node string)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		test(t, s, storetest.Organization(t, s, 5, 300), aNode(t, s))
	})
}

// reload reads an organization at the given time.
func reload(t *testing.T, s *store.Store, id string, now time.Time) *account.Organization {
	t.Helper()
	o, err := orgs.New(s).Organization(t.Context(), id, now)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestACallersTimeDoesNotEndACycle(t *testing.T) {
	t.Parallel()
	onEachReal(t, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		if got := reload(t, s, o.ID, year2099); *got != *o {
			t.Errorf("a read in 2099 changed %+v into %+v", o, got)
		}
		job := aJob(o, node, 10)
		job.CreatedAt = year2099
		begin(t, s, job)
		settle(t, s, completed(job, 10), year2099)
		if _, err := orgs.New(s).Grant(o.ID, 5, account.Operator(), year2099); err != nil {
			t.Fatal(err)
		}
		if got := reload(t, s, o.ID, year2099); got.Balance != 295 || got.CycleUsed != 10 || got.CycleResetsAt != o.CycleResetsAt {
			t.Errorf("calls from 2099 made it %+v", got)
		}
		storetest.Audited(t, s)
	})
}

func TestOnlyCyclesThatPassedByTheTrustedClockAreSkipped(t *testing.T) {
	t.Parallel()
	onEachReal(t, func(t *testing.T, s *store.Store, o *account.Organization, _ string) {
		began := time.Now().AddDate(0, -5, -10).UnixMilli()
		if err := s.Exec(`UPDATE organizations SET created_at = $1, cycle_started_at = $1, cycle_resets_at = $2`, began, began+86_400_000); err != nil {
			t.Fatal(err)
		}
		got := reload(t, s, o.ID, year2099)
		from, to := account.Cycle(time.UnixMilli(began), time.Now())
		if got.CycleStartedAt != from.UnixMilli() || got.CycleResetsAt != to.UnixMilli() || got.Balance != 1000 {
			t.Errorf("five months later: %+v; want a cycle from %s to %s", got, from, to)
		}
		storetest.Audited(t, s)
	})
}

func TestAClockThatJumpedDecidesNothingUntilItIsCorrected(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{"a day ahead": 26 * time.Hour, "an hour ahead": 61 * time.Minute, "behind": -6 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEachReal(t, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
				if _, err := s.ClockStatus(); err != nil {
					t.Fatalf("a correct clock: %v", err)
				}
				if err := s.Exec(`UPDATE organizations SET cycle_started_at = $1, cycle_resets_at = $2`, time.Now().Add(-time.Hour).UnixMilli(), time.Now().Add(-time.Second).UnixMilli()); err != nil {
					t.Fatal(err)
				}
				for range 3 { // the result must not depend on the number of readings
					s.Look(time.Now().Add(jump), 2*time.Second)
				}
				if _, err := s.ClockStatus(); !errors.Is(err, store.ErrClock) {
					t.Errorf("the clock's status is %v", err)
				}
				if now, err := s.TrustedNow(); !errors.Is(err, store.ErrClock) {
					t.Errorf("%s is trusted, %v", now, err)
				}
				if off := time.Until(s.Now()).Abs(); off > time.Minute {
					t.Errorf("the time to store is %s off", off)
				}
				job := aJob(o, node, 10)
				begin(t, s, job)
				settle(t, s, completed(job, 10), s.Now())
				if got := reload(t, s, o.ID, s.Now()); got.Balance != 290 || got.CycleUsed != 10 {
					t.Errorf("a cycle began: %+v", got)
				}
				storetest.Audited(t, s)

				s.Look(time.Now().Add(time.Second), 0)
				if _, err := s.TrustedNow(); err != nil {
					t.Errorf("a clock that was corrected: %v", err)
				}
				if got := reload(t, s, o.ID, time.Now()); got.Balance != 1000 || got.CycleUsed != 0 {
					t.Errorf("the next cycle did not begin: %+v", got)
				}
				storetest.Audited(t, s)
			})
		})
	}
}

func TestSuspendAndSlewAreNotJumps(t *testing.T) {
	t.Parallel()
	onEachReal(t, func(t *testing.T, s *store.Store, _ *account.Organization, _ string) {
		now := time.Now()
		for _, step := range []struct{ read, passed time.Duration }{
			{8 * time.Hour, 8 * time.Hour}, {9 * time.Hour, 2 * time.Second}, {9*time.Hour - 4*time.Minute, 2 * time.Second},
		} {
			s.Look(now.Add(step.read), step.passed)
			if trusted, err := s.TrustedNow(); err != nil || trusted.Sub(now.Add(step.read)).Abs() > time.Minute {
				t.Errorf("%+v: %s, %v", step, trusted, err)
			}
		}
	})
}

func TestANodeWithAWrongClockReportsItAndUsesPostgres(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Postgres(t))
	theirs := time.Now().Add(-26 * time.Minute)
	for range 2 { // the database's clock advances by less than a jump
		s.Look(theirs.Add(22*time.Minute), 0)
		s.Look(theirs.Add(18*time.Minute), 0)
	}
	ahead, err := s.ClockStatus()
	if !errors.Is(err, store.ErrClock) || (ahead-8*time.Minute).Abs() > time.Minute {
		t.Errorf("a clock 8 minutes ahead: %s, %v", ahead, err)
	}
	trusted, err := s.TrustedNow()
	if err != nil || trusted.Sub(theirs.Add(18*time.Minute)).Abs() > time.Minute || s.Now().Sub(trusted).Abs() > time.Minute {
		t.Errorf("it goes by %s, and decides by %s, %v", s.Now(), trusted, err)
	}
	if err := s.Beat(aNode(t, s), 1); err != nil {
		t.Fatal(err)
	}
	if now, err := s.LastSeen(t.Context()); err != nil || time.Since(now).Abs() > time.Minute {
		t.Errorf("a heartbeat has the time %s, %v", now, err)
	}
}

func TestTheClockIsComparedWithTheLastHeartbeatAtTheStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		seen             time.Duration // time of the last heartbeat, relative to now
		sqlite, postgres bool          // whether the clock is trusted
	}{
		{"a moment", -time.Second, true, true},
		{"a week", -7 * 24 * time.Hour, true, true},
		{"two months", -60 * 24 * time.Hour, false, true},
		{"a little ahead", time.Minute, true, true},
		{"ahead", 6 * time.Minute, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			storetest.OnEach(t, func(t *testing.T, address string) {
				before := storetest.Open(t, address)
				aNode(t, before)
				seen := time.Now().Add(test.seen)
				if err := before.Exec(`UPDATE nodes SET seen_at = $1`, seen.UnixMilli()); err != nil {
					t.Fatal(err)
				}
				trusted := test.sqlite
				if store.Shared(address) {
					trusted = test.postgres
				}
				s := storetest.Open(t, address)
				if _, err := s.TrustedNow(); (err == nil) != trusted {
					t.Errorf("trusting it: %v, want %t", err, trusted)
				}
				if !trusted && !store.Shared(address) { // the untrusted time must not be stored for the next start
					if err := s.Beat(aNode(t, s), 1); err != nil {
						t.Fatal(err)
					}
					if got, err := s.LastSeen(t.Context()); err != nil || got.Sub(seen).Abs() > time.Minute {
						t.Errorf("the heartbeat was stored as %s, %v; want %s", got, err, seen)
					}
				}
				accepted, err := store.Open(t.Context(), store.Config{URL: address, AcceptClock: true})
				if err != nil {
					t.Fatal(err)
				}
				if now, err := accepted.TrustedNow(); err != nil || time.Since(now).Abs() > time.Minute {
					t.Errorf("a clock that was accepted: %s, %v", now, err)
				}
				if err := accepted.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAJobIsNotDeletedBecauseOfTheTimeInItsID(t *testing.T) {
	t.Parallel()
	onEach(t, 5, 300, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 10)
		job.ID = "0199c82c-c000-7000-8000-000000000001" // from a machine whose clock is a year behind
		begin(t, s, job)
		settle(t, s, completed(job, 10), time.Now())
		if n, err := s.DeleteFinished(t.Context(), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)); err != nil || n != 0 {
			t.Errorf("deleted %d, %v", n, err)
		}
		if n, err := s.DeleteFinished(t.Context(), time.Now().Add(time.Hour), time.Now().Add(time.Hour)); err != nil || n != 1 {
			t.Errorf("deleted %d, %v", n, err)
		}
	})
}
