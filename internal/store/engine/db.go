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
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	// The embedded shard has what belongs to no organization.
	*Shard
	// shards have what belongs to organizations: of says which. On SQLite and PostgreSQL
	// there is one, the same.
	Shards []*Shard
	// listener is how to connect in order to hear other nodes; nil on SQLite.
	Listener *pgx.ConnConfig
	// lockMigrations keeps other processes from migrating at the same time.
	lockMigrations func(context.Context) (unlock func() error, err error)
	files          fs.FS // migrations, in a folder for each dialect
	close          func() error
	log            *slog.Logger
}

// reportConnections is how many reports run at the same time.
const reportConnections = 4

// Config says which database to open.
type Config struct {
	// URL is postgres://… or the path of a SQLite file.
	URL string
	// Serve claims a SQLite file for this process: a second server on the same
	// file is refused. The command line leaves it off and works beside a server.
	Serve bool
	// Existing refuses a database that no server has worked on yet, with ErrNoDatabase,
	// in the place of making one.
	Existing bool
	// AllowUnsafe opens a PostgreSQL server that may lose acknowledged commits
	// (fsync, full_page_writes or synchronous_commit off).
	AllowUnsafe bool
	// AcceptClock trusts the clock as it is now, whatever time the database knows of.
	AcceptClock bool
	// Virtual has every time decide that a caller hands in, for tests that pass the
	// time in.
	Virtual bool
	// Log is told of migrations; nil for none.
	Log *slog.Logger
	// transfer opens a database that another one is being moved into.
	Transfer bool
}

// Shared reports whether several nodes may work on the database of that URL.
func Shared(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// ErrNotFound is returned when what was asked for does not exist.
var ErrNotFound = errors.New("not found")

// ErrNoDatabase is returned when there is no database and none is to be made.
var ErrNoDatabase = errors.New("there is no database of Earshot")

// Open opens a database and brings its schema up to date with migrations, which has a folder of
// SQL files for each dialect. Returns ErrNoDatabase and
// ErrUnfinishedTransfer.
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

// Connect opens a database as it is.
func Connect(ctx context.Context, cfg Config, migrations fs.FS) (s *DB, err error) {
	if Shared(cfg.URL) {
		s, err = openPostgres(ctx, cfg)
	} else {
		s, err = openSQLite(ctx, cfg)
	}
	if err != nil {
		return nil, err
	}
	s.files, s.log = migrations, cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return s, nil
}

// Start begins to take writes.
func (s *DB) Start(newUnit func(*Tx) Unit) {
	for _, p := range s.all() {
		p.Clock, p.WithKeys().Clock = s.Clock, s.Clock
		p.newUnit = newUnit
		p.startWriters()
	}
}

// checkContent returns ErrNoDatabase if there must be a database and is none, and
// ErrUnfinishedTransfer if not all of it has arrived yet.
func (s *DB) checkContent(ctx context.Context, cfg Config) error {
	if cfg.Existing {
		found, err := s.HasTable(ctx, RootTable)
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

// Close waits for the writes under way and closes the database. No method may
// be called after it.
func (s *DB) Close() error {
	for _, p := range s.all() {
		for _, l := range p.writers {
			l.stop()
		}
	}
	return s.close()
}

// migrate brings the schema up to date. However many processes start together,
// one does it and the others wait. A schema that is newer than this program it leaves
// alone, with an error: nobody can know here what writing to it would break.
func (s *DB) migrate(ctx context.Context) (err error) {
	unlock, err := s.lockMigrations(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := s.migrateSchema(ctx, s.Queue, goose.DefaultTablename); err != nil || !s.Sharded() {
		return err
	}
	return s.spreadOut(ctx)
}

// migrateSchema brings the tables up to date that a database's connections see. The table of
// that name says which version they have.
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
		return fmt.Errorf("its schema has version %d, and this program knows only those up to %d; use the newer version of Earshot that made it", stored, known)
	}
	if stored < known {
		// What a migration computes from rows must have all of them.
		unfinished, err := s.HasTable(ctx, UnfinishedTransfer)
		if err != nil {
			return err
		}
		if unfinished {
			return errors.New("a move into it was begun by an older version of Earshot and is not finished; finish it with that version, or empty the database")
		}
	}
	began := time.Now()
	migrates := 0 < stored && stored < known // a new database has nothing to migrate
	if migrates {
		s.log.Info("migrating the database", "from version", stored, "to version", known)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("apply migrations: %w", err)
	}
	if migrates {
		s.log.Info("the database is migrated", "version", known, "ms", time.Since(began).Milliseconds())
	}
	return nil
}

// Migrations hands each file to goose as a function that runs it whole: both databases
// take many statements at once, and goose takes megabytes to split a file into its own.
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

// Ping checks whether the database answers.
func (s *DB) Ping(ctx context.Context) error {
	var one int
	if err := s.Lookups.QueryRowContext(ctx, `SELECT 1`).Scan(&one); err != nil {
		return fmt.Errorf("ping the database: %w", err)
	}
	return nil
}

// dialect is what SQLite and PostgreSQL say differently.
type dialect struct {
	Name string // also what goose and the migrations' folder call it
	// now is the database's own clock in Unix milliseconds. Only what several
	// nodes must agree on uses it; all other times come from Go.
	Now string
	// countTables counts the tables of a name.
	countTables string
	// schema reads the columns of all tables that are stored, with their types and places in the primary key.
	schema string
	// analyse, with the name of a table, has the database look at what was loaded into it,
	// before it plans queries.
	Analyse string
	// byBytes has a text compared by its bytes.
	byBytes string
	// forUpdate locks the rows that a SELECT finds. SQLite has one writer, whose
	// transaction locks the whole database.
	ForUpdate string
	// skipLocked leaves out rows that another transaction has locked.
	SkipLocked string
	// arrays says whether a statement can take a column of many rows as one value.
	Arrays bool
	// writers is how many transactions a node commits side by side.
	writers int
	// snapshot is the isolation in which all reads of a transaction agree.
	snapshot sql.IsolationLevel
	// noTimeout lifts the limits on how long a transaction and its statements may take.
	NoTimeout string
	// spread says whether organizations are spread over servers.
	Sharded bool
	// begin is what a transaction begins with, where it is not database/sql that begins it.
	begin []string
	// exclusive says whether one process at a time serves the database.
	Exclusive bool
	// locked reports whether a transaction waited too long for a row that another one
	// has locked.
	Locked func(error) bool
	// unavailable reports whether the database is in trouble, so that the next write
	// would only wait for it as long as this one did.
	Unavailable func(error) bool
	// away reports whether the database could not be reached, so that nothing was done.
	away func(error) bool
	// retryable reports whether a transaction lost a conflict and may simply run again.
	retryable func(error) bool
	// disconnected reports whether the connection was lost, so that another may serve.
	disconnected func(error) bool
	// duplicate reports whether a unique constraint refused a row.
	Duplicate func(error) bool
	// fatal reports whether the disk lost what it acknowledged: nothing after it can
	// be trusted.
	fatal func(error) bool
}
