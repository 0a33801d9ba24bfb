// Package tablefile writes rows as NDJSON, CSV and Parquet files. A row is a struct whose
// fields have the tags json and parquet, both with the name of the column.
package tablefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"earshot/internal/files/csvfile"
)

// Format is a file format.
type Format string

// The formats.
const (
	NDJSON  Format = "ndjson"
	CSV     Format = "csv"
	Parquet Format = "parquet"
)

// Media returns the media type of the format.
func (f Format) Media() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8; header=present"
	case Parquet:
		return "application/vnd.apache.parquet"
	default:
		return "application/x-ndjson"
	}
}

// groupBytes is the size of a row group in a Parquet file. Writers and readers keep one
// row group in memory.
const groupBytes = 8 << 20

// Encode encodes rows piece by piece, so that only a few rows are in memory at a time. The
// iteration ends with the first error.
func Encode[T any](f Format, rows iter.Seq2[T, error]) iter.Seq2[[]byte, error] {
	switch f {
	case CSV:
		header := csvfile.Row(Columns[T]()...)
		return encodeLines(header, rows, func(row T) ([]byte, error) { return csvfile.Row(cells(reflect.ValueOf(row))...), nil })
	case Parquet:
		return encodeParquet(rows)
	default:
		return encodeLines(nil, rows, func(row T) ([]byte, error) {
			line, err := json.Marshal(row)
			return append(line, '\n'), err
		})
	}
}

// encodeLines yields the header, if there is one, and a line for each row.
func encodeLines[T any](header []byte, rows iter.Seq2[T, error], encode func(T) ([]byte, error)) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if header != nil && !yield(header, nil) {
			return
		}
		for row, err := range rows {
			var line []byte
			if err == nil {
				line, err = encode(row)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// Columns returns the names of the columns of a row, in order.
func Columns[T any]() (names []string) {
	row := reflect.TypeFor[T]()
	for i := range row.NumField() {
		name, _, _ := strings.Cut(row.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// cells returns the values of a row as texts. A nil value is an empty text.
func cells(row reflect.Value) []string {
	texts := make([]string, row.NumField())
	for i := range texts {
		texts[i] = cell(row.Field(i))
	}
	return texts
}

func cell(v reflect.Value) string {
	if t, ok := v.Interface().(Time); ok {
		return t.String()
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = cell(v.Index(i))
		}
		return strings.Join(items, ";")
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	default:
		return fmt.Sprint(v.Interface())
	}
}

func encodeParquet[T any](rows iter.Seq2[T, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var piece bytes.Buffer
		w := parquet.NewGenericWriter[T](&piece, parquet.Compression(&parquet.Zstd))
		var yielded int64
		next := func() bool {
			content := bytes.Clone(piece.Bytes())
			piece.Reset()
			yielded += int64(len(content))
			return yield(content, nil)
		}
		for row, err := range rows {
			if err == nil {
				_, err = w.Write([]T{row})
			}
			full := w.Size()-yielded >= groupBytes
			if err == nil && full {
				err = w.Flush()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if full && !next() {
				return
			}
		}
		if err := w.Close(); err != nil {
			yield(nil, err)
			return
		}
		next()
	}
}

// Time is a time in Unix milliseconds. 0 means no time.
type Time int64

// At converts a time.Time to a Time.
func At(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// String returns the time as RFC 3339 in UTC with milliseconds, or "" if t is 0.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return time.UnixMilli(int64(t)).UTC().Format("2006-01-02T15:04:05.000Z")
}

// MarshalJSON returns null if t is 0.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}
