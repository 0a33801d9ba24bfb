package csvfile_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"earshot/internal/files/csvfile"
)

func TestFormulasAreEscaped(t *testing.T) {
	t.Parallel()
	given := []string{"=1+1", "+1", "-1", "@sum", "\tx", "\rx", "\nx", "", "a=b", "a,b", "say \"hi\"", "two\nlines", " =1", "é"}
	want := []string{"'=1+1", "'+1", "'-1", "'@sum", "'\tx", "'\rx", "'\nx", "", "a=b", "a,b", "say \"hi\"", "two\nlines", " =1", "é"}
	row := string(csvfile.Row(given...))
	if !strings.HasSuffix(row, "\r\n") || strings.Count(row, "\r\n") != 1 {
		t.Errorf("the line is %q", row)
	}
	got, err := csv.NewReader(strings.NewReader(row)).Read()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q (%v)", got, want, err)
	}
}
