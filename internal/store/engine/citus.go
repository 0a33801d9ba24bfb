package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"earshot"
)

// Citus is PostgreSQL with workers: tables may be on other servers than the one that applications
// connect to. The rows of organizations are in several schemas on the workers. Each of these
// schemas has all tables and is completely on one worker. Other rows stay on the coordinator, in
// the schema that PostgreSQL would use for everything. So a statement about one organization is the
// same as on PostgreSQL and runs on one server (ADR 22). If the coordinator's schema is called
// earshot, there are also
//
//	earshot_0, earshot_1 …  the shards
//	earshot_shared          views of the coordinator's tables that shards need, and the versions of the shards
//
// In the coordinator's schema, the table organizations has a row for each organization, which
// keeps names unique and is referenced by keys. No other columns of it are read.
//
// Connections for a shard go directly to the worker that has it (see worker.go).

// citusDialect describes Citus.
var citusDialect = func() dialect {
	d := postgresDialect
	d.Sharded = true
	// One writer for each shard. A worker has several shards and plans the statements of every
	// transaction again, so a few large transactions are faster than many small ones.
	d.writers = 1
	d.Unavailable = func(err error) bool {
		var e *pgconn.PgError
		return postgresDialect.Unavailable(err) || errors.As(err, &e) && e.Code == internalError && strings.Contains(e.Message, "connection") // to a worker
	}
	// Settings of a connection apply only to the server that it leads to, which may be the
	// coordinator. SET LOCAL is forwarded to the worker.
	d.begin = []string{
		"BEGIN", "SET LOCAL lock_timeout = '3s'", "SET LOCAL enable_seqscan = off", "SET LOCAL enable_hashjoin = off", "SET LOCAL enable_mergejoin = off",
		"SET LOCAL enable_bitmapscan = off",
	}
	return d
}()

// internalError is the code of unexpected errors. Citus also uses it for a connection to a worker
// that breaks.
const internalError = "XX000"

// shardsPerWorker is the number of shards for each worker when a database is created. Whole shards
// can be moved to workers that are added later.
const shardsPerWorker = 4

// shardConnections limits each of the three pools of a shard, since there may be many shards.
const shardConnections = 3

// acrossConnections limits the connections through the coordinator for transactions. There is one
// more connection for short reads.
const acrossConnections = 2

// countWorkers counts the workers that can have shards.
const countWorkers = `(SELECT COUNT(*) FROM pg_dist_node WHERE noderole = 'primary' AND isactive AND shouldhaveshards AND groupid <> 0)`

// findWorkers makes the database sharded if it has the Citus extension and there are workers or
// shards. The shards are created and opened by the migration.
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
		return nil // without workers the extension has no effect
	}
	base := *s.Shard
	base.Dialect = &citusDialect
	base.Lookups.Dialect, base.Reports.Dialect = &citusDialect, &citusDialect
	s.Shard, s.Shards = &base, nil
	return nil
}

// Sharded reports whether organizations are distributed over several servers.
func (s *DB) Sharded() bool { return s.Dialect.Sharded }

// openShards creates missing shards, brings all up to date and opens them. After an interruption
// it continues where it stopped. It runs under the lock of migrations, after the migration of
// the coordinator's schema.
func (s *DB) openShards(ctx context.Context) error {
	var own string
	if err := s.Lookups.QueryRowContext(ctx, `SELECT current_schema()`).Scan(&own); err != nil {
		return fmt.Errorf("find the schema: %w", err)
	}
	schemas, err := s.shardSchemas(ctx, own)
	if err != nil {
		return err
	}
	shared := pgx.Identifier{own + "_shared"}.Sanitize()
	for _, name := range append([]string{"nodes"}, globalAccountTables...) {
		if err := s.updateView(ctx, shared, pgx.Identifier{own, name}.Sanitize(), name); err != nil {
			return fmt.Errorf("create a view of %s for the shards: %w", name, err)
		}
	}
	for i, schema := range schemas {
		settings := map[string]string{
			"search_path": strings.Join([]string{shared, pgx.Identifier{schema}.Sanitize(), pgx.Identifier{own}.Sanitize()}, ", "),
			// A worker plans its own statements. Other plans may depend on the arguments.
			"plan_cache_mode": "auto",
			// Forward SET LOCAL to the worker.
			"citus.propagate_set_commands": "local",
		}
		circuit := newCircuit(schema, s.log)
		unguarded, guarded := s.Listener.Copy(), s.Listener.Copy()
		unguarded.DialFunc, guarded.DialFunc = s.dial, circuit.through(s.Listener.DialFunc)
		across := openShard(guarded, &citusDialect, settings, toServer)
		across.Queue.SetMaxOpenConns(acrossConnections)
		across.Lookups.SetMaxOpenConns(1)
		w := &worker{circuit: circuit, log: s.log, find: func(ctx context.Context) (workerPlace, error) { return s.findWorker(ctx, schema) }}
		p := openShard(guarded, &citusDialect, settings, w.connector(circuit.through(s.dial), false))
		for _, pool := range []Pool{{DB: p.Queue}, p.Lookups, p.Reports} {
			pool.SetMaxOpenConns(shardConnections)
			pool.SetConnMaxLifetime(shardConnectionTime)
		}
		p.Schema, p.Across, p.worker = schema, across, w
		for _, way := range []*Shard{p, across} {
			way.Lookups.explain, way.Reports.explain = explainWorker, explainWorker
		}
		s.Shards = append(s.Shards, p)
		settings["lock_timeout"] = "1s" // a locked table is no reason to open the circuit
		probes := openPostgresPool(unguarded, 1, settings, w.connector(s.dial, true))
		probes.SetConnMaxLifetime(shardConnectionTime)
		s.watch(circuit, probes, `SELECT COUNT(*) FROM (SELECT 1 FROM `+rootTable+` LIMIT 1) AS one`)
		if err := s.migrateShard(ctx, schema, fmt.Sprintf("%s_shared.goose_db_version_%d", own, i)); err != nil {
			return fmt.Errorf("shard %s: %w", schema, err)
		}
	}
	return nil
}

// updateView creates or updates the view of a table in a schema, with all columns of the table.
func (s *DB) updateView(ctx context.Context, schema, table, name string) error {
	const columns = `(SELECT COUNT(*) FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid = to_regclass($%d))`
	var shown bool
	err := s.Lookups.QueryRowContext(ctx, `SELECT `+fmt.Sprintf(columns, 1)+` = `+fmt.Sprintf(columns, 2), schema+"."+name, table).Scan(&shown)
	if err == nil && !shown {
		_, err = s.Queue.ExecContext(ctx, `CREATE OR REPLACE VIEW `+schema+`.`+name+` AS SELECT * FROM `+table)
	}
	return err
}

// shardSchemas returns the schemas of the shards. If there are none, it creates all in one
// transaction, since the number of shards must never change.
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
			return nil, errors.New("it was created before Citus had workers: copy it into an empty database with 'earshot migrate'")
		}
		// An operator can choose another number by setting citus.shard_count for the database.
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
			return nil, fmt.Errorf("create the schema %s: %w", schema, err)
		}
	}
	return schemas, tx.Commit()
}

// migrateShard brings the tables of a shard up to date. They are created on the coordinator, as
// on PostgreSQL, and then moved to a worker: Citus rejects some statements of older migrations on
// distributed tables.
func (s *DB) migrateShard(ctx context.Context, schema, versions string) error {
	settings := forMigrations()
	settings["search_path"] = pgx.Identifier{schema}.Sanitize()
	pool := openPostgresPool(s.Listener, 2, settings, toServer)
	defer func() { _ = pool.Close() }()
	if err := s.migrateSchema(ctx, pool.DB, versions); err != nil {
		return err
	}
	var moved, unlogged bool
	err := pool.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_dist_schema WHERE schemaid = $1::regnamespace), to_regclass('rate_windows') IS NOT NULL`, schema).Scan(&moved, &unlogged)
	if err != nil {
		return fmt.Errorf("find its worker: %w", err)
	}
	if unlogged { // Citus does not move unlogged tables, and only the coordinator counts requests
		if _, err := pool.ExecContext(ctx, `DROP TABLE rate_windows`); err != nil {
			return fmt.Errorf("drop an unlogged table: %w", err)
		}
	}
	if moved {
		return nil
	}
	_, err = pool.ExecContext(ctx, `SELECT citus_schema_distribute($1)`, schema)
	return Wrap(err, "move it to a worker")
}

// explainWorker converts errors of a worker that does not answer, or of a shard that cannot be
// written while it is moved, to CodeServerUnavailable.
func explainWorker(err error) error {
	var known *earshot.Error
	if err == nil || errors.As(err, &known) || !citusDialect.Unavailable(err) && !citusDialect.Locked(err) {
		return err
	}
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the organization's data cannot be reached at the moment, try again", Err: err}
}

// globalTables are the tables whose rows stay on the coordinator.
var globalTables = append([]string{"kept_pages"}, globalAccountTables...)

// globalAccountTables are the global tables that transactions of organizations use as well.
var globalAccountTables = []string{"api_keys", "users", "identities", "members", "invitations", "sessions", "share_links", "upstream_accounts"}

// readsItsShard is a condition that is always true. It makes the SELECT of an INSERT read a table
// of its shard, so that Citus sends the INSERT unchanged to the server of the shard. Citus would run
// an INSERT that only reads arrays on the current server and copy the rows.
const readsItsShard = ` WHERE EXISTS (SELECT 1 FROM ` + rootTable + `) IS NOT NULL`
