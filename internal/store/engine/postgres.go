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

// PostgresDialect is how PostgreSQL is spoken to.
var PostgresDialect = dialect{
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
	// One for each processor, of which the server has at least as many. Measured on two: with
	// more writers each commit carries fewer tasks, and with fewer the disk is idle.
	writers: min(4, max(2, runtime.GOMAXPROCS(0))),
	Locked:  func(err error) bool { return postgresCode(err) == "55P03" }, // lock_timeout
	Unavailable: func(err error) bool {
		code := postgresCode(err)
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57") || strings.HasPrefix(code, "53")
	},
	away: func(err error) bool {
		code := postgresCode(err)
		var connecting *pgconn.ConnectError
		var network net.Error                                                                                                        // also a deadline that has passed
		return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57") && code != "57014" || // a statement that took too long
			code == "25P03" || lostConnection(err) || errors.As(err, &connecting) || errors.As(err, &network)
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
	fatal:     func(error) bool { return false }, // the server looks after its own disk
}

// lostConnection reports whether a connection ended before the server answered.
func lostConnection(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, pgconn.ErrConnClosed)
}

func postgresCode(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

const (
	// queueConnections serve the writers, and lookupConnections short reads; the answer to more
	// load is more nodes, not more connections. A writer that finds its last connection again finds
	// it warm, and never waits until somebody has read.
	queueConnections   = 8
	lookupConnections  = 8
	minPostgresVersion = 140000
)

func parsePostgres(url string) (*pgx.ConnConfig, error) {
	pg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database URL cannot be read") // err would show its password
	}
	if pg.ConnectTimeout == 0 {
		pg.ConnectTimeout = 3 * time.Second
	}
	maps.Copy(pg.RuntimeParams, map[string]string{
		"application_name": "earshot",
		// A node that was frozen inside a transaction holds the rows of its
		// organizations until the server cuts it off; a live one is idle there for
		// microseconds.
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
	whole := openShard(pg, &PostgresDialect, nil, ToServer)
	s := &DB{
		Shard: whole, Shards: []*Shard{whole}, Listener: pg,
		lockMigrations: advisoryLock(whole.Queue),
	}
	s.close = func() (err error) {
		for _, p := range s.all() {
			for _, way := range []*Shard{p, p.WithKeys()} { // to close a pool twice is fine
				err = errors.Join(err, way.Reports.Close(), way.Lookups.Close(), way.Queue.Close())
			}
		}
		return err
	}
	if err := s.checkPostgres(ctx, cfg.AllowUnsafe); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.findWorkers(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// openShard opens the pools of a shard. Nothing is connected yet.
func openShard(pg *pgx.ConnConfig, dialect *dialect, settings map[string]string, connect connecting) *Shard {
	forQueue := map[string]string{
		// Statements of the queue touch a few rows through an index. Other plans only
		// come up by mistaken statistics, and then cost a hundredfold.
		"jit": "off", "enable_seqscan": "off", "enable_hashjoin": "off",
		"enable_mergejoin": "off", "enable_bitmapscan": "off",
		// Planning anew would cost as much as running.
		"plan_cache_mode": "force_generic_plan",
	}
	// Reports leave their plans to the server, and do not keep it busy for ever.
	forReports := map[string]string{"statement_timeout": "60s"}
	maps.Copy(forQueue, settings)
	maps.Copy(forReports, settings)
	queue, lookups := OpenPostgresPool(pg, queueConnections, forQueue, connect), OpenPostgresPool(pg, lookupConnections, forQueue, connect)
	reports := OpenPostgresPool(pg, reportConnections, forReports, connect)
	lookups.Dialect, reports.Dialect = dialect, dialect
	return &Shard{Dialect: dialect, Queue: queue.DB, Lookups: lookups, Reports: reports}
}

// connecting says to which server a pool connects.
type connecting func(pgx.ConnConfig) driver.Connector

// ToServer connects to the server that the configuration names.
func ToServer(pg pgx.ConnConfig) driver.Connector { return stdlib.GetConnector(pg) }

// OpenPostgresPool opens connections for one purpose, with settings of their own.
func OpenPostgresPool(pg *pgx.ConnConfig, connections int, settings map[string]string, connect connecting) Pool {
	own := pg.Copy()
	maps.Copy(own.RuntimeParams, settings)
	db := sql.OpenDB(connect(*own))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return Pool{DB: db, Dialect: &PostgresDialect}
}

// checkPostgres refuses a server that is too old or may lose what it
// acknowledged.
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

// migrationLock is an arbitrary number that all nodes agree on.
const migrationLock = 0x65617273686f74

// advisoryLock takes a lock that PostgreSQL drops with the connection, and
// waits for it as long as ctx allows.
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
		// A connection with a session lock and a setting of its own must not go
		// back to the pool: closing it drops both.
		return func() error {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
			return nil
		}, nil
	}
}
