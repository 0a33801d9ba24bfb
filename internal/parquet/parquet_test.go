package parquet_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	library "github.com/parquet-go/parquet-go"

	"earshot/internal/parquet"
	"earshot/internal/parquet/parquettest"
)

type (
	inner struct {
		Text string `parquet:"text"`
	}
	row struct {
		inner
		Few       string   `parquet:"few,dict"`
		Whole     int64    `parquet:"whole"`
		Number    float64  `parquet:"number"`
		Yes       bool     `parquet:"yes"`
		At        int64    `parquet:"at,timestamp(millisecond)"`
		MaybeText string   `parquet:"maybeText,optional"`
		MaybeFew  string   `parquet:"maybeFew,optional,dict"`
		MaybeInt  *int64   `parquet:"maybeInt,optional"`
		MaybeNum  *float64 `parquet:"maybeNum,optional"`
		MaybeAt   int64    `parquet:"maybeAt,optional,timestamp(millisecond)"`
		Never     string   `parquet:"never,optional,dict"`
		List      []string `parquet:"list,list"`
	}
)

// write gives a file of rows in groups of so many.
func write(rows []row, group int) []byte {
	w := parquet.NewWriter(reflect.TypeFor[row]())
	var file []byte
	for i, r := range rows {
		w.Write(reflect.ValueOf(r))
		if (i+1)%group == 0 {
			file = append(file, w.Flush()...)
		}
	}
	return append(file, w.Close()...)
}

// samples are rows with all that may stand in a cell.
func samples() (rows []row) {
	zero, number := int64(0), -0.25
	texts := []string{"", "plain", "Köln, 東京 🎈", strings.Repeat("long ", 20), "a\x00b\n\"c\""}
	for i := range 1000 {
		r := row{inner: inner{texts[i%len(texts)]}, Few: texts[i%2], Whole: int64(i) << 20, Number: float64(i) / 3, Yes: i%3 == 0, At: 1_790_000_000_123 + int64(i)}
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

func TestAnotherProgramReadsTheFile(t *testing.T) {
	t.Parallel()
	rows := samples()
	for _, group := range []int{1000, 170} {
		file := filepath.Join(t.TempDir(), "rows.parquet")
		if err := os.WriteFile(file, write(rows, group), 0o600); err != nil {
			t.Fatal(err)
		}
		read := parquettest.Read(t, "../..", file)
		if len(read) != len(rows) {
			t.Fatalf("%d rows in groups of %d are %d", len(rows), group, len(read))
		}
		for i, r := range rows {
			if want := asRead(&r); !reflect.DeepEqual(want, read[i]) {
				t.Fatalf("row %d of groups of %d:\n%s", i, group, cmp.Diff(want, read[i]))
			}
		}
	}
}

// asRead is a row as the other program has it.
func asRead(r *row) map[string]any {
	at := func(ms int64) any { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
	list := []any{}
	for _, text := range r.List {
		list = append(list, text)
	}
	all := map[string]any{
		"text": r.Text, "few": r.Few, "whole": float64(r.Whole), "number": r.Number, "yes": r.Yes, "at": at(r.At), "list": list,
		"maybeText": nil, "maybeFew": nil, "maybeInt": nil, "maybeNum": nil, "maybeAt": nil, "never": nil,
	}
	if r.MaybeText != "" {
		all["maybeText"] = r.MaybeText
	}
	if r.MaybeFew != "" {
		all["maybeFew"] = r.MaybeFew
	}
	if r.MaybeInt != nil {
		all["maybeInt"], all["maybeNum"], all["maybeAt"] = float64(*r.MaybeInt), *r.MaybeNum, at(r.MaybeAt)
	}
	return all
}

// TestALibraryReadsTheFile reads what JavaScript has no numbers for, and what the other
// program does not show.
func TestALibraryReadsTheFile(t *testing.T) {
	t.Parallel()
	rows := samples()
	rows[0].Whole, rows[1].Whole, rows[2].Number = math.MinInt64, math.MaxInt64, math.Inf(-1)
	content := write(rows, 400)
	file, err := library.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if want := library.SchemaOf(row{}).String(); file.Schema().String() != want {
		t.Errorf("the schema is\n%s\nwant\n%s", file.Schema(), want)
	}
	if len(file.RowGroups()) != 3 {
		t.Errorf("there are %d groups", len(file.RowGroups()))
	}
	read, err := library.Read[row](bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range read {
		if len(read[i].List) == 0 {
			read[i].List = nil // an empty one and none are the same
		}
	}
	if !reflect.DeepEqual(rows, read) {
		t.Error(cmp.Diff(rows, read, cmp.AllowUnexported(row{})))
	}
	columns := file.Metadata().RowGroups[0].Columns
	for column, want := range map[int][3]string{ // of the first 400 rows: null, smallest, largest
		0:  {"0", "", ""}, // too long
		1:  {"0", "", "plain"},
		2:  {"0", "\x00\x00\x00\x00\x00\x00\x00\x80", "\xff\xff\xff\xff\xff\xff\xff\x7f"},
		4:  {"0", "\x00", "\x01"},
		7:  {"80", "few 1", "few 99"},
		11: {"400", "", ""},
	} {
		s := columns[column].MetaData.Statistics
		if got := [3]string{fmt.Sprint(s.NullCount), string(s.MinValue), string(s.MaxValue)}; got != want {
			t.Errorf("of column %d the file says %q, want %q", column, got, want)
		}
	}
}

func TestAFileWithoutRows(t *testing.T) {
	t.Parallel()
	content := write(nil, 1)
	if read, err := library.Read[row](bytes.NewReader(content), int64(len(content))); err != nil || len(read) != 0 {
		t.Errorf("%d rows, %v", len(read), err)
	}
	file := filepath.Join(t.TempDir(), "none.parquet")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if read := parquettest.Read(t, "../..", file); len(read) != 0 {
		t.Errorf("%d rows", len(read))
	}
}
