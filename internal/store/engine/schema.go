package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// notTransferred are the tables that a transfer does not copy, and the reason.
var notTransferred = map[string]string{
	"nodes":            "nodes of the old database do not serve the new one",
	"rate_windows":     "requests of this second",
	"goose_db_version": "each database has its own migrations",
	UnfinishedTransfer: "it describes the transfer itself",
}

// ErrUnfinishedTransfer is returned for a database that contains an unfinished transfer.
var ErrUnfinishedTransfer = errors.New("'earshot migrate' has not copied everything into this database yet; run the same command again, or empty the database")

// UnfinishedTransfer is a table that exists during a transfer into a database. Its only row
// has the fingerprint of the source and the number of rows that have arrived.
const UnfinishedTransfer = "unfinished_transfer"

// Placeholders returns a list of n parameters, beginning with the parameter first: "$1, $2, …".
func Placeholders(first, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("$%d", first+i)
	}
	return strings.Join(all, ", ")
}

// rootTable is the table that other tables refer to, so it is filled first.
const rootTable = "organizations"

// StoredTable is a table as described by the schema of its database.
type StoredTable struct {
	Name    string
	Columns []StoredColumn // sorted by name, without generated columns
	Key     []StoredColumn // the primary key, in its order
	Source  string         // the FROM clause that reads it
	Shards  []*Shard       // the shards that have it
}

// StoredColumn is a column of a table.
type StoredColumn struct {
	Name string
	Kind columnKind
	// Sorted is the expression that both databases sort by: the bytes of the column.
	Sorted string
}

// columnKind is the type of a column's values in both databases.
type columnKind string

const (
	textKind  columnKind = "text" // also ids
	intKind   columnKind = "integer"
	floatKind columnKind = "float"
	bytesKind columnKind = "bytes"
)

// columnKinds maps declared types to kinds. A column of another type, or with numbers generated
// by the database, needs special code before it can be copied.
var columnKinds = map[string]columnKind{
	"text": textKind, "uuid": textKind,
	"smallint": intKind, "integer": intKind, "bigint": intKind,
	"real": floatKind, "double precision": floatKind,
	"blob": bytesKind, "bytea": bytesKind,
}

// StoredTables reads from the schema the tables that a transfer copies, in the order in which
// they can be filled.
func (s *DB) StoredTables(ctx context.Context) (tables []StoredTable, err error) {
	err = s.Reports.Find(ctx, func(r Scanner) error {
		var table, name, declared string
		var place int // position in the primary key, from 1
		if err := r.Scan(&table, &name, &declared, &place); err != nil {
			return err
		}
		if _, stays := notTransferred[table]; stays {
			return nil
		}
		kind, known := columnKinds[declared]
		if !known {
			return fmt.Errorf("the transfer does not support the type of %s.%s: %s", table, name, declared)
		}
		column := StoredColumn{Name: name, Kind: kind, Sorted: name}
		if declared == "text" {
			column.Sorted += s.Dialect.byBytes
		}
		if len(tables) == 0 || tables[len(tables)-1].Name != table {
			tables = append(tables, StoredTable{Name: table})
		}
		t := &tables[len(tables)-1]
		t.Columns = append(t.Columns, column)
		if place > 0 {
			t.Key = append(t.Key, column)
		}
		return nil
	}, `SELECT * FROM (`+s.Dialect.schema+`) AS stored ORDER BY table_name <> '`+rootTable+`', table_name, place, column_name`)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	for _, t := range tables {
		if len(t.Key) == 0 {
			return nil, fmt.Errorf("the transfer does not support %s, which has no primary key", t.Name)
		}
		slices.SortFunc(t.Columns, func(a, b StoredColumn) int { return strings.Compare(a.Name, b.Name) })
	}
	for i := range tables {
		s.locate(&tables[i])
	}
	return tables, nil
}

// Listed joins columns, each converted by of, for a statement.
func Listed(columns []StoredColumn, of func(StoredColumn) string) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = of(c)
	}
	return strings.Join(names, ", ")
}

// ColumnName returns the name of a column.
func ColumnName(c StoredColumn) string { return c.Name }

// ColumnSorted returns the expression that both databases sort a column by.
func ColumnSorted(c StoredColumn) string { return c.Sorted }

// Value converts a stored value to the form that both databases accept: nil, a string, an int64,
// a float64 or bytes. SQLite stores values of any type in any column.
func (c StoredColumn) Value(stored any) (any, error) {
	switch v := stored.(type) {
	case nil:
		return nil, nil
	case int64:
		if c.Kind == intKind {
			return v, nil
		}
	case float64:
		if c.Kind == floatKind {
			return v, nil
		}
	case string:
		if c.Kind == textKind || c.Kind == bytesKind {
			return c.fromBytes([]byte(v)), nil
		}
	case []byte:
		if c.Kind == textKind || c.Kind == bytesKind {
			return c.fromBytes(v), nil
		}
	}
	return nil, fmt.Errorf("%s contains a %T instead of %s", c.Name, stored, c.Kind)
}

func (c StoredColumn) fromBytes(v []byte) any {
	if c.Kind == textKind {
		return string(v)
	}
	return append([]byte{}, v...) // never nil, which would be NULL
}

// locate finds the shards that have a table.
func (s *DB) locate(t *StoredTable) {
	t.Source, t.Shards = t.Name, []*Shard{s.Shard}
	if !s.Sharded() || slices.Contains(globalTables, t.Name) {
		return
	}
	t.Shards = s.Shards
	all := make([]string, len(s.Shards))
	for i, p := range s.Shards {
		all[i] = `SELECT ` + Listed(t.Columns, ColumnName) + ` FROM ` + pgx.Identifier{p.Schema, t.Name}.Sanitize()
	}
	t.Source = `(` + strings.Join(all, ` UNION ALL `) + `) AS ` + t.Name
}

// Load inserts rows into their shards, in a transaction on the coordinator.
func (t StoredTable) Load(ctx context.Context, tx *Tx, rows [][]any) error {
	if t.Source == t.Name {
		return tx.load(ctx, t, pgx.Identifier{t.Name}, rows)
	}
	whose := slices.IndexFunc(t.Columns, func(c StoredColumn) bool { return c.Name == "organization" || t.Name == rootTable && c.Name == "id" })
	places := make([][][]any, len(t.Shards))
	for _, row := range rows {
		organization, _ := row[whose].(string)
		i := shardNumber(organization, len(t.Shards))
		places[i] = append(places[i], row)
	}
	for i, p := range t.Shards {
		if err := tx.load(ctx, t, pgx.Identifier{p.Schema, t.Name}, places[i]); err != nil {
			return err
		}
	}
	if t.Name == rootTable { // the coordinator has a row for each organization, too
		return tx.load(ctx, t, pgx.Identifier{t.Name}, rows)
	}
	return nil
}

// load inserts rows without conversion into the table at place.
func (t *Tx) load(ctx context.Context, into StoredTable, place pgx.Identifier, rows [][]any) error {
	if !t.Dialect.Arrays {
		statement := `INSERT INTO ` + into.Name + ` (` + Listed(into.Columns, ColumnName) + `) VALUES (` + Placeholders(1, len(into.Columns)) + `)`
		for _, row := range rows {
			if err := t.direct.run(ctx, statement, nil, func(i int) driver.Value { return row[i] }); err != nil {
				return err
			}
		}
		return nil
	}
	names := make([]string, len(into.Columns))
	for i, c := range into.Columns {
		names[i] = c.Name
	}
	if err := t.flush(ctx); err != nil {
		return err
	}
	_, err := t.pipeline.conn.CopyFrom(ctx, place, names, pgx.CopyFromRows(rows))
	return err
}
