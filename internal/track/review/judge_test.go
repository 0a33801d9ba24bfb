package review

import (
	"encoding/json"
	"testing"

	"earshot"
)

func TestOpinionIsTheFirstWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		opinion earshot.Opinion
		reason  string
	}{
		{"problem: The price is wrong.", earshot.OpinionProblem, "The price is wrong."},
		{"**Fine**\nIt is only a comparison.", earshot.OpinionFine, "It is only a comparison."},
		{"Unsure. The year may be right.", earshot.OpinionUnsure, "The year may be right."},
		{"fine", earshot.OpinionFine, ""},
		{"This is a problem.", earshot.OpinionUnsure, "This is a problem."},
		{"", earshot.OpinionUnsure, ""},
	} {
		result, err := json.Marshal(earshot.Answer{Text: c.text})
		if err != nil {
			t.Fatal(err)
		}
		if opinion, reason := opinionOf(result); opinion != c.opinion || reason != c.reason {
			t.Errorf("%q is %s (%q), want %s (%q)", c.text, opinion, reason, c.opinion, c.reason)
		}
	}
}
