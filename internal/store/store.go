// Package store keeps everything that must survive: organizations, keys, jobs,
// the ledger, captures, nodes. It holds every SQL statement of the service, for
// SQLite and PostgreSQL alike. Each method is one domain operation and one
// transaction.
//
// The organization's row orders all changes of its slots, credits and jobs. Rows
// are locked organizations first, in the order of their ids, then jobs.
//
// How connections, transactions and shards work is the engine's business; work.go is where the
// two meet. The files go by subject:
//
//	work.go                     what the writes of a transaction share: read, decide, store
//	job.go task.go              jobs: begun and settled; read
//	queue.go claim.go           tasks: queued, and removed again; started, whose turn it is
//	shortage.go                 tasks that wait for credits which others hold
//	history.go retry.go batch.go  calls and tasks, as they are looked up and retried later
//	movement.go                 which tasks moved since the last look
//	node.go                     who is alive, and what dead nodes left
//	organization.go key.go budget.go  accounts, keys and their ceilings
//	ledger.go usage.go stats.go credits; jobs counted by day and by hour; the load
//	delivery.go                 webhooks
//	capture.go extraction.go    stored pages; how often fields are filled
//	audit.go retention.go       checking the books; deleting what has expired
//	transfer.go                 moving a whole database into another
//	result.go                   compression of results
//
// A new column is two migrations, one for each database, a line in the table it
// belongs to, which is beside the type that it is read into, and a fixture in
// testdata/schema: rows with the new column, which later migrations must keep.
package store

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/google/uuid"

	"earshot/internal/store/engine"
)

// Config says which database to open.
type Config = engine.Config

// Errors of the engine that callers of the store handle.
var (
	ErrNotFound           = engine.ErrNotFound
	ErrNoDatabase         = engine.ErrNoDatabase
	ErrUnfinishedTransfer = engine.ErrUnfinishedTransfer
	ErrUnknownOutcome     = engine.ErrUnknownOutcome
	ErrClock              = engine.ErrClock
)

// Shared reports whether several nodes may work on the database of that URL.
func Shared(url string) bool { return engine.Shared(url) }

// Store is an open database. It is safe for concurrent use.
type Store struct {
	*engine.DB
	uses keyUses
	// nodes are all nodes as of the last heartbeat of this one, and how many tasks each runs
	// at once; nil on SQLite.
	nodes atomic.Pointer[map[string]int]
	// short are organizations that this node does not claim tasks of.
	short shortages
}

//go:embed migrations
var migrations embed.FS

// Open opens the database and brings its schema up to date. Returns ErrNoDatabase and
// ErrUnfinishedTransfer.
func Open(ctx context.Context, cfg engine.Config) (*Store, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	opened, err := engine.Open(ctx, cfg, files)
	if err != nil {
		return nil, err
	}
	s := &Store{DB: opened}
	if err := s.startClock(ctx, cfg.AcceptClock); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Start(newUnit)
	return s, nil
}

// OpenReplica opens a copy of the database that PostgreSQL keeps up by itself, a moment
// behind, for reports. Nothing can be written to it, and it need not answer yet: what is
// read while it does not fails with CodeServerUnavailable.
func (s *Store) OpenReplica(url string) (*Store, error) {
	opened, err := s.OpenReadReplica(url, newUnit)
	if err != nil {
		return nil, err
	}
	return &Store{DB: opened}, nil
}

func newUnit(t *engine.Tx) engine.Unit { return newWork(t) }

// NewID makes an id that sorts by time of creation.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
