package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// tx is a transaction. On SQLite it reuses prepared statements, since preparing costs as
// much as running; on PostgreSQL the driver keeps them.
type tx struct {
	dialect *dialect
	clock   *clock
	// What is not run over rows goes through database/sql: SQLite's transaction, or the
	// connection in which PostgreSQL's is.
	ordinary interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}

	begun      *sql.Tx // of SQLite, as statements and bound
	statements *statements
	bound      map[string]*sql.Stmt // statements as this transaction uses them

	pipeline *pipeline // of PostgreSQL
	waiting  bool      // statements wait in it to be sent together
}

// begin begins a transaction on a connection that is its own.
func (p *part) begin(ctx context.Context, conn *sql.Conn) (t *tx, err error) {
	t = &tx{dialect: p.dialect, clock: p.clock}
	if p.dialect.arrays {
		t.ordinary = conn
		t.pipeline, err = newPipeline(conn)
		for _, statement := range p.dialect.begin {
			if err == nil {
				err = t.pipeline.add(ctx, statement, nil)
			}
		}
		return t, err
	}
	t.begun, err = conn.BeginTx(ctx, nil)
	t.ordinary, t.statements, t.bound = t.begun, p.statements, map[string]*sql.Stmt{}
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
		err = fmt.Errorf("commit: %w", err)
	}
	return err
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
	_, err := t.pipeline.send(ctx)
	return err
}

// ExecContext runs a statement.
func (t *tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	if s := t.prepared(ctx, query); s != nil { //nolint:sqlclosecheck // closed with the transaction
		return s.ExecContext(ctx, args...)
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
	if s := t.prepared(ctx, text); s != nil { //nolint:sqlclosecheck // closed with the transaction
		found, err := s.QueryContext(ctx, args...)
		return scanAll(found, err, scan)
	}
	found, err := t.ordinary.QueryContext(ctx, text, args...)
	return scanAll(found, err, scan)
}

// run runs a statement, and hands the rows it returns to scan, which may be nil.
func (t *tx) run(ctx context.Context, text string, args []any, scan func(scanner) error) error {
	if scan != nil {
		return t.find(ctx, scan, text, args...)
	}
	_, err := t.ExecContext(ctx, text, args...)
	return err
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
	t.bound[query] = t.begun.StmtContext(ctx, kept)
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
