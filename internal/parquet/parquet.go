// Package parquet writes rows as Apache Parquet, a file of columns in groups of rows:
// https://github.com/apache/parquet-format.
//
//	parquet.go  a file: its groups, and what stands at its end
//	column.go   a column: its values, and the pages that they become
//	thrift.go   the encoding of what describes them
//
// A row is a struct. Each field is a column, described by its tag parquet: the name and
// then optional, for one whose zero value is written as null; dict, for texts of which
// there are few different ones; list, for a slice of texts; and timestamp(millisecond).
// A field is a string, an int64, a float64, a bool, or, if it is optional, a pointer to
// one.
//
// Libraries that write all that Parquet has are among the largest there are. Such rows
// need one kind of page, two encodings of values and one compression.
package parquet

import (
	"encoding/binary"
	"reflect"

	"github.com/klauspost/compress/zstd"
)

const magic = "PAR1" // at the beginning and at the end

// Writer makes a file, which its methods return piece by piece.
type Writer struct {
	name    string
	columns []*column
	groups  []group
	rows    int64 // of the group that is not written yet
	written int64 // bytes that were returned
	zstd    *zstd.Encoder
}

// group is what the end of the file says of a group of rows.
type group struct {
	rows   int64
	chunks []chunk
}

// NewWriter begins a file of rows of a type. It panics on a field that cannot be a
// column.
func NewWriter(row reflect.Type) *Writer {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // an option is wrong
	}
	w := &Writer{name: row.Name(), zstd: encoder}
	for _, field := range reflect.VisibleFields(row) {
		if !field.Anonymous {
			w.columns = append(w.columns, newColumn(field))
		}
	}
	return w
}

// Write adds a row.
func (w *Writer) Write(row reflect.Value) {
	w.rows++
	for _, c := range w.columns {
		c.add(row.FieldByIndex(c.field))
	}
}

// Held is about how many bytes the rows take that are in no group yet.
func (w *Writer) Held() (n int) {
	for _, c := range w.columns {
		n += c.held()
	}
	return n
}

// Flush returns the rows as a group.
func (w *Writer) Flush() []byte {
	var out []byte
	if w.written == 0 {
		out = append(out, magic...)
	}
	if w.rows > 0 {
		g := group{rows: w.rows}
		for _, c := range w.columns {
			pages, chunk := c.flush(w.zstd, w.written+int64(len(out)))
			out = append(out, pages...)
			g.chunks = append(g.chunks, chunk)
		}
		w.groups = append(w.groups, g)
		w.rows = 0
	}
	w.written += int64(len(out))
	return out
}

// Close returns what is left of the file.
func (w *Writer) Close() []byte {
	out := w.Flush()
	footer := encode(w.describe)
	out = append(out, footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return append(out, magic...)
}

// describe adds the fields of FileMetaData. Its parts and their numbers are those of
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
func (w *Writer) describe(t *thrift) {
	schema := []element{{name: w.name, children: len(w.columns), repetition: none}}
	for _, c := range w.columns {
		schema = append(schema, c.schema...)
	}
	var rows int64
	for _, g := range w.groups {
		rows += g.rows
	}
	t.int(1, 2) // the version
	t.groups(2, len(schema), func(i int) { schema[i].describe(t) })
	t.long(3, rows)
	t.groups(4, len(w.groups), func(i int) {
		g := w.groups[i]
		var unpacked, packed int64
		for _, c := range g.chunks {
			unpacked, packed = unpacked+c.unpacked, packed+c.packed
		}
		t.groups(1, len(g.chunks), func(j int) { w.columns[j].describe(t, &g.chunks[j]) })
		t.long(2, unpacked)
		t.long(3, g.rows)
		t.long(6, packed)
	})
	t.text(6, "earshot")
	// Smallest and largest values are meant in the order that is usual for their types.
	t.groups(7, len(w.columns), func(int) { t.group(1, func() {}) })
}
