package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresDialect describes PostgreSQL.
var postgresDialect = dialect{
	Name:        "postgres",
	Now:         `(extract(epoch FROM statement_timestamp()) * 1000)::bigint`,
	countTables: `SELECT COUNT(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = $1`,
	schema: `SELECT t.relname AS table_name, a.attname AS column_name,
			CASE WHEN a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%' THEN 'numbered by the database' ELSE format_type(a.atttypid, NULL) END,
			COALESCE(array_position(i.indkey::int2[], a.attnum), -1) + 1 AS place
		FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
		LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
		WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')`,
	Analyse:    `ANALYZE `,
	byBytes:    ` COLLATE "C"`,
	ForUpdate:  `FOR UPDATE`,
	SkipLocked: `FOR UPDATE SKIP LOCKED`,
	Arrays:     true,
	snapshot:   sql.LevelRepeatableRead,
	NoTimeout:  `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`,
	begin:      []string{"BEGIN"},
	// One for each processor; the server should have at least as many. Measured on two processors:
	// more writers put fewer tasks in each commit, and fewer leave the disk idle.
	writers: min(4, max(2, runtime.GOMAXPROCS(0))),
	Locked:  func(err error) bool { return postgresCode(err) == "55P03" }, // lock_timeout
	Unavailable: func(err error) bool {
		code := postgresCode(err)
		var connecting *pgconn.ConnectError
		var network net.Error                                                                                                        // also matches an exceeded deadline
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57") && code != "57014" || // 57014: statement timeout
			code == "25P03" || errors.Is(err, errSilent) || lostConnection(err) || errors.As(err, &connecting) || errors.As(err, &network)
	},
	retryable: func(err error) bool {
		code := postgresCode(err)
		return code == "40P01" || code == "40001" // deadlock, serialization failure
	},
	disconnected: func(err error) bool {
		code := postgresCode(err)
		var network net.Error
		return code == "57P01" || code == "57P02" || code == "25P03" || lostConnection(err) || (errors.As(err, &network) && !network.Timeout())
	},
	Duplicate: func(err error) bool { return postgresCode(err) == "23505" },
	fatal:     func(error) bool { return false }, // the server handles errors of its disk
}

// lostConnection reports whether a connection ended before the server answered.
func lostConnection(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, pgconn.ErrConnClosed)
}

func postgresCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

const (
	// queueConnections serve the writers and lookupConnections short reads. To handle more load,
	// add nodes rather than connections. The pools are separate so that a writer gets its last
	// connection, whose statements are prepared, and never waits for reads.
	queueConnections   = 8
	lookupConnections  = 8
	minPostgresVersion = 140000
)

func parsePostgres(url string) (*pgx.ConnConfig, error) {
	pg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database URL is not valid") // err would show the password
	}
	if pg.ConnectTimeout == 0 {
		pg.ConnectTimeout = 3 * time.Second
	}
	maps.Copy(pg.RuntimeParams, map[string]string{
		"application_name": "earshot",
		// A frozen node inside a transaction keeps its organizations locked until the server ends
		// its session. A live node is idle in a transaction only for microseconds.
		"idle_in_transaction_session_timeout": "2s",
		"lock_timeout":                        "3s",
	})
	return pg, nil
}

func openPostgres(ctx context.Context, cfg Config) (*DB, error) {
	pg, err := parsePostgres(cfg.URL)
	if err != nil {
		return nil, err
	}
	s := &DB{Listener: pg, dial: pg.DialFunc, log: cfg.Log}
	s.close = func() (err error) {
		for _, p := range s.all() {
			for _, way := range []*Shard{p, p.WithKeys()} { // closing a pool twice is no error
				err = errors.Join(err, way.Reports.Close(), way.Lookups.Close(), way.Queue.Close())
			}
		}
		return err
	}
	s.guard(pg)
	s.Shard = openShard(pg, &postgresDialect, nil, toServer)
	s.Shards, s.lockMigrations = []*Shard{s.Shard}, advisoryLock(s.Queue)
	if err := s.checkPostgres(ctx, cfg.AllowUnsafe); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.findWorkers(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// openShard opens the pools of a shard without connecting yet.
func openShard(pg *pgx.ConnConfig, dialect *dialect, settings map[string]string, connect connecting) *Shard {
	forQueue := map[string]string{
		// Statements of the queue find a few rows through an index. Other plans result only from
		// wrong statistics, and are a hundred times slower.
		"jit": "off", "enable_seqscan": "off", "enable_hashjoin": "off",
		"enable_mergejoin": "off", "enable_bitmapscan": "off",
		// Planning a statement again would take as long as running it.
		"plan_cache_mode": "force_generic_plan",
	}
	// Reports use the server's choice of plans and have a time limit.
	forReports := map[string]string{"statement_timeout": "60s"}
	maps.Copy(forQueue, settings)
	maps.Copy(forReports, settings)
	queue, lookups := openPostgresPool(pg, queueConnections, forQueue, connect), openPostgresPool(pg, lookupConnections, forQueue, connect)
	reports := openPostgresPool(pg, reportConnections, forReports, connect)
	lookups.Dialect, reports.Dialect = dialect, dialect
	return &Shard{Dialect: dialect, Queue: queue.DB, Lookups: lookups, Reports: reports}
}

// forMigrations returns the settings of the connections of migrations. They may wait for long reports,
// and change all rows of a table.
func forMigrations() map[string]string {
	return map[string]string{"lock_timeout": "0", "idle_in_transaction_session_timeout": "0", "statement_timeout": "0"}
}

// connecting returns the connector of a pool.
type connecting func(pgx.ConnConfig) driver.Connector

// toServer connects to the server in the configuration.
func toServer(pg pgx.ConnConfig) driver.Connector { return stdlib.GetConnector(pg) }

// openPostgresPool opens a pool with additional settings for its connections.
func openPostgresPool(pg *pgx.ConnConfig, connections int, settings map[string]string, connect connecting) Pool {
	own := pg.Copy()
	maps.Copy(own.RuntimeParams, settings)
	db := sql.OpenDB(connect(*own))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return Pool{DB: db, Dialect: &postgresDialect}
}

// checkPostgres returns an error for a server that is too old or may lose acknowledged
// commits.
func (s *DB) checkPostgres(ctx context.Context, allowUnsafe bool) error {
	setting := func(name string) (value string, err error) {
		if err := s.Lookups.QueryRowContext(ctx, `SELECT current_setting($1)`, name).Scan(&value); err != nil {
			return "", fmt.Errorf("connect to PostgreSQL: %w", err)
		}
		return value, nil
	}
	text, err := setting("server_version_num")
	if err != nil {
		return err
	}
	version, err := strconv.Atoi(text)
	if err != nil || version < minPostgresVersion {
		return fmt.Errorf("PostgreSQL 14 or later is required, but this server is %s", text)
	}
	for _, name := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		value, err := setting(name)
		if err != nil {
			return err
		}
		if value == "off" && !allowUnsafe {
			return fmt.Errorf("PostgreSQL has %s off, so a crash could lose acknowledged tasks and charges; turn it on, or allow it with --allow-unsafe-database", name)
		}
	}
	return nil
}

// migrationLock is an arbitrary number that is the same on all nodes.
const migrationLock = 0x65617273686f74

// advisoryLock takes a PostgreSQL advisory lock, which ends with its connection. It waits as
// long as ctx allows.
func advisoryLock(db *sql.DB) func(context.Context) (func() error, error) {
	return func(ctx context.Context) (func() error, error) {
		conn, err := db.Conn(ctx)
		if err != nil {
			return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
		}
		_, err = conn.ExecContext(ctx, `SET lock_timeout = 0`)
		if err == nil {
			_, err = conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock))
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("wait for another node's migration: %w", err), conn.Close())
		}
		// The connection has a session lock and a changed setting, so it must be closed instead of
		// returning to the pool.
		return func() error {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
			return nil
		}, nil
	}
}
