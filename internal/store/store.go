// Package store keeps jobs, the ledger, webhooks and nodes. The packages below it keep the other
// persistent data of the service, apart from the pages of captures. Together they contain every
// SQL statement, for SQLite and PostgreSQL alike. Each method is one domain operation and one
// transaction.
//
//	store/orgs      organizations and keys; extends this package
//	store/history   reading calls, tasks, batches and the audit log; extends this package
//	store/tracking  trackers; extends this package
//	store/sharing   share links; extends this package
//	store/transfer  copying a whole database into another
//	store/outbound  requests to upstreams: purchases, charges, comparisons, filled fields
//	store/latency   rounded latencies and their percentiles
//	store/engine    connections, transactions and shards
//
// A transaction locks the rows of its organizations first, in the order of their ids, and
// then the rows of jobs. The lock on an organization orders all changes to its slots, credits
// and jobs.
//
// The engine calls this package through the type Work in work.go. The files are divided by
// subject:
//
//	work.go                     the state that all writes of a transaction share
//	job.go task.go              beginning and settling jobs; reading one
//	queue.go claim.go           submitting and removing tasks; starting them
//	shortage.go                 tasks that wait for credits that running jobs hold
//	retry.go batch.go           retrying calls and tasks; submitting batches
//	node.go                     heartbeats; releasing the jobs of dead nodes
//	budget.go                   how much keys may spend
//	ledger.go usage.go stats.go credits; jobs counted by day and by hour; the load
//	upstream.go                 purchases and comparisons of jobs
//	delivery.go                 webhooks
//	capture.go                  stored pages
//	auditlog.go                 who changed what
//	uses.go                     when keys and sessions were last used
//	audit.go retention.go       checking balances and counters; deleting expired rows
//	result.go                   compression of results
//
// A new column needs a migration for each database, a line in the description of its table
// (next to the Go type of its rows), and a fixture in testdata/schema: rows with the new
// column, which later migrations must keep.
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
	ErrChanged            = engine.ErrChanged
	ErrNoDatabase         = engine.ErrNoDatabase
	ErrUnfinishedTransfer = engine.ErrUnfinishedTransfer
	ErrUnknownOutcome     = engine.ErrUnknownOutcome
	ErrPanicked           = engine.ErrPanicked
	ErrClock              = engine.ErrClock
)

// Shared reports whether several nodes may use the database at url.
func Shared(url string) bool { return engine.Shared(url) }

// Store is an open database. It is safe for concurrent use.
type Store struct {
	*engine.DB
	// nodes maps the id of each live node to the number of tasks that it runs at once, as of this
	// node's last heartbeat; nil on SQLite.
	nodes atomic.Pointer[map[string]int]
	// short caches the organizations that this node skips when it claims tasks.
	short shortages
}

//go:embed migrations
var migrations embed.FS

// Migrations returns the SQL files that make the tables, with a folder for each dialect.
func Migrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the name is valid
	}
	return files
}

// Open opens the database and brings its schema up to date. It returns ErrNoDatabase and
// ErrUnfinishedTransfer.
func Open(ctx context.Context, cfg engine.Config) (*Store, error) {
	opened, err := engine.Open(ctx, cfg, Migrations())
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

// OpenReplica opens a read replica of the database for reports. The replica lags slightly
// behind, cannot be written to, and need not answer yet: until it does, reads fail with
// CodeServerUnavailable.
func (s *Store) OpenReplica(url string) (*Store, error) {
	opened, err := s.OpenReadReplica(url, newUnit)
	if err != nil {
		return nil, err
	}
	return &Store{DB: opened}, nil
}

func newUnit(t *engine.Tx) engine.Unit { return newWork(t) }

// NewID returns a new id. Ids sort by time of creation.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
