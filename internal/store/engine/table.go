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

// Table describes a table of the database: which columns it has, and the field of
// T that each of them is kept in. Whatever reads or writes whole rows is made from
// it, so that a new column is one more line in its table.
type Table[T any] struct {
	name    string
	Columns []Column[T]
	List    string // the columns, as a SELECT or RETURNING names them
}

// NewTable describes a table.
func NewTable[T any](name string, columns ...Column[T]) *Table[T] {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = name + "." + c.Name
	}
	return &Table[T]{name: name, Columns: columns, List: strings.Join(names, ", ")}
}

// Only are the columns of these names.
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

// Without is the table as a query sees it that leaves out a column.
func (t *Table[T]) Without(name string) *Table[T] {
	return NewTable(t.name, slices.DeleteFunc(slices.Clone(t.Columns), func(c Column[T]) bool { return c.Name == name })...)
}

// Targets are where a scan of the listed columns puts their values.
func (t *Table[T]) Targets(row *T) []any {
	all := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		all[i] = c.target(row)
	}
	return all
}

// Insert adds rows. The clause says what to do about those that are there already;
// without one they are an error.
func (t *Table[T]) Insert(onConflict string) Statement[T] {
	// Whatever fails takes the whole transaction back: SQLite need not be able to take back
	// the first rows of a statement alone.
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

// Column is a column of a table, or of the rows that a statement is run over.
type Column[T any] struct {
	Name   string
	kind   string                         // PostgreSQL's name of its type
	target func(row *T) any               // where a scan puts the value
	bind   func(row *T) driver.Value      // what is stored, as SQLite's driver takes it
	put    func(to []byte, row *T) []byte // the same, as PostgreSQL's element of an array
}

// NewColumn makes a column whose values are given by value; NULL is a nil pointer.
func NewColumn[T, V any](name, kind string, target func(*T) any, value func(*T) V) Column[T] {
	bind, put := binder[V](), putter[V](kind)
	return Column[T]{
		Name: name, kind: kind, target: target,
		bind: func(row *T) driver.Value { return bind(value(row)) },
		put:  func(to []byte, row *T) []byte { return put(to, value(row)) },
	}
}

// binder gives a value to SQLite. It does not depend on the row, and neither does putter:
// for each type of row the compiler makes all of its functions once more.
func binder[V any]() func(V) driver.Value {
	var bind any
	switch any(*new(V)).(type) {
	case *string:
		bind = bindPointer[string]
	case *int64:
		bind = bindPointer[int64]
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

// putter writes a value for PostgreSQL.
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
	case bool:
		put = putBool
	case []byte:
		put = putBytes
	default:
		panic(fmt.Sprintf("no way to write a %T to PostgreSQL", v))
	}
	return put.(func([]byte, V) []byte) //nolint:errcheck // V is the type of the case
}

// Field is a column whose values the drivers know as they are. A nil pointer is
// stored as NULL.
func Field[T any, V string | *string | int64 | *int64 | bool | []byte](name, kind string, of func(*T) *V) Column[T] {
	return NewColumn(name, kind, func(row *T) any { return of(row) }, func(row *T) V { return *of(row) })
}

// TextField is a column of text, kept in a string of any type.
func TextField[T any, S ~string](name string, of func(*T) *S) Column[T] {
	return NewColumn(name, "text", func(row *T) any { return text[S]{of(row)} }, func(row *T) string { return string(*of(row)) })
}

// text scans a text of whatever type.
type text[S ~string] struct{ target *S }

// Scan implements sql.Scanner.
func (t text[S]) Scan(value any) error {
	switch value := value.(type) {
	case string:
		*t.target = S(value)
	case []byte:
		*t.target = S(value)
	default:
		return fmt.Errorf("a %T is no text", value)
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

// FlagField stores a boolean as 0 or 1, which both databases have.
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

// BytesAsText is text that Go keeps as bytes; nil is stored as NULL.
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

// Lift makes the columns of a struct those of another that holds it.
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
		err = fmt.Errorf("no way to read a %T", target)
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

// Millis returns a time in Unix milliseconds, as it is stored.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// NullMillis is a time as it is stored where it may be missing.
func NullMillis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	return new(Millis(t))
}
