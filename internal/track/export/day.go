package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"sync"
	"time"

	"earshot"
	"earshot/internal/files/tablefile"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/exporting"
	"earshot/internal/store/tracking"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
)

// Destination is a folder or bucket for exported files.
type Destination interface {
	// Write replaces the file at a path atomically by the concatenated pieces.
	Write(ctx context.Context, path string, pieces iter.Seq2[[]byte, error]) error
}

const (
	// exportLease is how long a node holds a day. The lease is renewed well before it ends.
	exportLease = time.Minute
	// exportTime is the timeout for writing a day. Without it, a destination that hangs would
	// stop all exports of a node.
	exportTime = time.Hour
	// exportAgain is the time until a failed day is retried.
	exportAgain = time.Minute
)

// The rows that SQL views show.
var (
	mentionRows  = exporting.NewRows[mentionRow]("mentions")
	citationRows = exporting.NewRows[citationRow]("citations")
	metricRows   = exporting.NewRows[metricRow]("metrics")
)

// allDays returns the days of all sweeps of a tracker.
func (s *Exporter) allDays(ctx context.Context, t *tracking.Tracker, d *definition.Definition, now time.Time) ([]int64, error) {
	var all []*tracking.Sweep
	for sweep, err := range answers.EachSweep(ctx, s.store, t) {
		if err != nil {
			return nil, err
		}
		all = append(all, sweep)
	}
	return d.ExportedDays(now, all...), nil
}

// DaysOfChange returns the days to write after a change of the definition: all days if its
// exports changed. Rows are also deleted by writing their day.
func (s *Exporter) DaysOfChange(ctx context.Context, t *tracking.Tracker, before *earshot.TrackerDefinition, d *definition.Definition, now time.Time) ([]int64, error) {
	if reflect.DeepEqual(before.Exports, d.Exports) {
		return nil, nil
	}
	return s.allDays(ctx, t, d, now)
}

// DaysOfRules returns the days to write again after all answers were analysed with new rules.
func (s *Exporter) DaysOfRules(ctx context.Context, r *analysing.Rules, now time.Time) ([]int64, error) {
	t, err := s.store.TrackerByID(ctx, r.Organization, r.Tracker)
	if err != nil {
		return nil, err
	}
	d, err := s.definitions.Of(t)
	if err != nil || d.Exports == nil {
		return nil, err
	}
	return s.allDays(ctx, t, d, now)
}

// WriteDays writes all days that have changed.
func (s *Exporter) WriteDays(ctx context.Context, clock func() time.Time) error {
	for ctx.Err() == nil {
		day, err := s.days.Claim(ctx, exportLease, clock())
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case errors.Is(err, store.ErrChanged): // another node has claimed the day
		case err != nil:
			return err
		default:
			if err := s.exportClaimed(ctx, day, clock); err != nil && !errors.Is(err, store.ErrChanged) {
				return err
			}
		}
	}
	return nil
}

// exportClaimed writes a claimed day and stores the result.
func (s *Exporter) exportClaimed(ctx context.Context, day *exporting.Day, clock func() time.Time) error {
	working, cancel := context.WithTimeout(ctx, exportTime)
	defer cancel()
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renew(working, cancel, day, clock) })
	withRows, err := s.exportDay(working, day, clock())
	cancel()
	renewing.Wait()
	if err == nil {
		if err := s.days.End(day, withRows, clock()); err != nil || !withRows {
			return err
		}
		return s.days.DeleteRows(ctx, day) // if it fails, the next export of the day does it
	}
	if ctx.Err() != nil {
		return s.days.Lease(day, time.UnixMilli(0)) // another node may continue at once
	}
	s.log.Error("exporting a day failed", "tracker", day.Tracker, "day", day.Start().Format(time.DateOnly), "error", err)
	return s.days.Fail(day, exportFailed, clock().Add(exportAgain))
}

// exportFailed is the error that a client sees. The cause is only logged, because it may
// name the operator's folder or bucket.
const exportFailed = "the day could not be exported; the operator's log has the reason"

// renew renews the lease of a day until ctx ends. If that fails, it cancels the work.
func (s *Exporter) renew(ctx context.Context, cancel func(), day *exporting.Day, clock func() time.Time) {
	tick := time.NewTicker(exportLease / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if s.days.Lease(day, clock().Add(exportLease)) != nil {
				cancel()
				return
			}
		}
	}
}

// exportDay writes the files of a day, and the rows that SQL views show. It reports whether it has
// written rows. If there should be none, it deletes the earlier ones.
func (s *Exporter) exportDay(ctx context.Context, day *exporting.Day, now time.Time) (withRows bool, err error) {
	t, err := s.store.TrackerByID(ctx, day.Organization, day.Tracker)
	if errors.Is(err, store.ErrNotFound) {
		return false, s.days.DeleteRows(ctx, day) // the tracker was deleted
	}
	if err != nil {
		return false, err
	}
	d, err := s.definitions.Of(t)
	if err != nil {
		return false, err
	}
	from := day.Start()
	if d.Exports == nil || from.Before(now.AddDate(0, 0, -d.KeepDays)) {
		return false, s.days.DeleteRows(ctx, day) // exports were turned off, or answers of the day may be deleted
	}
	err = s.writeFiles(ctx, t, d.Exports, from, now)
	if err == nil && d.Exports.SQL {
		err = s.writeRows(ctx, t, day, from, now)
		withRows = err == nil
	}
	if err == nil && !withRows || errors.Is(err, store.ErrNotFound) { // or the tracker is being deleted
		err = s.days.DeleteRows(ctx, day)
	}
	return withRows, err
}

// writeFiles writes the files of a day.
func (s *Exporter) writeFiles(ctx context.Context, t *tracking.Tracker, plan *earshot.ExportPlan, from, now time.Time) error {
	if len(plan.Tables) > 0 && s.exports == nil {
		return errors.New("this service has no export destination; set one with --exports")
	}
	format := cmp.Or(plan.Format, string(tablefile.Parquet))
	for _, table := range plan.Tables {
		rows, err := s.Export(ctx, t.Organization, t.Name, &earshot.ExportQuery{Table: table, Format: format}, from, from.AddDate(0, 0, 1), now)
		if err != nil {
			return err
		}
		// Both names contain only letters, digits and hyphens.
		path := fmt.Sprintf("organization=%s/tracker=%s/table=%s/day=%s/part-0.%s", t.Organization, t.Name, table, from.Format(time.DateOnly), format)
		if err := s.exports.Write(ctx, path, rows.Pieces); err != nil {
			return err
		}
	}
	return nil
}

// writeRows writes the rows of a day that SQL views will show.
func (s *Exporter) writeRows(ctx context.Context, t *tracking.Tracker, day *exporting.Day, from, now time.Time) error {
	if err := s.days.DeleteUnshown(ctx, day); err != nil { // left by failed attempts
		return err
	}
	until := from.AddDate(0, 0, 1)
	e, err := s.answersOf(ctx, t.Organization, t.Name, &earshot.AnswerFilter{}, from, until, now)
	if err != nil {
		return err
	}
	mentions, err := e.mentions(ctx)
	if err != nil {
		return err
	}
	citations, err := e.citations(ctx)
	if err != nil {
		return err
	}
	metrics, err := s.metrics(ctx, t.Organization, t.Name, &earshot.ExportQuery{}, from, until)
	if err != nil {
		return err
	}
	if err := mentionRows.Write(ctx, s.days, day, mentions); err != nil {
		return err
	}
	if err := citationRows.Write(ctx, s.days, day, citations); err != nil {
		return err
	}
	return metricRows.Write(ctx, s.days, day, metrics)
}
