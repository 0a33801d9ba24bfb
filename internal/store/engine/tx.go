package engine

import (
	"context"
	"database/sql"
	"fmt"
)

// Tx is a transaction.
type Tx struct {
	Dialect *dialect
	Clock   *clock
	// What is not run over rows goes through database/sql: SQLite's transaction, or the
	// connection in which PostgreSQL's is.
	Ordinary interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}

	begun  *sql.Tx // of SQLite, as direct
	direct *direct

	pipeline *pipeline // of PostgreSQL
	Waiting  bool      // statements wait in it to be sent together
}

// begin begins a transaction on a connection that is its own.
func (p *Shard) begin(ctx context.Context, conn *sql.Conn) (t *Tx, err error) {
	t = &Tx{Dialect: p.Dialect, Clock: p.Clock}
	if p.Dialect.Arrays {
		t.Ordinary = conn
		t.pipeline, err = newPipeline(conn, p.Dialect.begin)
		return t, err
	}
	if err := p.direct.on(conn); err != nil {
		return nil, err
	}
	t.begun, err = conn.BeginTx(ctx, nil)
	t.Ordinary, t.direct = t.begun, p.direct
	return t, err
}

// commit returns ErrUnknownOutcome when nobody can tell whether it did.
func (t *Tx) commit(ctx context.Context) error {
	if t.pipeline != nil {
		return t.pipeline.commit(ctx)
	}
	err := t.begun.Commit() // with an error, SQLite has committed nothing
	if t.Dialect.fatal(err) {
		// Going on could acknowledge what a later crash takes back.
		panic(fmt.Sprintf("the disk failed to sync a commit: %v", err))
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func (t *Tx) rollback(ctx context.Context) {
	if t.pipeline != nil {
		t.pipeline.rollback(ctx)
		return
	}
	_ = t.begun.Rollback() // the error that matters is the one that led here
}

// free ends the use of a transaction that has ended.
func (t *Tx) free() {
	if t.pipeline != nil {
		t.pipeline.free()
	}
}

// together sends the statements over rows that do makes on one round trip, where there
// are round trips: what they return comes after do. If none returns anything, they wait
// for what follows.
func (t *Tx) together(ctx context.Context, do func() error) error {
	t.Waiting = true
	err := do()
	t.Waiting = false
	if err != nil || t.pipeline != nil && !t.pipeline.reads() {
		return err
	}
	return t.Flush(ctx)
}

// Flush sends what waits.
func (t *Tx) Flush(ctx context.Context) error {
	if t.pipeline == nil {
		return nil
	}
	err := t.pipeline.Start(ctx)
	if err == nil {
		_, err = t.pipeline.send(ctx)
	}
	return err
}

// ExecContext runs a statement.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := t.Flush(ctx); err != nil {
		return nil, err
	}
	return t.Ordinary.ExecContext(ctx, query, args...)
}

// Run runs a statement and returns how many rows it changed.
func (t *Tx) Run(ctx context.Context, query string, args ...any) (changed int64, err error) {
	result, err := t.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Find runs a query and hands each row to scan.
func (t *Tx) Find(ctx context.Context, scan func(Scanner) error, text string, args ...any) error {
	if err := t.Flush(ctx); err != nil {
		return err
	}
	found, err := t.Ordinary.QueryContext(ctx, text, args...)
	return scanAll(found, err, scan)
}
