package tablefile_test

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"earshot/internal/files/tablefile"
)

type row struct {
	ID    string         `json:"id" parquet:"id"`
	Asked tablefile.Time `json:"asked" parquet:"asked,optional,timestamp(millisecond)"`
	Count int64          `json:"count" parquet:"count"`
	Share *float64       `json:"share" parquet:"share,optional"`
	Tags  []string       `json:"tags" parquet:"tags,list"`
	Made  bool           `json:"made" parquet:"made"`
}

var errBroken = errors.New("broken")

func rows(n int, end error) iter.Seq2[row, error] {
	half := 0.5
	return func(yield func(row, error) bool) {
		for i := range n {
			r := row{ID: strings.Repeat("=x", 1+i%3), Count: int64(i), Tags: []string{"a", "b"}, Made: i%2 == 0}
			if i > 0 {
				r.Asked, r.Share = tablefile.At(time.UnixMilli(1_000_000_000_050)), &half
			}
			if !yield(r, nil) {
				return
			}
		}
		if end != nil {
			yield(row{}, end)
		}
	}
}

func written(t *testing.T, f tablefile.Format, n int) []byte {
	t.Helper()
	var all []byte
	for piece, err := range tablefile.Encode(f, rows(n, nil)) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, piece...)
	}
	return all
}

func TestRowsAsText(t *testing.T) {
	t.Parallel()
	for format, want := range map[tablefile.Format]string{
		tablefile.NDJSON: `{"id":"=x","asked":null,"count":0,"share":null,"tags":["a","b"],"made":true}
{"id":"=x=x","asked":"2001-09-09T01:46:40.050Z","count":1,"share":0.5,"tags":["a","b"],"made":false}
`,
		tablefile.CSV: "id,asked,count,share,tags,made\r\n'=x,,0,,a;b,true\r\n'=x=x,2001-09-09T01:46:40.050Z,1,0.5,a;b,false\r\n",
	} {
		if got := string(written(t, format, 2)); got != want {
			t.Errorf("%s is %q, want %q", format, got, want)
		}
	}
}

func TestRowsAsParquet(t *testing.T) {
	t.Parallel()
	const n = 1000
	file := written(t, tablefile.Parquet, n)
	read, err := parquet.Read[row](bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for want := range rows(n, nil) {
		got := read[i]
		if got.ID != want.ID || got.Asked != want.Asked || got.Count != want.Count || (got.Share == nil) != (want.Share == nil) || !slices.Equal(got.Tags, want.Tags) || got.Made != want.Made {
			t.Fatalf("row %d is %+v, want %+v", i, got, want)
		}
		i++
	}
	if i != len(read) {
		t.Errorf("%d rows were read, %d written", len(read), i)
	}
	empty := written(t, tablefile.Parquet, 0)
	if read, err := parquet.Read[row](bytes.NewReader(empty), int64(len(empty))); err != nil || len(read) != 0 {
		t.Errorf("%d rows are read from an empty file, %v", len(read), err)
	}
}

func TestAnErrorEndsTheFile(t *testing.T) {
	t.Parallel()
	for _, format := range []tablefile.Format{tablefile.NDJSON, tablefile.CSV, tablefile.Parquet} {
		var last error
		for _, err := range tablefile.Encode(format, rows(2, errBroken)) {
			if last != nil {
				t.Errorf("%s goes on after an error", format)
			}
			last = err
		}
		if !errors.Is(last, errBroken) {
			t.Errorf("%s ends with %v", format, last)
		}
		for range tablefile.Encode(format, rows(2, nil)) {
			break // stop early
		}
	}
}
