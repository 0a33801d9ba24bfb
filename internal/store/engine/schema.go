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

// notTransferred are the tables that stay behind when a database is moved, and why.
var notTransferred = map[string]string{
	"nodes":            "who serves the old database does not serve the new one",
	"rate_windows":     "requests of this second",
	"goose_db_version": "each database has had its own migrations",
	UnfinishedTransfer: "it is about the move itself",
}

// ErrUnfinishedTransfer is returned for a database that another one is being moved into:
// it does not hold everything yet.
var ErrUnfinishedTransfer = errors.New("not everything has arrived yet that 'earshot migrate' moves into this database; run the same command again, or empty the database")

// UnfinishedTransfer is a table that exists in a database for as long as another one is
// being moved into it. Its one row says which, and how many rows have arrived.
const UnfinishedTransfer = "unfinished_transfer"

// Placeholders are those of so many values.
func Placeholders(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("$%d", i+1)
	}
	return strings.Join(all, ", ")
}

// RootTable is what other tables refer to, so it is filled first.
const RootTable = "organizations"

// StoredTable is a table as the schema of its database describes it.
type StoredTable struct {
	Name    string
	Columns []StoredColumn // by name, without those that the database computes
	Key     []StoredColumn // the primary key, in its order
	Source  string         // what a query reads it from
	Shards  []*Shard       // that have it
}

// StoredColumn is a column of a table.
type StoredColumn struct {
	Name string
	Kind columnKind
	// sorted is the column as both databases compare it: by its bytes.
	Sorted string
}

// columnKind is what both databases know a column's values as.
type columnKind string

const (
	textKind  columnKind = "text" // ids, too
	intKind   columnKind = "integer"
	bytesKind columnKind = "bytes"
)

// columnKinds are the kinds of the types that columns are declared with. A column of any
// other type, or one that numbers rows by itself, needs thought before it can be moved.
var columnKinds = map[string]columnKind{
	"text": textKind, "uuid": textKind,
	"smallint": intKind, "integer": intKind, "bigint": intKind,
	"blob": bytesKind, "bytea": bytesKind,
}

// StoredTables reads from the schema which tables are moved, in the order in which they
// can be filled.
func (s *DB) StoredTables(ctx context.Context) (tables []StoredTable, err error) {
	err = s.Reports.Find(ctx, func(r Scanner) error {
		var table, name, declared string
		var place int // in the primary key, from 1
		if err := r.Scan(&table, &name, &declared, &place); err != nil {
			return err
		}
		if _, stays := notTransferred[table]; stays {
			return nil
		}
		kind, known := columnKinds[declared]
		if !known {
			return fmt.Errorf("nobody has said how to move %s.%s, which is %s", table, name, declared)
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
	}, `SELECT * FROM (`+s.Dialect.schema+`) AS stored ORDER BY table_name <> '`+RootTable+`', table_name, place, column_name`)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	for _, t := range tables {
		if len(t.Key) == 0 {
			return nil, fmt.Errorf("nobody has said how to move %s, which has no primary key", t.Name)
		}
		slices.SortFunc(t.Columns, func(a, b StoredColumn) int { return strings.Compare(a.Name, b.Name) })
	}
	for i := range tables {
		s.locate(&tables[i])
	}
	return tables, nil
}

// Listed are columns as a statement names them.
func Listed(columns []StoredColumn, of func(StoredColumn) string) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = of(c)
	}
	return strings.Join(names, ", ")
}

// ColumnName returns the name of a column.
func ColumnName(c StoredColumn) string { return c.Name }

// ColumnSorted returns a column as both databases compare it.
func ColumnSorted(c StoredColumn) string { return c.Sorted }

// Value is a value of the column as both databases take it: nil, a string, an int64 or
// bytes. SQLite keeps what it was given, whatever a column is declared as.
func (c StoredColumn) Value(stored any) (any, error) {
	switch v := stored.(type) {
	case nil:
		return nil, nil
	case int64:
		if c.Kind == intKind {
			return v, nil
		}
	case string:
		if c.Kind != intKind {
			return c.fromBytes([]byte(v)), nil
		}
	case []byte:
		if c.Kind != intKind {
			return c.fromBytes(v), nil
		}
	}
	return nil, fmt.Errorf("%s holds a %T where %s belongs", c.Name, stored, c.Kind)
}

func (c StoredColumn) fromBytes(v []byte) any {
	if c.Kind == textKind {
		return string(v)
	}
	return append([]byte{}, v...) // not nil, which would be NULL
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

// Load stores rows where they belong, in a transaction of the coordinator.
func (t StoredTable) Load(ctx context.Context, tx *Tx, rows [][]any) error {
	if t.Source == t.Name {
		return tx.Load(ctx, t, pgx.Identifier{t.Name}, rows)
	}
	whose := slices.IndexFunc(t.Columns, func(c StoredColumn) bool { return c.Name == "organization" || t.Name == RootTable && c.Name == "id" })
	places := make([][][]any, len(t.Shards))
	for _, row := range rows {
		organization, _ := row[whose].(string)
		i := shardNumber(organization, len(t.Shards))
		places[i] = append(places[i], row)
	}
	for i, p := range t.Shards {
		if err := tx.Load(ctx, t, pgx.Identifier{p.Schema, t.Name}, places[i]); err != nil {
			return err
		}
	}
	if t.Name == RootTable { // for the names, and for keys
		return tx.Load(ctx, t, pgx.Identifier{t.Name}, rows)
	}
	return nil
}

// Load stores rows as they are, in the table of that name.
func (t *Tx) Load(ctx context.Context, into StoredTable, place pgx.Identifier, rows [][]any) error {
	if !t.Dialect.Arrays {
		statement := `INSERT INTO ` + into.Name + ` (` + Listed(into.Columns, ColumnName) + `) VALUES (` + Placeholders(len(into.Columns)) + `)`
		for _, row := range rows {
			if _, err := t.direct.run(ctx, statement, nil, func(i int) driver.Value { return row[i] }); err != nil {
				return err
			}
		}
		return nil
	}
	names := make([]string, len(into.Columns))
	for i, c := range into.Columns {
		names[i] = c.Name
	}
	if err := t.Flush(ctx); err != nil {
		return err
	}
	_, err := t.pipeline.conn.CopyFrom(ctx, place, names, pgx.CopyFromRows(rows))
	return err
}
