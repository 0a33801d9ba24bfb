package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteDialect describes SQLite.
var sqliteDialect = dialect{
	Name:        "sqlite3",
	Now:         `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
	countTables: `SELECT COUNT(*) FROM sqlite_master WHERE name = $1`,
	// Hidden columns are computed.
	schema: `SELECT m.name AS table_name, c.name AS column_name, lower(c.type), c.pk AS place
		FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND c.hidden = 0`,
	writers:   1, // SQLite has one writer
	Exclusive: true,
	Locked:    func(error) bool { return false }, // SQLite has no row locks
	Unavailable: func(err error) bool {
		switch sqliteCode(err) & 0xff { // the primary code
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
			return true
		}
		return errors.Is(err, context.DeadlineExceeded)
	},
	// SQLite has already waited for the busy timeout.
	retryable:    func(error) bool { return false },
	disconnected: func(error) bool { return false },
	Duplicate: func(err error) bool {
		code := sqliteCode(err)
		return code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	},
	fatal: func(err error) bool {
		code := sqliteCode(err)
		return code == sqlite3.SQLITE_IOERR_FSYNC || code == sqlite3.SQLITE_IOERR_DIR_FSYNC
	},
}

func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

// lockWait is how long the command line waits for a transaction of a server, and a process for the
// migration of another.
const lockWait = 10 * time.Second

// openSQLite opens a file with one connection for writes and several for reads.
func openSQLite(ctx context.Context, cfg Config) (*DB, error) {
	if _, err := os.Stat(cfg.URL); cfg.Existing && errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoDatabase
	}
	if err := os.MkdirAll(filepath.Dir(cfg.URL), 0o700); err != nil {
		return nil, fmt.Errorf("create the data folder: %w", err)
	}
	// The file contains secrets. SQLite gives its other files the same permissions.
	file, err := os.OpenFile(cfg.URL, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the database file: %w", err)
	}
	if err := file.Close(); err != nil {
		return nil, fmt.Errorf("create the database file: %w", err)
	}
	path, err := canonicalPath(cfg.URL)
	if err != nil {
		return nil, err
	}
	unlock := func() error { return nil }
	if cfg.Serve {
		if unlock, err = lockFile(ctx, path+".serve", 0); err != nil {
			return nil, fmt.Errorf("another server uses %s: stop it, or start this one with a different --data: %w", cfg.URL, err)
		}
	}
	queue, err := sql.Open("sqlite", sqliteDSN(path, "immediate", false))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", cfg.URL, err), unlock())
	}
	queue.SetMaxOpenConns(1)
	lookups, err := openReaders(path, max(4, 2*runtime.GOMAXPROCS(0)))
	if err != nil {
		return nil, errors.Join(err, queue.Close(), unlock())
	}
	reports, err := openReaders(path, reportConnections)
	if err != nil {
		return nil, errors.Join(err, lookups.Close(), queue.Close(), unlock())
	}
	whole := &Shard{
		Dialect: &sqliteDialect, Queue: queue, Lookups: lookups, Reports: reports,
		direct: &direct{},
	}
	return &DB{
		Shard:          whole,
		Shards:         []*Shard{whole},
		lockMigrations: func(ctx context.Context) (func() error, error) { return lockFile(ctx, path+".migrate", lockWait) },
		close: func() error {
			return errors.Join(reports.Close(), lookups.Close(), whole.direct.close(), queue.Close(), unlock())
		},
	}, nil
}

// canonicalPath returns the path of a database without symbolic links, so that every process uses
// the same lock files and WAL. It returns an error for a file with several hard links, whose
// other names would lead to other lock files.
func canonicalPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("find the database: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("find the database: %w", err)
	}
	// Every Unix has the field Nlink, but in different types.
	if system := reflect.Indirect(reflect.ValueOf(info.Sys())); system.Kind() == reflect.Struct {
		if links := system.FieldByName("Nlink"); links.CanUint() && links.Uint() > 1 {
			return "", fmt.Errorf("%s has %d hard links, and two programs that use different ones would destroy the database; remove all links but one", path, links.Uint())
		}
	}
	return filepath.Abs(path)
}

func openReaders(path string, n int) (Pool, error) {
	db, err := sql.Open("sqlite", sqliteDSN(path, "deferred", true))
	if err != nil {
		return Pool{}, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return Pool{DB: db, Dialect: &sqliteDialect}, nil
}

func sqliteDSN(path, txlock string, queryOnly bool) string {
	query := url.Values{"_txlock": {txlock}, "_pragma": {
		"busy_timeout(" + strconv.FormatInt(lockWait.Milliseconds(), 10) + ")",
		"journal_mode(WAL)",            // readers and the writer do not wait for each other
		"synchronous(FULL)",            // an acknowledged commit survives a power loss
		"foreign_keys(1)",              // off by default
		"journal_size_limit(64000000)", // the log shrinks again after a burst
		"wal_autocheckpoint(8000)",     // 32 MB: pages that change often are copied back less often
		"cache_size(-65536)",           // 64 MiB; with the default of 2 MB the writer reads its own pages again
	}}
	if queryOnly {
		query.Add("_pragma", "query_only(1)")
	}
	return (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: query.Encode()}).String()
}

// lockFile takes an exclusive lock that the system releases when the process ends, even after a
// crash. It uses SQLite's locking, which works on every platform.
func lockFile(ctx context.Context, path string, wait time.Duration) (unlock func() error, err error) {
	dsn := (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: url.Values{
		"_pragma": {"busy_timeout(" + strconv.FormatInt(wait.Milliseconds(), 10) + ")"},
		"_txlock": {"exclusive"},
	}.Encode()}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	// The transaction holds the lock, so it must outlive ctx.
	tx, err := db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), db.Close())
	}
	return func() error { return errors.Join(tx.Rollback(), db.Close()) }, nil
}
