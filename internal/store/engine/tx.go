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
	// ordinary runs single statements through database/sql: in SQLite's transaction, or on the
	// connection of the PostgreSQL transaction.
	ordinary interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}

	begun  *sql.Tx // SQLite only, like direct
	direct *direct

	pipeline *pipeline // PostgreSQL only
	waiting  bool      // collect statements in the pipeline instead of sending each
}

// begin begins a transaction on a connection that nothing else uses.
func (p *Shard) begin(ctx context.Context, conn *sql.Conn) (t *Tx, err error) {
	t = &Tx{Dialect: p.Dialect, Clock: p.Clock}
	if p.Dialect.Arrays {
		t.ordinary = conn
		t.pipeline, err = newPipeline(conn, p.Dialect.begin)
		return t, err
	}
	if err := p.direct.on(conn); err != nil {
		return nil, err
	}
	// At the end of a context, database/sql rolls back at once, while direct may use the connection.
	t.begun, err = conn.BeginTx(context.WithoutCancel(ctx), nil)
	t.ordinary, t.direct = t.begun, p.direct
	return t, err
}

// commit returns ErrUnknownOutcome if it is unknown whether the transaction was committed.
func (t *Tx) commit(ctx context.Context) error {
	if t.pipeline != nil {
		return t.pipeline.commit(ctx)
	}
	if err := ctx.Err(); err != nil {
		return Wrap(err, "commit")
	}
	err := t.begun.Commit() // SQLite has committed nothing if this fails
	if t.Dialect.fatal(err) {
		// Continuing could acknowledge commits that a later crash loses.
		panic(fmt.Sprintf("the disk failed to sync a commit: %v", err))
	}
	return Wrap(err, "commit")
}

func (t *Tx) rollback(ctx context.Context) {
	if t.pipeline != nil {
		t.pipeline.rollback(ctx)
		return
	}
	_ = t.begun.Rollback() // the caller returns the error that led here
}

// free releases the resources of an ended transaction.
func (t *Tx) free() {
	if t.pipeline != nil {
		t.pipeline.free()
	}
}

// together calls do and sends all statements that do has added in one round trip. Their scan
// functions are called after do. If no statement returns rows, together sends nothing yet: the
// statements go out with the next ones.
func (t *Tx) together(ctx context.Context, do func() error) error {
	t.waiting = true
	err := do()
	t.waiting = false
	if err != nil || t.pipeline != nil && !t.pipeline.reads() {
		return err
	}
	return t.flush(ctx)
}

// flush sends the statements that wait in the pipeline.
func (t *Tx) flush(ctx context.Context) error {
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
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return t.ordinary.ExecContext(ctx, query, args...)
}

// Run runs a statement and returns the number of changed rows.
func (t *Tx) Run(ctx context.Context, query string, args ...any) (changed int64, err error) {
	result, err := t.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Find runs a query and calls scan for each row.
func (t *Tx) Find(ctx context.Context, scan func(Scanner) error, text string, args ...any) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	found, err := t.ordinary.QueryContext(ctx, text, args...)
	return scanAll(found, err, scan)
}
