package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// tx is a transaction that reuses prepared statements. On SQLite preparing
// costs as much as running; on PostgreSQL the driver keeps statements itself.
type tx struct {
	*sql.Tx
	conn       *sql.Conn
	dialect    *dialect
	clock      *clock
	pending    *pgx.Batch // statements that go out together; nil when each goes at once
	statements *statements
	bound      map[string]*sql.Stmt // statements as this transaction uses them
}

// ExecContext runs a statement.
func (t *tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if s := t.prepared(ctx, query); s != nil { //nolint:sqlclosecheck // closed with the transaction
		return s.ExecContext(ctx, args...)
	}
	return t.Tx.ExecContext(ctx, query, args...)
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	result, err := t.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// QueryRowContext runs a statement that gives at most one row.
func (t *tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s := t.prepared(ctx, query); s != nil { //nolint:sqlclosecheck // closed with the transaction
		return s.QueryRowContext(ctx, args...)
	}
	return t.Tx.QueryRowContext(ctx, query, args...)
}

// QueryContext runs a statement that gives rows.
func (t *tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := t.prepared(ctx, query); s != nil { //nolint:sqlclosecheck // closed with the transaction
		return s.QueryContext(ctx, args...)
	}
	return t.Tx.QueryContext(ctx, query, args...)
}

// find runs a query and hands each row to scan.
func (t *tx) find(ctx context.Context, scan func(scanner) error, text string, args ...any) error {
	found, err := t.QueryContext(ctx, text, args...)
	return scanAll(found, err, scan)
}

// run runs a statement, and hands the rows it returns to scan, which may be nil.
func (t *tx) run(ctx context.Context, text string, args []any, scan func(scanner) error) error {
	if scan != nil {
		return t.find(ctx, scan, text, args...)
	}
	if t.pending != nil {
		t.pending.Queue(text, args...)
		return nil
	}
	_, err := t.ExecContext(ctx, text, args...)
	return err
}

// pipeline sends the statements that do makes together and reads their answers
// afterwards, which saves PostgreSQL's round trips. None of them may return rows.
func (t *tx) pipeline(ctx context.Context, do func() error) error {
	if !t.dialect.arrays {
		return do()
	}
	t.pending = &pgx.Batch{}
	err := do()
	batch := t.pending
	t.pending = nil
	if err != nil || batch.Len() == 0 {
		return err
	}
	return t.conn.Raw(func(driver any) error {
		conn, ok := driver.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the driver's connection is a %T", driver)
		}
		return conn.Conn().SendBatch(ctx, batch).Close()
	})
}

// prepared is the statement if it is kept, else nil.
func (t *tx) prepared(ctx context.Context, query string) *sql.Stmt {
	if t.statements == nil {
		return nil
	}
	if s := t.bound[query]; s != nil {
		return s
	}
	kept := t.statements.find(query)
	if kept == nil {
		return nil
	}
	t.bound[query] = t.StmtContext(ctx, kept)
	return t.bound[query]
}

// statements are prepared after the first transaction that used them: during
// it, the one connection that writes is taken.
type statements struct {
	mu     sync.Mutex
	ready  map[string]*sql.Stmt
	missed []string
}

func (s *statements) find(query string) *sql.Stmt {
	s.mu.Lock()
	defer s.mu.Unlock()
	stmt, seen := s.ready[query]
	if !seen {
		s.ready[query] = nil
		s.missed = append(s.missed, query)
	}
	return stmt
}

// prepare makes ready what was missed.
func (s *statements) prepare(ctx context.Context, db *sql.DB) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	missed := s.missed
	s.missed = nil
	s.mu.Unlock()
	for _, query := range missed {
		stmt, err := db.PrepareContext(ctx, query) //nolint:sqlclosecheck // kept until the database is closed
		if err != nil {
			return fmt.Errorf("prepare a statement: %w", err)
		}
		s.mu.Lock()
		s.ready[query] = stmt
		s.mu.Unlock()
	}
	return nil
}
