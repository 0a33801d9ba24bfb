package engine

import (
	"context"
	"database/sql"
	"errors"

	"earshot"
)

// Pool is a set of connections for one purpose.
type Pool struct {
	*sql.DB
	Dialect *dialect
	// explain makes an error one that clients can do something about; nil means databaseAway.
	explain func(error) error
}

// explained is the error of a read or a write as it is returned. What may have been done is
// not said to be unavailable, since clients would do it again.
func (p Pool) explained(err error) error {
	switch {
	case err == nil || errors.Is(err, ErrUnknownOutcome) || errors.Is(err, context.Canceled):
		return err
	case p.explain != nil:
		return p.explain(err)
	}
	return p.Dialect.databaseAway(err)
}

// databaseAway tells clients of a database that cannot be reached.
func (d *dialect) databaseAway(err error) error {
	var known *earshot.Error
	if errors.As(err, &known) || !d.away(err) {
		return err
	}
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the database cannot be reached at the moment, try again", Err: err}
}

// Scanner is a row that was found.
type Scanner interface{ Scan(into ...any) error }

// Querier is what can be asked: a pool, a snapshot or a transaction.
type Querier interface {
	// find runs a query and hands each row to scan.
	Find(ctx context.Context, scan func(Scanner) error, text string, args ...any) error
}

// Find runs a query and hands each row to scan. A read whose connection was lost
// before a row came is made again on another.
func (p Pool) Find(ctx context.Context, scan func(Scanner) error, text string, args ...any) error {
	for try := 1; ; try++ {
		rows := 0
		found, err := p.QueryContext(ctx, text, args...)
		err = scanAll(found, err, func(r Scanner) error {
			rows++
			return scan(r)
		})
		if err == nil || rows > 0 || try == conflictTries || ctx.Err() != nil || !p.Dialect.disconnected(err) {
			return p.explained(err)
		}
	}
}

// Snapshot runs reads that must agree with each other.
func (p Pool) Snapshot(ctx context.Context, read func(Snapshot) error) error {
	tx, err := p.BeginTx(ctx, &sql.TxOptions{Isolation: p.Dialect.snapshot, ReadOnly: true})
	if err != nil {
		return p.explained(err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return p.explained(read(Snapshot{tx}))
}

// WithoutLimit is snapshot for the operator's own commands, which may take their
// time.
func (p Pool) WithoutLimit(ctx context.Context, read func(Snapshot) error) error {
	return p.Snapshot(ctx, func(now Snapshot) error {
		if p.Dialect.NoTimeout != "" {
			if _, err := now.ExecContext(ctx, p.Dialect.NoTimeout); err != nil {
				return err
			}
		}
		return read(now)
	})
}

// Snapshot is the database at one moment.
type Snapshot struct{ *sql.Tx }

// Find runs a query and hands each row to scan.
func (s Snapshot) Find(ctx context.Context, scan func(Scanner) error, text string, args ...any) error {
	found, err := s.QueryContext(ctx, text, args...)
	return scanAll(found, err, scan)
}

// scanAll hands the rows of a query to scan, unless the query failed.
func scanAll(found *sql.Rows, err error, scan func(Scanner) error) error {
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := scan(found); err != nil {
			return err
		}
	}
	return found.Err()
}

// First runs a query that gives at most one row. Returns ErrNotFound.
func First(ctx context.Context, in Querier, scan func(Scanner) error, text string, args ...any) error {
	found := false
	err := in.Find(ctx, func(r Scanner) error {
		found = true
		return scan(r)
	}, text, args...)
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// FindRows reads the rows of a table that a clause, WHERE and what follows, picks.
func FindRows[T any](ctx context.Context, in Querier, from *Table[T], clause string, args ...any) (rows []*T, err error) {
	err = in.Find(ctx, Collect(from, &rows), `SELECT `+from.List+` FROM `+from.name+` `+clause, args...)
	return rows, err
}

// FirstRow is findRows for at most one row. Returns ErrNotFound.
func FirstRow[T any](ctx context.Context, in Querier, from *Table[T], clause string, args ...any) (*T, error) {
	rows, err := FindRows(ctx, in, from, clause, args...)
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, ErrNotFound
	}
	return rows[0], nil
}

// Collect scans the columns of a table and adds the rows. All are scanned into the same
// row: where a text is that of the row before, as most are, none is made.
func Collect[T any](of *Table[T], rows *[]*T) func(Scanner) error {
	row := new(T)
	targets := of.Targets(row)
	return func(found Scanner) error {
		err := found.Scan(targets...)
		*rows = append(*rows, new(*row))
		return err
	}
}

// FindValues runs a query for a single column.
func FindValues[V any](ctx context.Context, in Querier, text string, args ...any) (values []V, err error) {
	err = in.Find(ctx, func(r Scanner) error {
		var v V
		err := r.Scan(&v)
		values = append(values, v)
		return err
	}, text, args...)
	return values, err
}
