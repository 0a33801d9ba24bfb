package report_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/track/report"
)

// hostile is a name that is markup in both formats unless it is escaped.
const hostile = "<script>alert(1)</script> | `x`](http://evil.example) **b** www.evil.example a@evil.example &lt; <!-- \n# h"

var start = time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)

// sample returns the input of a report with sixteen sweeps, one of them skipped, and a
// break. Every text that users or answers supply is name.
func sample(name string) *report.Input {
	iv := &earshot.Intervals{Rerun: []float64{0.38, 0.46}, Market: []float64{0.31, 0.54}}
	row := func(metric, brand string, value float64) earshot.MetricRow {
		if !strings.Contains(metric, "@") {
			metric += "@m1"
		}
		return earshot.MetricRow{
			Metric: metric, Brand: brand, MetricLabels: earshot.MetricLabels{Target: "*", Surface: "web"}, Value: &value, Numerator: 1260 * value, Denominator: 1260,
			Answers: 1260, Cells: new(50), Sweeps: new(8), Missing: 12, Interval: iv, Lag1: new(0.61), Rules: "r3",
		}
	}
	compared := func(prompt, brand, target string, verdict earshot.Verdict, change float64) earshot.ComparedRow {
		return earshot.ComparedRow{
			Metric: "visibility@m1", Brand: brand, MetricLabels: earshot.MetricLabels{Target: target, Prompt: prompt}, Verdict: verdict, Before: new(0.35), After: new(0.35 + change),
			Change: &change, Interval: []float64{change - 0.03, change + 0.03}, P: new(0.01), SmallestChange: new(0.041), Cells: 48, CellsLeftOut: 2, SweepsBefore: 8, SweepsAfter: 8,
			AnswersBefore: 1200, AnswersAfter: 1260,
		}
	}
	in := &report.Input{
		Tracker: "shoes", Brands: []earshot.Brand{{Name: name, Own: true}, {Name: "Kestrin"}}, Zone: time.UTC, Created: start.AddDate(0, 0, 16), Prompts: 52, Branded: 2,
		Compare: &earshot.CompareReport{
			Rules: "r3", Baseline: earshot.Period{From: "2026-11-01", To: "2026-11-08", Sweeps: 8}, Period: earshot.Period{From: "2026-11-09", To: "2026-11-16", Sweeps: 7},
			Rows: []earshot.ComparedRow{compared("", name, "*", earshot.VerdictMoved, 0.07), compared("", "Kestrin", "*", earshot.VerdictSteady, -0.01), compared("", name, name, earshot.VerdictTooEarly, 0.02)},
			Grades: []earshot.GradedCut{{MetricLabels: earshot.MetricLabels{Target: "*"}, Grade: "directional", Criteria: []earshot.GradedCriterion{
				{Name: "sweeps", Value: new(7.0), Decision: 14}, {Name: "smallestChange", Value: new(0.041), Decision: 0.05, Met: true},
			}}},
		},
		Numbers: &earshot.MetricReport{Rows: []earshot.MetricRow{
			row("visibility", name, 0.42), row("visibility", "Kestrin", 0.5), row("shareOfVoice", name, 0.4), row("coverage", "", 0.991),
		}},
		Targets: &earshot.MetricReport{Rows: []earshot.MetricRow{row("visibility", name, 0.42)}},
		Moved:   []earshot.ComparedRow{compared(name, name, "*", earshot.VerdictMoved, -0.2)},
		Sources: &earshot.SourceReport{Rows: []earshot.SourceRow{
			{Domain: "new.example", Type: "editorial", MetricLabels: earshot.MetricLabels{Target: "*"}, Share: new(0.123), Citations: 50, AllCitations: 400, Interval: iv},
			{Domain: name, Type: "own", Brand: name, MetricLabels: earshot.MetricLabels{Target: "*"}, Share: new(0.01), Citations: 4, AllCitations: 400, Interval: iv},
		}},
		SourcesBefore: &earshot.SourceReport{Rows: []earshot.SourceRow{
			{Domain: "gone.example", Type: "shop", MetricLabels: earshot.MetricLabels{Target: "*"}, Share: new(0.2), Citations: 80, AllCitations: 400, Interval: iv},
		}},
		Breaks:  []report.Break{{Sweep: "s4", Reason: name}},
		Reasons: []earshot.ReasonCount{{Reason: "blocked", Count: 9}},
	}
	in.Targets.Rows[0].Target = name
	searches := row("fanout@m2", "", 2.04)
	searches.Interval = &earshot.Intervals{Rerun: []float64{1.5, 2.6}}
	in.Numbers.Rows = append(in.Numbers.Rows, row("searched@m2", "", 0.783), searches)
	for _, brand := range []string{name, "Kestrin"} {
		for i, metric := range []string{"retrievalRate@m2", "citationRate@m2", "citedWhenRetrieved@m2", "productVisibility@m2", "adRate@m2", "paidShare@m2", "organicVisibility@m2"} {
			one := row(metric, brand, 0.111+float64(i)/10)
			switch metric {
			case "productVisibility@m2":
				one.Value, one.Interval, one.Reason = nil, nil, "notRequested"
			case "adRate@m2":
				one.Value, one.Interval, one.Reason = nil, nil, "notOffered"
			case "organicVisibility@m2":
				one.Note = "paidNotMarked"
			}
			in.Numbers.Rows = append(in.Numbers.Rows, one)
		}
	}
	for i := range 16 {
		sweep := earshot.Sweep{
			ID: fmt.Sprint("s", i), State: earshot.SweepClosed, DueAt: earshot.Timestamp{Time: start.AddDate(0, 0, i)},
			Progress: earshot.SweepProgress{Planned: 160, Answered: 158, Missing: 2},
		}
		if i == 9 {
			sweep.State, sweep.Reason = earshot.SweepSkipped, name
		}
		in.Sweeps = append(in.Sweeps, sweep)
		if i == 9 {
			continue
		}
		for _, brand := range []string{name, "Kestrin"} {
			single, mean := row("visibility", brand, 0.3+float64(i)/100), row("visibility", brand, 0.3+float64(i)/200)
			single.Sweep, mean.Sweep, mean.Provisional = sweep.ID, sweep.ID, i < 4
			in.Single, in.Means = append(in.Single, single), append(in.Means, mean)
		}
	}
	return in
}

func written(t *testing.T, write func(*report.Input) ([]byte, error), in *report.Input) string {
	t.Helper()
	document, err := write(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

// textOf returns the text of a page and calls visit for each of its nodes.
func textOf(t *testing.T, page string, visit func(*html.Node)) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode && n.Parent.Data != "style" {
			words.WriteString(n.Data + " ")
		}
		visit(n)
		for child := range n.ChildNodes() {
			walk(child)
		}
	}
	walk(root)
	return strings.ReplaceAll(strings.Join(strings.Fields(words.String()), " "), "\u00a0", " ")
}

func TestPageIsSelfContainedAndEscapesNames(t *testing.T) {
	t.Parallel()
	page := written(t, report.HTML, sample(hostile))
	words := textOf(t, page, func(n *html.Node) {
		if n.Type == html.CommentNode {
			t.Errorf("the page has a comment: %s", n.Data)
		}
		if n.Type != html.ElementNode {
			return
		}
		switch n.Data {
		case "script", "a", "img", "link", "iframe", "object", "embed", "form", "image", "use", "base", "foreignObject":
			t.Errorf("the page has a %s element", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "href" || a.Key == "src" || a.Key == "style" || strings.Contains(a.Val, "evil") && a.Key != "aria-label" {
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	})
	if strings.Contains(page, "url(") || strings.Contains(page, "@import") {
		t.Error("the page loads an external resource")
	}
	if want := strings.Join(strings.Fields(hostile), " "); strings.Count(words, want) < 8 {
		t.Errorf("the name is not shown unchanged:\n%s", words)
	}
}

func TestPageShowsTheNumbers(t *testing.T) {
	t.Parallel()
	page := written(t, report.HTML, sample("Ollaro"))
	words := textOf(t, page, func(*html.Node) {})
	for _, want := range []string{
		"9 Nov 2026 to 16 Nov 2026 (7 sweeps)", "Ollaro is named in 42.0 % of answers", "▲ +7.0 points, larger than normal variation",
		"Expected range if re-run: 38.0–46.0 %.", "Created 17 Nov 2026, 06:00 Time zone UTC",
		"Range for similar questions: 31.0–54.0 %, for any questions like these 50.",
		"+7.0 points, from 35.0 % in the previous period to 42.0 % now, for prompts that both periods have (expected if re-run: +4.0 to +10.0). Larger than normal variation.",
		"Neighbouring sweeps resemble each other (correlation 0.61)", "529.2 of 1,260 answers", "−1.0 points within normal variation expected if re-run: −4.0 to +2.0", "not enough data yet",
		"1 of 1 prompt changed by more than normal variation", "Gained new.example editorial 12.3 %", "Lost gone.example", "4.1 points at most 5.0 points ✓ met", "7 at least 14 not met",
		"blocked the provider blocked the request 9", "10 Nov 2026 skipped", "Branded prompts (2 of 52) are not counted", "2 prompt × target pairs", "99.1 %",
		"5 Nov 2026: Ollaro. The lines restart here.", "Sweeps that did not run: 10 Nov skipped.", "10 Nov 2026, 06:00 skipped: no answers",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("the page does not contain %q:\n%s", want, words)
		}
	}
	for _, jargon := range []string{"interval", "significan", "p-value", "Made up"} {
		if strings.Contains(words, jargon) {
			t.Errorf("the page contains %q", jargon)
		}
	}
	// The line of each of two brands is interrupted at the break and at the skipped sweep.
	// The highest mean, 37.5 %, is at the top and the latest.
	lines := regexp.MustCompile(`<path class="line[^"]*" d="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(lines) != 2 || strings.Count(lines[0][1], "M") != 3 || !strings.HasSuffix(lines[0][1], "L760.0,0.0") || !strings.HasPrefix(lines[0][1], "M0.0,40.0h0L50.7,37.3L") {
		t.Errorf("the lines are %q", lines)
	}
}

func TestMarkdownEscapesNames(t *testing.T) {
	t.Parallel()
	document := []byte(written(t, report.Markdown, sample(hostile)))
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(document))
	tables, headings := 0, 0
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link, *ast.AutoLink, *ast.Image, *ast.RawHTML, *ast.HTMLBlock, *ast.CodeSpan, *ast.CodeBlock, *ast.FencedCodeBlock:
			t.Errorf("the document has a %s", n.Kind())
		case *ast.Heading:
			headings++
		case *extast.Table:
			tables++
			for line := n.FirstChild(); line != nil; line = line.NextSibling() {
				if line.ChildCount() != len(n.Alignments) {
					t.Errorf("a row has %d cells of %d", line.ChildCount(), len(n.Alignments))
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil || tables != 11 || headings != 11 {
		t.Errorf("%d tables below %d headings, %v\n%s", tables, headings, err, document)
	}
	var page bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(document, &page); err != nil {
		t.Fatal(err)
	}
	words := textOf(t, page.String(), func(*html.Node) {})
	if want := strings.Join(strings.Fields(hostile), " "); strings.Count(words, want) < 8 {
		t.Errorf("the name is not shown unchanged:\n%s", words)
	}
}

func TestBothFormatsHaveTheSameNumbers(t *testing.T) {
	t.Parallel()
	in := sample("Ollaro")
	words := textOf(t, written(t, report.HTML, in), func(*html.Node) {})
	for _, number := range []string{"42.0 %", "38.0–46.0 %", "31.0–54.0 %", "+4.0 to +10.0", "12.3 %", "37.5 %"} {
		if text := strings.ReplaceAll(written(t, report.Markdown, in), "\u00a0", " "); !strings.Contains(text, number) || !strings.Contains(words, number) {
			t.Errorf("%s is not in both formats", number)
		}
	}
}

func TestBesidesTheText(t *testing.T) {
	t.Parallel()
	in := sample("Ollaro")
	words := textOf(t, written(t, report.HTML, in), func(*html.Node) {})
	text := strings.ReplaceAll(written(t, report.Markdown, in), "\u00a0", " ")
	const interval = "38.0–46.0 %"
	for _, want := range [][2]string{
		{"Answers with a web search 78.3 % " + interval, "| Answers with a web search | **78.3 %** (" + interval},
		{"Searches per answer with a search 2.04 1.50–2.60 2570.4 in 1,260", "| Searches per answer with a search | **2.04** (1.50–2.60; 2570.4 in 1,260) |"},
		{"31.1 % " + interval + " 391.86 of 1,260 not requested not offered 61.1 %", "**31.1 %** (" + interval + "; 391.86 of 1,260) | **not requested** | **not offered** | **61.1 %**"},
		{"71.1 % " + interval + " ads not marked", "**71.1 %** (" + interval + "; ads not marked) |"},
	} {
		if !strings.Contains(words, want[0]) {
			t.Errorf("the page does not contain %q:\n%s", want[0], words)
		}
		if !strings.Contains(text, want[1]) {
			t.Errorf("the document does not contain %q:\n%s", want[1], text)
		}
	}
	in.Numbers.Rows = slices.DeleteFunc(in.Numbers.Rows, func(r earshot.MetricRow) bool {
		return strings.HasSuffix(r.Metric, "@m2") && r.Value != nil && r.Note == ""
	})
	for _, write := range []func(*report.Input) ([]byte, error){report.HTML, report.Markdown} {
		if document := written(t, write, in); strings.Contains(document, "Besides the text") {
			t.Errorf("the report has a section without values:\n%s", document)
		}
	}
}

func TestReportWithoutNumbersSaysWhy(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		brands []earshot.Brand
		want   string
	}{
		{nil, "This tracker has no brands"},
		{[]earshot.Brand{{Name: "Ollaro", Own: true}}, "This period has no answers of closed sweeps"},
	} {
		in := &report.Input{
			Tracker: "new", Brands: one.brands, Zone: time.UTC, Created: start,
			Compare: &earshot.CompareReport{}, Numbers: &earshot.MetricReport{MadeUp: true}, Targets: &earshot.MetricReport{}, Sources: &earshot.SourceReport{}, SourcesBefore: &earshot.SourceReport{},
		}
		for _, write := range []func(*report.Input) ([]byte, error){report.HTML, report.Markdown} {
			if document := written(t, write, in); !strings.Contains(document, one.want) || !strings.Contains(document, "Made up.") || !strings.Contains(document, "0 sweeps ran") {
				t.Errorf("the report is:\n%s", document)
			}
		}
	}
}

func TestDrawnBrandsAreLimited(t *testing.T) {
	t.Parallel()
	var panel []earshot.Brand
	var rows []earshot.MetricRow
	for i, own := range []bool{false, false, false, false, false, false, true} {
		name := string(rune('a' + i))
		panel = append(panel, earshot.Brand{Name: name, Own: own})
		rows = append(rows, earshot.MetricRow{Metric: "visibility@m1", Brand: name, Value: new(float64(i) / 10)})
	}
	if got := strings.Join(report.Drawn(panel, rows), ""); got != "gfedc" {
		t.Errorf("Drawn returned %s, want gfedc", got)
	}
}
