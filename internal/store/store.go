// Package store keeps everything that must survive: organizations, keys, jobs,
// the ledger, captures, nodes. It holds every SQL statement of the service, for
// SQLite and PostgreSQL alike. Each method is one domain operation and one
// transaction.
//
// The organization's row orders all changes of its slots, credits and jobs. Rows
// are locked organizations first, in the order of their ids, then jobs.
//
// It is one package because a transaction is; its files go by subject:
//
//	job.go task.go              jobs: begun and settled; read
//	queue.go claim.go           tasks: queued, and dropped again; started, whose turn it is
//	shortage.go                 tasks that wait for credits which others hold
//	history.go                  calls and tasks, as they are looked up later
//	movement.go                 which tasks moved since the last look
//	node.go clock.go            who is alive, and what the dead left; which time to trust
//	organization.go key.go      accounts
//	ledger.go usage.go stats.go credits; jobs counted by day and by hour; the load
//	tracker.go sweep.go answer.go  trackers: what is asked again and again, and what came of it
//	delivery.go                 webhooks
//	capture.go extraction.go    stored pages; how often fields are filled
//	audit.go retention.go       checking; removing what is past its time
//	transfer.go transferschema.go  moving a whole database into another
//
// and below them, how a transaction works:
//
//	lane.go work.go             sharing commits; read, decide, store
//	table.go statement.go       a table's columns; statements over many rows
//	tx.go pipeline.go direct.go transactions; what is run over rows on PostgreSQL, on SQLite
//	pool.go result.go           reads; compression
//	sqlite.go postgres.go       the two databases, and what they say differently
//	part.go citus.go worker.go  where rows lie, and how they are spread over several servers
//	replica.go                  a copy of the database, for reports
//	notify.go                   calling other nodes
//
// A new column is two migrations, one for each database, a line in the table it
// belongs to, which is beside the type that it is read into, and a fixture in
// testdata/schema.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	// The embedded part has what belongs to no organization.
	*part
	// parts have what belongs to organizations: of says which. On SQLite and PostgreSQL
	// there is one, the same.
	parts []*part
	uses  keyUses
	// nodes are all nodes as of the last heartbeat of this one, and how many tasks each runs
	// at once; nil on SQLite.
	nodes atomic.Pointer[map[string]int]
	// short are organizations that this node does not claim tasks of.
	short shortages
	// listener is how to connect in order to hear other nodes; nil on SQLite.
	listener *pgx.ConnConfig
	// lockMigrations keeps other processes from migrating at the same time.
	lockMigrations func(context.Context) (unlock func() error, err error)
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
	transfer bool
}

// Shared reports whether several nodes may work on the database of that URL.
func Shared(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// ErrNoDatabase is returned when there is no database and none is to be made.
var ErrNoDatabase = errors.New("there is no database of Earshot")

// Open opens the database and brings its schema up to date. Returns ErrNoDatabase and
// ErrUnfinishedTransfer.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	open := openSQLite
	if Shared(cfg.URL) {
		open = openPostgres
	}
	s, err := open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s.log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if err := s.checkContent(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("migrate the database: %w", err), s.close())
	}
	s.clock = &clock{shared: !s.dialect.exclusive, virtual: cfg.Virtual}
	if err := s.startClock(ctx, cfg.AcceptClock); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.start()
	return s, nil
}

// start begins to take writes.
func (s *Store) start() {
	for _, p := range s.all() {
		p.clock, p.withKeys().clock = s.clock, s.clock
		p.startLanes()
	}
}

// checkContent returns ErrNoDatabase if there must be a database and is none, and
// ErrUnfinishedTransfer if not all of it has arrived yet.
func (s *Store) checkContent(ctx context.Context, cfg Config) error {
	if cfg.Existing {
		found, err := s.hasTable(ctx, rootTable)
		if err != nil {
			return err
		}
		if !found {
			return ErrNoDatabase
		}
	}
	unfinished, err := s.hasTable(ctx, unfinishedTransfer)
	if err == nil && unfinished && !cfg.transfer {
		return ErrUnfinishedTransfer
	}
	return err
}

func (s *Store) hasTable(ctx context.Context, name string) (bool, error) {
	found, err := findValues[int64](ctx, s.lookups, s.dialect.countTables, name)
	if err != nil {
		return false, fmt.Errorf("look for the tables: %w", err)
	}
	return found[0] > 0, nil
}

// Close waits for the writes under way and closes the database. No method may
// be called after it.
func (s *Store) Close() error {
	for _, p := range s.all() {
		for _, l := range p.lanes {
			l.stop()
		}
	}
	return s.close()
}

//go:embed migrations
var migrations embed.FS

// migrate brings the schema up to date. However many processes start together,
// one does it and the others wait. A schema that is newer than this program it leaves
// alone, with an error: nobody can know here what writing to it would break.
func (s *Store) migrate(ctx context.Context) (err error) {
	unlock, err := s.lockMigrations(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := s.migrateSchema(ctx, s.queue, goose.DefaultTablename); err != nil || !s.spread() {
		return err
	}
	return s.spreadOut(ctx)
}

// migrateSchema brings the tables up to date that a database's connections see. The table of
// that name says which version they have.
func (s *Store) migrateSchema(ctx context.Context, db *sql.DB, versions string) error {
	provider, err := s.migrations(db, versions)
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
		unfinished, err := s.hasTable(ctx, unfinishedTransfer)
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

// migrations hands each file to goose as a function that runs it whole: both databases
// take many statements at once, and goose takes megabytes to split a file into its own.
func (s *Store) migrations(db *sql.DB, versions string) (*goose.Provider, error) {
	files, err := fs.Glob(migrations, "migrations/"+s.dialect.name+"/*.sql")
	if err != nil {
		return nil, err
	}
	var all []*goose.Migration
	for _, file := range files {
		version, err := goose.NumericComponent(file)
		if err != nil {
			return nil, err
		}
		statements, err := migrations.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, goose.NewGoMigration(version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, string(statements))
			return err
		}}, nil))
	}
	return goose.NewProvider(goose.Dialect(s.dialect.name), db, nil, goose.WithTableName(versions), goose.WithGoMigrations(all...), goose.WithDisableGlobalRegistry(true))
}

// Ping checks whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.lookups.QueryRowContext(ctx, `SELECT 1`).Scan(&one); err != nil {
		return fmt.Errorf("ping the database: %w", err)
	}
	return nil
}

// dialect is what SQLite and PostgreSQL say differently.
type dialect struct {
	name string // also what goose and the migrations' folder call it
	// now is the database's own clock in Unix milliseconds. Only what several
	// nodes must agree on uses it; all other times come from Go.
	now string
	// countTables counts the tables of a name.
	countTables string
	// schema reads the columns of all tables that are stored, with their types and places in the primary key.
	schema string
	// analyse, with the name of a table, has the database look at what was loaded into it,
	// before it plans queries.
	analyse string
	// brief is the definition of a tracker without what a list does not show, such as its
	// prompts and brands, and how many of these it has.
	brief string
	// byBytes has a text compared by its bytes.
	byBytes string
	// forUpdate locks the rows that a SELECT finds. SQLite has one writer, whose
	// transaction locks the whole database.
	forUpdate string
	// skipLocked leaves out rows that another transaction has locked.
	skipLocked string
	// arrays says whether a statement can take a column of many rows as one value.
	arrays bool
	// lanes is how many transactions a node commits side by side.
	lanes int
	// snapshot is the isolation in which all reads of a transaction agree.
	snapshot sql.IsolationLevel
	// noTimeout lifts the limits on how long a transaction and its statements may take.
	noTimeout string
	// spread says whether organizations are spread over servers.
	spread bool
	// begin is what a transaction begins with, where it is not database/sql that begins it.
	begin []string
	// exclusive says whether one process at a time serves the database.
	exclusive bool
	// locked reports whether a transaction waited too long for a row that another one
	// has locked.
	locked func(error) bool
	// unavailable reports whether the database is in trouble, so that the next write
	// would only wait for it as long as this one did.
	unavailable func(error) bool
	// away reports whether the database could not be reached, so that nothing was done.
	away func(error) bool
	// retryable reports whether a transaction lost a conflict and may simply run again.
	retryable func(error) bool
	// disconnected reports whether the connection was lost, so that another may serve.
	disconnected func(error) bool
	// duplicate reports whether a unique constraint refused a row.
	duplicate func(error) bool
	// fatal reports whether the disk lost what it acknowledged: nothing after it can
	// be trusted.
	fatal func(error) bool
}

// newID makes an id that sorts by time of creation.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
