package watch

import (
	"cmp"
	"context"
	"encoding/json"
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

// raiseShift raises the alert for a shift, and starts to watch for the recovery. Its details are
// read only here, because shifts are rare.
func (w *watching) raiseShift(ctx context.Context, key definition.SeriesKey, series *watchedSeries, shift stats.Shift) error {
	if open := w.open(earshot.AlertShift, key.Subject()); open != nil {
		return w.noteFurther(open, shift)
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
	w.raise(earshot.AlertShift, key.Subject(), &earshot.Alert{Summary: alert.ShiftSummary(content, w.day(since)), Shift: content})
	series.Recovery, err = w.recovery(b, key, periods)
	return err
}

// day returns the local date of a time.
func (w *watching) day(at time.Time) string {
	return w.definition.Zone().Civil(at).String()[:len(time.DateOnly)]
}

// noteFurther adds a shift to the open alert about its series.
func (w *watching) noteFurther(open *alerting.Alert, shift stats.Shift) error {
	var content earshot.Alert
	if err := json.Unmarshal(open.Content, &content); err != nil || content.Shift == nil {
		return err
	}
	since := w.closed[max(0, indexOf(w.closed, shift.Since))].DueAt
	content.Shift.Further = append(content.Shift.Further, earshot.FurtherShift{Sweep: w.sweep.ID, Direction: string(shift.Direction), Since: earshot.Timestamp{Time: since}})
	return w.change(open, &content)
}

// recovery returns what is needed to find out that a series is back at the level from before a
// shift, or nil if the level is not known well enough.
func (w *watching) recovery(b *aggregate.Aggregate, key definition.SeriesKey, periods metric.Periods) (*stats.Recovery, error) {
	all, err := b.SeriesValues(metric.Query{Metrics: []string{key.Metric}, By: []string{"target", "surface"}, Filter: metric.Selection{"target": {key.Target}}})
	if err != nil {
		return nil, err
	}
	var before []stats.Value
	for _, one := range all {
		var values []stats.Value
		for _, v := range one.Values {
			if one.Brand == key.Brand && len(v.Cells) > 0 && slices.Contains(periods.A, v.Sweep) {
				values = append(values, v)
			}
		}
		if len(values) > len(before) { // the surface with the most answers
			before = values
		}
	}
	return stats.NewRecovery(before), nil
}

// checkRecovery closes the open alert about a series whose value is back at the level from before
// the shift, and raises an alert that says so.
func (w *watching) checkRecovery(key definition.SeriesKey, series *watchedSeries, v stats.Value, h float64) error {
	open := w.open(earshot.AlertShift, key.Subject())
	if open == nil { // somebody acknowledged it
		series.Recovery = nil
	}
	if series.Recovery == nil || !series.Recovery.Step(v, h) {
		return nil
	}
	series.Recovery = nil
	var content earshot.Alert
	if err := json.Unmarshal(open.Content, &content); err != nil || content.Shift == nil {
		return err
	}
	content.RecoveredAt = &earshot.Timestamp{Time: w.raisedAt}
	open.AcknowledgedAt = w.raisedAt
	w.raise(earshot.AlertRecovered, key.Subject(), &earshot.Alert{Summary: alert.RecoveredSummary(content.Shift, w.day(content.Shift.Since.Time))})
	w.raised[len(w.raised)-1].AcknowledgedAt = w.raisedAt // nothing is left to do
	return w.change(open, &content)
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
// alert.Window sweeps. Repeated sweeps and sweeps with too many missing answers are not
// included. It returns the row to store.
func (w *watching) screenSources(ctx context.Context) ([]*alerting.Series, error) {
	complete := slices.DeleteFunc(slices.Clone(w.closed), func(s *tracking.Sweep) bool {
		return alert.Count{Planned: s.Submitted, Answered: s.Answered}.Gate() != ""
	})
	at := indexOf(complete, w.sweep.ID) + 1
	for _, one := range w.watch.Series {
		if last := indexOf(complete, strings.Trim(string(one.State), `"`)) + 1; one.Metric == screenedSeries && last > 0 && at-last < alert.Window {
			return nil, nil
		}
	}
	if at < 2*alert.Window {
		return nil, nil
	}
	screened := &alerting.Series{Organization: w.tracker.Organization, Tracker: w.tracker.ID, Metric: screenedSeries, State: []byte(strconv.Quote(w.sweep.ID))}
	return []*alerting.Series{screened}, w.compareSources(ctx, complete[at-2*alert.Window:at])
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
	var periods metric.Periods
	for i, sweep := range sweeps {
		switch {
		case indexOf(b.Sweeps, sweep.ID) < 0:
			return nil // its answers were deleted
		case i < alert.Window:
			periods.A = append(periods.A, sweep.ID)
		default:
			periods.B = append(periods.B, sweep.ID)
		}
	}
	if b.BrokenSince(b.Sweeps[1].ID) {
		return nil // the sweeps are not comparable
	}
	// Two comparisons, of sources and of pages, share the rate.
	rate := alert.ScreenRate(w.definition.FalseAlarms(), w.definition.SweepsPerYear(w.sweep.DueAt)/alert.Window) / 2
	changes, err := b.SourceChanges(periods, alert.FewestCitations)
	if err != nil {
		return err
	}
	if moved := alert.Sources(changes, rate); len(moved) > 0 {
		w.raise(earshot.AlertSource, "sources", &earshot.Alert{Summary: alert.SourceSummary(moved), Sources: moved})
	}
	return w.comparePages(ctx, sweeps, rate)
}
