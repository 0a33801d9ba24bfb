package store

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
	unfinishedTransfer: "it is about the move itself",
}

// ErrUnfinishedTransfer is returned for a database that another one is being moved into:
// it does not hold everything yet.
var ErrUnfinishedTransfer = errors.New("not everything has arrived yet that 'earshot migrate' moves into this database; run the same command again, or empty the database")

// unfinishedTransfer is a table that exists in a database for as long as another one is
// being moved into it. Its one row says which, and how many rows have arrived.
const unfinishedTransfer = "unfinished_transfer"

// placeholders are those of so many values.
func placeholders(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("$%d", i+1)
	}
	return strings.Join(all, ", ")
}

// rootTable is what other tables refer to, so it is filled first.
const rootTable = "organizations"

// storedTable is a table as the schema of its database describes it.
type storedTable struct {
	name    string
	columns []storedColumn // by name, without those that the database computes
	key     []storedColumn // the primary key, in its order
	source  string         // what a query reads it from
	parts   []*part        // that have it
}

// storedColumn is a column of a table.
type storedColumn struct {
	name string
	kind columnKind
	// sorted is the column as both databases compare it: by its bytes.
	sorted string
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

// storedTables reads from the schema which tables are moved, in the order in which they
// can be filled.
func (s *db) storedTables(ctx context.Context) (tables []storedTable, err error) {
	err = s.reports.find(ctx, func(r scanner) error {
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
		column := storedColumn{name: name, kind: kind, sorted: name}
		if declared == "text" {
			column.sorted += s.dialect.byBytes
		}
		if len(tables) == 0 || tables[len(tables)-1].name != table {
			tables = append(tables, storedTable{name: table})
		}
		t := &tables[len(tables)-1]
		t.columns = append(t.columns, column)
		if place > 0 {
			t.key = append(t.key, column)
		}
		return nil
	}, `SELECT * FROM (`+s.dialect.schema+`) AS stored ORDER BY table_name <> '`+rootTable+`', table_name, place, column_name`)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	for _, t := range tables {
		if len(t.key) == 0 {
			return nil, fmt.Errorf("nobody has said how to move %s, which has no primary key", t.name)
		}
		slices.SortFunc(t.columns, func(a, b storedColumn) int { return strings.Compare(a.name, b.name) })
	}
	for i := range tables {
		s.locate(&tables[i])
	}
	return tables, nil
}

// listed are columns as a statement names them.
func listed(columns []storedColumn, of func(storedColumn) string) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = of(c)
	}
	return strings.Join(names, ", ")
}

func columnName(c storedColumn) string   { return c.name }
func columnSorted(c storedColumn) string { return c.sorted }

// value is a value of the column as both databases take it: nil, a string, an int64 or
// bytes. SQLite keeps what it was given, whatever a column is declared as.
func (c storedColumn) value(stored any) (any, error) {
	switch v := stored.(type) {
	case nil:
		return nil, nil
	case int64:
		if c.kind == intKind {
			return v, nil
		}
	case string:
		if c.kind != intKind {
			return c.fromBytes([]byte(v)), nil
		}
	case []byte:
		if c.kind != intKind {
			return c.fromBytes(v), nil
		}
	}
	return nil, fmt.Errorf("%s holds a %T where %s belongs", c.name, stored, c.kind)
}

func (c storedColumn) fromBytes(v []byte) any {
	if c.kind == textKind {
		return string(v)
	}
	return append([]byte{}, v...) // not nil, which would be NULL
}

// locate finds the parts that have a table.
func (s *db) locate(t *storedTable) {
	t.source, t.parts = t.name, []*part{s.part}
	if !s.spread() || slices.Contains(ofNobody, t.name) {
		return
	}
	t.parts = s.parts
	all := make([]string, len(s.parts))
	for i, p := range s.parts {
		all[i] = `SELECT ` + listed(t.columns, columnName) + ` FROM ` + pgx.Identifier{p.schema, t.name}.Sanitize()
	}
	t.source = `(` + strings.Join(all, ` UNION ALL `) + `) AS ` + t.name
}

// load stores rows where they belong, in a transaction of the coordinator.
func (t storedTable) load(ctx context.Context, tx *tx, rows [][]any) error {
	if t.source == t.name {
		return tx.load(ctx, t, pgx.Identifier{t.name}, rows)
	}
	whose := slices.IndexFunc(t.columns, func(c storedColumn) bool { return c.name == "organization" || t.name == rootTable && c.name == "id" })
	places := make([][][]any, len(t.parts))
	for _, row := range rows {
		organization, _ := row[whose].(string)
		i := placeOf(organization, len(t.parts))
		places[i] = append(places[i], row)
	}
	for i, p := range t.parts {
		if err := tx.load(ctx, t, pgx.Identifier{p.schema, t.name}, places[i]); err != nil {
			return err
		}
	}
	if t.name == rootTable { // for the names, and for keys
		return tx.load(ctx, t, pgx.Identifier{t.name}, rows)
	}
	return nil
}

// load stores rows as they are, in the table of that name.
func (t *tx) load(ctx context.Context, into storedTable, place pgx.Identifier, rows [][]any) error {
	if !t.dialect.arrays {
		statement := `INSERT INTO ` + into.name + ` (` + listed(into.columns, columnName) + `) VALUES (` + placeholders(len(into.columns)) + `)`
		for _, row := range rows {
			if _, err := t.direct.run(ctx, statement, nil, func(i int) driver.Value { return row[i] }); err != nil {
				return err
			}
		}
		return nil
	}
	names := make([]string, len(into.columns))
	for i, c := range into.columns {
		names[i] = c.name
	}
	if err := t.flush(ctx); err != nil {
		return err
	}
	_, err := t.pipeline.conn.CopyFrom(ctx, place, names, pgx.CopyFromRows(rows))
	return err
}
