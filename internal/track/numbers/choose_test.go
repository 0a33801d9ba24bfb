package numbers

import (
	"testing"

	"earshot"
)

func TestChooseSortsCountsAndLimitsRows(t *testing.T) {
	t.Parallel()
	row := func(brand string, verdict earshot.Verdict, change float64) earshot.ComparedRow {
		return earshot.ComparedRow{Brand: brand, Verdict: verdict, Change: &change}
	}
	rows := []earshot.ComparedRow{
		{Brand: "nothing", Verdict: earshot.VerdictTooEarly},
		row("early", earshot.VerdictTooEarly, 0.9),
		row("steady", earshot.VerdictSteady, 0.3),
		row("rose", earshot.VerdictMoved, 0.1),
		row("fell", earshot.VerdictMoved, -0.2),
	}
	for name, c := range map[string]struct {
		query earshot.CompareQuery
		want  string
	}{
		"all":           {earshot.CompareQuery{}, "nothing early steady rose fell "},
		"sorted":        {earshot.CompareQuery{Sort: "change"}, "fell rose steady early nothing "},
		"a page":        {earshot.CompareQuery{Sort: "change", Limit: 2, Offset: 1}, "rose steady "},
		"the last":      {earshot.CompareQuery{Limit: 9, Offset: 4}, "fell "},
		"after the end": {earshot.CompareQuery{Offset: 9}, ""},
	} {
		report := &earshot.CompareReport{Rows: append([]earshot.ComparedRow(nil), rows...)}
		if err := choose(report, &c.query); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range report.Rows {
			got += r.Brand + " "
		}
		if got != c.want || report.Total != 5 || report.Moved != 2 {
			t.Errorf("%s: %sof %d, %d moved; want %s", name, got, report.Total, report.Moved, c.want)
		}
	}
}
