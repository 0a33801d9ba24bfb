// Package storetest provides tests with a real, empty database of each kind.
package storetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that creates schemas

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
)

// PostgresVariable is the environment variable with the address of the PostgreSQL server that
// scripts/with-postgres.sh started.
const PostgresVariable = "EARSHOT_TEST_POSTGRES"

// CitusVariable is the environment variable with the address of the coordinator that
// scripts/with-citus.sh started.
const CitusVariable = "EARSHOT_TEST_CITUS"

// OnEach runs the test on SQLite, PostgreSQL and Citus, each time with the address of an
// empty database.
func OnEach(t *testing.T, test func(t *testing.T, address string)) {
	t.Helper()
	on(t, "sqlite", SQLite, test)
	on(t, "postgres", Postgres, test)
	on(t, "citus", Citus, test)
}

// OnFresh is OnEach for tests that need a database without tables. It omits Citus, where the tables
// of an earlier test are reused.
func OnFresh(t *testing.T, test func(t *testing.T, address string)) {
	t.Helper()
	on(t, "sqlite", sqlite, test)
	on(t, "postgres", FreshPostgres, test)
}

func on(t *testing.T, name string, database func(testing.TB) string, test func(t *testing.T, address string)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		test(t, database(t))
	})
}

func sqlite(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "earshot.db")
}

// SQLite returns the address of a database with empty tables.
func SQLite(tb testing.TB) string {
	tb.Helper()
	address := sqlite(tb)
	text, err := emptySQLite()
	if err == nil {
		err = os.WriteFile(address, text, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return address
}

// emptySQLite returns the file of a database with empty tables. Copying it is quicker than creating
// the tables.
var emptySQLite = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "earshot-store-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // the system's folder for such things
	file := filepath.Join(folder, "earshot.db")
	s, err := store.Open(context.Background(), store.Config{URL: file})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// FreshPostgres creates an empty schema without tables and returns its address. Without a server
// it skips the test, or fails it in CI.
func FreshPostgres(tb testing.TB) string {
	tb.Helper()
	server := postgres(tb)
	admin := connect(tb, server)
	schema := create(tb, admin)
	tb.Cleanup(func() {
		// The context of the test has ended.
		if _, err := admin.ExecContext(context.WithoutCancel(tb.Context()), `DROP SCHEMA `+schema+` CASCADE`); err != nil {
			tb.Error(err)
		}
	})
	return With(tb, server, "search_path", schema)
}

// Postgres returns the address of a schema with empty tables. A benchmark gets new tables, since
// deleted rows take up space and PostgreSQL keeps its statistics of them.
func Postgres(tb testing.TB) string {
	tb.Helper()
	if _, ok := tb.(*testing.B); ok {
		return FreshPostgres(tb)
	}
	return reuse(tb, postgres(tb))
}

// postgres returns the address of the server.
func postgres(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv(PostgresVariable)
	if server == "" {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("%s is not set: run the tests through make test", PostgresVariable)
		}
		tb.Skipf("%s is not set: run the tests through make test", PostgresVariable)
	}
	return server
}

func connect(tb testing.TB, server string) *sql.DB {
	tb.Helper()
	admin, err := sql.Open("pgx", server)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := admin.Close(); err != nil {
			tb.Error(err)
		}
	})
	return admin
}

// create creates a schema.
func create(tb testing.TB, admin *sql.DB) (schema string) {
	tb.Helper()
	schema = "test_" + strings.ToLower(rand.Text())
	if _, err := admin.ExecContext(tb.Context(), `CREATE SCHEMA `+schema); err != nil {
		tb.Fatal(err)
	}
	return schema
}

// Citus returns the address of an empty database on Citus. Without a cluster it skips the test.
func Citus(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv(CitusVariable)
	if server == "" {
		tb.Skipf("%s is not set: run the tests through scripts/with-citus.sh", CitusVariable)
	}
	return reuse(tb, server)
}

// Schemas of ended tests are emptied and listed on the server for the next test, of any process.
// Creating the tables again would take longer than most tests, and distributing them over workers
// takes seconds. The lock is because two processes may create the table at the same time.
const emptied = `BEGIN; SELECT pg_advisory_xact_lock(7421); CREATE TABLE IF NOT EXISTS public.emptied (schema text, migrations text); COMMIT`

// reuse returns the address of a schema of an earlier test, or of a new one.
func reuse(tb testing.TB, server string) string {
	tb.Helper()
	admin := connect(tb, server)
	if _, err := admin.ExecContext(tb.Context(), emptied); err != nil {
		tb.Fatal(err)
	}
	var schema string
	err := admin.QueryRowContext(tb.Context(), `DELETE FROM public.emptied WHERE schema =
		(SELECT schema FROM public.emptied WHERE migrations = $1 LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING schema`, migrations()).Scan(&schema)
	if errors.Is(err, sql.ErrNoRows) {
		schema = create(tb, admin)
	} else if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			return
		}
		if err := empty(context.WithoutCancel(tb.Context()), admin, schema); err != nil { // the context has ended
			tb.Error(err)
		}
	})
	return With(tb, server, "search_path", schema)
}

// largest is the size of a schema from which on it is dropped: deleted rows still take up space.
const largest = 64 << 20

// empty deletes all rows of a schema and lists it for the next test.
func empty(ctx context.Context, admin *sql.DB, schema string) error {
	var deletes sql.NullString
	var size sql.NullInt64
	err := admin.QueryRowContext(ctx, `SELECT string_agg(format('DELETE FROM %I.%I', nspname, relname), '; ' ORDER BY relname = 'organizations'), sum(pg_total_relation_size(c.oid))
		FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE (nspname = $1 OR nspname ~ ('^' || $1 || '_[0-9]+$')) AND relkind = 'r' AND relname NOT LIKE 'goose%'`, schema).Scan(&deletes, &size)
	if err != nil {
		return err
	}
	if !deletes.Valid || size.Int64 > largest { // without tables it is not worth keeping
		_, err := admin.ExecContext(ctx, `DROP SCHEMA `+schema+` CASCADE`)
		return err
	}
	if _, err := admin.ExecContext(ctx, deletes.String); err != nil {
		return err
	}
	_, err = admin.ExecContext(ctx, `INSERT INTO public.emptied VALUES ($1, $2)`, schema, migrations())
	return err
}

// migrations identifies the migrations of this program: a server may outlive a change of them.
var migrations = sync.OnceValue(func() string {
	hash := sha256.New()
	err := fs.WalkDir(store.Migrations(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(store.Migrations(), path)
		_, _ = hash.Write(text) // a Hash returns no errors
		return err
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	return hex.EncodeToString(hash.Sum(nil))
})

// With adds a parameter to the address of a database.
func With(tb testing.TB, address, name, value string) string {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// Open opens a store that is closed when the test ends.
func Open(tb testing.TB, address string) *store.Store {
	tb.Helper()
	return open(tb, store.Config{URL: address})
}

// OpenVirtual is Open for tests that pass in past or future times, which the store trusts.
func OpenVirtual(tb testing.TB, address string) *store.Store {
	tb.Helper()
	return open(tb, store.Config{URL: address, Virtual: true})
}

func open(tb testing.TB, cfg store.Config) *store.Store {
	tb.Helper()
	s, err := store.Open(tb.Context(), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// Organization creates an organization with the given slots and credits.
func Organization(tb testing.TB, s *store.Store, slots int, credits int64) *account.Organization {
	tb.Helper()
	o, err := orgs.New(s).CreateOrganization(orgs.NewOrganization{
		Name:          "org-" + rand.Text(),
		Plan:          account.Plan{Name: "hobby", Slots: slots, CreditsPerCycle: 1000, RequestsPerSecond: 1000, QueueCapacity: 100},
		FirstGrant:    credits,
		WebhookSecret: account.NewWebhookSecret(),
		Key:           account.NewKey(),
	}, account.Operator(), time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

// Audited fails the test if a balance or counter is wrong.
func Audited(tb testing.TB, s *store.Store) {
	tb.Helper()
	findings, err := s.Audit(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range findings {
		tb.Errorf("audit: %+v", f)
	}
}
