package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/track/metric"
	"earshot/internal/track/numbers"
)

// prompts are the prompts with the largest change.
type prompts struct {
	Compared int
	Moved    int // changed by more than normal variation
	Rows     []promptRow
}

type promptRow struct {
	Prompt, Brand string
	Change        change
	Answers       string
}

// Sentence says how many prompts changed.
func (p *prompts) Sentence() string {
	if p.Moved == 0 {
		return fmt.Sprintf("No change among %s is larger than normal variation. The largest changes may be random.", many(p.Compared, "prompt"))
	}
	return fmt.Sprintf("%d of %s changed by more than normal variation. About 1 in 20 of such findings may be random.", p.Moved, many(p.Compared, "prompt"))
}

// prompts returns the compared prompts of a surface, the clearest changes first. It returns
// nil if no prompts were compared.
func (b *builder) prompts(cut string) *prompts {
	var rows []earshot.ComparedRow
	p := &prompts{}
	for _, r := range b.in.Moved {
		// If the surface has one target, both r.Target and cut are that target's name.
		if r.Target != cut || r.Change == nil || r.Verdict == earshot.VerdictTooEarly {
			continue
		}
		p.Compared++
		if r.Verdict == earshot.VerdictMoved {
			p.Moved++
		}
		rows = append(rows, r)
	}
	if p.Compared == 0 {
		return nil
	}
	slices.SortStableFunc(rows, numbers.ByChange)
	for _, r := range rows[:min(len(rows), max(3, min(p.Moved, shownPrompts)))] {
		p.Rows = append(p.Rows, promptRow{
			Prompt: r.Prompt, Brand: r.Brand, Change: changeOf(&r, slices.Contains(b.own, r.Brand)),
			Answers: count(float64(r.AnswersBefore)) + " and " + count(float64(r.AnswersAfter)),
		})
	}
	return p
}

// sources are the sources that answers cite.
type sources struct {
	All          string // number of citations in the period
	Rows         []sourceRow
	Gained, Lost []sourceRow
	Compared     bool // both periods have enough sweeps to list gained and lost sources
}

type sourceRow struct {
	Domain, Type, Brand string
	Now, Before         figure
}

func (b *builder) sources(cut string) *sources {
	if b.in.Sources == nil || b.in.SourcesBefore == nil {
		return nil
	}
	now, before := sourcesOf(b.in.Sources, cut), sourcesOf(b.in.SourcesBefore, cut)
	if len(now) == 0 {
		return nil
	}
	s := &sources{All: count(float64(now[0].AllCitations))}
	enough := func(p earshot.Period) bool { return p.Sweeps >= 5 }
	s.Compared = len(before) > 0 && enough(b.in.Compare.Period) && enough(b.in.Compare.Baseline)
	for i := range now {
		was := sourceIn(before, now[i].Domain)
		row := sourceRow{Domain: now[i].Domain, Type: now[i].Type, Brand: now[i].Brand, Now: sourceFigure(&now[i]), Before: absentFigure(before)}
		if was != nil {
			row.Before = sourceFigure(was)
		}
		if i < shownSources {
			s.Rows = append(s.Rows, row)
		}
		if s.Compared && was == nil && len(before) < MaxSources && now[i].Citations >= fewCitations {
			s.Gained = append(s.Gained, row)
		}
	}
	for i := range before {
		if s.Compared && len(now) < MaxSources && before[i].Citations >= fewCitations && sourceIn(now, before[i].Domain) == nil {
			s.Lost = append(s.Lost, sourceRow{Domain: before[i].Domain, Type: before[i].Type, Brand: before[i].Brand, Now: absentFigure(now), Before: sourceFigure(&before[i])})
		}
	}
	s.Gained, s.Lost = s.Gained[:min(len(s.Gained), shownSources)], s.Lost[:min(len(s.Lost), shownSources)]
	return s
}

func sourcesOf(report *earshot.SourceReport, cut string) (rows []earshot.SourceRow) {
	for _, r := range report.Rows {
		if r.Target == cut {
			rows = append(rows, r)
		}
	}
	return rows
}

func sourceIn(rows []earshot.SourceRow, domain string) *earshot.SourceRow {
	return find(rows, func(r *earshot.SourceRow) bool { return r.Domain == domain })
}

func sourceFigure(r *earshot.SourceRow) figure {
	f := figure{Value: percent(r.Share), Of: count(float64(r.Citations)) + " of " + count(float64(r.AllCitations)), Early: r.Provisional}
	if r.Interval != nil {
		f.Rerun = span(r.Interval.Rerun)
	}
	return f
}

// absentFigure returns the figure of a source that is not in rows.
func absentFigure(rows []earshot.SourceRow) figure {
	switch {
	case len(rows) == 0:
		return figure{Value: noData}
	case len(rows) >= MaxSources:
		return figure{Value: "rare"}
	default:
		return figure{Value: "none", Of: "0 of " + count(float64(rows[0].AllCitations))}
	}
}

// besides are the metrics of what answers contain besides their text.
type besides struct {
	General []besidesRow // not about a brand
	Columns []string
	Brands  []besidesRow
}

// besidesRow is a metric, or a brand with one figure for each column.
type besidesRow struct {
	Name    string
	Own     bool
	Figures []figure
}

// besidesMetrics are the labels of the metrics m2, in the order of the report.
var besidesMetrics = []struct {
	name, label string
	general     bool
}{
	{"searched@m2", "Answers with a web search", true},
	{"fanout@m2", "Searches per answer with a search", true},
	{"overviewRate@m2", "Search pages with an AI overview", true},
	{"retrievalRate@m2", "Site read", false},
	{"citationRate@m2", "Site cited", false},
	{"citedWhenRetrieved@m2", "Cited when read", false},
	{"productVisibility@m2", "Products shown", false},
	{"adRate@m2", "Ads shown", false},
	{"paidShare@m2", "Share of ads", false},
	{"organicVisibility@m2", "Organic visibility", false},
}

// besides returns nil if the answers report nothing besides their text.
func (b *builder) besides(cut string) *besides {
	s, reported := &besides{}, false
	figures := func(metric, brand string) []figure {
		r := number(b.in.Numbers.Rows, metric, brand, cut)
		if r == nil {
			return nil
		}
		// With a note, the value says nothing besides the visibility.
		reported = reported || r.Value != nil && r.Note == ""
		return []figure{besidesFigure(r)}
	}
	for _, m := range besidesMetrics {
		if !m.general {
			s.Columns = append(s.Columns, m.label)
		} else if found := figures(m.name, ""); found != nil {
			s.General = append(s.General, besidesRow{Name: m.label, Figures: found})
		}
	}
	for _, brand := range b.in.Brands {
		row := besidesRow{Name: brand.Name, Own: brand.Own}
		for _, m := range besidesMetrics {
			if !m.general {
				row.Figures = append(row.Figures, figures(m.name, brand.Name)...)
			}
		}
		if len(row.Figures) == len(s.Columns) {
			s.Brands = append(s.Brands, row)
		}
	}
	if !reported {
		return nil
	}
	return s
}

// besidesFigure returns the figure of a metric m2, or the reason why it has no value.
func besidesFigure(r *earshot.MetricRow) figure {
	f := figureOf(r)
	switch {
	case r.Value == nil:
		return figure{Value: cmp.Or(unreportedWords[r.Reason], noData)}
	case r.Note != "":
		f.Of = "ads not marked"
	case metric.IsMean(r.Metric):
		f = figure{Value: fmt.Sprintf("%.2f", *r.Value), Of: count(r.Numerator) + " in " + count(r.Denominator), Early: r.Provisional}
		if r.Interval != nil && len(r.Interval.Rerun) == 2 {
			f.Rerun = fmt.Sprintf("%.2f–%.2f", r.Interval.Rerun[0], r.Interval.Rerun[1])
		}
	}
	return f
}

// grade is the quality of the data, with each criterion.
type grade struct {
	Grade    string
	Meaning  string
	Criteria []criterion
}

type criterion struct {
	Name, Value, Needs string
	Met                bool
}

func (b *builder) gradeOf(target string) *earshot.GradedCut {
	return find(b.in.Compare.Grades, func(g *earshot.GradedCut) bool { return g.Target == target })
}

func (b *builder) grade(target string) *grade {
	found := b.gradeOf(target)
	if found == nil {
		return nil
	}
	g := &grade{Grade: found.Grade}
	switch found.Grade {
	case "decision-grade":
		g.Meaning = "Reliable enough for decisions: every criterion is met."
	case "exploratory":
		g.Meaning = "A first look, not reliable enough for decisions: there are too few prompts, sweeps or answers."
	default:
		g.Meaning = "Shows a direction. For decisions, the criteria that are not met below are lacking."
	}
	for _, c := range found.Criteria {
		words, known := criterionWords[c.Name]
		if !known {
			words.name = c.Name
		}
		amount := func(v float64) string {
			switch {
			case c.Name == "smallestChange":
				return fmt.Sprintf("%.1f points", 100*v)
			case words.share:
				return percent(&v)
			default:
				return count(v)
			}
		}
		one := criterion{Name: words.name, Value: noData, Needs: "at least " + amount(c.Decision), Met: c.Met}
		if words.most {
			one.Needs = "at most " + amount(c.Decision)
		}
		if c.Value != nil {
			one.Value = amount(*c.Value)
		}
		g.Criteria = append(g.Criteria, one)
	}
	return g
}

// coverage counts received and missing answers of the period.
type coverage struct {
	Sentence string
	Rows     []coverageRow // one for each surface
	Reasons  []reasonRow
	Absent   []absentSweep
}

type coverageRow struct {
	Name     string
	Received figure
	Refused  figure
	Names    figure // answers that name any brand
}

type reasonRow struct{ Reason, Meaning, Count string }

// absentSweep is a sweep of either period that did not run.
type absentSweep struct{ Day, State, Why string }

func (b *builder) coverage() (c coverage) {
	rows := b.in.Numbers.Rows
	for i := range rows {
		if r := &rows[i]; r.Metric == coverageRate {
			c.Rows = append(c.Rows, coverageRow{
				Name: cutName(r.Target), Received: figureOf(r), Refused: figureOf(number(rows, refusalRate, "", r.Target)),
				Names: figureOf(number(rows, informative, "", r.Target)),
			})
		}
	}
	planned, answered := 0, 0
	states := map[earshot.SweepState]int{}
	for _, sweep := range b.in.Sweeps {
		if b.inPeriod(sweep) {
			states[sweep.State]++
			if sweep.State == earshot.SweepClosed {
				planned, answered = planned+sweep.Progress.Planned, answered+sweep.Progress.Answered
			}
		}
		if sweep.State != earshot.SweepClosed && sweep.State != earshot.SweepRunning {
			c.Absent = append(c.Absent, absentSweep{Day: b.day(sweep), State: string(sweep.State), Why: whyAbsent(&sweep)})
		}
	}
	c.Sentence = fmt.Sprintf("%s ran in the period. Answers received: %s of %s planned.", many(states[earshot.SweepClosed], "sweep"), count(float64(answered)), count(float64(planned)))
	if n := states[earshot.SweepMissed] + states[earshot.SweepSkipped] + states[earshot.SweepCanceled]; n > 0 {
		c.Sentence += fmt.Sprintf(" %s did not run.", many(n, "sweep"))
	}
	if n := states[earshot.SweepRunning]; n > 0 {
		c.Sentence += fmt.Sprintf(" Still running and not counted: %s.", many(n, "sweep"))
	}
	explained := 0
	for _, r := range b.in.Reasons {
		explained += r.Count
		c.Reasons = append(c.Reasons, reasonRow{r.Reason, cmp.Or(reasonWords[r.Reason], "another reason"), count(float64(r.Count))})
	}
	if rest := planned - answered - explained; rest > 0 {
		c.Reasons = append(c.Reasons, reasonRow{"unknown", "never asked, or the record is no longer stored", count(float64(rest))})
	}
	return c
}

func whyAbsent(sweep *earshot.Sweep) string {
	switch {
	case sweep.State == earshot.SweepCanceled:
		return reasonWords["canceled"]
	case sweep.Reason == "ceiling":
		return "it could have exceeded the monthly credit ceiling"
	case sweep.Reason == "credits":
		return reasonWords["credits"]
	case sweep.Reason != "":
		return sweep.Reason
	case sweep.State == earshot.SweepMissed:
		return "the service was not running in the sweep's time window"
	default:
		return "it could have exceeded the monthly credit ceiling, or there were not enough credits"
	}
}

func (b *builder) inPeriod(sweep earshot.Sweep) bool {
	day := sweep.DueAt.In(b.in.Zone).Format(time.DateOnly)
	return day >= b.in.Compare.Period.From && day <= b.in.Compare.Period.To
}

func (b *builder) day(sweep earshot.Sweep) string {
	return sweep.DueAt.In(b.in.Zone).Format(dayFormat)
}

// notes lists what the numbers do not count, and where they are not comparable.
func (b *builder) notes() (notes []string) {
	if n := b.in.Branded; n > 0 {
		notes = append(notes, fmt.Sprintf("Branded prompts (%d of %d) are not counted: a brand in the prompt makes answers name it.", n, b.in.Prompts))
	}
	most := 0
	for _, r := range b.in.Compare.Rows {
		most = max(most, r.CellsLeftOut)
	}
	if most > 0 {
		notes = append(notes, fmt.Sprintf("Not in the comparison, because only one period has answers: %s. The numbers of that period include them.", many(most, "prompt × target pair")))
	}
	notes = append(notes, "Missing answers are not counted: neither as naming a brand nor as not naming it.")
	for _, br := range b.in.Breaks {
		day := "a sweep"
		if sweep := find(b.in.Sweeps, func(s *earshot.Sweep) bool { return s.ID == br.Sweep }); sweep != nil {
			day = b.day(*sweep)
		}
		notes = append(notes, fmt.Sprintf("Numbers before and after %s are not comparable: %s.", day, strings.TrimSuffix(br.Reason, ".")))
	}
	return notes
}
