package store

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
)

// rows is a table of values that a statement reads under the name r, where its
// text says $rows. Where it says $match, rows of the statement's own table are
// meant that have the same values in the columns of the same names.
//
// PostgreSQL gets every column as one array and runs the statement once; SQLite,
// which knows no arrays and no round trips, runs it for each row.
type rows struct {
	n       int
	columns []column
}

type column struct {
	name, kind string // kind as PostgreSQL calls it
	array      func() any
	value      func(i int) any
}

// table makes n rows; their columns are added one by one.
func table(n int) *rows { return &rows{n: n} }

func add[T any](r *rows, name, kind string, of func(i int) T) *rows {
	r.columns = append(r.columns, column{
		name: name, kind: kind,
		value: func(i int) any { return of(i) },
		array: func() any {
			all := make([]T, r.n)
			for i := range all {
				all[i] = of(i)
			}
			return all
		},
	})
	return r
}

func (r *rows) uuid(name string, of func(i int) string) *rows { return add(r, name, "uuid", of) }

func (r *rows) maybeUUID(name string, of func(i int) *string) *rows { return add(r, name, "uuid", of) }

func (r *rows) text(name string, of func(i int) string) *rows { return add(r, name, "text", of) }

func (r *rows) maybeText(name string, of func(i int) *string) *rows { return add(r, name, "text", of) }

func (r *rows) int(name string, of func(i int) int64) *rows { return add(r, name, "bigint", of) }

func (r *rows) maybeInt(name string, of func(i int) *int64) *rows { return add(r, name, "bigint", of) }

func (r *rows) bytes(name string, of func(i int) []byte) *rows { return add(r, name, "bytea", of) }

// each runs a statement over the rows and hands whatever it returns to scan,
// which may be nil.
func (t *tx) each(ctx context.Context, r *rows, text string, scan func(scanner) error) error {
	if r.n == 0 {
		return nil
	}
	if t.arrays {
		args := make([]any, len(r.columns))
		for i, c := range r.columns {
			args[i] = c.array()
		}
		return t.run(ctx, t.rendered(text, r, r.unnested), args, scan)
	}
	text = t.rendered(text, r, r.single)
	for i := range r.n {
		if err := t.run(ctx, text, r.values(i), scan); err != nil {
			return err
		}
	}
	return nil
}

// values are those of row i.
func (r *rows) values(i int) []any {
	values := make([]any, len(r.columns))
	for j, c := range r.columns {
		values[j] = c.value(i)
	}
	return values
}

// removed runs a DELETE over the rows and tells the ids of those that were there.
// SQLite would make a table for what a statement returns, every time.
func (t *tx) removed(ctx context.Context, r *rows, text string, id func(i int) string, gone func(id string)) error {
	if t.arrays {
		return t.each(ctx, r, text+` RETURNING id`, func(found scanner) error {
			var id string
			err := found.Scan(&id)
			gone(id)
			return err
		})
	}
	text = t.rendered(text, r, r.single)
	for i := range r.n {
		result, err := t.ExecContext(ctx, text, r.values(i)...)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return err
		}
		if n > 0 {
			gone(id(i))
		}
	}
	return nil
}

// template is a statement and the columns that it is run over.
type template struct{ text, columns string }

// rendered is a statement's text for its rows, made once for the same columns.
func (t *tx) rendered(text string, r *rows, render func(string) string) string {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.name
	}
	key := template{text, strings.Join(names, " ")}
	kept, _ := t.texts.Load(key)
	made, ok := kept.(string)
	if !ok {
		made = render(text)
		t.texts.Store(key, made)
	}
	return made
}

// unnested is the text for a table made of arrays. Ids travel as text: the driver
// need not take them apart.
func (r *rows) unnested(text string) string {
	var selected, arrays, names []string
	for i, c := range r.columns {
		cast, kind := "", c.kind
		if kind == "uuid" {
			cast, kind = "::uuid", "text"
		}
		names = append(names, c.name)
		selected = append(selected, fmt.Sprintf("u.%s%s AS %s", c.name, cast, c.name))
		arrays = append(arrays, fmt.Sprintf("$%d::%s[]", i+1, kind))
	}
	columns := strings.Join(names, ", ")
	table := fmt.Sprintf("(SELECT %s FROM unnest(%s) AS u(%s)) AS r", strings.Join(selected, ", "), strings.Join(arrays, ", "), columns)
	match := fmt.Sprintf("(%s) IN (SELECT %s FROM %s)", columns, columns, table)
	return strings.NewReplacer("$rows", table, "$match", match).Replace(text)
}

// single is the text for a table of one row. An update needs no table for it: that
// would be made anew at every run.
func (r *rows) single(text string) string {
	var selected, equal []string
	update := strings.HasPrefix(strings.TrimSpace(text), "UPDATE")
	if update {
		text = strings.Replace(text, "FROM $rows WHERE", "WHERE", 1)
	}
	for i, c := range r.columns {
		selected = append(selected, fmt.Sprintf("$%d AS %s", i+1, c.name))
		equal = append(equal, fmt.Sprintf("%s = $%d", c.name, i+1))
		if update {
			text = regexp.MustCompile(`\br\.`+c.name+`\b`).ReplaceAllLiteralString(text, fmt.Sprintf("$%d", i+1))
		}
	}
	table := "(SELECT " + strings.Join(selected, ", ") + ") AS r"
	return strings.NewReplacer("$rows", table, "$match", strings.Join(equal, " AND ")).Replace(text)
}

// run runs a statement, and hands the rows it returns to scan, which may be nil.
func (t *tx) run(ctx context.Context, text string, args []any, scan func(scanner) error) error {
	if scan != nil {
		return find(ctx, t, scan, text, args...)
	}
	if t.pending != nil {
		t.pending.Queue(text, args...)
		return nil
	}
	_, err := t.ExecContext(ctx, text, args...)
	return err
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

// find runs a query and hands each row to scan. A read whose connection was lost
// before a row came is made again on another.
func (s *Store) find(ctx context.Context, scan func(scanner) error, text string, args ...any) error {
	for try := 1; ; try++ {
		rows := 0
		err := find(ctx, s.reads, func(r scanner) error {
			rows++
			return scan(r)
		}, text, args...)
		if err == nil || rows > 0 || try == conflictTries || ctx.Err() != nil || !s.dialect.disconnected(err) {
			return err
		}
	}
}

// first is find for a query that gives at most one row. Returns ErrNotFound.
func (s *Store) first(ctx context.Context, scan func(scanner) error, text string, args ...any) error {
	found := false
	err := s.find(ctx, func(r scanner) error {
		found = true
		return scan(r)
	}, text, args...)
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// find runs a query and hands each row to scan.
func find(ctx context.Context, in querier, scan func(scanner) error, text string, args ...any) error {
	found, err := in.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := scan(found); err != nil {
			return err
		}
	}
	return found.Err()
}
