package engine

import (
	"context"
	"database/sql"
	"errors"
	"hash/fnv"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Shard is where rows lie that one transaction may change together. SQLite and PostgreSQL
// are one shard. Citus has one for what belongs to no organization, on the coordinator, and
// others, each on some worker, for all that belongs to organizations: citus.go.
type Shard struct {
	Dialect *dialect
	Clock   *clock
	// queue serves transactions, those of the writers above all.
	Queue *sql.DB
	// lookups serves short reads through an index.
	Lookups Pool
	// reports serves reads that may scan. However slow they are, the queue goes on.
	Reports Pool
	writers []*Writer
	// newUnit makes what the writes of a transaction share.
	newUnit func(*Tx) Unit
	// direct has the statements of SQLite's one connection that writes; nil on PostgreSQL.
	direct *direct
	// schema is where the tables are, where that is not the connection's own; "" otherwise.
	Schema string
	// across is the same shard as somebody sees it who also sees nodes and keys, which on Citus
	// lie elsewhere: through the coordinator. Everywhere else it is nil.
	Across *Shard
}

// WithKeys is the shard for what also concerns nodes and keys.
func (p *Shard) WithKeys() *Shard {
	if p.Across != nil {
		return p.Across
	}
	return p
}

// ShardOf is the shard that has an organization's rows. Which one follows from its id, for ever.
func (s *DB) ShardOf(organization string) *Shard {
	if organization == "" {
		return s.Shard
	}
	return s.Shards[shardNumber(organization, len(s.Shards))]
}

// shardNumber spreads organizations over n places.
func shardNumber(organization string, n int) int {
	if n == 1 {
		return 0
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(organization)) // it never fails
	return int(hash.Sum32() % uint32(n))
}

// write puts a write in the writer of its organization.
func (s *DB) Write(w Write) error { return s.ShardOf(w.Organization).Write(w) }

// WriteLater hands a write to the writer of its organization.
func (s *DB) WriteLater(w *Write) { s.ShardOf(w.Organization).WriteLater(w) }

// FromAllShards asks all shards at the same time and gives what they have together, in the order
// of the shards. Those that do not answer are left out as long as others do: their
// organizations wait, and nobody else.
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
	away := func(err error) bool { return err != nil && s.Dialect.Unavailable(err) }
	if err := errors.Join(errs...); err != nil && (slices.ContainsFunc(errs, func(err error) bool { return err != nil && !away(err) }) || !slices.Contains(errs, nil)) {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// RowsFromAllShards is findRows on all shards. A limit holds for each of them.
func RowsFromAllShards[T any](ctx context.Context, s *DB, from *Table[T], clause string, args ...any) ([]*T, error) {
	return FromAllShards(s, func(p *Shard) ([]*T, error) { return FindRows(ctx, p.Lookups, from, clause, args...) })
}

// all are the shards, each once.
func (s *DB) all() []*Shard {
	if slices.Contains(s.Shards, s.Shard) {
		return s.Shards
	}
	return append([]*Shard{s.Shard}, s.Shards...)
}
