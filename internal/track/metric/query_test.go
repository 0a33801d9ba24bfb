package metric_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/track/metric"
)

func rowsOf(t *testing.T, b *metric.Dataset, q metric.Query) []metric.Row {
	t.Helper()
	rows, err := b.Rows(q)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestByDividesAnswers(t *testing.T) {
	t.Parallel()
	def, answers := world(1)
	b := datasetOf(t, def, answers)
	for by, want := range map[string][]string{
		"target":   {"chat/US", "engine/DE"},
		"provider": {"chat", "engine"},
		"country":  {"US", "DE"},
		"tag":      {"even"},
		"week":     {"2026-W35", "2026-W36", "2026-W37"},
		"month":    {"2026-08", "2026-09"},
	} {
		var labels []string
		answers := 0
		for _, r := range rowsOf(t, b, metric.Query{Metrics: []string{"visibility"}, By: []string{by}, Having: metric.Selection{"brand": {"A"}}}) {
			value := map[string]string{"target": r.Target, "provider": r.Provider, "country": r.Country, "tag": r.Tag, "week": r.Week, "month": r.Month}[by]
			labels = append(labels, value)
			answers += r.Answers
		}
		if !slices.Equal(labels, want) {
			t.Errorf("by %s the labels are %v, want %v", by, labels, want)
		}
		if all := rowsOf(t, b, metric.Query{Metrics: []string{"visibility"}})[0].Answers; by != "tag" && answers != all {
			t.Errorf("by %s there are %d answers, in all %d", by, answers, all)
		}
	}
	if rows := rowsOf(t, b, metric.Query{Metrics: []string{"coverage"}, By: []string{"sweep", "target", "prompt"}}); len(rows) != 14*2*7 {
		t.Errorf("by sweep, target and prompt there are %d rows", len(rows))
	}
	for _, r := range rowsOf(t, b, metric.Query{Metrics: []string{"visibility"}, By: []string{"day", "prompt"}, Filter: metric.Selection{"target": {"chat/US"}}}) {
		if r.Day == "" || r.Prompt == "" || r.Interval != nil && r.Interval.Market != nil && r.Numerator != 0 && r.Numerator != r.Denominator {
			t.Errorf("the row of one prompt on one day is %+v", r)
		}
	}
}

func TestFilterShrinksDenominatorsAndHavingDoesNot(t *testing.T) {
	t.Parallel()
	def, answers := world(2)
	b := datasetOf(t, def, answers)
	share := []string{"shareOfVoice"}
	all := rowsOf(t, b, metric.Query{Metrics: share})
	having := rowsOf(t, b, metric.Query{Metrics: share, Having: metric.Selection{"brand": {"B"}}})
	if len(all) != 3 || len(having) != 1 || *having[0].Value.Number != *all[1].Value.Number || having[0].Denominator != all[1].Denominator {
		t.Errorf("having B gives %+v, want the second of %+v", having, all)
	}
	two := rowsOf(t, b, metric.Query{Metrics: share, Filter: metric.Selection{"brand": {"A", "B"}}})
	if len(two) != 2 || math.Abs(*two[0].Value.Number+*two[1].Value.Number-1) > 1e-12 || two[0].Denominator >= all[0].Denominator {
		t.Errorf("the shares of two brands are %+v", two)
	}
	if one := rowsOf(t, b, metric.Query{Metrics: share, Filter: metric.Selection{"brand": {"A"}}}); one[0].Value.Number != nil || one[0].Interval != nil {
		t.Errorf("the share of a single brand is %v", *one[0].Value.Number)
	}
	even := rowsOf(t, b, metric.Query{Metrics: []string{"visibility"}, Filter: metric.Selection{"tag": {"even"}}})
	if *even[0].Cells != 6 { // of prompts 0, 2, 4 and 6 the last is branded; two targets
		t.Errorf("the tagged prompts have %d cells", *even[0].Cells)
	}
	if with := rowsOf(t, b, metric.Query{Metrics: []string{"visibility"}, Filter: metric.Selection{"tag": {"even"}}, Branded: true}); *with[0].Cells != 8 {
		t.Errorf("with branded prompts they have %d", *with[0].Cells)
	}
	byType := rowsOf(t, b, metric.Query{Metrics: []string{"citationShare"}, Sources: []string{"type", "url"}, Having: metric.Selection{"type": {"own", "editorial"}}})
	if len(byType) != 2 || math.Abs(*byType[0].Value.Number+*byType[1].Value.Number-1) > 1e-12 {
		t.Errorf("by type there are %+v", byType)
	}
}

func TestLastPoolsSweepsUpToABreak(t *testing.T) {
	t.Parallel()
	def, answers := world(2)
	def.Breaks = []metric.Break{{Sweep: def.Sweeps[9].ID}, {Sweep: def.Sweeps[12].ID, Target: "nowhere/XX"}}
	b := datasetOf(t, def, answers)
	one := metric.Query{Metrics: []string{"visibility"}, By: []string{"sweep"}, Having: metric.Selection{"brand": {"A"}}}
	many := one
	many.Last = 7
	single, pooled := rowsOf(t, b, one), rowsOf(t, b, many)
	if len(single) != 14 || len(pooled) != 14 {
		t.Fatalf("there are %d and %d rows", len(single), len(pooled))
	}
	want := []int{1, 2, 3, 4, 5, 6, 7, 7, 7, 1, 2, 3, 4, 5}
	for i, row := range pooled {
		sum := 0
		for _, other := range single[i+1-want[i] : i+1] {
			sum += other.Answers
		}
		if *row.Sweeps != want[i] || row.Answers != sum || row.Sweep != single[i].Sweep {
			t.Errorf("row %d is of %d sweeps and %d answers, want %d and %d", i, *row.Sweeps, row.Answers, want[i], sum)
		}
	}
}

func TestSurfacesArePooledOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	def, answers := world(3)
	def.Targets = append(slices.Clone(def.Targets), metric.Target{Key: "chat/FR", Surface: "lab"}, metric.Target{Key: "chat/IT", Surface: "lab"})
	b := datasetOf(t, def, answers)
	targets := func(q metric.Query) (found []string) {
		q.Metrics = []string{"coverage"}
		for _, r := range rowsOf(t, b, q) {
			found = append(found, r.Target)
		}
		return found
	}
	if got := targets(metric.Query{}); !slices.Equal(got, []string{"*web", "*lab"}) {
		t.Errorf("the rows have the targets %v", got)
	}
	if got := targets(metric.Query{PoolSurfaces: true}); !slices.Equal(got, []string{"*"}) {
		t.Errorf("the pooled rows have the targets %v", got)
	}
}

func TestInvalidQueries(t *testing.T) {
	t.Parallel()
	def, answers := world(1)
	b := datasetOf(t, def, answers)
	for want, q := range map[string]metric.Query{
		`no metric "fame"`:     {Metrics: []string{"fame"}},
		`no dimension "mood"`:  {By: []string{"mood"}},
		`filter: there is no`:  {Filter: metric.Selection{"mood": nil}},
		`having: rows have no`: {Having: metric.Selection{"month": {"2026-09"}}},
		`sources: is "mood"`:   {Sources: []string{"mood"}},
	} {
		if _, err := b.Rows(q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", q, err, want)
		}
	}
	if _, err := b.Compare(metric.Query{By: []string{"day"}}, *def.Periods); err == nil {
		t.Error("Compare accepts a split by day")
	}
	if _, err := b.Compare(metric.Query{}, metric.Periods{A: []string{"s99"}}); err == nil || !strings.Contains(err.Error(), "s99") {
		t.Errorf("a sweep that does not exist: %v", err)
	}
}

func TestASeriesRestartsAtABreak(t *testing.T) {
	t.Parallel()
	def, answers := world(1)
	scored := func(breaks ...metric.Break) int {
		def.Breaks = breaks
		n := 0
		for _, p := range must[[]metric.Series](t)(datasetOf(t, def, answers).Series())[0].Points {
			if p.Score != nil {
				n++
			}
		}
		return n
	}
	if n := scored(); n != 4 {
		t.Errorf("of 14 points %d have a score, want 4", n)
	}
	if n := scored(metric.Break{Sweep: "s02"}); n != 2 {
		t.Errorf("after a break before the third, %d have a score, want 2", n)
	}
	if n := scored(metric.Break{Sweep: "s02", Target: "engine/DE"}); n != 4 {
		t.Errorf("after a break of another target, %d have a score, want 4", n)
	}
	def.CUSUM.Breaks = []metric.Break{{Sweep: "s03"}}
	if n := scored(); n != 1 {
		t.Errorf("after a break that the detector's setting names, %d have a score, want 1", n)
	}
	def.CUSUM.Breaks = nil
	def.Sweeps[2].State = "missed"
	if n := scored(metric.Break{Sweep: "s02"}); n != 1 {
		t.Errorf("after a break at a missed sweep, %d have a score, want 1", n)
	}
}

// Prompts and targets that were removed before the sweeps of a query have no rows, and do
// not affect the labels of other rows.
func TestRemovedPartsHaveNoRows(t *testing.T) {
	t.Parallel()
	def, answers := world(2)
	for i := range def.Sweeps {
		def.Sweeps[i].Prompts, def.Sweeps[i].Targets = []int{0, 1}, []string{"chat/US"}
	}
	answers = slices.DeleteFunc(answers, func(a metric.Observation) bool { return a.Target != "chat/US" })
	b := datasetOf(t, def, answers)
	for _, by := range []string{"target", "prompt", "month"} {
		rows := rowsOf(t, b, metric.Query{Metrics: []string{"coverage"}, By: []string{by}})
		if want := map[string]int{"target": 1, "prompt": 2, "month": 2}[by]; len(rows) != want || rows[0].Target != "chat/US" {
			t.Errorf("by %s there are %d rows, want %d: %+v", by, len(rows), want, rows)
		}
	}
}

// The rows of stability equal the report and exist only if the query names them.
func TestStabilityByName(t *testing.T) {
	t.Parallel()
	def, answers := world(4)
	b := datasetOf(t, def, answers)
	report := b.Stability()
	rows := rowsOf(t, b, metric.Query{Metrics: []string{"stability.domains", "stability.brands"}, By: []string{"target"}})
	if len(rows) != len(report) || len(rows) != 4 {
		t.Fatalf("there are %d rows, and %d in the report", len(rows), len(report))
	}
	for i, r := range rows {
		want := report[i]
		if r.Metric != want.Metric || r.Target != want.Target || *r.Value.Number != *want.Value || *r.Weighted != *want.Weighted || *r.Cells != want.Cells || r.Denominator != float64(want.Pairs) {
			t.Errorf("row %d is %+v, want %+v", i, r, want)
		}
		if r.Numerator <= 0 || r.Numerator > r.Denominator {
			t.Errorf("%s has %v of %v pairs", r.Metric, r.Numerator, r.Denominator)
		}
	}
	if slices.ContainsFunc(rowsOf(t, b, metric.Query{}), func(r metric.Row) bool { return strings.HasPrefix(r.Metric, "stability") }) {
		t.Error("a query for all metrics returns stability")
	}
}

// Without a closed sweep, the report contains empty lists, not null.
func TestAReportWithoutClosedSweepsIsEmpty(t *testing.T) {
	t.Parallel()
	def, answers := world(3)
	for i := range def.Sweeps {
		def.Sweeps[i].State = "missed"
	}
	def.Periods = nil
	report, err := datasetOf(t, def, answers).Report()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(report); err != nil || string(text) != `{"metrics":[],"compare":[],"series":[],"stability":[],"breaks":[]}` {
		t.Errorf("the report is %s (%v)", text, err)
	}
}

func TestAFilterTakesATargetWithAllItsSurfaces(t *testing.T) {
	t.Parallel()
	def, answers := odd(1)
	b := datasetOf(t, def, answers)
	targets := func(name string) (found []string) {
		for _, r := range rowsOf(t, b, metric.Query{Metrics: []string{"coverage"}, By: []string{"target"}, Filter: metric.Selection{"target": {name}}}) {
			found = append(found, r.Target)
		}
		return found
	}
	if got := targets("chat/US"); !slices.Equal(got, []string{"chat/US@api", "chat/US@web"}) {
		t.Errorf("the target is %q", got)
	}
	if got := targets("chat/US@web"); !slices.Equal(got, []string{"chat/US@web"}) {
		t.Errorf("one surface of it is %q", got)
	}
}

func TestAQueryOfTooManyRowsIsRefusedBeforeTheyAreMade(t *testing.T) {
	t.Parallel()
	def, answers := world(1)
	b := datasetOf(t, def, answers)
	for _, q := range []metric.Query{
		{BrandsOnly: true, By: []string{"prompt", "target"}},
		{BrandsOnly: true, Metrics: []string{"visibility", "rank", "coverage"}, By: []string{"sweep"}},
		{BrandsOnly: true, Metrics: []string{"position"}, Having: metric.Selection{"brand": {"A"}}},
	} {
		made := len(rowsOf(t, b, q))
		q.MaxRows = made - 1
		if q.MaxRows == 0 {
			continue
		}
		if _, err := b.Rows(q); err == nil || !strings.HasPrefix(err.Error(), "by: makes up to ") {
			t.Errorf("%+v has %d rows, one too many: %v", q, made, err)
		}
	}
	if rows, err := b.Rows(metric.Query{BrandsOnly: true, Metrics: []string{"visibility"}, By: []string{"prompt"}, MaxRows: 100_000}); err != nil || len(rows) == 0 {
		t.Errorf("a query that fits has %d rows, %v", len(rows), err)
	}
}

// listRank and support leave out answers without Markdown. If no other answers remain, the
// value is null with a reason. A brand that no answer names has no places.
func TestAnswersWithoutMarkdownAreNotZero(t *testing.T) {
	t.Parallel()
	def := metric.Definition{
		Samples: 1, Brands: []metric.PanelBrand{{Name: "A"}, {Name: "B"}}, Targets: []metric.Target{{Key: "chat/US"}}, Prompts: []metric.Prompt{{Text: "p", Weight: 1}},
	}
	var answers []metric.Observation
	for _, id := range []string{"s1", "s2", "s3"} {
		def.Sweeps = append(def.Sweeps, metric.AskedSweep{ID: id, Slot: "2026-08-0" + id[1:] + "T06:00"})
		answers = append(answers, metric.Observation{
			ID: id, Target: "chat/US", Sweep: id, Sample: 1, Outcome: metric.Answered, Plain: id != "s3",
			Mentions: []metric.Mention{{Brand: "A", Kind: metric.Name, Position: 1}},
		})
	}
	last := &answers[2].Mentions[0]
	last.ListRank, last.Domains = 2, []string{"press.example"}
	b := datasetOf(t, def, answers)
	for _, c := range []struct{ sweep, brand, want string }{
		{"s1", "A", `position: {"median":1,"first":1,"twoToThree":0,"fourOrMore":0} 1/1 of 1, 0 left out ""; listRank: null 0/0 of 0, 1 left out "notRequested"; support: null 0/0 of 0, 1 left out "notRequested"; `},
		{"s3", "A", `position: {"median":1,"first":1,"twoToThree":0,"fourOrMore":0} 1/1 of 1, 0 left out ""; listRank: {"median":2,"first":0,"twoToThree":1,"fourOrMore":0} 1/1 of 1, 0 left out ""; support: 1 1/1 of 1, 0 left out ""; `},
		{"", "A", `position: {"median":1,"first":1,"twoToThree":0,"fourOrMore":0} 3/3 of 3, 0 left out ""; listRank: {"median":2,"first":0,"twoToThree":1,"fourOrMore":0} 1/1 of 1, 2 left out ""; support: 1 1/1 of 1, 2 left out ""; `},
		{"", "B", `position: {"median":null,"first":null,"twoToThree":null,"fourOrMore":null} 0/3 of 3, 0 left out ""; listRank: {"median":null,"first":null,"twoToThree":null,"fourOrMore":null} 0/1 of 1, 2 left out ""; support: null 0/0 of 1, 2 left out ""; `},
	} {
		q := metric.Query{Metrics: []string{"position", "listRank", "support"}, Having: metric.Selection{"brand": {c.brand}}}
		if c.sweep != "" {
			q.Filter = metric.Selection{"sweep": {c.sweep}}
		}
		got := ""
		for _, r := range rowsOf(t, b, q) {
			value, err := json.Marshal(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			leftOut := 0
			if r.NotRequested != nil {
				leftOut = *r.NotRequested
			}
			got += fmt.Sprintf("%s: %s %v/%v of %d, %d left out %q; ", metric.BaseName(r.Metric), value, r.Numerator, r.Denominator, r.Answers, leftOut, r.Reason)
		}
		if got != c.want {
			t.Errorf("%s of sweep %q:\n%s, want\n%s", c.brand, c.sweep, got, c.want)
		}
	}
}

func TestNamesSelectVersions(t *testing.T) {
	t.Parallel()
	b := readDataset(t, filepath.Join("testdata", "contents"))
	for name, want := range map[string][]string{
		"citationRate":    {"citationRate@m1"},
		"citationRate@m2": {"citationRate@m2"},
		"adRate":          {"adRate@m2"},
		"price":           {"price@m2"},
	} {
		var got []string
		for _, r := range rowsOf(t, b, metric.Query{Metrics: []string{name}, BrandsOnly: true}) {
			got = append(got, r.Metric)
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s selects %v, want %v", name, got, want)
		}
	}
	for _, r := range rowsOf(t, b, metric.Query{BrandsOnly: true}) {
		if slices.Contains([]string{"price@m2", "merchantShare@m2", "blockRate@m2", "stability.brands@m1"}, r.Metric) {
			t.Errorf("without names there is a row of %s", r.Metric)
		}
	}
	if _, err := b.Rows(metric.Query{Metrics: []string{"adRate@m1"}}); err == nil {
		t.Error("adRate@m1 is accepted")
	}
}
