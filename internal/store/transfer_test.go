package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/store"
	"earshot/internal/store/storetest"
	"earshot/internal/store/transfer"
)

// buildFixture creates a database with rows in every table.
func buildFixture(t *testing.T, address string) {
	t.Helper()
	newest, err := store.NewestVersion()
	if err != nil {
		t.Fatal(err)
	}
	if err := store.BuildVersion(t.Context(), address, newest, readFixture); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Config{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		// Texts whose order depends on the collation, and empty bytes that are not NULL.
		`INSERT INTO channels (organization, name, kind, settings, created_at, updated_at)
			SELECT organization, n, kind, 'Zoë ｶﾅ 🦊 "'' \', created_at, updated_at FROM channels, (SELECT 'B' AS n UNION SELECT 'a' UNION SELECT 'ä' UNION SELECT '_c') AS names`,
		`INSERT INTO bodies (organization, hash, content, answers) SELECT organization, hash, content, 0 FROM (SELECT content AS hash, organization FROM cells) AS h,
			(SELECT CAST('' AS ` + map[bool]string{true: "bytea", false: "blob"}[store.Shared(address)] + `) AS content) AS c`,
	} {
		if err := s.Exec(statement); err != nil {
			t.Fatalf("%v in %s", err, statement)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// move copies row by row until the given number of rows or the end, and reports whether it is done.
func move(t *testing.T, from, to string, rows int) (done bool) {
	t.Helper()
	moving, err := transfer.Begin(t.Context(), store.Config{URL: from}, store.Config{URL: to})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := moving.Close(); err != nil {
			t.Error(err)
		}
	}()
	moving.BatchRows = 1
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = moving.Copy(ctx, func(transfer.State) {
		if rows--; rows == 0 {
			cancel()
		}
	})
	if errors.Is(err, context.Canceled) {
		return false
	}
	if err == nil {
		err = moving.Verify(t.Context(), func(transfer.State) {})
	}
	if err == nil {
		err = moving.Finish(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

func TestAnInterruptedTransferIsContinued(t *testing.T) {
	t.Parallel()
	file := func(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "earshot.db") }
	server := func(t *testing.T) string { t.Helper(); return storetest.FreshPostgres(t) }
	cluster := func(t *testing.T) string { t.Helper(); return storetest.Citus(t) }
	filled := func(empty func(*testing.T) string) func(*testing.T) string {
		return func(t *testing.T) string {
			t.Helper()
			address := empty(t)
			buildFixture(t, address)
			return address
		}
	}
	movedTo := func(t *testing.T) string {
		t.Helper()
		to := cluster(t)
		move(t, filled(file)(t), to, -1)
		return to
	}
	for name, kinds := range map[string][2]func(*testing.T) string{
		"sqlite to postgres": {filled(file), server}, "postgres to sqlite": {filled(server), file},
		"sqlite to citus": {filled(file), cluster}, "citus to sqlite": {movedTo, file},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := kinds[0](t), kinds[1](t)
			for rows := 40; !move(t, from, to, rows); rows++ {
				if s, err := store.Open(t.Context(), store.Config{URL: to, Serve: true}); !errors.Is(err, store.ErrUnfinishedTransfer) {
					t.Fatalf("opening an unfinished transfer: %v, %v", s, err)
				}
			}
			source, target := storetest.Open(t, from), storetest.Open(t, to)
			tables, err := source.TransferredTables(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			before, err := source.Counts(t.Context(), tables...)
			if err != nil {
				t.Fatal(err)
			}
			if empty := slices.Index(before, 0); empty >= 0 {
				t.Errorf("the fixtures have no row of %s, so its transfer is not tested", tables[empty])
			}
			after, err := target.Counts(t.Context(), tables...)
			equal(t, "rows", before, after, err)
			for _, check := range migrated {
				t.Run(check.what, func(t *testing.T) { check.run(t, target) }) // each goes on from the one before
			}
		})
	}
}

func TestEveryTableIsTransferredOrExcluded(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		moved, err := s.TransferredTables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		columns, err := s.Columns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, column := range columns {
			table, _, _ := strings.Cut(column, ".")
			if !slices.Contains(moved, table) && !slices.Contains(left, table) && !strings.HasPrefix(table, "report_") && !strings.HasPrefix(table, "sqlite_") {
				left = append(left, table)
			}
		}
		want := []string{"goose_db_version", "nodes"}
		if store.Shared(address) {
			want = append(want, "rate_windows")
		}
		if diff := cmp.Diff(want, left); diff != "" {
			t.Errorf("tables that are left (-want +got):\n%s", diff)
		}
	})
}

func TestTheTargetMustBeEmptyOrHaveTheSameTransfer(t *testing.T) {
	t.Parallel()
	from, other, to := filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "other.db"), storetest.FreshPostgres(t)
	buildFixture(t, from)
	refused := func(from, why string) {
		t.Helper()
		moving, err := transfer.Begin(t.Context(), store.Config{URL: from}, store.Config{URL: to})
		if err == nil {
			_ = moving.Close()
		}
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("it must be refused with %q: %v", why, err)
		}
	}
	refused(other, store.ErrNoDatabase.Error())

	served, err := store.Open(t.Context(), store.Config{URL: from, Serve: true})
	if err != nil {
		t.Fatal(err)
	}
	refused(from, "another server uses")
	if err := served.Close(); err != nil {
		t.Fatal(err)
	}
	target := storetest.Open(t, to)
	node, err := target.RegisterNode("somewhere", 1, target.Now())
	if err != nil {
		t.Fatal(err)
	}
	refused(from, "a node on somewhere serves it")
	if err := target.RemoveNode(node); err != nil {
		t.Fatal(err)
	}

	if move(t, from, to, 10) {
		t.Fatal("it was not interrupted")
	}
	s := storetest.Open(t, other)
	storetest.Organization(t, s, 1, 1)
	refused(other, "an unfinished transfer from another database")
	if !move(t, from, to, 1000) {
		t.Fatal("it was interrupted")
	}
	refused(from, "organizations (3)")
}

func TestVerifyFindsDifferences(t *testing.T) {
	t.Parallel()
	from, to := filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "to.db")
	buildFixture(t, from)
	moving, err := transfer.Begin(t.Context(), store.Config{URL: from}, store.Config{URL: to})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = moving.Close() }()
	if err := moving.Copy(t.Context(), func(transfer.State) {}); err != nil {
		t.Fatal(err)
	}
	ignore := func(transfer.State) {}
	if err := moving.Verify(t.Context(), ignore); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ change, table string }{
		{`UPDATE bodies SET answers = answers + 1`, "bodies"},
		{`UPDATE alerts SET subject = subject || ' '`, "alerts"},
		{`UPDATE alerts SET acknowledged_by = ''`, "alerts"},
		{`DELETE FROM cells`, "cells"},
	} {
		if err := moving.To.Exec(c.change); err != nil {
			t.Fatal(err)
		}
		if err := moving.Verify(t.Context(), ignore); err == nil || !strings.Contains(err.Error(), c.table+" differs") {
			t.Errorf("after %s: %v", c.change, err)
		}
		if err := moving.From.Exec(c.change); err != nil { // make both equal again
			t.Fatal(err)
		}
	}
}
