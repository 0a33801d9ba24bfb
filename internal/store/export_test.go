package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"earshot/internal/store/engine"
)

// Exec runs a statement, for tests with broken rows.
func (s *Store) Exec(query string, args ...any) error {
	for _, p := range s.having(query) {
		if _, err := p.Run(query, args...); err != nil {
			return err
		}
	}
	return nil
}

// having returns the shards that have the tables of a statement.
func (s *Store) having(query string) []*engine.Shard {
	if regexp.MustCompile(`\b(api_keys|nodes|extraction\w*|kept_pages|users|identities|members|invitations|sessions|share_links|goose_db_version)\b`).MatchString(query) {
		return []*engine.Shard{s.Shard}
	}
	return s.Shards
}

// Look takes a reading of the decisive clock, as if it came the given time after the last one.
func (s *Store) Look(read time.Time, passed time.Duration) {
	s.Clock.LookAfter(engine.Look{Time: read.Round(0), Looked: time.Now()}, passed)
}

// LastSeen returns the newest stored heartbeat.
func (s *Store) LastSeen(ctx context.Context) (time.Time, error) {
	seen, err := engine.FindValues[int64](ctx, s.Lookups, `SELECT MAX(seen_at) FROM nodes`)
	if err != nil {
		return time.Time{}, err
	}
	return time.UnixMilli(seen[0]), nil
}

// Counts returns the number of rows of each table.
func (s *Store) Counts(ctx context.Context, tables ...string) (counts []int, err error) {
	for _, table := range tables {
		sum := 0
		for _, p := range s.having(table) {
			n, err := engine.FindValues[int](ctx, p.Reports, `SELECT COUNT(*) FROM `+table)
			if err != nil {
				return nil, err
			}
			sum += n[0]
		}
		counts = append(counts, sum)
	}
	return counts, nil
}

// Columns lists the tables and columns of the schema as table.column.
func (s *Store) Columns(ctx context.Context) ([]string, error) {
	query := `SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_xinfo(m.name) c WHERE m.type IN ('table', 'view') ORDER BY 1`
	if s.Dialect.Name == "postgres" {
		query = `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1`
	}
	return engine.FindValues[string](ctx, s.Reports, query)
}

// Settings returns PostgreSQL settings of the pools for lookups and reports.
func (s *Store) Settings(ctx context.Context, names ...string) (queue, reports []string, err error) {
	for _, name := range names {
		for _, of := range []struct {
			pool   engine.Pool
			values *[]string
		}{{s.Lookups, &queue}, {s.Reports, &reports}} {
			values, err := engine.FindValues[string](ctx, of.pool, `SELECT current_setting($1)`, name)
			if err != nil {
				return nil, nil, err
			}
			*of.values = append(*of.values, values...)
		}
	}
	return queue, reports, nil
}

// BudgetsRead returns how many budgets a transaction reads for a job.
func (s *Store) BudgetsRead(job *Job) (n int, err error) {
	err = s.Commit(Change{Organization: job.Organization, Apply: func(ctx context.Context, w *Work) error {
		err := w.readBudgets(ctx, job)
		n = len(w.budgets)
		return err
	}})
	return n, err
}

// Plan returns PostgreSQL's plans of the statement that starts tasks and the statement that moves
// ended ones.
func (s *Store) Plan(ctx context.Context, organization string) (start, takeOut string, err error) {
	err = s.Transact(func(ctx context.Context, tx *engine.Tx) error {
		lines, err := explain(ctx, tx, startBest, &turn{organization, 5, organization, time.UnixMilli(5)})
		start = strings.Join(lines, "\n")
		if err != nil {
			return err
		}
		lines, err = explain(ctx, tx, moveEnded, &Task{Job: Job{Organization: organization, ID: organization}, Charged: new(int64), owner: organization})
		takeOut = strings.Join(lines, "\n")
		return err
	})
	return start, takeOut, err
}

func explain[T any](ctx context.Context, t *engine.Tx, s engine.Statement[T], row *T) (lines []string, err error) {
	s.Postgres = `EXPLAIN ` + s.Postgres
	err = engine.Each(ctx, t, s, []*T{row}, func(r engine.Scanner) error {
		var line string
		err := r.Scan(&line)
		lines = append(lines, line)
		return err
	})
	return lines, err
}

// NewestVersion returns the version of the newest migration.
func NewestVersion() (int64, error) {
	files, err := migrations.ReadDir("migrations/sqlite3")
	if err != nil {
		return 0, err
	}
	return goose.NumericComponent(files[len(files)-1].Name())
}

// IsVersion reports whether there is a migration with that version. Some numbers are missing.
func IsVersion(version int64) bool {
	files, _ := fs.Glob(migrations, fmt.Sprintf("migrations/sqlite3/%05d_*.sql", version))
	return len(files) > 0
}

// BuildVersion creates a database with the schema of an earlier version. After each migration it
// runs the statements of a fixture, so that the database has rows of every version.
func BuildVersion(ctx context.Context, address string, version int64, fixture func(version int64) (string, error)) (err error) {
	s, err := engine.Connect(ctx, Config{URL: address}, Migrations())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if Shared(address) { // SQLite has unhex built in
		_, err := s.Queue.ExecContext(ctx, `CREATE FUNCTION unhex(text) RETURNS bytea LANGUAGE sql AS 'SELECT decode($1, ''hex'')'`)
		if err != nil {
			return err
		}
	}
	provider, err := s.Migrations(s.Queue, goose.DefaultTablename)
	if err != nil {
		return err
	}
	for v := int64(1); v <= version; v++ {
		if !IsVersion(v) {
			continue
		}
		if _, err := provider.UpTo(ctx, v); err != nil {
			return err
		}
		text, err := fixture(v)
		if err != nil {
			return err
		}
		for statement := range strings.SplitSeq(strings.TrimSpace(text), ";\n") {
			if _, err := s.Queue.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("fixture of version %d: %w in %s", v, err, statement)
			}
		}
	}
	return nil
}

// TransferredTables returns the tables that a transfer copies.
func (s *Store) TransferredTables(ctx context.Context) (names []string, err error) {
	tables, err := s.StoredTables(ctx)
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names, err
}

// Spread returns how many rows of a table each shard has.
func (s *Store) Spread(tb testing.TB, table string) (counts []int) {
	tb.Helper()
	for _, p := range s.Shards {
		n, err := engine.FindValues[int](tb.Context(), p.Reports, `SELECT COUNT(*) FROM `+table)
		if err != nil {
			tb.Fatal(err)
		}
		counts = append(counts, n...)
	}
	return counts
}

// Place returns the schema of the first shard and the address of the worker that has it.
func (s *Store) Place(tb testing.TB) (schema, host string, port uint16) {
	tb.Helper()
	schema = s.Shards[0].Schema
	err := s.Lookups.QueryRowContext(tb.Context(), `
		SELECT nodename, nodeport FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
		WHERE logicalrelid = $1::text::regclass AND noderole = 'primary'`, schema+".organizations").Scan(&host, &port)
	if err != nil {
		tb.Fatal(err)
	}
	return schema, host, port
}

// ShardTable returns the name of the first shard's organizations table on its worker.
func (s *Store) ShardTable(tb testing.TB) string {
	tb.Helper()
	of := s.Shards[0].Schema + ".organizations"
	name, err := engine.FindValues[string](tb.Context(), s.Lookups, `SELECT $1::text || '_' || shardid FROM pg_dist_shard WHERE logicalrelid = $1::text::regclass`, of)
	if err != nil {
		tb.Fatal(err)
	}
	return name[0]
}

// Chosen returns the organizations that a node would serve next, given how many milliseconds each
// has waited.
func Chosen(node string, nodes map[string]int, limits ClaimLimits, waited map[string]int64) []string {
	var waiting []candidate
	for id, time := range waited {
		waiting = append(waiting, candidate{id: id, waited: time})
	}
	return (&chooser{node, nodes, limits, new(shortages)}).choose(waiting)
}

// HomeTime is homeTime in milliseconds.
const HomeTime = int64(homeTime / time.Millisecond)

// Nodes returns the nodes that the last heartbeat found, with their workers.
func (s *Store) Nodes() map[string]int { return *s.nodes.Load() }

// WriterFor returns an organization's writer, for comparisons.
func (s *Store) WriterFor(organization string) any {
	return s.ShardOf(organization).WriterOf(organization)
}

// Occupy keeps an organization's writer busy until release is called. full returns when another
// write has waited for the writer for longer than freshTime.
func (s *Store) Occupy(tb testing.TB, organization string) (full, release func()) {
	tb.Helper()
	begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	l := s.ShardOf(organization).WriterOf(organization)
	go func() {
		ended <- l.Shard.Write(engine.Write{Organization: organization, Apply: func(context.Context, engine.Unit) error {
			close(begun)
			<-end
			return nil
		}})
	}()
	<-begun
	full = func() {
		s.AwaitWrites(organization, 1)
		<-time.After(2 * freshTime)
	}
	release = func() {
		close(end)
		if err := <-ended; err != nil {
			tb.Error(err)
		}
	}
	return full, release
}

// AwaitWrites waits until n writes wait for an organization's writer.
func (s *Store) AwaitWrites(organization string, n int) {
	for l := s.ShardOf(organization).WriterOf(organization); len(l.Queue) < n; {
		<-time.After(time.Millisecond)
	}
}

// HoldReaders takes all connections for reads of an organization until release is called.
func (s *Store) HoldReaders(tb testing.TB, organization string) (release func()) {
	tb.Helper()
	held := slices.Concat(hold(tb, s.ShardOf(organization).Lookups), hold(tb, s.ShardOf(organization).Reports))
	return func() { giveBack(tb, held) }
}

// CutLookups terminates the PostgreSQL sessions of all connections for short reads.
func (s *Store) CutLookups(tb testing.TB) {
	tb.Helper()
	held := hold(tb, s.Lookups)
	ids := make([]int64, len(held))
	for i, conn := range held {
		if err := conn.QueryRowContext(tb.Context(), `SELECT pg_backend_pid()`).Scan(&ids[i]); err != nil {
			tb.Fatal(err)
		}
	}
	giveBack(tb, held)
	if _, err := s.Queue.ExecContext(tb.Context(), `SELECT pg_terminate_backend(id, 60000) FROM unnest($1::int[]) AS id`, ids); err != nil {
		tb.Fatal(err)
	}
}

// hold takes all connections of a pool.
func hold(tb testing.TB, p engine.Pool) (held []*sql.Conn) {
	tb.Helper()
	for range p.Stats().MaxOpenConnections {
		conn, err := p.Conn(tb.Context())
		if err != nil {
			tb.Fatal(err)
		}
		held = append(held, conn)
	}
	return held
}

func giveBack(tb testing.TB, held []*sql.Conn) {
	tb.Helper()
	for _, conn := range held {
		if err := conn.Close(); err != nil {
			tb.Error(err)
		}
	}
}

// ServedAt returns when a claim last served an organization.
func (s *Store) ServedAt(tb testing.TB, organization string) int64 {
	tb.Helper()
	at, err := engine.FindValues[int64](tb.Context(), s.ShardOf(organization).Lookups, `SELECT served_at FROM organizations WHERE id = $1`, organization)
	if err != nil {
		tb.Fatal(err)
	}
	return at[0]
}

// RememberShortages keeps the cached shortages for an hour.
func (s *Store) RememberShortages() {
	s.short.mu.Lock()
	defer s.short.mu.Unlock()
	for id, one := range s.short.organizations {
		one.until = time.Now().Add(time.Hour)
		s.short.organizations[id] = one
	}
}
