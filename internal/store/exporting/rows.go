package exporting

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"unicode"

	"earshot/internal/store/engine"
)

// rowsBatch is how many rows are written or deleted in one transaction, which delays other writes.
const rowsBatch = 500

// RowTables are the tables of the rows that the views report_mentions, report_citations and
// report_metrics show.
var RowTables = []string{"exported_mentions", "exported_citations", "exported_metrics"}

// Rows writes rows of an exported table to the database. The views show them when the day ends
// with them, all at once.
type Rows[T any] struct {
	insert engine.Statement[row[T]]
}

// row is a row of a day.
type row[T any] struct {
	day    *Day
	number int64
	cells  T
}

// NewRows returns the Rows of a table, such as mentions. A column has the name in the tag json of
// its field in snake case, or the name in the tag sql, which may also say that it is a uuid.
func NewRows[T any](table string) *Rows[T] {
	columns := []engine.Column[row[T]]{
		engine.Field("organization", "uuid", func(r *row[T]) *string { return &r.day.Organization }),
		engine.Field("tracker", "uuid", func(r *row[T]) *string { return &r.day.Tracker }),
		engine.IntField("day", func(r *row[T]) *int64 { return &r.day.Day }),
		engine.IntField("version", func(r *row[T]) *int64 { return &r.day.version }),
		engine.IntField("number", func(r *row[T]) *int64 { return &r.number }),
	}
	for field := range reflect.TypeFor[T]().Fields() {
		columns = append(columns, cellColumn[T](field))
	}
	return &Rows[T]{engine.NewTable("exported_"+table, columns...).Insert("")}
}

// cellColumn returns the column of a field. A nil pointer is NULL, and so is an empty text that is
// optional in Parquet files. A list is a JSON array.
func cellColumn[T any](field reflect.StructField) engine.Column[row[T]] {
	name, kind, _ := strings.Cut(field.Tag.Get("sql"), ",")
	if name == "" {
		name, _, _ = strings.Cut(field.Tag.Get("json"), ",")
		name = snakeCase(name)
	}
	optional := strings.Contains(field.Tag.Get("parquet"), ",optional")
	// cell returns the value of the field, or false for NULL.
	cell := func(r *row[T]) (value reflect.Value, ok bool) {
		value = reflect.ValueOf(&r.cells).Elem().FieldByIndex(field.Index)
		if value.Kind() == reflect.Pointer {
			return value.Elem(), !value.IsNil()
		}
		return value, value.Kind() != reflect.String || !optional || value.Len() > 0
	}
	of := field.Type
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch of.Kind() {
	case reflect.Int64: // also times, which are in milliseconds
		return engine.NewColumn(name, "bigint", nil, func(r *row[T]) *int64 { return orNull(reflect.Value.Int)(cell(r)) })
	case reflect.Float64:
		return engine.NewColumn(name, "double precision", nil, func(r *row[T]) *float64 { return orNull(reflect.Value.Float)(cell(r)) })
	case reflect.Bool:
		return engine.NewColumn(name, "bigint", nil, func(r *row[T]) *int64 { return orNull(flag)(cell(r)) })
	case reflect.Slice:
		return engine.NewColumn(name, "text", nil, func(r *row[T]) *string { return orNull(list)(cell(r)) })
	default:
		return engine.NewColumn(name, cmp.Or(kind, "text"), nil, func(r *row[T]) *string { return orNull(text)(cell(r)) })
	}
}

// orNull returns a function that converts a value. Without a value, that function returns nil.
func orNull[V any](convert func(reflect.Value) V) func(reflect.Value, bool) *V {
	return func(value reflect.Value, ok bool) *V {
		if !ok {
			return nil
		}
		return new(convert(value))
	}
}

func flag(value reflect.Value) int64 {
	if value.Bool() {
		return 1
	}
	return 0
}

// text returns a text that PostgreSQL accepts.
func text(value reflect.Value) string {
	return strings.ToValidUTF8(strings.ReplaceAll(value.String(), "\x00", ""), "\ufffd")
}

func list(items reflect.Value) string {
	if items.Len() == 0 {
		return "[]"
	}
	text, _ := json.Marshal(items.Interface()) // a list of texts cannot fail
	return string(text)
}

// snakeCase converts a name in camel case.
func snakeCase(name string) string {
	var snake strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			snake.WriteByte('_')
		}
		snake.WriteRune(unicode.ToLower(r))
	}
	return snake.String()
}

// Write adds rows to a day that this node has leased.
func (t *Rows[T]) Write(ctx context.Context, s *Store, day *Day, rows iter.Seq2[T, error]) error {
	var batch []*row[T]
	flush := func() error {
		err := ctx.Err()
		if err == nil {
			err = s.ShardOf(day.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error { return engine.Each(ctx, tx, t.insert, batch, nil) })
		}
		batch = nil
		return engine.Wrap(err, "write rows of a day")
	}
	number := int64(0)
	for cells, err := range rows {
		if err != nil {
			return err
		}
		batch = append(batch, &row[T]{day, number, cells})
		if number++; len(batch) == rowsBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// DeleteUnshown deletes the rows of earlier attempts that the views do not show.
func (s *Store) DeleteUnshown(ctx context.Context, day *Day) error {
	return s.deleteRows(ctx, day, ` AND version <> (SELECT shown FROM export_days e WHERE e.organization = $1 AND e.tracker = $2 AND e.day = $3)`)
}

// DeleteRows deletes the rows of earlier attempts.
func (s *Store) DeleteRows(ctx context.Context, day *Day) error { return s.deleteRows(ctx, day, "") }

// deleteRows deletes rows of earlier attempts. A later attempt of another node is never touched.
func (s *Store) deleteRows(ctx context.Context, day *Day, condition string) error {
	for _, table := range RowTables {
		which := ` FROM ` + table + ` WHERE organization = $1 AND tracker = $2 AND day = $3 AND version < $4`
		for n := int64(rowsBatch); n == rowsBatch; {
			err := ctx.Err()
			if err == nil {
				n, err = s.ShardOf(day.Organization).Run(`DELETE`+which+` AND (version, number) IN (SELECT version, number`+which+condition+` LIMIT $5)`,
					day.Organization, day.Tracker, day.Day, day.version, rowsBatch)
			}
			if err != nil {
				return fmt.Errorf("delete rows of a day: %w", err)
			}
		}
	}
	return nil
}
