package tablefile_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"earshot/internal/files/tablefile"
	"earshot/internal/files/tablefile/parquettest"
)

type (
	inner struct {
		Text string `parquet:"text"`
	}
	// wide has every kind of column that an export has.
	wide struct {
		inner
		Few       string         `parquet:"few,dict"`
		Whole     int64          `parquet:"whole"`
		Number    float64        `parquet:"number"`
		Yes       bool           `parquet:"yes"`
		At        tablefile.Time `parquet:"at,timestamp(millisecond)"`
		MaybeText string         `parquet:"maybeText,optional"`
		MaybeFew  string         `parquet:"maybeFew,optional,dict"`
		MaybeInt  *int64         `parquet:"maybeInt,optional"`
		MaybeNum  *float64       `parquet:"maybeNum,optional"`
		MaybeAt   tablefile.Time `parquet:"maybeAt,optional,timestamp(millisecond)"`
		Never     string         `parquet:"never,optional,dict"`
		List      []string       `parquet:"list,list"`
	}
)

const wideSchema = `message wide {
	required binary text (STRING);
	required binary few (STRING);
	required int64 whole (INT(64,true));
	required double number;
	required boolean yes;
	required int64 at (TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS));
	optional binary maybeText (STRING);
	optional binary maybeFew (STRING);
	optional int64 maybeInt (INT(64,true));
	optional double maybeNum;
	optional int64 maybeAt (TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS));
	optional binary never (STRING);
	required group list (LIST) {
		repeated group list {
			required binary element (STRING);
		}
	}
}`

// samples returns rows with every kind of value that a cell can have.
func samples() (rows []wide) {
	zero, number := int64(0), -0.25
	texts := []string{"", "plain", "Köln, 東京 🎈", strings.Repeat("long ", 20), "a\x00b\n\"c\""}
	for i := range 1000 {
		r := wide{inner: inner{texts[i%len(texts)]}, Few: texts[i%2], Whole: int64(i) << 20, Number: float64(i) / 3, Yes: i%3 == 0, At: 1_790_000_000_123 + tablefile.Time(i)}
		if i%4 == 1 {
			r.MaybeText, r.MaybeInt, r.MaybeNum, r.MaybeAt = texts[i%5], &zero, &number, r.At
		}
		if i%5 > 0 {
			r.MaybeFew = fmt.Sprint("few ", i%300)
		}
		for j := range i % 4 {
			r.List = append(r.List, texts[(i+j)%3])
		}
		rows = append(rows, r)
	}
	rows[5].Text = strings.Repeat("longer ", 20000)
	rows[0].Whole, rows[1].Whole, rows[2].Number, rows[3].Number = -1, 1<<53-1, -math.MaxFloat64, math.SmallestNonzeroFloat64
	return rows
}

// encode returns a Parquet file of the rows, and the size of its largest piece.
func encode[T any](t *testing.T, rows iter.Seq[T]) (file []byte, largest int) {
	t.Helper()
	with := func(yield func(T, error) bool) {
		for row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
	for piece, err := range tablefile.Encode(tablefile.Parquet, with) {
		if err != nil {
			t.Fatal(err)
		}
		file, largest = append(file, piece...), max(largest, len(piece))
	}
	return file, largest
}

func values[T any](rows []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, row := range rows {
			if !yield(row) {
				return
			}
		}
	}
}

func readInNode(t *testing.T, content []byte) []map[string]any {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rows.parquet")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return parquettest.Read(t, "../../..", file)
}

func TestAnotherProgramReadsTheFile(t *testing.T) {
	t.Parallel()
	rows := samples()
	content, _ := encode(t, values(rows))
	var want []map[string]any
	for _, r := range rows {
		want = append(want, asRead(&r))
	}
	if diff := cmp.Diff(want, readInNode(t, content)); diff != "" {
		t.Error(diff)
	}
	empty, _ := encode(t, values[wide](nil))
	if read := readInNode(t, empty); len(read) != 0 {
		t.Errorf("a file without rows is read with %d rows", len(read))
	}
}

// asRead returns a row as the other program prints it.
func asRead(r *wide) map[string]any {
	list := []any{}
	for _, text := range r.List {
		list = append(list, text)
	}
	all := map[string]any{
		"text": r.Text, "few": r.Few, "whole": float64(r.Whole), "number": r.Number, "yes": r.Yes, "at": r.At.String(), "list": list,
		"maybeText": nil, "maybeFew": nil, "maybeInt": nil, "maybeNum": nil, "maybeAt": nil, "never": nil,
	}
	if r.MaybeText != "" {
		all["maybeText"] = r.MaybeText
	}
	if r.MaybeFew != "" {
		all["maybeFew"] = r.MaybeFew
	}
	if r.MaybeInt != nil {
		all["maybeInt"], all["maybeNum"], all["maybeAt"] = float64(*r.MaybeInt), *r.MaybeNum, r.MaybeAt.String()
	}
	return all
}

func TestSchemaAndCompression(t *testing.T) {
	t.Parallel()
	rows := samples()
	rows[0].Whole, rows[1].Whole, rows[2].Number = math.MinInt64, math.MaxInt64, math.Inf(-1)
	content, _ := encode(t, values(rows))
	file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wideSchema, file.Schema().String()); diff != "" {
		t.Error(diff)
	}
	for _, column := range file.Metadata().RowGroups[0].Columns {
		if column.MetaData.Codec != format.Zstd {
			t.Errorf("column %v is compressed with %v", column.MetaData.PathInSchema, column.MetaData.Codec)
		}
	}
	read, err := parquet.Read[wide](bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range read {
		if len(read[i].List) == 0 {
			read[i].List = nil // an empty list reads as an empty slice
		}
	}
	if !reflect.DeepEqual(rows, read) {
		t.Error(cmp.Diff(rows, read, cmp.AllowUnexported(wide{})))
	}
}

// A large file is written in pieces while its rows are still being read.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const rows = 250
	random := rand.NewChaCha8([32]byte{})
	content, largest := encode(t, func(yield func(inner) bool) {
		noise := make([]byte, 75_000)
		for range rows {
			_, _ = random.Read(noise) // never fails
			if !yield(inner{base64.StdEncoding.EncodeToString(noise)}) {
				return
			}
		}
	})
	if len(content) < 16<<20 || largest > 10<<20 {
		t.Errorf("a file of %d bytes has a piece of %d", len(content), largest)
	}
	file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if file.NumRows() != rows {
		t.Errorf("%d rows are read", file.NumRows())
	}
}
