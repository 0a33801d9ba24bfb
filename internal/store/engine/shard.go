package engine

import (
	"context"
	"database/sql"
	"errors"
	"hash/fnv"
	"log/slog"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Shard is a set of rows that one transaction may change together. SQLite and PostgreSQL have
// one shard. Citus has one on the coordinator for rows that belong to no organization, and others
// on the workers for all rows of organizations (see citus.go).
type Shard struct {
	Dialect *dialect
	Clock   *clock
	// Queue serves transactions, mainly of the writers.
	Queue *sql.DB
	// Lookups serves short reads through an index.
	Lookups Pool
	// Reports serves reads that may scan. Slow reports do not delay the queue.
	Reports Pool
	writers []*Writer
	log     *slog.Logger
	// newUnit returns the unit of a transaction.
	newUnit func(*Tx) Unit
	// direct runs statements on SQLite's write connection; nil on PostgreSQL.
	direct *direct
	// Schema is the schema of a shard on Citus; "" otherwise.
	Schema string
	// Across is this shard, reached through the Citus coordinator, so that statements can also use
	// nodes and keys. It is nil on other databases.
	Across *Shard
	worker *worker // that has the shard; nil on other databases
}

// WithKeys returns the shard for statements that also use nodes or keys.
func (p *Shard) WithKeys() *Shard {
	if p.Across != nil {
		return p.Across
	}
	return p
}

// ShardOf returns the shard with an organization's rows. It depends only on the id.
func (s *DB) ShardOf(organization string) *Shard {
	if organization == "" {
		return s.Shard
	}
	return s.Shards[shardNumber(organization, len(s.Shards))]
}

// shardNumber returns the index of an organization's shard among n.
func shardNumber(organization string, n int) int {
	if n == 1 {
		return 0
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(organization)) // never fails
	return int(hash.Sum32() % uint32(n))
}

// Write commits a write through the writer of its organization.
func (s *DB) Write(w Write) error { return s.ShardOf(w.Organization).Write(w) }

// WriteLater queues a write for the writer of its organization.
func (s *DB) WriteLater(w *Write) { s.ShardOf(w.Organization).WriteLater(w) }

// FromAllShards calls ask for all shards concurrently and concatenates the results in the order
// of the shards. It ignores unavailable shards as long as others answer, so only the organizations
// of these shards wait.
func FromAllShards[T any](s *DB, ask func(*Shard) ([]T, error)) ([]T, error) {
	if len(s.Shards) == 1 {
		return ask(s.Shards[0])
	}
	found, errs := make([][]T, len(s.Shards)), make([]error, len(s.Shards))
	var group errgroup.Group
	for i, p := range s.Shards {
		group.Go(func() error {
			found[i], errs[i] = ask(p)
			return nil
		})
	}
	_ = group.Wait()
	failed := func(err error) bool { return err != nil && !s.Dialect.Unavailable(err) }
	if !slices.Contains(errs, nil) || slices.ContainsFunc(errs, failed) {
		return nil, errors.Join(errs...)
	}
	return slices.Concat(found...), nil
}

// RowsFromAllShards is FindRows on all shards. A LIMIT applies to each shard.
func RowsFromAllShards[T any](ctx context.Context, s *DB, from *Table[T], clause string, args ...any) ([]*T, error) {
	return FromAllShards(s, func(p *Shard) ([]*T, error) { return FindRows(ctx, p.Lookups, from, clause, args...) })
}

// RunOnAllShards runs one statement on every shard. Like FromAllShards it ignores unavailable shards.
func (s *DB) RunOnAllShards(text string, args ...any) error {
	_, err := FromAllShards(s, func(p *Shard) ([]int64, error) {
		_, err := p.Run(text, args...)
		return nil, err
	})
	return err
}

// ShardCount counts the shards whose worker does not answer, and the shards that this node reaches
// through the coordinator because it cannot connect to their worker.
func (s *DB) ShardCount() (silent, throughCoordinator int) {
	for _, p := range s.Shards {
		switch {
		case p.worker == nil: // not on Citus
		case p.worker.circuit.isOpen():
			silent++
		case p.worker.throughCoordinator():
			throughCoordinator++
		}
	}
	return silent, throughCoordinator
}

// all returns all shards without duplicates.
func (s *DB) all() []*Shard {
	if slices.Contains(s.Shards, s.Shard) {
		return s.Shards
	}
	return append([]*Shard{s.Shard}, s.Shards...)
}
