package engine

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"
)

// Statement is run over rows of T. PostgreSQL gets every column as one array and
// runs it once; SQLite, which knows neither arrays nor round trips, runs it for
// each row, or an INSERT or SELECT for some rows together.
type Statement[T any] struct {
	columns    []Column[T]
	Postgres   string
	citus      string // "" where it is the same
	sqlite     string
	sqliteMany string // for sqliteRows rows; "" when there is none
}

// sqliteRows is how many rows SQLite inserts or looks up together: to run a statement
// costs more than what it does for one row. With more of them it gets no faster.
const sqliteRows = 8

// NewStatement writes a statement for both databases.
func NewStatement[T any](columns []Column[T], write func(in Input) string) Statement[T] {
	var names, kinds []string
	for _, c := range columns {
		names, kinds = append(names, c.Name), append(kinds, c.kind)
	}
	s := Statement[T]{
		columns:  columns,
		Postgres: write(Input{&PostgresDialect, names, kinds}),
		sqlite:   write(Input{&SQLiteDialect, names, kinds}),
	}
	if strings.HasPrefix(strings.TrimSpace(s.sqlite), "SELECT") {
		s.sqliteMany = union(s.sqlite, len(columns))
	}
	return s
}

// Returning is the statement with a RETURNING clause, for PostgreSQL alone.
func (s Statement[T]) Returning(columns string) Statement[T] {
	s.Postgres += " RETURNING " + columns
	return s
}

// union is a SELECT for sqliteRows rows on SQLite, each of which has so many parameters.
func union(text string, parameters int) string {
	all := make([]string, sqliteRows)
	for row := range all {
		all[row] = "SELECT * FROM (" + numbered.ReplaceAllStringFunc(text, func(name string) string {
			return "$" + strconv.Itoa(row*parameters+number(name))
		}) + ")"
	}
	return strings.Join(all, " UNION ALL ")
}

// Input is how the text of a statement refers to the rows that it is run over: on
// PostgreSQL to a table named r, on SQLite to the parameters that hold the one row.
type Input struct {
	*dialect
	names []string
	kinds []string
}

// Value refers to a column of the rows.
func (in Input) Value(name string) string {
	if in.Arrays {
		return "r." + name
	}
	for i, n := range in.names {
		if n == name {
			return fmt.Sprintf("$%d", i+1)
		}
	}
	panic("the rows have no column " + name)
}

// values refers to all columns of so many rows on SQLite, as VALUES lists them.
func (in Input) values(rows int) string {
	lists := make([]string, rows)
	for row := range rows {
		all := make([]string, len(in.names))
		for i := range in.names {
			all[i] = fmt.Sprintf("$%d", row*len(in.names)+i+1)
		}
		lists[row] = "(" + strings.Join(all, ", ") + ")"
	}
	return strings.Join(lists, ", ")
}

// Rows is the table r. Functions in the list of a SELECT give their values one by one, where
// in FROM each of them would first fill a table of its own.
func (in Input) Rows() string {
	arrays := make([]string, len(in.names))
	for i, kind := range in.kinds {
		arrays[i] = fmt.Sprintf("unnest($%d::%s[]) AS %s", i+1, kind, in.names[i])
	}
	return "(SELECT " + strings.Join(arrays, ", ") + ") AS r"
}

// Matching is the condition that a row of a SELECT or DELETE has the same values as
// one of the rows, in all of their columns.
func (in Input) Matching() string {
	if in.Arrays {
		list := strings.Join(in.names, ", ")
		return fmt.Sprintf("(%s) IN (SELECT %s FROM %s)", list, list, in.Rows())
	}
	return in.pairs(" AND ", "", in.names)
}

// Assign sets columns of an UPDATE to the values of the rows.
func (in Input) Assign(names ...string) string { return in.pairs(", ", "", names) }

// Where ends an UPDATE with the condition that a row of the table has the same
// values as one of the rows, in the named columns. SQLite needs no table for the one
// row: it would make that anew at every run.
func (in Input) Where(table string, names ...string) string {
	from := ""
	if in.Arrays {
		from = "FROM " + in.Rows() + " "
	}
	return from + "WHERE " + in.pairs(" AND ", table+".", names)
}

func (in Input) pairs(separator, prefix string, names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = prefix + name + " = " + in.Value(name)
	}
	return strings.Join(all, separator)
}

// runDirect runs a statement over rows together on SQLite, hands what it returns to scan,
// which may be nil, and tells how many rows of its table it changed.
func runDirect[T any](ctx context.Context, t *Tx, text string, columns []Column[T], rows []*T, scan func(Scanner) error) (changed int64, err error) {
	return t.direct.run(ctx, text, scan, func(i int) driver.Value { return columns[i%len(columns)].bind(rows[i/len(columns)]) })
}

// Each runs a statement over rows and hands what it returns to scan, which may be
// nil.
func Each[T any](ctx context.Context, t *Tx, s Statement[T], rows []*T, scan func(Scanner) error) error {
	if len(rows) == 0 {
		return nil
	}
	if t.pipeline != nil {
		for _, c := range s.columns {
			addArray(t.pipeline, c, rows)
		}
		text := s.Postgres
		if t.Dialect.Sharded && s.citus != "" {
			text = s.citus
		}
		if err := t.pipeline.add(ctx, text, scan); err != nil || t.Waiting {
			return err
		}
		return t.Flush(ctx)
	}
	for len(rows) > 0 {
		text, n := s.sqlite, 1
		if s.sqliteMany != "" && len(rows) >= sqliteRows {
			text, n = s.sqliteMany, sqliteRows
		}
		if _, err := runDirect(ctx, t, text, s.columns, rows[:n], scan); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// Deletion deletes the rows of a table that match in the named columns, to be run by
// remove. SQLite would make a table for what a statement returns, every time.
func Deletion[T any](from *Table[T], names ...string) Statement[T] {
	return NewStatement(from.Only(names...), func(in Input) string {
		text := "DELETE FROM " + from.name + " WHERE " + in.Matching()
		if in.Arrays {
			text += " RETURNING id"
		}
		return text
	})
}

// Remove runs a deletion and gives those of the rows that were there.
func Remove[T any](ctx context.Context, t *Tx, s Statement[T], rows []*T, id func(*T) string) (removed []*T, err error) {
	if t.Dialect.Arrays {
		asked := make(map[string]*T, len(rows))
		for _, row := range rows {
			asked[id(row)] = row
		}
		err := Each(ctx, t, s, rows, func(found Scanner) error {
			var id string
			err := found.Scan(&id)
			removed = append(removed, asked[id])
			return err
		})
		return removed, err
	}
	for i, row := range rows {
		n, err := runDirect(ctx, t, s.sqlite, s.columns, rows[i:i+1], nil)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			removed = append(removed, row)
		}
	}
	return removed, nil
}

// EachFound runs a statement at once that returns a row for each row that it changes, and fails
// with errMoved unless it changes all of them.
func EachFound[T any](ctx context.Context, t *Tx, s Statement[T], rows []*T) error {
	defer func(waiting bool) { t.Waiting = waiting }(t.Waiting)
	t.Waiting = false
	found := 0
	err := Each(ctx, t, s, rows, func(Scanner) error {
		found++
		return nil
	})
	if err == nil && found != len(rows) {
		err = errMoved
	}
	return err
}
