package csvfile_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"earshot/internal/csvfile"
)

func TestACellIsNeverAFormula(t *testing.T) {
	t.Parallel()
	given := []string{"=1+1", "+1", "-1", "@sum", "\tx", "\rx", "", "a=b", "a,b", "say \"hi\"", "two\nlines", " =1", "é"}
	want := []string{"'=1+1", "'+1", "'-1", "'@sum", "'\tx", "'\rx", "", "a=b", "a,b", "say \"hi\"", "two\nlines", " =1", "é"}
	got, err := csv.NewReader(strings.NewReader(string(csvfile.Row(given...)))).Read()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q (%v)", got, want, err)
	}
}
