package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

// Operations fail with CodeServerUnavailable if the database cannot be reached, but not if they fail
// for another reason.
func TestAnUnreachableDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	detour, address := storetest.NewDetour(t, storetest.Postgres(t))
	s := storetest.Open(t, address)
	o, node := storetest.Organization(t, s, 10, 1000), aNode(t, s)
	operations := []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"a look-up", func(ctx context.Context) error { _, err := orgs.New(s).Key(ctx, "none", time.Now()); return err }},
		{"a report", func(ctx context.Context) error { _, err := history.New(s).Batches(ctx, o.ID, "", 10); return err }},
		{"a list", func(ctx context.Context) error {
			_, _, err := history.New(s).Requests(ctx, o.ID, history.RequestFilter{Limit: 10, Match: func(*store.Task) bool { return true }})
			return err
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
