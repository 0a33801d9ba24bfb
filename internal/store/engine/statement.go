package engine

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Statement runs over rows of T. PostgreSQL gets every column as an array and runs the statement
// once. SQLite has no arrays and no round trips: it runs the statement for each row, or an INSERT or
// SELECT for sqliteRows rows at once.
type Statement[T any] struct {
	columns    []Column[T]
	Postgres   string
	citus      string // "" if it is the same as Postgres
	sqlite     string
	sqliteMany string // for sqliteRows rows; "" if there is none
}

// sqliteRows is how many rows SQLite inserts or looks up in one statement, which shares the
// overhead of running it. Larger values are not faster.
const sqliteRows = 8

// NewStatement returns a statement whose text write returns for each database.
func NewStatement[T any](columns []Column[T], write func(in Input) string) Statement[T] {
	var names, kinds []string
	for _, c := range columns {
		names, kinds = append(names, c.Name), append(kinds, c.kind)
	}
	s := Statement[T]{
		columns:  columns,
		Postgres: write(Input{&postgresDialect, names, kinds}),
		sqlite:   write(Input{&sqliteDialect, names, kinds}),
	}
	if strings.HasPrefix(strings.TrimSpace(s.sqlite), "SELECT") {
		s.sqliteMany = union(s.sqlite, len(columns))
	}
	return s
}

// union returns the SELECT for sqliteRows rows on SQLite. Each row has the given number of parameters.
func union(text string, parameters int) string {
	all := make([]string, sqliteRows)
	for row := range all {
		all[row] = "SELECT * FROM (" + parameterPattern.ReplaceAllStringFunc(text, func(name string) string {
			return "$" + strconv.Itoa(row*parameters+parameterNumber(name))
		}) + ")"
	}
	return strings.Join(all, " UNION ALL ")
}

// Input refers to the rows that a statement runs over: on PostgreSQL to a table r, on SQLite to
// the parameters of one row.
type Input struct {
	*dialect
	names []string
	kinds []string
}

// Value returns the expression for a column of the rows.
func (in Input) Value(name string) string {
	if in.Arrays {
		return "r." + name
	}
	i := slices.Index(in.names, name)
	if i < 0 {
		panic("the rows have no column " + name)
	}
	return fmt.Sprintf("$%d", i+1)
}

// values returns the VALUES lists for a number of rows on SQLite.
func (in Input) values(rows int) string {
	lists := make([]string, rows)
	for row := range rows {
		lists[row] = "(" + Placeholders(row*len(in.names)+1, len(in.names)) + ")"
	}
	return strings.Join(lists, ", ")
}

// Rows returns the table r. It calls unnest in the SELECT list, which returns values one by one;
// in FROM each call would fill a temporary table first.
func (in Input) Rows() string {
	arrays := make([]string, len(in.names))
	for i, kind := range in.kinds {
		arrays[i] = fmt.Sprintf("unnest($%d::%s[]) AS %s", i+1, kind, in.names[i])
	}
	return "(SELECT " + strings.Join(arrays, ", ") + ") AS r"
}

// Matching returns the condition that a row of a SELECT or DELETE equals one of the rows in all
// of their columns.
func (in Input) Matching() string {
	if in.Arrays {
		list := strings.Join(in.names, ", ")
		return fmt.Sprintf("(%s) IN (SELECT %s FROM %s)", list, list, in.Rows())
	}
	return in.pairs(" AND ", "", in.names)
}

// Assign returns the assignments of an UPDATE that sets columns to the values of the rows.
func (in Input) Assign(names ...string) string { return in.pairs(", ", "", names) }

// Where returns the end of an UPDATE: the condition that a row of the table equals one of the
// rows in the named columns. On SQLite it does not use a table for the single row, which would be
// created at every run.
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

// Each runs a statement over rows and calls scan for each row that it returns. scan may be nil.
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
		if err := t.pipeline.add(ctx, text, scan); err != nil || t.waiting {
			return err
		}
		return t.flush(ctx)
	}
	for len(rows) > 0 {
		text, n := s.sqlite, 1
		if s.sqliteMany != "" && len(rows) >= sqliteRows {
			text, n = s.sqliteMany, sqliteRows
		}
		value := func(i int) driver.Value { return s.columns[i%len(s.columns)].bind(rows[i/len(s.columns)]) }
		if err := t.direct.run(ctx, text, scan, value); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// EachFound immediately runs an UPDATE or DELETE on PostgreSQL. It returns errMoved unless all rows
// were changed.
func EachFound[T any](ctx context.Context, t *Tx, s Statement[T], rows []*T) error {
	defer func(waiting bool) { t.waiting = waiting }(t.waiting)
	t.waiting = false
	s.Postgres += " RETURNING 1"
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
