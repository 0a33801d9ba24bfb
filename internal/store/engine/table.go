package engine

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Table describes a table: its columns, and the field of T for each column. All statements that
// read or write whole rows are derived from it, so a new column needs one more line.
type Table[T any] struct {
	name    string
	Columns []Column[T]
	List    string // the columns for a SELECT or RETURNING
}

// NewTable describes a table.
func NewTable[T any](name string, columns ...Column[T]) *Table[T] {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = name + "." + c.Name
	}
	return &Table[T]{name: name, Columns: columns, List: strings.Join(names, ", ")}
}

// Only returns the columns with the given names.
func (t *Table[T]) Only(names ...string) []Column[T] {
	some := make([]Column[T], len(names))
	for i, name := range names {
		at := slices.IndexFunc(t.Columns, func(c Column[T]) bool { return c.Name == name })
		if at < 0 {
			panic(fmt.Sprintf("the table %s has no column %s", t.name, name))
		}
		some[i] = t.Columns[at]
	}
	return some
}

// Without returns the table without some columns.
func (t *Table[T]) Without(names ...string) *Table[T] {
	return NewTable(t.name, slices.DeleteFunc(slices.Clone(t.Columns), func(c Column[T]) bool { return slices.Contains(names, c.Name) })...)
}

// Targets returns the scan targets of all columns.
func (t *Table[T]) Targets(row *T) []any {
	all := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		all[i] = c.target(row)
	}
	return all
}

// Insert returns a statement that inserts rows. onConflict is the ON CONFLICT clause; without
// it, a row that exists already is an error.
func (t *Table[T]) Insert(onConflict string) Statement[T] {
	// An error rolls back the whole transaction. OR FAIL saves SQLite the work of being able to
	// undo a single statement.
	verb := "INSERT OR FAIL INTO "
	if onConflict != "" {
		verb = "INSERT INTO "
	}
	values := func(in Input, rows int) string {
		return verb + t.name + " (" + strings.Join(in.names, ", ") + ") VALUES " + in.values(rows) + " " + onConflict
	}
	var many, citus string
	s := NewStatement(t.Columns, func(in Input) string {
		if in.Arrays {
			list := strings.Join(in.names, ", ")
			rows := "INSERT INTO " + t.name + " (" + list + ") SELECT " + list + " FROM " + in.Rows()
			if !slices.Contains(globalTables, t.name) {
				citus = rows + readsItsShard + " " + onConflict
			}
			return rows + " " + onConflict
		}
		many = values(in, sqliteRows)
		return values(in, 1)
	})
	s.sqliteMany, s.citus = many, citus
	return s
}

// Select returns a statement that reads the rows of the table that equal one of the given rows in
// the named columns.
func (t *Table[T]) Select(by ...string) Statement[T] {
	return NewStatement(t.Only(by...), func(in Input) string { return "SELECT " + t.List + " FROM " + t.name + " WHERE " + in.Matching() })
}

// Delete returns a statement that deletes the rows of the table that equal one of the given rows
// in the named columns.
func (t *Table[T]) Delete(by ...string) Statement[T] {
	return NewStatement(t.Only(by...), func(in Input) string { return "DELETE FROM " + t.name + " WHERE " + in.Matching() })
}

// Column is a column of a table, or of the rows that a statement runs over.
type Column[T any] struct {
	Name   string
	kind   string                         // type in PostgreSQL
	target func(row *T) any               // returns the scan target
	bind   func(row *T) driver.Value      // returns the value for SQLite's driver
	put    func(to []byte, row *T) []byte // appends the value as an element of a PostgreSQL array
}

// NewColumn returns a column with the values that value returns; a nil pointer is NULL.
func NewColumn[T, V any](name, kind string, target func(*T) any, value func(*T) V) Column[T] {
	bind, put := binder[V](), putter[V](kind)
	return Column[T]{
		Name: name, kind: kind, target: target,
		bind: func(row *T) driver.Value { return bind(value(row)) },
		put:  func(to []byte, row *T) []byte { return put(to, value(row)) },
	}
}

// binder returns a function that converts a value for SQLite. binder and putter do not depend on
// the type of the row, so the compiler does not instantiate them for each.
func binder[V any]() func(V) driver.Value {
	var bind any
	switch any(*new(V)).(type) {
	case *string:
		bind = bindPointer[string]
	case *int64:
		bind = bindPointer[int64]
	case *float64:
		bind = bindPointer[float64]
	default:
		return func(v V) driver.Value { return v }
	}
	return bind.(func(V) driver.Value) //nolint:errcheck // V is the type of the case
}

func bindPointer[V any](v *V) driver.Value {
	if v == nil {
		return nil
	}
	return *v
}

// putter returns a function that appends a value in PostgreSQL's format.
func putter[V any](kind string) func([]byte, V) []byte {
	text := putText[string]
	if kind == "uuid" {
		text = putUUID
	}
	var put any
	switch v := any(*new(V)).(type) {
	case string:
		put = text
	case *string:
		put = func(to []byte, v *string) []byte { return putPointer(to, v, text) }
	case int64:
		put = putInt
	case *int64:
		put = func(to []byte, v *int64) []byte { return putPointer(to, v, putInt) }
	case *float64:
		put = func(to []byte, v *float64) []byte { return putPointer(to, v, putFloat) }
	case bool:
		put = putBool
	case []byte:
		put = putBytes
	default:
		panic(fmt.Sprintf("no way to write a %T to PostgreSQL", v))
	}
	return put.(func([]byte, V) []byte) //nolint:errcheck // V is the type of the case
}

// Field is a column whose values need no conversion. A nil pointer is stored as NULL.
func Field[T any, V string | *string | int64 | *int64 | bool | []byte](name, kind string, of func(*T) *V) Column[T] {
	return NewColumn(name, kind, func(row *T) any { return of(row) }, func(row *T) V { return *of(row) })
}

// TextField is a column of text for a field of any string type.
func TextField[T any, S ~string](name string, of func(*T) *S) Column[T] {
	return NewColumn(name, "text", func(row *T) any { return text[S]{of(row)} }, func(row *T) string { return string(*of(row)) })
}

// text scans text into any string type.
type text[S ~string] struct{ target *S }

// Scan implements sql.Scanner.
func (t text[S]) Scan(value any) error {
	switch value := value.(type) {
	case string:
		*t.target = S(value)
	case []byte:
		*t.target = S(value)
	default:
		return fmt.Errorf("cannot read a %T as text", value)
	}
	return nil
}

func (t text[S]) scanRaw(kind uint32, value []byte) error {
	if value == nil {
		return errors.New("the text is NULL")
	}
	*t.target = S(rawText(kind, value, string(*t.target)))
	return nil
}

// IntField is a column of whole numbers.
func IntField[T any, N int | int64](name string, of func(*T) *N) Column[T] {
	return NewColumn(name, "bigint", func(row *T) any { return of(row) }, func(row *T) int64 { return int64(*of(row)) })
}

// FlagField stores a boolean as 0 or 1.
func FlagField[T any](name string, of func(*T) *bool) Column[T] {
	return NewColumn(name, "bigint", func(row *T) any { return flag{of(row)} }, func(row *T) int64 {
		if *of(row) {
			return 1
		}
		return 0
	})
}

// flag scans 0 as false and any other number as true.
type flag struct{ target *bool }

// Scan implements sql.Scanner.
func (f flag) Scan(value any) error {
	var found sql.NullInt64
	err := found.Scan(value)
	*f.target = found.Int64 != 0
	return err
}

func (f flag) scanRaw(_ uint32, value []byte) error {
	n, err := rawInt(value)
	*f.target = n != 0
	return err
}

// NullField stores the zero value as NULL.
func NullField[T any, V string | int64](name, kind string, of func(*T) *V) Column[T] {
	return NewColumn(name, kind, func(row *T) any { return nullable[V]{of(row)} }, func(row *T) *V {
		if v := of(row); *v != *new(V) {
			return v
		}
		return nil
	})
}

// BytesAsText stores bytes as text, and nil as NULL.
func BytesAsText[T any](name string, of func(*T) *[]byte) Column[T] {
	c := NewColumn(name, "text", func(row *T) any { return of(row) }, func(row *T) *string {
		if text := *of(row); text != nil {
			return new(string(text))
		}
		return nil
	})
	c.put = func(to []byte, row *T) []byte { return putBytes(to, *of(row)) }
	return c
}

// TimeField stores a time as Unix milliseconds, and the zero time as NULL.
func TimeField[T any](name string, of func(*T) *time.Time) Column[T] {
	c := NewColumn(name, "bigint", func(row *T) any { return unixMillis{of(row)} }, func(row *T) *int64 { return NullMillis(*of(row)) })
	c.put = func(to []byte, row *T) []byte {
		if at := *of(row); !at.IsZero() {
			return putInt(to, Millis(at))
		}
		return putNull(to)
	}
	return c
}

// Lift converts columns of an inner struct to columns of a struct that contains it.
func Lift[Outer, Inner any](columns []Column[Inner], inner func(*Outer) *Inner) []Column[Outer] {
	lifted := make([]Column[Outer], len(columns))
	for i, c := range columns {
		lifted[i] = Column[Outer]{
			Name: c.Name, kind: c.kind,
			target: func(row *Outer) any { return c.target(inner(row)) },
			bind:   func(row *Outer) driver.Value { return c.bind(inner(row)) },
			put:    func(to []byte, row *Outer) []byte { return c.put(to, inner(row)) },
		}
	}
	return lifted
}

// nullable scans NULL as the zero value.
type nullable[V any] struct{ target *V }

// Scan implements sql.Scanner.
func (n nullable[V]) Scan(value any) error {
	var found sql.Null[V]
	err := found.Scan(value)
	*n.target = found.V
	return err
}

func (n nullable[V]) scanRaw(kind uint32, value []byte) (err error) {
	if value == nil {
		*n.target = *new(V)
		return nil
	}
	switch target := any(n.target).(type) {
	case *string:
		*target = rawText(kind, value, *target)
	case *int64:
		*target, err = rawInt(value)
	default:
		err = fmt.Errorf("cannot read into a %T", target)
	}
	return err
}

// MillisInto scans Unix milliseconds into a time, and NULL as the zero time.
func MillisInto(t *time.Time) sql.Scanner { return unixMillis{t} }

// unixMillis scans Unix milliseconds, and NULL as the zero time.
type unixMillis struct{ target *time.Time }

// Scan implements sql.Scanner.
func (m unixMillis) Scan(value any) error {
	var found sql.NullInt64
	err := found.Scan(value)
	*m.target = time.Time{}
	if found.Valid {
		*m.target = time.UnixMilli(found.Int64)
	}
	return err
}

func (m unixMillis) scanRaw(_ uint32, value []byte) error {
	*m.target = time.Time{}
	if value == nil {
		return nil
	}
	n, err := rawInt(value)
	*m.target = time.UnixMilli(n)
	return err
}

// Millis returns a time in Unix milliseconds, the form in which times are stored.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// NullMillis is Millis with nil for the zero time.
func NullMillis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	return new(Millis(t))
}

// NullText returns nil for the empty text.
func NullText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
