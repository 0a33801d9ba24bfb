package store

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

var postgresDialect = dialect{
	name:        "postgres",
	now:         `(extract(epoch FROM statement_timestamp()) * 1000)::bigint`,
	countTables: `SELECT COUNT(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = $1`,
	schema: `SELECT t.relname AS table_name, a.attname AS column_name,
			CASE WHEN a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%' THEN 'numbered by the database' ELSE format_type(a.atttypid, NULL) END,
			COALESCE(array_position(i.indkey::int2[], a.attnum), -1) + 1 AS place
		FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
		LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
		WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')`,
	analyse:    `ANALYZE `,
	byBytes:    ` COLLATE "C"`,
	forUpdate:  `FOR UPDATE`,
	skipLocked: `FOR UPDATE SKIP LOCKED`,
	arrays:     true,
	snapshot:   sql.LevelRepeatableRead,
	noTimeout:  `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`,
	begin:      []string{"BEGIN"},
	// One for each processor, of which the server has at least as many. Measured on two: with
	// more lanes each commit carries fewer tasks, and with fewer the disk is idle.
	lanes:  min(4, max(2, runtime.GOMAXPROCS(0))),
	locked: func(err error) bool { return postgresCode(err) == "55P03" }, // lock_timeout
	unavailable: func(err error) bool {
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
	duplicate: func(err error) bool { return postgresCode(err) == "23505" },
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
	// queueConnections serve the lanes, and lookupConnections short reads; the answer to more
	// load is more nodes, not more connections. A lane that finds its last connection again finds
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

func openPostgres(ctx context.Context, cfg Config) (*db, error) {
	pg, err := parsePostgres(cfg.URL)
	if err != nil {
		return nil, err
	}
	whole := openPart(pg, &postgresDialect, nil, toServer)
	s := &db{
		part: whole, parts: []*part{whole}, listener: pg,
		lockMigrations: advisoryLock(whole.queue),
	}
	s.close = func() (err error) {
		for _, p := range s.all() {
			for _, way := range []*part{p, p.withKeys()} { // to close a pool twice is fine
				err = errors.Join(err, way.reports.Close(), way.lookups.Close(), way.queue.Close())
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

// openPart opens the pools of a part. Nothing is connected yet.
func openPart(pg *pgx.ConnConfig, dialect *dialect, settings map[string]string, connect connecting) *part {
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
	queue, lookups := openPostgresPool(pg, queueConnections, forQueue, connect), openPostgresPool(pg, lookupConnections, forQueue, connect)
	reports := openPostgresPool(pg, reportConnections, forReports, connect)
	lookups.dialect, reports.dialect = dialect, dialect
	return &part{dialect: dialect, queue: queue.DB, lookups: lookups, reports: reports}
}

// connecting says to which server a pool connects.
type connecting func(pgx.ConnConfig) driver.Connector

// toServer connects to the server that the configuration names.
func toServer(pg pgx.ConnConfig) driver.Connector { return stdlib.GetConnector(pg) }

func openPostgresPool(pg *pgx.ConnConfig, connections int, settings map[string]string, connect connecting) pool {
	own := pg.Copy()
	maps.Copy(own.RuntimeParams, settings)
	db := sql.OpenDB(connect(*own))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return pool{DB: db, dialect: &postgresDialect}
}

// checkPostgres refuses a server that is too old or may lose what it
// acknowledged.
func (s *db) checkPostgres(ctx context.Context, allowUnsafe bool) error {
	setting := func(name string) (value string, err error) {
		if err := s.lookups.QueryRowContext(ctx, `SELECT current_setting($1)`, name).Scan(&value); err != nil {
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
