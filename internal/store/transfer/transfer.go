// Package transfer copies a whole database into another, of either kind.
package transfer

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"

	"golang.org/x/sync/errgroup"

	"earshot/internal/store"
	"earshot/internal/store/engine"
)

const (
	// A batch is copied in one transaction and held in memory. It is full at batchRows rows or
	// batchBytes bytes.
	batchRows  = 5000
	batchBytes = 4 << 20
)

// Transfer copies a database into an empty one, of either kind, table by table in the order of
// primary keys. So an interrupted transfer can continue after the last key of each table in the
// target.
type Transfer struct {
	From, To *store.Store
	// BatchRows is how many rows are copied in one transaction; only tests change it.
	BatchRows int

	tables  []tablePair
	arrived int64          // number of rows, as stored in the target
	claims  []func() error // release the claims on both databases
}

// tablePair is a table in both databases.
type tablePair struct {
	from, to engine.StoredTable
	rows     int64 // in the source
}

// State is the progress of a table.
type State struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Of    int64  `json:"of"`
}

// Begin opens the source and the target, and keeps servers from using either until Close.
// The target must be empty or contain an unfinished transfer of the same source.
func Begin(ctx context.Context, from, to store.Config) (_ *Transfer, err error) {
	t := &Transfer{BatchRows: batchRows}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	from.Serve, from.Existing, to.Serve, to.Transfer = true, true, true, true
	if t.From, err = store.Open(ctx, from); err != nil {
		return nil, fmt.Errorf("the source database: %w", err)
	}
	if err := t.claim(ctx, t.From); err != nil {
		return nil, fmt.Errorf("the source database: %w", err)
	}
	if t.To, err = store.Open(ctx, to); err != nil {
		return nil, fmt.Errorf("the target database: %w", err)
	}
	if err := t.claim(ctx, t.To); err != nil {
		return nil, fmt.Errorf("the target database: %w", err)
	}
	if err := t.readSchemas(ctx); err != nil {
		return nil, err
	}
	source, err := t.fingerprint(ctx)
	if err != nil {
		return nil, fmt.Errorf("the source database: %w", err)
	}
	if err := t.note(ctx, source); err != nil {
		return nil, fmt.Errorf("the target database: %w", err)
	}
	return t, nil
}

// claim prevents servers from registering in a shared database. A database of a single server
// was claimed when it was opened.
func (t *Transfer) claim(ctx context.Context, s *store.Store) error {
	if s.Dialect.Exclusive {
		return nil
	}
	// The transaction holds the claim, so it must outlive ctx.
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
			return errors.New("another transfer from or into it is running")
		}
		return err
	}
	var host string
	err = tx.QueryRowContext(ctx, `SELECT host FROM nodes WHERE seen_at > `+s.Dialect.Now+` - $1 LIMIT 1`, store.TakeoverAfter.Milliseconds()).Scan(&host)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("a node on %s serves it: stop all nodes; a killed node is considered dead after %s", host, store.TakeoverAfter)
}

// readSchemas finds the tables to copy. Both databases must have the same tables.
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
		t.tables = append(t.tables, tablePair{from: from[i], to: to[i]})
	}
	return nil
}

// fingerprint counts the rows of the source. It returns a hash that identifies the source and
// changes if the source was served again.
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

// note stores the fingerprint of the source in the target, or compares it with the stored one.
func (t *Transfer) note(ctx context.Context, source string) error {
	begun, err := t.To.HasTable(ctx, engine.UnfinishedTransfer)
	if err != nil {
		return err
	}
	return t.To.TransactOnce(ctx, func(ctx context.Context, tx *engine.Tx) error {
		if begun {
			var noted string
			// This waits for the batch of a killed process that may still be running.
			err := engine.First(ctx, tx, func(r engine.Scanner) error { return r.Scan(&noted, &t.arrived) }, `SELECT source, arrived FROM `+engine.UnfinishedTransfer+` `+t.To.Dialect.ForUpdate)
			if err == nil && noted != source {
				err = errors.New("it contains an unfinished transfer from another database, or from this one before it changed: empty it first")
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
			return fmt.Errorf("it is not empty, there are rows in %s: choose a database that no server has used", strings.Join(filled, ", "))
		}
		if _, err := tx.ExecContext(ctx, `CREATE TABLE `+engine.UnfinishedTransfer+` (source text NOT NULL, arrived bigint NOT NULL)`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO `+engine.UnfinishedTransfer+` (source, arrived) VALUES ($1, 0)`, source)
		return err
	})
}

// Copy copies the rows that have not arrived yet, and calls report after each batch.
func (t *Transfer) Copy(ctx context.Context, report func(State)) error {
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
				return fmt.Errorf("analyse the rows of %s: %w", table.to.Name, err)
			}
		}
	}
	return nil
}

func (t *Transfer) copyTable(ctx context.Context, now engine.Snapshot, table tablePair, report func(State)) error {
	state := State{Table: table.from.Name, Of: table.rows}
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
		if len(batch) < t.BatchRows && size < batchBytes {
			return nil
		}
		return flush()
	}, query, last...)
	if err == nil && len(batch) > 0 {
		err = flush()
	}
	return err
}

// rest returns the query for the rows of a table that have not arrived, and its arguments.
func (t *Transfer) rest(ctx context.Context, table tablePair) (query string, last []any, err error) {
	query = `SELECT ` + engine.Listed(table.from.Columns, engine.ColumnName) + ` FROM ` + table.from.Source
	order := ` ORDER BY ` + engine.Listed(table.from.Key, engine.ColumnSorted)
	err = engine.First(ctx, t.To.Lookups, func(r engine.Scanner) (err error) {
		last, _, err = scanRow(r, table.to.Key)
		return err
	}, `SELECT `+engine.Listed(table.to.Key, engine.ColumnName)+` FROM `+table.to.Source+` ORDER BY `+engine.Listed(table.to.Key, func(c engine.StoredColumn) string { return c.Sorted + " DESC" })+` LIMIT 1`)
	if errors.Is(err, store.ErrNotFound) {
		return query + order, nil, nil
	}
	return query + ` WHERE (` + engine.Listed(table.from.Key, engine.ColumnSorted) + `) > (` + engine.Placeholders(1, len(last)) + `)` + order, last, err
}

// scanRow reads a row and returns its approximate size.
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

// add stores a batch and the number of arrived rows in one transaction.
func (t *Transfer) add(ctx context.Context, into engine.StoredTable, batch [][]any) error {
	after := t.arrived + int64(len(batch))
	err := t.To.TransactOnce(ctx, func(ctx context.Context, tx *engine.Tx) error {
		noted, err := tx.Run(ctx, `UPDATE `+engine.UnfinishedTransfer+` SET arrived = $1 WHERE arrived = $2`, after, t.arrived)
		if err != nil {
			return err
		}
		if noted != 1 {
			return errors.New("another process has copied rows into the database meanwhile")
		}
		return into.Load(ctx, tx, batch)
	})
	if err == nil {
		t.arrived = after
	}
	return err
}

// tableSum is the number of rows of a table and the sum of their hashes, which does not depend
// on their order.
type tableSum struct {
	rows      int64
	high, low uint64
}

// Verify reads both databases completely and compares the number of rows and a checksum of every
// table. It calls report for each table that is equal.
func (t *Transfer) Verify(ctx context.Context, report func(State)) error {
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
					return fmt.Errorf("%s differs: the source has %d rows with checksum %016x%016x, the target has %d with %016x%016x; if the source was changed meanwhile, empty the target and start again",
						table.from.Name, there.rows, there.high, there.low, here.rows, here.high, here.low)
				}
				report(State{Table: table.from.Name, Rows: here.rows, Of: there.rows})
			}
			return nil
		})
	})
}

// checksum returns the tableSum of a table.
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

// appendValue appends an unambiguous encoding of a value.
func appendValue(text []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return append(binary.AppendUvarint(append(text, 't'), uint64(len(v))), v...)
	case []byte:
		return append(binary.AppendUvarint(append(text, 'b'), uint64(len(v))), v...)
	case int64:
		return binary.AppendVarint(append(text, 'i'), v)
	case float64:
		return binary.BigEndian.AppendUint64(append(text, 'f'), math.Float64bits(v))
	default:
		return append(text, 'n')
	}
}

// Finish marks the target as complete, so that servers can use it.
func (t *Transfer) Finish(ctx context.Context) error {
	err := t.To.TransactOnce(ctx, func(ctx context.Context, tx *engine.Tx) error {
		_, err := tx.ExecContext(ctx, `DROP TABLE `+engine.UnfinishedTransfer)
		return err
	})
	return engine.Wrap(err, "finish the transfer")
}

// Close allows servers to use both databases again; the target only if the transfer is finished.
func (t *Transfer) Close() (err error) {
	for _, release := range t.claims {
		err = errors.Join(err, release())
	}
	for _, s := range []*store.Store{t.From, t.To} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}
