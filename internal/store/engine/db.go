package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	// The embedded shard has the rows that belong to no organization.
	*Shard
	// Shards have the rows of organizations; see ShardOf. On SQLite and PostgreSQL the only
	// element is the embedded shard.
	Shards []*Shard
	// Listener is the configuration for connections that listen to other nodes; nil on SQLite.
	Listener *pgx.ConnConfig
	dial     pgconn.DialFunc // of Listener, without its circuit
	// lockMigrations keeps other processes from migrating at the same time.
	lockMigrations func(context.Context) (unlock func() error, err error)
	files          fs.FS // migrations, with a folder for each dialect
	close          func() error
	log            *slog.Logger
}

// reportConnections limits the reports that run at the same time.
const reportConnections = 4

// Config says which database to open.
type Config struct {
	// URL is postgres://… or the path of a SQLite file.
	URL string
	// Serve claims a SQLite file for this process, so that a second server cannot open it. The
	// command line does not set Serve and can use the file while a server runs.
	Serve bool
	// Existing makes Open return ErrNoDatabase instead of creating a database.
	Existing bool
	// AllowUnsafe opens a PostgreSQL server that may lose acknowledged commits
	// (fsync, full_page_writes or synchronous_commit off).
	AllowUnsafe bool
	// AcceptClock trusts the current clock, whatever the last time in the database is.
	AcceptClock bool
	// Virtual makes the store trust every time that a caller passes in, for tests.
	Virtual bool
	// Log receives messages about migrations; nil discards them.
	Log *slog.Logger
	// Transfer allows opening a database with an unfinished transfer.
	Transfer bool
}

// Shared reports whether several nodes may use the database at url.
func Shared(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// ErrNotFound is returned when a requested row does not exist.
var ErrNotFound = errors.New("not found")

// ErrChanged is returned if a row was changed since the caller read it.
var ErrChanged = errors.New("it was changed meanwhile")

// ExpectChange returns ErrChanged if a statement has changed no rows.
func ExpectChange(rows int64, err error) error {
	if err == nil && rows == 0 {
		return ErrChanged
	}
	return err
}

// ErrNoDatabase is returned when Config.Existing is set and there is no database.
var ErrNoDatabase = errors.New("there is no database of Earshot")

// Open opens a database and brings its schema up to date. migrations has a folder of SQL files
// for each dialect. Open returns ErrNoDatabase and ErrUnfinishedTransfer.
func Open(ctx context.Context, cfg Config, migrations fs.FS) (*DB, error) {
	s, err := Connect(ctx, cfg, migrations)
	if err != nil {
		return nil, err
	}
	if err := s.checkContent(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("migrate the database: %w", err), s.close())
	}
	s.Clock = &clock{shared: !s.Dialect.Exclusive, Virtual: cfg.Virtual}
	return s, nil
}

// Connect opens a database without migrating it.
func Connect(ctx context.Context, cfg Config, migrations fs.FS) (s *DB, err error) {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if Shared(cfg.URL) {
		s, err = openPostgres(ctx, cfg)
	} else {
		s, err = openSQLite(ctx, cfg)
	}
	if err != nil {
		return nil, err
	}
	s.files, s.log = migrations, cfg.Log
	return s, nil
}

// Start starts the writers.
func (s *DB) Start(newUnit func(*Tx) Unit) {
	for _, p := range s.all() {
		p.Clock, p.WithKeys().Clock = s.Clock, s.Clock
		p.newUnit, p.log, p.WithKeys().log = newUnit, s.log, s.log
		p.startWriters()
	}
}

// checkContent returns ErrNoDatabase if a database must exist and does not, and
// ErrUnfinishedTransfer if a transfer into it is unfinished.
func (s *DB) checkContent(ctx context.Context, cfg Config) error {
	if cfg.Existing {
		found, err := s.HasTable(ctx, rootTable)
		if err != nil {
			return err
		}
		if !found {
			return ErrNoDatabase
		}
	}
	unfinished, err := s.HasTable(ctx, UnfinishedTransfer)
	if err == nil && unfinished && !cfg.Transfer {
		return ErrUnfinishedTransfer
	}
	return err
}

// HasTable reports whether the database has a table of that name.
func (s *DB) HasTable(ctx context.Context, name string) (bool, error) {
	found, err := FindValues[int64](ctx, s.Lookups, s.Dialect.countTables, name)
	if err != nil {
		return false, fmt.Errorf("look for the tables: %w", err)
	}
	return found[0] > 0, nil
}

// Close waits for pending writes and closes the database. No method may be called after Close.
func (s *DB) Close() error {
	for _, p := range s.all() {
		for _, l := range p.writers {
			l.stop()
		}
	}
	return s.close()
}

// migrate brings the schema up to date. If several processes start together, one migrates and
// the others wait. migrate returns an error if the schema is newer than this program, which
// could damage it.
func (s *DB) migrate(ctx context.Context) (err error) {
	unlock, err := s.lockMigrations(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	own := s.Queue
	if s.Listener != nil {
		pool := openPostgresPool(s.Listener, 2, forMigrations(), toServer)
		defer func() { _ = pool.Close() }()
		own = pool.DB
	}
	if err := s.migrateSchema(ctx, own, goose.DefaultTablename); err != nil || !s.Sharded() {
		return err
	}
	return s.openShards(ctx)
}

// migrateSchema brings the tables in the search path of db up to date. versions names the table
// that stores the version of the schema.
func (s *DB) migrateSchema(ctx context.Context, db *sql.DB, versions string) error {
	provider, err := s.Migrations(db, versions)
	if err != nil {
		return err
	}
	stored, known, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the version of the schema: %w", err)
	}
	if stored > known {
		return fmt.Errorf("the schema of the database has version %d, but this program supports only versions up to %d; use the newer version of Earshot that created it", stored, known)
	}
	if stored < known {
		// A migration that computes values from rows needs all rows.
		unfinished, err := s.HasTable(ctx, UnfinishedTransfer)
		if err != nil {
			return err
		}
		if unfinished {
			return errors.New("a transfer into the database was started by an older version of Earshot and is not finished; finish it with that version, or empty the database")
		}
	}
	if stored == 0 || stored == known { // a new database has no rows to migrate
		_, err := provider.Up(ctx)
		return Wrap(err, "apply migrations")
	}
	s.log.Info("migrating the database", "from version", stored, "to version", known)
	for {
		done, err := provider.UpByOne(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("apply migrations: %w", err)
		}
		s.log.Info("migrated the database", "version", done.Source.Version, "of", known, "ms", done.Duration.Milliseconds())
	}
}

// Migrations returns a goose provider that runs each file as a whole. Both databases accept
// many statements at once, and goose would need megabytes of memory to split the files.
func (s *DB) Migrations(db *sql.DB, versions string) (*goose.Provider, error) {
	files, err := fs.Glob(s.files, s.Dialect.Name+"/*.sql")
	if err != nil {
		return nil, err
	}
	var all []*goose.Migration
	for _, file := range files {
		version, err := goose.NumericComponent(file)
		if err != nil {
			return nil, err
		}
		statements, err := fs.ReadFile(s.files, file)
		if err != nil {
			return nil, err
		}
		all = append(all, goose.NewGoMigration(version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, string(statements))
			return err
		}}, nil))
	}
	return goose.NewProvider(goose.Dialect(s.Dialect.Name), db, nil, goose.WithTableName(versions), goose.WithGoMigrations(all...), goose.WithDisableGlobalRegistry(true))
}

// Ping returns an error if the database does not answer.
func (s *DB) Ping(ctx context.Context) error {
	var one int
	return Wrap(s.Lookups.QueryRowContext(ctx, `SELECT 1`).Scan(&one), "ping the database")
}

// dialect holds the differences between SQLite and PostgreSQL.
type dialect struct {
	Name string // also the name of the goose dialect and of the migrations folder
	// Now is the SQL expression of the database's clock in Unix milliseconds. It is used only for
	// times that several nodes must agree on; all other times come from Go.
	Now string
	// countTables counts the tables with a given name.
	countTables string
	// schema returns the stored columns of all tables, with their types and positions in the primary key.
	schema string
	// Analyse, followed by a table name, updates the planner's statistics; "" if not needed.
	Analyse string
	// byBytes is the collation that compares text by bytes.
	byBytes string
	// ForUpdate locks the rows that a SELECT finds. It is empty on SQLite, where a write
	// transaction locks the whole database.
	ForUpdate string
	// SkipLocked is ForUpdate that omits rows locked by other transactions.
	SkipLocked string
	// Arrays reports whether a statement can take a column of many rows as one array parameter.
	Arrays bool
	// writers is the number of concurrent write transactions of a node.
	writers int
	// snapshot is the isolation level that gives all reads of a transaction the same view.
	snapshot sql.IsolationLevel
	// NoTimeout removes the time limits of a transaction and its statements.
	NoTimeout string
	// Sharded reports whether organizations are distributed over several servers.
	Sharded bool
	// begin has the statements that begin a transaction in a pipeline.
	begin []string
	// Exclusive reports whether only one process at a time may serve the database.
	Exclusive bool
	// Locked reports whether a transaction timed out waiting for a row lock.
	Locked func(error) bool
	// Unavailable reports whether the database could not be reached, or has a problem that the next
	// statement would meet too. Unless the outcome of a commit is unknown, nothing was changed.
	Unavailable func(error) bool
	// retryable reports whether a transaction lost a conflict and can be run again.
	retryable func(error) bool
	// disconnected reports whether the connection was lost, so that another one may work.
	disconnected func(error) bool
	// Duplicate reports whether a unique constraint rejected a row.
	Duplicate func(error) bool
	// fatal reports whether the disk may have lost acknowledged data, so that the process must not
	// continue.
	fatal func(error) bool
}
