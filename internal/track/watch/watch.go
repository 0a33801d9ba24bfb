// Package watch runs the change detectors of trackers over ended sweeps and raises alerts.
//
//	watch.go     steps the detectors with a sweep; lists alerts
//	shift.go     the content of an alert about a shift; the comparison of sources
//	contents.go  ads, prices, and pages that are no longer cited
package watch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/stats"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/store/analysing"
	"earshot/internal/store/tracking"
	"earshot/internal/track/aggregate"
	"earshot/internal/track/alert"
	"earshot/internal/track/analysis"
	"earshot/internal/track/contents"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/ruleset"
)

// Watcher runs the change detectors of trackers and raises alerts.
type Watcher struct {
	store       *tracking.Store
	analyses    *analysing.Store
	alerts      *alerting.Store
	definitions *definition.Reader
	panels      *ruleset.Panels
	counter     *aggregate.Counter
	lister      *contents.Lister
	log         *slog.Logger
	planned     func() // called after deliveries were queued
}

// NewWatcher returns a Watcher on a store.
func NewWatcher(s *store.Store, d *definition.Reader, p *ruleset.Panels, c *aggregate.Counter, l *contents.Lister, log *slog.Logger, planned func()) *Watcher {
	return &Watcher{tracking.New(s), analysing.New(s), alerting.New(s), d, p, c, l, log, planned}
}

const (
	// stepBatch is the maximum number of trackers in one call of Step. stepSweeps is the
	// maximum number of sweeps of one tracker before the next tracker.
	stepBatch  = 200
	stepSweeps = 20
	// freshAlert is the maximum age of a sweep whose alerts are sent. Alerts of older sweeps
	// are stored as acknowledged, except in a demo.
	freshAlert = 72 * time.Hour
)

// Step runs the change detectors over the sweeps that have ended, in the order in which
// they were due.
func (s *Watcher) Step(ctx context.Context, now time.Time) error {
	ended, err := s.alerts.AwaitingDetection(ctx, stepBatch)
	if err != nil {
		return err
	}
	var errs []error
	for _, sweep := range ended {
		err := s.watchTracker(ctx, sweep.Organization, sweep.Tracker, now)
		// After these errors another node or a later step continues.
		if err != nil && !errors.Is(err, store.ErrChanged) && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, errUncounted) {
			errs = append(errs, fmt.Errorf("watch tracker %s: %w", sweep.Tracker, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Watcher) watchTracker(ctx context.Context, organization, id string, now time.Time) error {
	t, err := s.store.TrackerByID(ctx, organization, id)
	if err != nil {
		return err
	}
	d, err := s.definitions.Of(t)
	if err != nil {
		return err
	}
	for range stepSweeps {
		sweep, err := s.alerts.NextForDetection(ctx, t)
		if err != nil || ctx.Err() != nil {
			return err
		}
		w := &watching{Watcher: s, tracker: t, definition: d, sweep: sweep, raisedAt: sweep.ClosedAt}
		if err := w.step(ctx, now); err != nil {
			return err
		}
	}
	return nil // a later step continues
}

// watching is the processing of one sweep.
type watching struct {
	*Watcher
	tracker    *tracking.Tracker
	definition *definition.Definition
	sweep      *tracking.Sweep
	closed     []*tracking.Sweep // closed sweeps of the tracker, in order; only if this one is closed
	raisedAt   time.Time
	watch      *alerting.Watch
	raised     []*alerting.Alert
	changed    []*alerting.Alert // open alerts that were changed or closed
	madeUp     bool
}

// step runs the detectors over the sweep and stores their state and alerts.
func (w *watching) step(ctx context.Context, now time.Time) (err error) {
	if w.watch, err = w.alerts.Watch(ctx, w.tracker); err != nil {
		return err
	}
	detection := alerting.Detection{Steps: w.watch.Steps}
	switch state := w.sweep.State; {
	case w.sweep.Repeats != "": // a repeated sweep only measures normal variation and is in no series
	case state == earshot.SweepClosed:
		// Finding breaks needs the facts of the sweep. Aggregation stores them, too, but may
		// not have processed the sweep yet.
		if w.sweep.Facts == nil && !w.sweep.Pruned {
			if err := w.counter.NoteFacts(ctx, w.sweep); err != nil {
				return err
			}
		}
		if w.closed, err = w.store.ClosedSweeps(ctx, w.tracker); err != nil {
			return err
		}
		if detection.Series, err = w.stepSeries(ctx); err != nil {
			return err
		}
		screened, err := w.screenSources(ctx)
		if err != nil {
			return err
		}
		detection.Series = append(detection.Series, screened...)
	case state == earshot.SweepMissed || state == earshot.SweepSkipped:
		w.raise(earshot.AlertSweep, string(state), &earshot.Alert{Summary: alert.SweepSummary(w.sweep.Slot, state)})
	default: // a canceled sweep raises no alert
	}
	fresh := now.Sub(w.raisedAt) < freshAlert
	if fresh {
		if err := w.checkCeiling(ctx); err != nil {
			return err
		}
	}
	detection.Changed = w.changed
	if detection.Alerts = w.raised; fresh {
		detection.Channels = w.definition.AlertChannels()
	}
	if w.definition.Exports != nil {
		detection.Days = w.definition.ExportedDays(now, w.sweep)
	}
	if !fresh && !w.tracker.Demo {
		for _, a := range detection.Alerts { // an open alert that was never sent would suppress the next one
			a.AcknowledgedAt = now
		}
	}
	if err := w.alerts.SaveDetection(w.tracker, w.sweep, detection, now); err != nil {
		return err
	}
	for _, a := range detection.Changed {
		if !a.AcknowledgedAt.IsZero() {
			if err := w.alerts.SendEnd(ctx, a, now); err != nil {
				return err
			}
		}
	}
	for _, a := range detection.Alerts {
		w.log.Info("alert", "tracker", w.tracker.Name, "alert", a.ID, "kind", a.Kind, "subject", a.Subject)
	}
	if len(detection.Alerts) > 0 && len(detection.Channels) > 0 {
		w.planned()
	}
	return nil
}

// open returns the open alert of a kind and subject, or nil.
func (w *watching) open(kind earshot.AlertKind, subject string) *alerting.Alert {
	all := slices.Concat(w.watch.Open, w.raised)
	if at := slices.IndexFunc(all, func(a *alerting.Alert) bool { return a.Kind == kind && a.Subject == subject }); at >= 0 {
		return all[at]
	}
	return nil
}

// change stores new content of an open alert.
func (w *watching) change(open *alerting.Alert, content *earshot.Alert) (err error) {
	if open.Content, err = json.Marshal(content); err != nil {
		return fmt.Errorf("encode an alert: %w", err)
	}
	if !slices.Contains(w.changed, open) {
		w.changed = append(w.changed, open)
	}
	return nil
}

// raise adds an alert unless an alert of the same kind and subject is open.
func (w *watching) raise(kind earshot.AlertKind, subject string, content *earshot.Alert) {
	if w.open(kind, subject) != nil {
		return
	}
	content.MadeUp = w.madeUp || w.tracker.Demo
	text, err := json.Marshal(content)
	if err != nil {
		w.log.Error("encoding an alert failed", "tracker", w.tracker.Name, "kind", kind, "error", err) // never happens
		return
	}
	w.raised = append(w.raised, &alerting.Alert{
		Organization: w.tracker.Organization, Tracker: w.tracker.ID, ID: definition.NewID(w.raisedAt), Kind: kind, Subject: subject,
		Sweep: w.sweep.ID, RaisedAt: w.raisedAt, Content: text,
	})
}

// checkCeiling raises an alert once a month when the monthly ceiling is near.
func (w *watching) checkCeiling(ctx context.Context) error {
	ceiling, month := w.definition.MonthlyCeiling(), w.sweep.Month
	if ceiling == nil || *ceiling == 0 || slices.Contains(w.watch.Ceilings, month) {
		return nil
	}
	committed, err := w.store.Committed(ctx, w.tracker, month)
	if err != nil || float64(committed) < alert.CeilingNear*float64(*ceiling) {
		return err
	}
	w.raise(earshot.AlertCeiling, month, &earshot.Alert{Summary: alert.CeilingSummary(month, committed, *ceiling)})
	return nil
}

// watchedSeries is the stored state of a series. While an alert about it is open, Recovery follows
// it.
type watchedSeries struct {
	stats.SeriesState
	Recovery *stats.Recovery `json:"recovery,omitempty"`
}

// stepSeries steps all series of the tracker with the sweep.
func (w *watching) stepSeries(ctx context.Context) (stepped []*alerting.Series, err error) {
	open, targets, err := w.openTargets(ctx)
	if err == nil {
		err = w.checkContents(ctx, targets, open)
	}
	if err != nil || len(open) == 0 {
		return nil, err
	}
	values, err := w.values(ctx)
	if err != nil || values == nil {
		return nil, err
	}
	known := map[definition.SeriesKey][]byte{}
	for _, one := range w.watch.Series {
		known[definition.SeriesKey{Metric: one.Metric, Brand: one.Brand, Target: one.Target}] = one.State
	}
	keys := w.definition.SeriesKeys(targets)
	following := 0 // open alerts: finding their recovery shares the budget of false alarms
	for _, a := range w.watch.Open {
		if a.Kind == earshot.AlertShift {
			following++
		}
	}
	h := w.definition.Threshold(w.definition.Detectors(targets)+following, w.sweep.DueAt)
	for _, key := range keys {
		value, has := values[key]
		if !has || !slices.Contains(open, key.Target) {
			continue
		}
		var series watchedSeries
		if state := known[key]; state != nil {
			if err := json.Unmarshal(state, &series); err != nil {
				return nil, fmt.Errorf("decode the state of a series: %w", err)
			}
		}
		if err := w.checkRecovery(key, &series, value, h); err != nil {
			return nil, err
		}
		if _, shift, moved := series.Step(value, h); moved {
			if err := w.raiseShift(ctx, key, &series, shift); err != nil {
				return nil, err
			}
		}
		state, err := json.Marshal(series)
		if err != nil {
			return nil, fmt.Errorf("encode the state of a series: %w", err)
		}
		stepped = append(stepped, &alerting.Series{
			Organization: w.tracker.Organization, Tracker: w.tracker.ID, Metric: key.Metric, Brand: key.Brand, Target: key.Target, State: state,
		})
	}
	return stepped, nil
}

// openTargets returns the targets that have enough answers for the detectors, and all
// targets of the sweep. It raises alerts about the other targets.
func (w *watching) openTargets(ctx context.Context) (open, all []string, err error) {
	p, err := w.definitions.Plan(ctx, w.tracker, w.sweep.Version)
	if err != nil {
		return nil, nil, err
	}
	names, err := w.definitions.Names(ctx, w.tracker)
	if err != nil {
		return nil, nil, err
	}
	counts := map[int]*alert.Count{}
	for _, c := range p.Cells {
		if counts[c.Target] == nil {
			counts[c.Target] = &alert.Count{}
		}
		counts[c.Target].Planned++
	}
	found, err := w.store.TargetCounts(ctx, w.sweep)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range found {
		count := counts[f.Target]
		switch {
		case count == nil:
		case f.Outcome == earshot.OutcomeAnswered || f.Outcome == earshot.OutcomeRefused:
			count.Answered += f.Count
		case f.Reason == string(earshot.ReasonBlocked):
			count.Blocked += f.Count
		case f.Reason == string(earshot.ReasonUnreadable):
			count.Unreadable += f.Count
		}
	}
	gated := map[earshot.AlertKind][]string{}
	sums := map[earshot.AlertKind]alert.Count{}
	for id, count := range counts {
		all = append(all, names.Targets[id])
		kind := count.Gate()
		if kind == "" {
			open = append(open, names.Targets[id])
			continue
		}
		gated[kind] = append(gated[kind], names.Targets[id])
		sum := sums[kind]
		sums[kind] = alert.Count{Planned: sum.Planned + count.Planned, Answered: sum.Answered + count.Answered}
	}
	for _, kind := range []earshot.AlertKind{earshot.AlertBlocked, earshot.AlertUnreadable, earshot.AlertCoverage} {
		if targets := gated[kind]; len(targets) > 0 {
			slices.Sort(targets)
			w.raise(kind, strings.Join(targets, ", "), &earshot.Alert{Summary: alert.GateSummary(kind, targets, sums[kind])})
		}
	}
	slices.Sort(all)
	return open, all, nil
}

// values returns the means of all series in the sweep, or nil if there are too many answers
// to count. It counts the previous sweep as well, because breaks are found by comparing.
func (w *watching) values(ctx context.Context) (map[definition.SeriesKey]stats.Value, error) {
	b, err := w.countSince(ctx, w.previous())
	if err == nil && b == nil {
		b, err = w.countSince(ctx, w.sweep)
	}
	if err != nil || b == nil {
		return nil, err
	}
	w.madeUp = b.MadeUp
	all, err := b.SeriesValues(metric.Query{Metrics: alert.Metrics, By: []string{"target", "surface"}, Filter: metric.Selection{"sweep": {w.sweep.ID}}})
	if err != nil {
		return nil, err
	}
	basis, err := w.basis(ctx, b)
	if err != nil {
		return nil, err
	}
	values := map[definition.SeriesKey]stats.Value{}
	for _, one := range all {
		target, _, _ := strings.Cut(one.Target, "@") // without the surface, which follows if there are several
		key := definition.SeriesKey{Metric: metric.BaseName(one.Metric), Brand: one.Brand, Target: target}
		for _, v := range one.Values {
			if len(v.Cells) > len(values[key].Cells) {
				v.Basis = one.Surface + " " + basis
				values[key] = v
			}
		}
	}
	return values, nil
}

// basis returns a hash of everything except the surface that the values of a sweep depend
// on: its prompts, the brands and matching rules, and the version of the metrics.
func (w *watching) basis(ctx context.Context, b *aggregate.Aggregate) (string, error) {
	p, err := w.definitions.Plan(ctx, w.tracker, w.sweep.Version)
	if err != nil {
		return "", err
	}
	var prompts []int
	for _, c := range p.Cells {
		prompts = append(prompts, c.Prompt)
	}
	slices.Sort(prompts)
	hash := sha256.Sum256(fmt.Append(nil, slices.Compact(prompts), analysis.Alike(b.Rules.Code), string(b.Rules.Brands), metric.M1))
	return hex.EncodeToString(hash[:8]), nil
}

// previous returns the closed sweep that was due before this sweep, or this sweep if there is
// none.
func (w *watching) previous() *tracking.Sweep {
	at := indexOf(w.closed, w.sweep.ID)
	if at < 1 {
		return w.sweep
	}
	return w.closed[at-1]
}

// countSince counts the answers from a sweep up to this sweep. It returns nil if there are
// too many answers. Returns errUncounted.
func (w *watching) countSince(ctx context.Context, from *tracking.Sweep) (*aggregate.Aggregate, error) {
	b, err := w.counter.Count(ctx, w.tracker, w.definition, aggregate.Options{}, definition.Span{From: from.DueAt, Until: w.sweep.DueAt.Add(time.Millisecond)})
	if aggregate.IsTooMany(err) {
		if waits, err := w.toBeCounted(ctx); err != nil || waits {
			return nil, cmp.Or(err, errUncounted)
		}
		w.log.Warn("the sweep has too many answers for change detection", "tracker", w.tracker.Name, "sweep", w.sweep.ID)
		return nil, nil
	}
	return b, err
}

// errUncounted is returned if the sweep must wait until its counts are stored.
var errUncounted = errors.New("the sweep is not counted yet")

// toBeCounted reports whether the sweep is still waiting to be counted in the background.
func (w *watching) toBeCounted(ctx context.Context) (bool, error) {
	rules, err := w.panels.Current(ctx, w.tracker)
	if err != nil {
		return false, err
	}
	if _, err := w.panels.Panel(rules); err != nil || rules.Version == 0 || w.sweep.Pruned || w.sweep.Answered == 0 {
		return false, nil //nolint:nilerr // by invalid brands nothing is counted
	}
	counted, err := w.analyses.CountedSweeps(ctx, rules)
	return !slices.ContainsFunc(counted, func(c *analysing.Counted) bool { return c.Sweep == w.sweep.ID }), err
}

// View returns the API view of an alert.
func View(a *alerting.Alert) (earshot.Alert, error) {
	var view earshot.Alert
	if err := json.Unmarshal(a.Content, &view); err != nil {
		return view, fmt.Errorf("decode alert %s: %w", a.ID, err)
	}
	view.ID, view.Kind, view.Subject, view.Sweep, view.RaisedAt = a.ID, a.Kind, a.Subject, a.Sweep, earshot.Timestamp{Time: a.RaisedAt}
	view.Open, view.AcknowledgedAt, view.AcknowledgedBy = a.AcknowledgedAt.IsZero(), earshot.When(a.AcknowledgedAt), a.AcknowledgedBy
	return view, nil
}

// Alerts lists alerts of a tracker, the newest first. Returns store.ErrNotFound.
func (s *Watcher) Alerts(ctx context.Context, organization, name string, q *earshot.AlertQuery, before string) (*earshot.AlertPage, error) {
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(q.Limit, 20)
	alerts, err := s.alerts.Alerts(ctx, t, alerting.AlertFilter{Open: q.Open, Kind: q.Kind, Before: before, Limit: limit + 1})
	if err != nil {
		return nil, err
	}
	page := &earshot.AlertPage{}
	if len(alerts) > limit {
		alerts = alerts[:limit]
		page.NextCursor = &alerts[limit-1].ID
	}
	for _, a := range alerts {
		view, err := View(a)
		if err != nil {
			return nil, err
		}
		page.Alerts = append(page.Alerts, view)
	}
	return page, nil
}

// Acknowledge marks an alert as acknowledged. It returns store.ErrNotFound.
func (s *Watcher) Acknowledge(ctx context.Context, organization, name, id string, by account.Actor, now time.Time) (*earshot.AlertAcknowledged, error) {
	t, err := s.store.Tracker(ctx, organization, name)
	if err != nil {
		return nil, err
	}
	a, err := s.alerts.AcknowledgeAlert(t, id, by, now)
	if err != nil {
		return nil, err
	}
	if err := s.alerts.SendEnd(ctx, a, now); err != nil {
		return nil, err
	}
	s.planned()
	view, err := View(a)
	return &earshot.AlertAcknowledged{Alert: view}, err
}
