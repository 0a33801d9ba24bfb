package store

import (
	"context"
	"database/sql"
	"errors"
	"hash/fnv"
	"slices"

	"golang.org/x/sync/errgroup"
)

// part is where rows lie that one transaction may change together. SQLite and PostgreSQL
// are one part. Citus has one for what belongs to no organization, on the coordinator, and
// others, each on some worker, for all that belongs to organizations: citus.go.
type part struct {
	dialect *dialect
	clock   *clock
	// queue serves transactions, those of the lanes above all.
	queue *sql.DB
	// lookups serves short reads through an index.
	lookups pool
	// reports serves reads that may scan. However slow they are, the queue goes on.
	reports pool
	lanes   []*lane
	// newUnit makes what the writes of a transaction share.
	newUnit func(*tx) unit
	// direct has the statements of SQLite's one connection that writes; nil on PostgreSQL.
	direct *direct
	// schema is where the tables are, where that is not the connection's own; "" otherwise.
	schema string
	// across is the same part as somebody sees it who also sees nodes and keys, which on Citus
	// lie elsewhere: through the coordinator. Everywhere else it is nil.
	across *part
}

// withKeys is the part for what also concerns nodes and keys.
func (p *part) withKeys() *part {
	if p.across != nil {
		return p.across
	}
	return p
}

// of is the part that has an organization's rows. Which one follows from its id, for ever.
func (s *db) of(organization string) *part {
	if organization == "" {
		return s.part
	}
	return s.parts[placeOf(organization, len(s.parts))]
}

// placeOf spreads organizations over n places.
func placeOf(organization string, n int) int {
	if n == 1 {
		return 0
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(organization)) // it never fails
	return int(hash.Sum32() % uint32(n))
}

// write puts a write in the lane of its organization.
func (s *db) write(w write) error { return s.of(w.organization).write(w) }

func (s *db) writeLater(w *write) { s.of(w.organization).writeLater(w) }

// everywhere asks all parts at the same time and gives what they have together, in the order
// of the parts. Those that do not answer are left out as long as others do: their
// organizations wait, and nobody else.
func everywhere[T any](s *db, ask func(*part) ([]T, error)) ([]T, error) {
	if len(s.parts) == 1 {
		return ask(s.parts[0])
	}
	found, errs := make([][]T, len(s.parts)), make([]error, len(s.parts))
	var group errgroup.Group
	for i, p := range s.parts {
		group.Go(func() error {
			found[i], errs[i] = ask(p)
			return nil
		})
	}
	_ = group.Wait()
	away := func(err error) bool { return err != nil && s.dialect.unavailable(err) }
	if err := errors.Join(errs...); err != nil && (slices.ContainsFunc(errs, func(err error) bool { return err != nil && !away(err) }) || !slices.Contains(errs, nil)) {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// rowsEverywhere is findRows on all parts. A limit holds for each of them.
func rowsEverywhere[T any](ctx context.Context, s *db, from *table[T], clause string, args ...any) ([]*T, error) {
	return everywhere(s, func(p *part) ([]*T, error) { return findRows(ctx, p.lookups, from, clause, args...) })
}

// all are the parts, each once.
func (s *db) all() []*part {
	if slices.Contains(s.parts, s.part) {
		return s.parts
	}
	return append([]*part{s.part}, s.parts...)
}
