package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"earshot"
)

// Pool is a set of connections for one purpose.
type Pool struct {
	*sql.DB
	Dialect *dialect
	// explain converts an error for clients; nil means explainUnreachable.
	explain func(error) error
}

// explained converts the error of a read or a write for clients. It does not convert an unknown
// outcome to CodeServerUnavailable, since clients would repeat a write that may have been committed.
func (p Pool) explained(err error) error {
	switch {
	case err == nil || errors.Is(err, ErrUnknownOutcome) || errors.Is(err, context.Canceled):
		return err
	case p.explain != nil:
		return p.explain(err)
	}
	return p.Dialect.explainUnreachable(err)
}

// explainUnreachable converts errors of an unreachable database to CodeServerUnavailable.
func (d *dialect) explainUnreachable(err error) error {
	var known *earshot.Error
	if errors.As(err, &known) || !d.Unavailable(err) {
		return err
	}
	return &earshot.Error{Code: earshot.CodeServerUnavailable, Message: "the database cannot be reached at the moment, try again", Err: err}
}

// Scanner is a row of a query's result.
type Scanner interface{ Scan(into ...any) error }

// Querier runs queries: a pool, a snapshot or a transaction.
type Querier interface {
	// Find runs a query and calls scan for each row.
	Find(ctx context.Context, scan func(Scanner) error, text string, args ...any) error
}

// Find runs a query and calls scan for each row. If the connection is lost before the first
// row, it runs the query again on another connection.
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

// Snapshot calls read with a consistent view of the database.
func (p Pool) Snapshot(ctx context.Context, read func(Snapshot) error) error {
	tx, err := p.BeginTx(ctx, &sql.TxOptions{Isolation: p.Dialect.snapshot, ReadOnly: true})
	if err != nil {
		return p.explained(err)
	}
	defer func() { _ = tx.Rollback() }() // the transaction is read-only
	return p.explained(read(Snapshot{tx}))
}

// WithoutLimit is Snapshot without time limits, for commands of the operator.
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

// Snapshot is a consistent view of the database.
type Snapshot struct{ *sql.Tx }

// Find runs a query and calls scan for each row.
func (s Snapshot) Find(ctx context.Context, scan func(Scanner) error, text string, args ...any) error {
	found, err := s.QueryContext(ctx, text, args...)
	return scanAll(found, err, scan)
}

// scanAll calls scan for each row of a query, unless the query failed.
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

// First runs a query that returns at most one row. It returns ErrNotFound.
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

// FindRows returns the rows of a table that a clause (WHERE and anything after it) selects.
func FindRows[T any](ctx context.Context, in Querier, from *Table[T], clause string, args ...any) (rows []*T, err error) {
	err = in.Find(ctx, Collect(from, &rows), `SELECT `+from.List+` FROM `+from.name+` `+clause, args...)
	return rows, err
}

// FirstRow is FindRows for at most one row. It returns ErrNotFound.
func FirstRow[T any](ctx context.Context, in Querier, from *Table[T], clause string, args ...any) (*T, error) {
	return FirstOf(FindRows(ctx, in, from, clause, args...))
}

// Collect returns a scan function that appends rows of a table. All rows are scanned into the
// same variable first, so that a string equal to the one in the previous row is not allocated again.
func Collect[T any](of *Table[T], rows *[]*T) func(Scanner) error {
	row := new(T)
	targets := of.Targets(row)
	return func(found Scanner) error {
		err := found.Scan(targets...)
		*rows = append(*rows, new(*row))
		return err
	}
}

// FindAll returns the rows of a query. targets returns the scan targets of a row.
func FindAll[T any](ctx context.Context, in Querier, targets func(*T) []any, text string, args ...any) (all []T, err error) {
	err = in.Find(ctx, func(r Scanner) error {
		var row T
		err := r.Scan(targets(&row)...)
		all = append(all, row)
		return err
	}, text, args...)
	return all, err
}

// FindValues returns the values of a query for a single column.
func FindValues[V any](ctx context.Context, in Querier, text string, args ...any) ([]V, error) {
	return FindAll(ctx, in, func(v *V) []any { return []any{v} }, text, args...)
}

// FindMap returns the values of a query for two columns, by the value of the first column.
func FindMap[K comparable, V any](ctx context.Context, in Querier, text string, args ...any) (map[K]V, error) {
	found := map[K]V{}
	err := in.Find(ctx, func(r Scanner) error {
		var key K
		var value V
		err := r.Scan(&key, &value)
		found[key] = value
		return err
	}, text, args...)
	return found, err
}

// FirstOf returns the first of the rows that a query found, or ErrNotFound if there is none.
func FirstOf[T any](found []T, err error) (first T, _ error) {
	switch {
	case err != nil:
		return first, err
	case len(found) == 0:
		return first, ErrNotFound
	}
	return found[0], nil
}

// Wrap adds a description to an error. It returns nil if err is nil.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
