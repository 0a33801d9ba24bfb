package watch

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/stats"
	"earshot/internal/store/alerting"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/alert"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/numbers"
)

const (
	// sweepsBefore is the maximum number of sweeps before a change that are compared with
	// the sweeps since the change.
	sweepsBefore = 28
	// maxParts is the maximum number of most affected prompts in an alert.
	maxParts = 5
)

// raiseShift raises the alert for a shift. Its details are read only here, because shifts
// are rare.
func (w *watching) raiseShift(ctx context.Context, key definition.SeriesKey, shift stats.Shift) error {
	if w.isOpen(earshot.AlertShift, key.Subject()) {
		return nil
	}
	b, periods, since, err := w.aroundShift(ctx, shift)
	if err != nil || b == nil {
		return err
	}
	content := &earshot.SeriesShift{
		Metric: key.Metric, Brand: key.Brand, Target: key.Target, Direction: string(shift.Direction), Since: earshot.Timestamp{Time: since},
		SweepsBefore: len(periods.A), SweepsAfter: len(periods.B), Score: shift.Score, H: shift.H,
	}
	targets, err := w.parts(b, key, periods, []string{"target"}, nil)
	if err != nil {
		return err
	}
	var names []string // names of the target in comparisons: one for each surface
	for _, c := range targets {
		if c.Target == key.Target || strings.HasPrefix(c.Target, key.Target+"@") {
			names = append(names, c.Target)
			content.From, content.To = *c.A, *c.B
			if c.Interval != nil {
				content.Interval = c.Interval[:]
			}
		}
		content.Targets = append(content.Targets, earshot.ShiftPart{Name: c.Target, From: *c.A, To: *c.B})
	}
	prompts, err := w.parts(b, key, periods, []string{"target", "prompt"}, metric.Selection{"target": names})
	if err != nil {
		return err
	}
	content.Prompts = mostAffected(prompts, shift.Direction)
	content.AnswersBeforeURL, content.AnswersAfterURL = numbers.TargetAnswersURL(b, key.Target, periods.A), numbers.TargetAnswersURL(b, key.Target, periods.B)
	w.raise(earshot.AlertShift, key.Subject(), &earshot.Alert{Summary: alert.ShiftSummary(content, b.Zone.Civil(since).String()[:len(time.DateOnly)]), Shift: content})
	return nil
}

// aroundShift counts the answers around a shift. Period A has the sweeps before the shift,
// period B the sweeps since. The aggregate is nil if there are too many answers.
func (w *watching) aroundShift(ctx context.Context, shift stats.Shift) (b *aggregate.Aggregate, periods metric.Periods, since time.Time, err error) {
	began, last := max(0, indexOf(w.closed, shift.Since)), max(0, indexOf(w.closed, w.sweep.ID))
	since = w.closed[began].DueAt
	first := max(0, indexOf(w.closed, shift.First), began-sweepsBefore)
	// If these are too many answers to count, use only the sweeps nearest to the change.
	for aggregate.Submitted(w.closed[first:last+1]) > aggregate.MaxCounted && first < began {
		first++
	}
	if b, err = w.countSince(ctx, w.closed[first]); err != nil || b == nil {
		return nil, periods, since, err
	}
	for _, sweep := range b.Sweeps {
		if sweep.DueAt.Before(since) {
			periods.A = append(periods.A, sweep.ID)
		} else {
			periods.B = append(periods.B, sweep.ID)
		}
	}
	return b, periods, since, nil
}

// indexOf returns the index of a sweep, or -1.
func indexOf(sweeps []*tracking.Sweep, id string) int {
	return slices.IndexFunc(sweeps, func(s *tracking.Sweep) bool { return s.ID == id })
}

// parts compares the two periods of a series, grouped by the given fields. It omits groups
// without answers in one of the periods.
func (w *watching) parts(b *aggregate.Aggregate, key definition.SeriesKey, periods metric.Periods, by []string, filter metric.Selection) ([]metric.Comparison, error) {
	rows, err := b.Compare(metric.Query{Metrics: []string{key.Metric}, By: by, Filter: filter, Having: metric.Selection{"brand": {key.Brand}}}, periods)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rows, func(c metric.Comparison) bool { return c.A == nil || c.B == nil }), nil
}

// mostAffected returns the prompts with the largest change in a direction.
func mostAffected(rows []metric.Comparison, direction stats.Direction) (parts []earshot.ShiftPart) {
	sign := 1.0
	if direction == stats.Down {
		sign = -1
	}
	slices.SortStableFunc(rows, func(a, b metric.Comparison) int { return cmp.Compare(sign*(*b.B-*b.A), sign*(*a.B-*a.A)) })
	for _, c := range rows {
		if sign*(*c.B-*c.A) > 0 && len(parts) < maxParts {
			parts = append(parts, earshot.ShiftPart{Name: c.Prompt, From: *c.A, To: *c.B})
		}
	}
	return parts
}

// screenedSeries is the metric name of the series row that stores the sweep at which
// sources were compared last.
const screenedSeries = "sources"

// screenSources compares the cited sources of the last two windows of sweeps, once every
// alert.Window sweeps. Repeated sweeps are not included. It returns the row to store.
func (w *watching) screenSources(ctx context.Context) ([]*alerting.Series, error) {
	at := indexOf(w.closed, w.sweep.ID) + 1
	for _, one := range w.watch.Series {
		if last := indexOf(w.closed, strings.Trim(string(one.State), `"`)) + 1; one.Metric == screenedSeries && last > 0 && at-last < alert.Window {
			return nil, nil
		}
	}
	if at < 2*alert.Window {
		return nil, nil
	}
	screened := &alerting.Series{Organization: w.tracker.Organization, Tracker: w.tracker.ID, Metric: screenedSeries, State: []byte(strconv.Quote(w.sweep.ID))}
	return []*alerting.Series{screened}, w.compareSources(ctx, w.closed[at-2*alert.Window:at])
}

// compareSources compares the cited sources of two windows of sweeps and raises an alert if
// they differ.
func (w *watching) compareSources(ctx context.Context, sweeps []*tracking.Sweep) error {
	if aggregate.Submitted(sweeps) > aggregate.MaxCounted {
		return nil
	}
	b, err := w.counter.Count(ctx, w.tracker, w.definition, aggregate.Options{Sources: metric.ByDomain | metric.SourcesOnly}, definition.Span{From: sweeps[0].DueAt, Until: w.sweep.DueAt.Add(time.Millisecond)})
	if aggregate.IsTooMany(err) {
		return nil
	}
	if err != nil {
		return err
	}
	cited, err := cited(b)
	if err != nil {
		return err
	}
	if len(cited) < 2*alert.Window || b.BrokenSince(b.Sweeps[1].ID) {
		return nil // the sweeps are not comparable
	}
	// Two comparisons, of sources and of pages, share the rate.
	rate := alert.ScreenRate(w.definition.FalseAlarms(), w.definition.SweepsPerYear(w.sweep.DueAt)/alert.Window) / 2
	cited = cited[len(cited)-2*alert.Window:]
	moved := alert.Sources(cited[:alert.Window], cited[alert.Window:], rate)
	if len(moved) > 0 {
		w.raise(earshot.AlertSource, "sources", &earshot.Alert{Summary: alert.SourceSummary(moved), Sources: moved})
	}
	return w.comparePages(ctx, sweeps, rate)
}

// cited counts the citations of each sweep, in the order of the sweeps.
func cited(b *aggregate.Aggregate) (sweeps []alert.Cited, err error) {
	rows, err := b.Rows(metric.Query{Metrics: []string{"citationShare"}, By: []string{"sweep"}, Sources: []string{"domain"}, PoolSurfaces: true})
	if err != nil {
		return nil, err
	}
	found := map[string]alert.Cited{}
	for _, r := range rows {
		if r.Domain == "" {
			continue
		}
		c := found[r.Sweep]
		if c.Domains == nil {
			c = alert.Cited{Domains: map[string]int{}, All: int(r.Denominator), Answers: r.Answers}
		}
		c.Domains[r.Domain] = int(r.Numerator)
		found[r.Sweep] = c
	}
	for _, sweep := range b.Sweeps {
		sweeps = append(sweeps, found[sweep.ID])
	}
	return sweeps, nil
}
