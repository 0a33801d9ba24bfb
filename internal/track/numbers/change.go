package numbers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/schema"
	"earshot/internal/stats"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
	"earshot/internal/track/schedule"
)

// Compare compares two periods and tests whether their difference is significant. It returns
// store.ErrNotFound if the tracker does not exist.
func (s *Reader) Compare(ctx context.Context, organization, name string, q *earshot.CompareQuery, now time.Time) (*earshot.CompareReport, error) {
	wanted, err := numberQuery(&q.MetricFilter, cmp.Or(q.Metric, "visibility"), "", q.Having)
	if err != nil {
		return nil, err
	}
	t, d, err := s.definitions.Load(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	before, after, err := Periods(d.Zone(), q, now)
	if err != nil {
		return nil, err
	}
	b, err := s.counter.Count(ctx, t, d, aggregate.Options{Families: wanted.Families()}, before, after)
	if err != nil {
		return nil, err
	}
	if err := checkValues(b.Definition(), wanted); err != nil {
		return nil, err
	}
	noise, err := s.counter.Noise(ctx, b)
	if err != nil {
		return nil, err
	}
	report := &earshot.CompareReport{
		Tracker: name, Rules: ruleset.Name(b.Rules), MadeUp: b.MadeUp, Baseline: periodView(b, before), Period: periodView(b, after), Breaks: b.Breaks,
	}
	periods := metric.Periods{A: b.Within(before), B: b.Within(after)}
	if q.By == "prompt" {
		report.Rows, err = ComparePrompts(b, wanted, periods)
		err = asField(err)
	} else {
		err = compareTargets(b, report, wanted, periods, noise)
	}
	if err != nil {
		return nil, err
	}
	return report, choose(report, q)
}

// choose counts the rows of a report, sorts them, and keeps the rows that a query asks for.
func choose(report *earshot.CompareReport, q *earshot.CompareQuery) error {
	report.Total = len(report.Rows)
	for _, r := range report.Rows {
		if r.Verdict == earshot.VerdictMoved {
			report.Moved++
		}
	}
	if q.Sort == "change" {
		slices.SortStableFunc(report.Rows, ByChange)
	}
	report.Rows = report.Rows[min(q.Offset, len(report.Rows)):]
	if q.Limit > 0 {
		report.Rows = report.Rows[:min(q.Limit, len(report.Rows))]
	}
	if len(report.Rows) > maxRows {
		return schema.Invalid("by", "gives %d rows, but a response has at most %d: ask for one brand, filter, or set a limit", len(report.Rows), maxRows)
	}
	return nil
}

// ByChange orders rows: moved, then steady, then too early, each with the largest change first.
func ByChange(x, y earshot.ComparedRow) int {
	size := func(r *earshot.ComparedRow) float64 {
		if r.Change == nil {
			return -1
		}
		return math.Abs(*r.Change)
	}
	// The names of the verdicts are in alphabetical order.
	return cmp.Or(cmp.Compare(x.Verdict, y.Verdict), cmp.Compare(size(&y), size(&x)))
}

// compareTargets adds rows and grades to a report: all targets of a surface together, then
// each target.
func compareTargets(b *aggregate.Aggregate, report *earshot.CompareReport, wanted metric.Query, periods metric.Periods, noise *earshot.NoiseReport) error {
	seen := map[string]bool{}
	for _, by := range [][]string{nil, {"target"}} {
		wanted.By = by
		rows, err := b.Compare(wanted, periods)
		if err != nil {
			return asField(err)
		}
		graded := wanted
		graded.Having = nil
		grades, err := b.Grades(graded, periods.B)
		if err != nil {
			return asField(err)
		}
		known := map[string]bool{} // skips a target that is the only one of its surface
		for _, r := range rows {
			if !seen[r.Target] {
				known[r.Target] = true
				report.Rows = append(report.Rows, comparedRow(&r, b.Touching(r.Target, slices.Concat(periods.A, periods.B)), noise))
			}
		}
		for _, g := range grades {
			if !seen[g.Target] {
				known[g.Target] = true
				report.Grades = append(report.Grades, gradedCut(&g))
			}
		}
		maps.Copy(seen, known)
	}
	return nil
}

// ComparePrompts compares each prompt. It tests all prompts together: falseDiscoveries limits
// the share of prompts with the verdict moved that did not change.
func ComparePrompts(b *aggregate.Aggregate, wanted metric.Query, periods metric.Periods) (rows []earshot.ComparedRow, err error) {
	wanted.By = []string{"prompt"}
	found, err := b.Compare(wanted, periods)
	if err != nil {
		return nil, err
	}
	var p []float64
	var tested []*metric.Comparison
	for i := range found {
		if c := &found[i]; c.P != nil && c.Verdict != stats.TooEarly {
			p, tested = append(p, *c.P), append(tested, c)
		}
	}
	for i, isFound := range stats.Discoveries(p, falseDiscoveries) {
		tested[i].Verdict = stats.Steady
		if isFound {
			tested[i].Verdict = stats.Moved
		}
	}
	for i := range found {
		rows = append(rows, comparedRow(&found[i], b.Touching(found[i].Target, slices.Concat(periods.A, periods.B)), nil))
	}
	return rows, nil
}

// Periods returns the two periods of a query. The default period is the last 28 days, and
// the default baseline the same number of days before the period.
func Periods(zone *schedule.Rule, q *earshot.CompareQuery, now time.Time) (before, after definition.Span, err error) {
	if after, err = definition.Recent(zone, q.From, q.To, now); err != nil {
		return before, after, err
	}
	if before, err = definition.ParseSpan(zone, "baselineFrom", q.BaselineFrom, "baselineTo", q.BaselineTo); err != nil {
		return before, after, err
	}
	if before.Until.IsZero() {
		before.Until = after.From
	}
	if before.From.IsZero() {
		days := int((after.Until.Sub(after.From) + 12*time.Hour) / (24 * time.Hour)) // rounds, because a clock change adds or removes an hour
		before.From, err = definition.DaysBefore(zone, before.Until, max(1, days))
	}
	return before, after, err
}

// day returns the local date of a time.
func day(zone *schedule.Rule, at time.Time) string {
	return zone.Civil(at).String()[:len(time.DateOnly)]
}

func periodView(b *aggregate.Aggregate, p definition.Span) earshot.Period {
	return earshot.Period{From: day(b.Zone, p.From), To: day(b.Zone, p.Until.Add(-time.Minute)), Sweeps: len(b.Within(p))}
}

func comparedRow(c *metric.Comparison, breaks []earshot.MetricBreak, noise *earshot.NoiseReport) earshot.ComparedRow {
	row := earshot.ComparedRow{
		Metric: c.Metric, MetricLabels: aggregate.LabelsOf(c.Labels), PromptID: c.PromptVersion, Verdict: earshot.Verdict(c.Verdict), Before: c.A, After: c.B, Change: c.Change, P: c.P,
		SmallestChange: c.Smallest, Cells: c.Cells, CellsLeftOut: c.LeftOut, SweepsBefore: c.SweepsA, SweepsAfter: c.SweepsB,
		AnswersBefore: c.AnswersA, AnswersAfter: c.AnswersB, Gaps: c.Gaps, PlainChange: c.Plain, Note: c.Note,
	}
	if c.Brand != nil {
		row.Brand = *c.Brand
	}
	if c.Interval != nil {
		row.Interval = c.Interval[:]
	}
	row.Breaks = len(breaks)
	row.NoiseFloor = noiseFloor(noise, &row)
	row.Summary = summary(&row) + withinNoise(&row)
	if len(breaks) > 0 {
		on := ""
		if breaks[0].Target != "" {
			on = " on " + breaks[0].Target
		}
		row.Summary += fmt.Sprintf(" But the periods cannot be compared directly: there is a break%s on %s (%s).", on, breaks[0].At.Format(time.DateOnly), breaks[0].Reason)
	}
	return row
}

// summary returns the verdict as a sentence.
func summary(r *earshot.ComparedRow) string {
	name := r.Metric
	if r.Brand != "" {
		name += " of " + r.Brand
	}
	if r.Target[0] == '*' {
		name += " on all targets"
	} else {
		name += " on " + r.Target
	}
	if r.Prompt != "" {
		name += fmt.Sprintf(", asked “%s”", r.Prompt)
	}
	if r.Change == nil {
		return name + ": no prompt has enough answers in both periods, so nothing can be compared."
	}
	value, change, factor := percent, "%.1f points", 100.0
	if metric.IsMean(r.Metric) {
		value, change, factor = func(v float64) string { return fmt.Sprintf("%.2f", v) }, "%.2f", 1
	}
	moved := fmt.Sprintf("%s went from %s to %s ("+strings.Replace(change, "%", "%+", 1), name, value(*r.Before), value(*r.After), factor**r.Change)
	if r.Interval != nil {
		moved += fmt.Sprintf(", 95 %% interval %+.1f to %+.1f", factor*r.Interval[0], factor*r.Interval[1])
	}
	moved += ")"
	if r.Note == metric.Adjusted {
		moved += fmt.Sprintf(", adjusted for missing answers (the plain means of the sweeps differ by "+strings.Replace(change, "%", "%+", 1)+")", factor**r.PlainChange)
	}
	switch r.Verdict {
	case earshot.VerdictMoved:
		return moved + ": more than asking again would show."
	case earshot.VerdictTooEarly:
		return fmt.Sprintf("%s: too early to tell from %d and %d sweeps; each period needs %d.", moved, r.SweepsBefore, r.SweepsAfter, stats.EnoughSweeps)
	default:
		return fmt.Sprintf("%s: no more than asking again would show. A change of "+change+" would have been seen in 80 of 100 cases.", moved, factor**r.SmallestChange)
	}
}

func percent(value float64) string { return fmt.Sprintf("%.1f %%", 100*value) }

func gradedCut(g *metric.Graded) earshot.GradedCut {
	cut := earshot.GradedCut{MetricLabels: aggregate.LabelsOf(g.Labels), Grade: string(g.Grade)}
	for _, c := range g.Criteria {
		cut.Criteria = append(cut.Criteria, earshot.GradedCriterion{Name: c.Name, Value: c.Value, Decision: c.Decision, Exploratory: c.Exploratory, Met: c.Met})
	}
	return cut
}

// noiseFloor returns the difference in visibility of a row's brand and target between a sweep
// and its repetition, or nil if it is unknown.
func noiseFloor(noise *earshot.NoiseReport, row *earshot.ComparedRow) *float64 {
	if noise == nil || row.Metric != "visibility"+metric.M1 {
		return nil
	}
	for _, target := range noise.Targets {
		if target.Target != row.Target {
			continue
		}
		for _, brand := range target.Brands {
			if brand.Brand == row.Brand {
				return brand.Visibility
			}
		}
	}
	return nil
}

// withinNoise returns a sentence if a change is not larger than the noise floor.
func withinNoise(row *earshot.ComparedRow) string {
	if row.NoiseFloor == nil || row.Change == nil || math.Abs(*row.Change) > *row.NoiseFloor {
		return ""
	}
	return fmt.Sprintf(" It is within the noise floor: a sweep that was repeated at once differed by %.1f points.", 100**row.NoiseFloor)
}

// falseDiscoveries is the false discovery rate of comparisons by prompt.
const falseDiscoveries = 0.05
