package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"earshot"
)

// Citus is PostgreSQL with workers: tables may lie on other servers than the one that
// applications speak to. What belongs to organizations lies there in some schemas, each of
// which has all tables and is whole on one worker; what belongs to nobody stays with the
// coordinator, in the schema where PostgreSQL has everything. So whatever concerns one
// organization is said in the same words as to PostgreSQL, and runs on one server as it is
// (ADR 22). Beside that schema, called earshot here, there are
//
//	earshot_0, earshot_1 …  the shards
//	earshot_shared          views of what shards need of the coordinator's tables, and the versions of the shards
//
// In the coordinator's own schema, organizations has one row for each, which keeps names
// unique and is what keys refer to; nothing else of it is read.
//
// Connections for a shard lead to the worker that has it, past the coordinator: worker.go.

// citusDialect is what Citus says differently from PostgreSQL.
var citusDialect = func() dialect {
	d := PostgresDialect
	d.Sharded = true
	// One for each shard: a worker plans the statements of every transaction anew, so few large
	// ones are better, and it has several shards.
	d.writers = 1
	d.Unavailable = func(err error) bool {
		var e *pgconn.PgError
		return PostgresDialect.Unavailable(err) || errors.As(err, &e) && e.Code == internalError && strings.Contains(e.Message, "connection") // to a worker
	}
	// Settings of a connection stay with the server that it leads to, which may be the
	// coordinator; those of a transaction go along.
	d.begin = []string{
		"BEGIN", "SET LOCAL lock_timeout = '3s'", "SET LOCAL enable_seqscan = off", "SET LOCAL enable_hashjoin = off", "SET LOCAL enable_mergejoin = off",
		"SET LOCAL enable_bitmapscan = off",
	}
	return d
}()

// internalError is the code of what a server does not expect, which Citus also says of a
// connection that ends while it is used.
const internalError = "XX000"

// shardsPerWorker is how many shards there are for each worker that is there when a database is
// made: they are what can be moved to workers that are added later.
const shardsPerWorker = 4

// shardConnections is how many connections the writers of a shard have, its short reads, and its
// reports; there may be many shards.
const shardConnections = 3

// acrossConnections go through the coordinator, for the little that concerns it and a shard, and
// one more for short reads.
const acrossConnections = 2

// countWorkers counts those that can have shards.
const countWorkers = `(SELECT COUNT(*) FROM pg_dist_node WHERE noderole = 'primary' AND isactive AND shouldhaveshards AND groupid <> 0)`

// findWorkers has a database spread that has the extension, and workers or shards. The shards
// are made and opened when it is migrated.
func (s *DB) findWorkers(ctx context.Context) error {
	var citus int
	if err := s.Lookups.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_extension WHERE extname = 'citus'`).Scan(&citus); err != nil {
		return fmt.Errorf("look for Citus: %w", err)
	}
	if citus == 0 {
		return nil
	}
	var workers, schemas int
	if err := s.Lookups.QueryRowContext(ctx, `SELECT `+countWorkers+`, (SELECT COUNT(*) FROM pg_dist_schema)`).Scan(&workers, &schemas); err != nil {
		return fmt.Errorf("look for workers of Citus: %w", err)
	}
	if workers+schemas == 0 {
		return nil // the extension alone changes nothing
	}
	base := *s.Shard
	base.Dialect = &citusDialect
	base.Lookups.Dialect, base.Reports.Dialect = &citusDialect, &citusDialect
	s.Shard, s.Shards = &base, nil
	return nil
}

// Sharded reports whether organizations are spread over servers.
func (s *DB) Sharded() bool { return s.Dialect.Sharded }

// spreadOut makes the shards where they are missing, brings them up to date, and opens them.
// However often it is interrupted, it goes on where it was. It runs under the lock of
// migrations, after those of the coordinator's own schema.
func (s *DB) spreadOut(ctx context.Context) error {
	var own string
	if err := s.Lookups.QueryRowContext(ctx, `SELECT current_schema()`).Scan(&own); err != nil {
		return fmt.Errorf("find the schema: %w", err)
	}
	schemas, err := s.shardSchemas(ctx, own)
	if err != nil {
		return err
	}
	shared := pgx.Identifier{own + "_shared"}.Sanitize()
	for _, name := range []string{"nodes", "api_keys"} {
		if err := s.showTo(ctx, shared, pgx.Identifier{own, name}.Sanitize(), name); err != nil {
			return fmt.Errorf("show %s to the shards: %w", name, err)
		}
	}
	for i, schema := range schemas {
		settings := map[string]string{
			"search_path": strings.Join([]string{shared, pgx.Identifier{schema}.Sanitize(), pgx.Identifier{own}.Sanitize()}, ", "),
			// What runs on a worker is planned there; what does not may need to know the arguments.
			"plan_cache_mode": "auto",
			// Settings of a transaction go to the worker, too.
			"citus.propagate_set_commands": "local",
		}
		across := openShard(s.Listener, &citusDialect, settings, ToServer)
		across.Queue.SetMaxOpenConns(acrossConnections)
		across.Lookups.SetMaxOpenConns(1)
		p := openShard(s.Listener, &citusDialect, settings, func(coordinator pgx.ConnConfig) driver.Connector {
			find := func(ctx context.Context) (WorkerPlace, error) { return across.FindWorker(ctx, schema) }
			return &WorkerConnector{Connector: ToServer(coordinator), Config: coordinator, Find: find}
		})
		for _, pool := range []Pool{{DB: p.Queue}, p.Lookups, p.Reports} {
			pool.SetMaxOpenConns(shardConnections)
			pool.SetConnMaxLifetime(shardConnectionTime)
		}
		p.Schema, p.Across = schema, across
		for _, way := range []*Shard{p, across} {
			way.Lookups.explain, way.Reports.explain = workerAway, workerAway
		}
		s.Shards = append(s.Shards, p)
		if err := s.migrateShard(ctx, schema, fmt.Sprintf("%s_shared.goose_db_version_%d", own, i)); err != nil {
			return fmt.Errorf("shard %s: %w", schema, err)
		}
	}
	return nil
}

// showTo has a schema show a table as it is now, with the columns that migrations have added.
func (s *DB) showTo(ctx context.Context, schema, table, name string) error {
	const columns = `(SELECT COUNT(*) FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid = to_regclass($%d))`
	var shown bool
	err := s.Lookups.QueryRowContext(ctx, `SELECT `+fmt.Sprintf(columns, 1)+` = `+fmt.Sprintf(columns, 2), schema+"."+name, table).Scan(&shown)
	if err == nil && !shown {
		_, err = s.Queue.ExecContext(ctx, `CREATE OR REPLACE VIEW `+schema+`.`+name+` AS SELECT * FROM `+table)
	}
	return err
}

// shardSchemas are the schemas of the shards. They are made together, so that there are never
// fewer than organizations are spread over.
func (s *DB) shardSchemas(ctx context.Context, own string) (schemas []string, err error) {
	var count int
	err = s.Lookups.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_namespace WHERE nspname ~ ('^' || $1 || '_[0-9]+$')`, own).Scan(&count)
	if err != nil {
		return nil, fmt.Errorf("look for shards: %w", err)
	}
	made := count > 0
	if !made {
		var filled bool
		if err := s.Lookups.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM organizations)`).Scan(&filled); err != nil {
			return nil, fmt.Errorf("look for organizations: %w", err)
		}
		if filled {
			return nil, errors.New("it was made before Citus had workers: move it into an empty one with 'earshot migrate'")
		}
		// An operator who wants more or fewer sets citus.shard_count for the database.
		err = s.Lookups.QueryRowContext(ctx, `SELECT LEAST(current_setting('citus.shard_count')::int, $1 * `+countWorkers+`)`, shardsPerWorker).Scan(&count)
		if err != nil {
			return nil, fmt.Errorf("look for workers of Citus: %w", err)
		}
	}
	for i := range max(1, count) {
		schemas = append(schemas, fmt.Sprintf("%s_%d", own, i))
	}
	if made {
		return schemas, nil
	}
	tx, err := s.Queue.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	for _, schema := range append([]string{own + "_shared"}, schemas...) {
		if _, err := tx.ExecContext(ctx, `CREATE SCHEMA `+pgx.Identifier{schema}.Sanitize()); err != nil {
			return nil, fmt.Errorf("make the schema %s: %w", schema, err)
		}
	}
	return schemas, tx.Commit()
}

// migrateShard brings the tables of a shard up to date. They are made where the coordinator
// is, as on PostgreSQL, and then moved to a worker: Citus refuses some statements of older
// migrations for tables that it has moved.
func (s *DB) migrateShard(ctx context.Context, schema, versions string) error {
	pool := OpenPostgresPool(s.Listener, 2, map[string]string{"search_path": pgx.Identifier{schema}.Sanitize()}, ToServer)
	defer func() { _ = pool.Close() }()
	if err := s.migrateSchema(ctx, pool.DB, versions); err != nil {
		return err
	}
	var moved int
	if err := pool.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_dist_schema WHERE schemaid = $1::regnamespace`, schema).Scan(&moved); err != nil {
		return fmt.Errorf("look where it is: %w", err)
	}
	if moved > 0 {
		return nil
	}
	if _, err := pool.ExecContext(ctx, `SELECT citus_schema_distribute($1)`, schema); err != nil {
		return fmt.Errorf("move it to a worker: %w", err)
	}
	return nil
}

// workerAway tells clients of an organization whose worker does not answer, or whose shard
// cannot be written to while it is moved.
func workerAway(err error) error {
	var known *earshot.Error
	if err == nil || errors.As(err, &known) || !citusDialect.Unavailable(err) && !citusDialect.Locked(err) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the organization's data cannot be reached at the moment, try again", Err: err}
}

// globalTables are the tables that stay with the coordinator.
var globalTables = []string{"api_keys", "extraction"}

// readsItsShard is a condition that always holds. It has the SELECT of an insert read a table of
// its shard: only then Citus sends the insert to the server that has the shard, as it is. One
// that reads arrays alone it runs where it is asked, and copies the rows over.
const readsItsShard = ` WHERE EXISTS (SELECT 1 FROM ` + RootTable + `) IS NOT NULL`
