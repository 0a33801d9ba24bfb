package store_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// lockRow locks an organization's row in another transaction until unlock is called.
func lockRow(t *testing.T, address, organization string) (unlock func()) {
	t.Helper()
	raw, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	outside, err := raw.BeginTx(context.WithoutCancel(t.Context()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := outside.ExecContext(t.Context(), `SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE`, organization); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := errors.Join(outside.Rollback(), raw.Close()); err != nil {
			t.Error(err)
		}
	}
}

// busy reports whether an error says that the organization cannot be changed now.
func busy(err error) bool {
	e, ok := errors.AsType[*earshot.Error](err)
	return ok && e.Code == earshot.CodeServerUnavailable
}

func TestAnOrganizationWhoseRowIsLockedFailsAlone(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s := storetest.Open(t, address)
	node := aNode(t, s)
	locked := storetest.Organization(t, s, 5, 100)
	var others []*account.Organization
	for range 12 { // so that every writer has some
		others = append(others, storetest.Organization(t, s, 5, 100))
	}
	unlock := lockRow(t, address, locked.ID)
	// The first round meets the lock; the second knows of it.
	for round := range 2 {
		var group errgroup.Group
		var failures [3]error
		for i := range failures {
			group.Go(func() error {
				_, failures[i] = s.Begin(aJob(locked, node, 5))
				return nil
			})
		}
		for _, o := range others {
			group.Go(func() error {
				job := aJob(o, node, 5)
				if _, err := s.Begin(job); err != nil {
					return err
				}
				_, err := s.Settle(completed(job, 5), time.Now())
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Errorf("round %d: another organization got %v", round, err)
		}
		for _, err := range failures {
			if !busy(err) {
				t.Errorf("round %d: the locked organization got %v", round, err)
			}
		}
	}
	unlock()
	for _, o := range append(others, locked) {
		job := aJob(o, node, 5)
		begin(t, s, job)
		settle(t, s, completed(job, 5), time.Now())
	}
	storetest.Audited(t, s)
}

func TestTasksOfOthersStartWhileAnOrganizationsRowIsLocked(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s := storetest.Open(t, address)
	node := aNode(t, s)
	var all []*account.Organization
	for range 6 {
		o := storetest.Organization(t, s, 5, 100)
		task := aJob(o, node, 5)
		task.Mode, task.Node = store.ModeAsync, ""
		if _, err := s.Submit(o.ID, []store.Job{task}, 1, time.Now()); err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	unlock := lockRow(t, address, all[0].ID)
	started, handled, err := s.Claim(t.Context(), node, store.ClaimLimits{Tasks: 100}, time.Now())
	if err != nil || handled != 5 || len(started) != 5 {
		t.Errorf("started %d of %d, %v", len(started), handled, err)
	}
	// Tasks of a dead node can be adopted without that organization, too.
	if err := s.RemoveNode(node); err != nil {
		t.Fatal(err)
	}
	heir := aNode(t, s)
	if adopted, err := s.Adopt(t.Context(), heir, 100); err != nil || len(adopted) != 5 {
		t.Errorf("adopted %d, %v", len(adopted), err)
	}
	unlock()
	if started, _, err := s.Claim(t.Context(), heir, store.ClaimLimits{Tasks: 100}, time.Now()); err != nil || len(started) != 1 {
		// The organization may still be remembered as locked, until a write finds it free.
		begin(t, s, aJob(all[0], heir, 5))
		if started, _, err = s.Claim(t.Context(), heir, store.ClaimLimits{Tasks: 100}, time.Now()); err != nil || len(started) != 1 {
			t.Errorf("after the lock: %d, %v", len(started), err)
		}
	}
	storetest.Audited(t, s)
}

func TestAJobOfALockedOrganizationIsNotLostWhenItCannotBeSettled(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	s := storetest.Open(t, address)
	node := aNode(t, s)
	o, other := storetest.Organization(t, s, 5, 100), storetest.Organization(t, s, 5, 100)
	job, theirs := aJob(o, node, 5), aJob(other, node, 5)
	begin(t, s, job)
	begin(t, s, theirs)
	unlock := lockRow(t, address, o.ID)
	for range 2 {
		var group errgroup.Group
		group.Go(func() error {
			if _, err := s.Settle(completed(job, 5), time.Now()); !busy(err) {
				t.Errorf("settling: %v", err)
			}
			return nil
		})
		group.Go(func() error {
			_, err := s.Settle(completed(theirs, 5), time.Now())
			return err
		})
		if err := group.Wait(); err != nil {
			t.Errorf("settling another's: %v", err)
		}
	}
	unlock()
	settle(t, s, completed(job, 5), time.Now())
	storetest.Audited(t, s)
}
