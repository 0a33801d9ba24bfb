package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"earshot/internal/store/engine"
)

const (
	// A batch is what is copied in one transaction, and what is in memory at a time: so many
	// rows, or the row with which they are so many bytes.
	transferRows  = 5000
	transferBytes = 4 << 20
)

// Transfer moves a database into an empty one, of either kind: rows are copied table by
// table, in the order of their primary keys. So the last key in the target says up to
// where a table has arrived, and a transfer that was interrupted goes on there.
type Transfer struct {
	From, To *Store
	tables   []transferTable
	arrived  int64 // rows, as the target has noted
	batch    int   // rows
	claims   []func() error
}

// transferTable is a table in both databases.
type transferTable struct {
	from, to engine.StoredTable
	rows     int64 // in the source
}

// TransferState is how far a table is.
type TransferState struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Of    int64  `json:"of"`
}

// BeginTransfer opens the database that is moved and the one that it is moved into, and
// keeps servers from both until the transfer is closed. The target must be empty, or hold
// what an unfinished transfer of the same source has brought.
func BeginTransfer(ctx context.Context, from, to Config) (_ *Transfer, err error) {
	t := &Transfer{batch: transferRows}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	from.Serve, from.Existing, to.Serve, to.Transfer = true, true, true, true
	if t.From, err = Open(ctx, from); err != nil {
		return nil, fmt.Errorf("the database to move: %w", err)
	}
	if err := t.claim(ctx, t.From); err != nil {
		return nil, fmt.Errorf("the database to move: %w", err)
	}
	if t.To, err = Open(ctx, to); err != nil {
		return nil, fmt.Errorf("the database to move into: %w", err)
	}
	if err := t.claim(ctx, t.To); err != nil {
		return nil, fmt.Errorf("the database to move into: %w", err)
	}
	if err := t.readSchemas(ctx); err != nil {
		return nil, err
	}
	source, err := t.fingerprint(ctx)
	if err != nil {
		return nil, fmt.Errorf("the database to move: %w", err)
	}
	if err := t.note(ctx, source); err != nil {
		return nil, fmt.Errorf("the database to move into: %w", err)
	}
	return t, nil
}

// claim keeps servers from a database that several may use: they cannot register. That of
// a single server was claimed when it was opened.
func (t *Transfer) claim(ctx context.Context, s *Store) error {
	if s.Dialect.Exclusive {
		return nil
	}
	// The transaction is the claim: it must outlive ctx.
	tx, err := s.Queue.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	t.claims = append(t.claims, tx.Rollback)
	if _, err := tx.ExecContext(ctx, s.Dialect.NoTimeout); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `LOCK TABLE nodes IN SHARE ROW EXCLUSIVE MODE`); err != nil {
		if s.Dialect.Locked(err) {
			return errors.New("another process moves it, or out of it")
		}
		return err
	}
	var host string
	err = tx.QueryRowContext(ctx, `SELECT host FROM nodes WHERE seen_at > `+s.Dialect.Now+` - $1 LIMIT 1`, takeoverAfter.Milliseconds()).Scan(&host)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("a node on %s serves it: stop all nodes; one that was killed is taken for dead after %s", host, takeoverAfter)
}

// readSchemas finds the tables that are moved. Both databases must have the same.
func (t *Transfer) readSchemas(ctx context.Context) error {
	from, err := t.From.StoredTables(ctx)
	if err != nil {
		return err
	}
	to, err := t.To.StoredTables(ctx)
	if err != nil {
		return err
	}
	describe := func(tables []engine.StoredTable) (text string) {
		for _, t := range tables {
			text += t.Name + "(" + engine.Listed(t.Columns, func(c engine.StoredColumn) string { return c.Name + " " + string(c.Kind) }) + "; " + engine.Listed(t.Key, engine.ColumnName) + ")\n"
		}
		return text
	}
	if describe(from) != describe(to) {
		return errors.New("the two databases do not have the same tables and columns")
	}
	for i := range from {
		t.tables = append(t.tables, transferTable{from: from[i], to: to[i]})
	}
	return nil
}

// fingerprint counts the rows of the source, and tells it from other databases, and from
// what it was before it was served again.
func (t *Transfer) fingerprint(ctx context.Context) (string, error) {
	all := sha256.New()
	err := t.From.Reports.WithoutLimit(ctx, func(now engine.Snapshot) error {
		for i := range t.tables {
			table := &t.tables[i]
			if err := now.QueryRowContext(ctx, `SELECT COUNT(*) FROM `+table.from.Source).Scan(&table.rows); err != nil {
				return err
			}
			fmt.Fprintln(all, table.from.Name, table.rows)
		}
		accounts, err := checksum(ctx, now, t.tables[0].from)
		fmt.Fprintln(all, accounts)
		return err
	})
	return hex.EncodeToString(all.Sum(nil)), err
}

// note has the target know what is moved into it, unless it does already.
func (t *Transfer) note(ctx context.Context, source string) error {
	begun, err := t.To.HasTable(ctx, engine.UnfinishedTransfer)
	if err != nil {
		return err
	}
	return t.To.TransactOnce(ctx, func(ctx context.Context, tx *engine.Tx) error {
		if begun {
			var noted string
			// It waits for a batch that a process which is gone may still have under way.
			err := engine.First(ctx, tx, func(r engine.Scanner) error { return r.Scan(&noted, &t.arrived) }, `SELECT source, arrived FROM `+engine.UnfinishedTransfer+` `+t.To.Dialect.ForUpdate)
			if err == nil && noted != source {
				err = errors.New("another database is being moved into it, or this one before it changed: empty it first")
			}
			return err
		}
		var filled []string
		for _, table := range t.tables {
			rows, err := engine.FindValues[int64](ctx, tx, `SELECT COUNT(*) FROM `+table.to.Source)
			if err != nil {
				return err
			}
			if rows[0] > 0 {
				filled = append(filled, fmt.Sprintf("%s (%d)", table.to.Name, rows[0]))
			}
		}
		if len(filled) > 0 {
			return fmt.Errorf("it is not empty, there are rows in %s: name one that no server has worked on", strings.Join(filled, ", "))
		}
		if _, err := tx.Ordinary.ExecContext(ctx, `CREATE TABLE `+engine.UnfinishedTransfer+` (source text NOT NULL, arrived bigint NOT NULL)`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO `+engine.UnfinishedTransfer+` (source, arrived) VALUES ($1, 0)`, source)
		return err
	})
}

// Copy copies what has not arrived yet, and calls report whenever more has.
func (t *Transfer) Copy(ctx context.Context, report func(TransferState)) error {
	for _, table := range t.tables {
		err := t.From.Reports.WithoutLimit(ctx, func(now engine.Snapshot) error { return t.copyTable(ctx, now, table, report) })
		if err != nil {
			return fmt.Errorf("copy %s: %w", table.from.Name, err)
		}
		if t.To.Dialect.Analyse == "" {
			continue
		}
		for _, p := range table.to.Shards {
			if _, err := p.Queue.ExecContext(ctx, p.Dialect.Analyse+table.to.Name); err != nil {
				return fmt.Errorf("look at the rows of %s: %w", table.to.Name, err)
			}
		}
	}
	return nil
}

func (t *Transfer) copyTable(ctx context.Context, now engine.Snapshot, table transferTable, report func(TransferState)) error {
	state := TransferState{Table: table.from.Name, Of: table.rows}
	if err := t.To.Lookups.QueryRowContext(ctx, `SELECT COUNT(*) FROM `+table.to.Source).Scan(&state.Rows); err != nil {
		return err
	}
	query, last, err := t.rest(ctx, table)
	if err != nil {
		return err
	}
	var batch [][]any
	size := 0
	flush := func() error {
		if err := t.add(ctx, table.to, batch); err != nil {
			return err
		}
		state.Rows += int64(len(batch))
		batch, size = nil, 0
		report(state)
		return nil
	}
	err = now.Find(ctx, func(r engine.Scanner) error {
		row, bytes, err := scanRow(r, table.from.Columns)
		if err != nil {
			return err
		}
		batch, size = append(batch, row), size+bytes
		if len(batch) < t.batch && size < transferBytes {
			return nil
		}
		return flush()
	}, query, last...)
	if err == nil && len(batch) > 0 {
		err = flush()
	}
	return err
}

// rest is the query for the rows of a table that have not arrived, and its arguments.
func (t *Transfer) rest(ctx context.Context, table transferTable) (query string, last []any, err error) {
	query = `SELECT ` + engine.Listed(table.from.Columns, engine.ColumnName) + ` FROM ` + table.from.Source
	order := ` ORDER BY ` + engine.Listed(table.from.Key, engine.ColumnSorted)
	err = engine.First(ctx, t.To.Lookups, func(r engine.Scanner) (err error) {
		last, _, err = scanRow(r, table.to.Key)
		return err
	}, `SELECT `+engine.Listed(table.to.Key, engine.ColumnName)+` FROM `+table.to.Source+` ORDER BY `+engine.Listed(table.to.Key, func(c engine.StoredColumn) string { return c.Sorted + " DESC" })+` LIMIT 1`)
	if errors.Is(err, ErrNotFound) {
		return query + order, nil, nil
	}
	return query + ` WHERE (` + engine.Listed(table.from.Key, engine.ColumnSorted) + `) > (` + engine.Placeholders(len(last)) + `)` + order, last, err
}

// scanRow reads a row, and tells how many bytes it is about.
func scanRow(r engine.Scanner, columns []engine.StoredColumn) (row []any, bytes int, err error) {
	row = make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range row {
		into[i] = &row[i]
	}
	if err := r.Scan(into...); err != nil {
		return nil, 0, err
	}
	for i, c := range columns {
		if row[i], err = c.Value(row[i]); err != nil {
			return nil, 0, err
		}
		switch v := row[i].(type) {
		case string:
			bytes += len(v)
		case []byte:
			bytes += len(v)
		}
	}
	return row, bytes + 16*len(columns), nil
}

// add stores a batch, in one transaction with the note of how many rows have arrived.
func (t *Transfer) add(ctx context.Context, into engine.StoredTable, batch [][]any) error {
	after := t.arrived + int64(len(batch))
	err := t.To.TransactOnce(ctx, func(ctx context.Context, tx *engine.Tx) error {
		noted, err := tx.Run(ctx, `UPDATE `+engine.UnfinishedTransfer+` SET arrived = $1 WHERE arrived = $2`, after, t.arrived)
		if err != nil {
			return err
		}
		if noted != 1 {
			return errors.New("another process has moved something into the database meanwhile")
		}
		return into.Load(ctx, tx, batch)
	})
	if err == nil {
		t.arrived = after
	}
	return err
}

// tableSum is what a table holds: how many rows, and the sum of their hashes, in which
// their order does not matter.
type tableSum struct {
	rows      int64
	high, low uint64
}

// Verify reads both databases whole and compares them: the number of rows of every table,
// and a checksum of all that is in them. It calls report for each table that is equal.
func (t *Transfer) Verify(ctx context.Context, report func(TransferState)) error {
	return t.From.Reports.WithoutLimit(ctx, func(from engine.Snapshot) error {
		return t.To.Reports.WithoutLimit(ctx, func(to engine.Snapshot) error {
			for _, table := range t.tables {
				var there, here tableSum
				group, ctx := errgroup.WithContext(ctx)
				group.Go(func() (err error) {
					there, err = checksum(ctx, from, table.from)
					return err
				})
				group.Go(func() (err error) {
					here, err = checksum(ctx, to, table.to)
					return err
				})
				if err := group.Wait(); err != nil {
					return fmt.Errorf("verify %s: %w", table.from.Name, err)
				}
				if there != here {
					return fmt.Errorf("%s differs: %d rows with the checksum %016x%016x were to be moved, and %d with %016x%016x are there; if the database that is moved was changed meanwhile, empty the other one and begin again",
						table.from.Name, there.rows, there.high, there.low, here.rows, here.high, here.low)
				}
				report(TransferState{Table: table.from.Name, Rows: here.rows, Of: there.rows})
			}
			return nil
		})
	})
}

// checksum adds up the rows of a table.
func checksum(ctx context.Context, in engine.Querier, table engine.StoredTable) (sum tableSum, err error) {
	var text []byte
	err = in.Find(ctx, func(r engine.Scanner) error {
		row, _, err := scanRow(r, table.Columns)
		if err != nil {
			return err
		}
		text = text[:0]
		for _, value := range row {
			text = appendValue(text, value)
		}
		hash := sha256.Sum256(text)
		sum.rows++
		sum.high += binary.BigEndian.Uint64(hash[:8])
		sum.low += binary.BigEndian.Uint64(hash[8:16])
		return nil
	}, `SELECT `+engine.Listed(table.Columns, engine.ColumnName)+` FROM `+table.Source)
	return sum, err
}

// appendValue adds a value so that no two rows look the same.
func appendValue(text []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return append(binary.AppendUvarint(append(text, 't'), uint64(len(v))), v...)
	case []byte:
		return append(binary.AppendUvarint(append(text, 'b'), uint64(len(v))), v...)
	case int64:
		return binary.AppendVarint(append(text, 'i'), v)
	default:
		return append(text, 'n')
	}
}

// Finish has the target taken for whole, and so be served.
func (t *Transfer) Finish(ctx context.Context) error {
	err := t.To.TransactOnce(ctx, func(ctx context.Context, tx *engine.Tx) error {
		if err := tx.Flush(ctx); err != nil {
			return err
		}
		_, err := tx.Ordinary.ExecContext(ctx, `DROP TABLE `+engine.UnfinishedTransfer)
		return err
	})
	if err != nil {
		return fmt.Errorf("finish the move: %w", err)
	}
	return nil
}

// Close lets servers have both databases again; the target only if the transfer is
// finished.
func (t *Transfer) Close() (err error) {
	for _, release := range t.claims {
		err = errors.Join(err, release())
	}
	for _, s := range []*Store{t.From, t.To} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}
