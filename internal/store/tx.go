package store

import (
	"context"
	"database/sql"
	"fmt"
)

// tx is a transaction.
type tx struct {
	dialect *dialect
	clock   *clock
	// What is not run over rows goes through database/sql: SQLite's transaction, or the
	// connection in which PostgreSQL's is.
	ordinary interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}

	begun  *sql.Tx // of SQLite, as direct
	direct *direct

	pipeline *pipeline // of PostgreSQL
	waiting  bool      // statements wait in it to be sent together
}

// begin begins a transaction on a connection that is its own.
func (p *part) begin(ctx context.Context, conn *sql.Conn) (t *tx, err error) {
	t = &tx{dialect: p.dialect, clock: p.clock}
	if p.dialect.arrays {
		t.ordinary = conn
		t.pipeline, err = newPipeline(conn, p.dialect.begin)
		return t, err
	}
	if err := p.direct.on(conn); err != nil {
		return nil, err
	}
	t.begun, err = conn.BeginTx(ctx, nil)
	t.ordinary, t.direct = t.begun, p.direct
	return t, err
}

// commit returns ErrUnknownOutcome when nobody can tell whether it did.
func (t *tx) commit(ctx context.Context) error {
	if t.pipeline != nil {
		return t.pipeline.commit(ctx)
	}
	err := t.begun.Commit() // with an error, SQLite has committed nothing
	if t.dialect.fatal(err) {
		// Going on could acknowledge what a later crash takes back.
		panic(fmt.Sprintf("the disk failed to sync a commit: %v", err))
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func (t *tx) rollback(ctx context.Context) {
	if t.pipeline != nil {
		t.pipeline.rollback(ctx)
		return
	}
	_ = t.begun.Rollback() // the error that matters is the one that led here
}

// free ends the use of a transaction that has ended.
func (t *tx) free() {
	if t.pipeline != nil {
		t.pipeline.free()
	}
}

// together sends the statements over rows that do makes on one round trip, where there
// are round trips: what they return comes after do. If none returns anything, they wait
// for what follows.
func (t *tx) together(ctx context.Context, do func() error) error {
	t.waiting = true
	err := do()
	t.waiting = false
	if err != nil || t.pipeline != nil && !t.pipeline.reads() {
		return err
	}
	return t.flush(ctx)
}

// flush sends what waits.
func (t *tx) flush(ctx context.Context) error {
	if t.pipeline == nil {
		return nil
	}
	err := t.pipeline.start(ctx)
	if err == nil {
		_, err = t.pipeline.send(ctx)
	}
	return err
}

// ExecContext runs a statement.
func (t *tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return t.ordinary.ExecContext(ctx, query, args...)
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	result, err := t.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// find runs a query and hands each row to scan.
func (t *tx) find(ctx context.Context, scan func(scanner) error, text string, args ...any) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	found, err := t.ordinary.QueryContext(ctx, text, args...)
	return scanAll(found, err, scan)
}
