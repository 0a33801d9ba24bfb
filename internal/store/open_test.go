package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMigrationsRunOnceHoweverManyStartTogether(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, address string) {
		t.Helper()
		var group errgroup.Group
		for range 6 {
			group.Go(func() error {
				s, err := store.Open(t.Context(), store.Config{URL: address})
				if err != nil {
					return err
				}
				return s.Close()
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		s := storetest.Open(t, address)
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	}
	storetest.OnFresh(t, test)
	t.Run("citus", func(t *testing.T) {
		t.Parallel()
		test(t, storetest.Citus(t))
	})
}

func TestClosingSQLiteRemovesTheWAL(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "earshot.db")
	s, err := store.Open(t.Context(), store.Config{URL: path})
	if err != nil {
		t.Fatal(err)
	}
	_, made := orgs.New(s).CreateOrganization(orgs.NewOrganization{Name: "acme", WebhookSecret: "none", Key: account.NewKey()}, account.Operator(), time.Now())
	if err := errors.Join(made, s.Close()); err != nil {
		t.Fatal(err)
	}
	// SQLite copies its WAL into the database and removes it when the last connection is closed.
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the WAL still exists: %v", err)
	}
}

func TestBothDatabasesHaveTheSameTables(t *testing.T) {
	t.Parallel()
	ours := func(address string) []string {
		columns, err := storetest.Open(t, address).Columns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(columns, func(name string) bool {
			return strings.HasPrefix(name, "goose_") || strings.HasPrefix(name, "sqlite_") ||
				strings.HasPrefix(name, "rate_windows.") // on SQLite the process counts in memory
		})
	}
	sqlite, postgres := ours(filepath.Join(t.TempDir(), "earshot.db")), ours(storetest.FreshPostgres(t))
	if diff := cmp.Diff(sqlite, postgres); diff != "" {
		t.Errorf("the schemas differ (-sqlite +postgres):\n%s", diff)
	}
	if len(sqlite) < 40 {
		t.Errorf("only %d columns were found", len(sqlite))
	}
}

func TestASecondServerOnTheSameFileIsRefused(t *testing.T) {
	t.Parallel()
	cfg := store.Config{URL: filepath.Join(t.TempDir(), "earshot.db"), Serve: true}
	first, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := store.Open(t.Context(), cfg); err == nil {
		t.Error("a second server opened the file")
		_ = second.Close()
	}
	beside := cfg
	beside.Serve = false
	if tool, err := store.Open(t.Context(), beside); err != nil {
		t.Errorf("the command line cannot open the file while a server runs: %v", err)
	} else if err := tool.Close(); err != nil {
		t.Error(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("the file stays claimed after its server stopped: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestASecondServerIsRefusedWhateverNameItUses(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "earshot.db")
	first, err := store.Open(t.Context(), store.Config{URL: file, Serve: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Close() })
	for _, link := range []struct{ to, at, path string }{
		{file, "linked.db", "linked.db"},
		{filepath.Join(elsewhere, "linked.db"), "chained.db", "chained.db"},
		{dir, "data", "data/earshot.db"},
	} {
		if err := os.Symlink(link.to, filepath.Join(elsewhere, link.at)); err != nil {
			t.Fatal(err)
		}
		if second, err := store.Open(t.Context(), store.Config{URL: filepath.Join(elsewhere, link.path), Serve: true}); err == nil {
			t.Errorf("%s: a second server opened the file", link.path)
			_ = second.Close()
		} else if !strings.Contains(err.Error(), "another server") {
			t.Errorf("%s: %v", link.path, err)
		}
	}
	if err := os.Link(file, filepath.Join(elsewhere, "second.db")); err != nil {
		t.Fatal(err)
	}
	if second, err := store.Open(t.Context(), store.Config{URL: filepath.Join(elsewhere, "second.db")}); err == nil {
		t.Error("a file with two hard links was opened")
		_ = second.Close()
	}
}

func TestAProgramLeavesANewerSchemaAlone(t *testing.T) {
	t.Parallel()
	storetest.OnFresh(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		newest, err := store.NewestVersion()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, $2)`, newest+1, true); err != nil {
			t.Fatal(err)
		}
		before, err := s.Columns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, cfg := range []store.Config{{URL: address, Serve: true}, {URL: address}} {
			if again, err := store.Open(t.Context(), cfg); err == nil {
				t.Errorf("%+v: an older program opened a newer schema", cfg)
				_ = again.Close()
			} else if want := fmt.Sprintf("version %d, but this program supports only versions up to %d", newest+1, newest); !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v", err)
			}
		}
		if after, err := s.Columns(t.Context()); err != nil || !slices.Equal(before, after) {
			t.Errorf("the schema became %v, %v", after, err)
		}
	})
}

func TestPostgresThatMayLoseCommitsIsRefused(t *testing.T) {
	t.Parallel()
	address := storetest.With(t, storetest.Postgres(t), "synchronous_commit", "off")
	cfg := store.Config{URL: address}
	if s, err := store.Open(t.Context(), cfg); err == nil {
		t.Error("a server with synchronous_commit off was accepted")
		_ = s.Close()
	} else if !strings.Contains(err.Error(), "synchronous_commit") {
		t.Errorf("the error does not name the setting: %v", err)
	}
	cfg.AllowUnsafe = true
	s, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestOnlyTheQueueRestrictsPlans(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.Postgres(t))
	queue, reports, err := s.Settings(t.Context(), "enable_seqscan", "plan_cache_mode", "statement_timeout", "lock_timeout")
	if diff := cmp.Diff([]string{"off", "force_generic_plan", "0", "3s"}, queue); err != nil || diff != "" {
		t.Errorf("the queue: %v, (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"on", "auto", "1min", "3s"}, reports); err != nil || diff != "" {
		t.Errorf("reports: %v, (-want +got):\n%s", err, diff)
	}
}

func TestABadDatabaseURLDoesNotShowItsPassword(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"postgres://u:hunter2@127.0.0.1:notaport/x", "postgres://u:hunter2@127.0.0.1:1/x"} {
		s, err := store.Open(t.Context(), store.Config{URL: address})
		if err == nil {
			_ = s.Close()
			t.Fatalf("%s was opened", address)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}
