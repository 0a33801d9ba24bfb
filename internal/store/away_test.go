package store_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

// operation is something that needs the database.
type operation struct {
	name string
	do   func(ctx context.Context) error
}

// onEverything returns an operation of each kind.
func onEverything(s *store.Store, o *account.Organization, node string) []operation {
	return []operation{
		{"a look-up", func(ctx context.Context) error { _, err := orgs.New(s).Key(ctx, "none", time.Now()); return err }},
		{"a report", func(ctx context.Context) error { _, err := history.New(s).Batches(ctx, o.ID, "", 10); return err }},
		{"a list", func(ctx context.Context) error {
			for _, err := range history.New(s).Requests(ctx, o.ID, history.RequestFilter{Limit: 10, Match: func(*store.Task) bool { return true }}).Tasks {
				return err
			}
			return nil
		}},
		{"a count", func(ctx context.Context) error {
			_, err := orgs.New(s).CountRequests(ctx, o.ID, 1, time.Second)
			return err
		}},
		{"a call", func(context.Context) error { _, err := s.Begin(aJob(o, node, 5)); return err }},
		{"a submission", func(context.Context) error { _, err := s.Submit(o.ID, someTasks(o, 1), 1, time.Now()); return err }},
		{"a grant", func(context.Context) error {
			_, err := orgs.New(s).Grant(o.ID, 5, account.Operator(), time.Now())
			return err
		}},
	}
}

// Operations fail with CodeServerUnavailable if the database cannot be reached, but not if they fail
// for another reason.
func TestAnUnreachableDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	detour, address := storetest.NewDetour(t, storetest.FreshPostgres(t))
	s := storetest.Open(t, address)
	o, node := storetest.Organization(t, s, 10, 1000), aNode(t, s)
	operations := onEverything(s, o, node)
	detour.Cut()
	for _, op := range operations {
		if err := op.do(t.Context()); earshot.ErrorCode(err) != earshot.CodeServerUnavailable {
			t.Errorf("%s without a database: %v", op.name, err)
		}
		left, leave := context.WithCancel(t.Context())
		leave()
		if err := op.do(left); errors.Is(err, context.Canceled) && earshot.ErrorCode(err) != earshot.CodeInternal {
			t.Errorf("%s of a client that has left: %v", op.name, err)
		}
	}
	detour.Open()
	if err := s.Exec(`ALTER TABLE organizations RENAME TO gone`); err != nil {
		t.Fatal(err)
	}
	if _, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now()); err == nil || earshot.ErrorCode(err) != earshot.CodeInternal {
		t.Errorf("without its table: %v", err)
	}
}

// Operations do not wait for a database that hangs, and succeed again when it goes on.
func TestAHungDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	detour, address := storetest.NewDetour(t, storetest.Postgres(t))
	s := storetest.Open(t, address)
	o, node := storetest.Organization(t, s, 10, 1000), aNode(t, s)
	operations := onEverything(s, o, node)
	err := s.Transact(func(ctx context.Context, tx *engine.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE organizations SET slots = slots WHERE id = $1`, o.ID)
		detour.Freeze() // the commit is sent and gets no answer
		return err
	})
	if !errors.Is(err, store.ErrUnknownOutcome) {
		t.Errorf("a commit without an answer: %v", err)
	}
	detour.Thaw()
	for range 2 {
		for err := s.Ping(t.Context()); err != nil; err = s.Ping(t.Context()) {
			runtime.Gosched() // until a probe is answered
		}
		detour.Freeze()
		failed := make([]error, len(operations))
		var group errgroup.Group
		for i, op := range operations {
			group.Go(func() error {
				failed[i] = op.do(context.WithoutCancel(t.Context())) // without a time limit of its own
				return nil
			})
		}
		_ = group.Wait()
		for i, op := range operations {
			if !busy(failed[i]) {
				t.Errorf("%s with a hung database: %v", op.name, failed[i])
			}
		}
		detour.Thaw()
	}
	for _, op := range operations {
		err := op.do(t.Context())
		for busy(err) {
			err = op.do(t.Context())
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s afterwards: %v", op.name, err)
		}
	}
	storetest.Audited(t, s)
}
