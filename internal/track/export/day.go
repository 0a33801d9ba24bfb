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

// allDays returns the days of all sweeps of a tracker, or nil if it has no exports.
func (s *Exporter) allDays(ctx context.Context, t *tracking.Tracker, d *definition.Definition, now time.Time) ([]int64, error) {
	if d.Exports == nil {
		return nil, nil
	}
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
// exports changed.
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
	if err != nil {
		return nil, err
	}
	return s.allDays(ctx, t, d, now)
}

// WriteDays writes all days that have changed.
func (s *Exporter) WriteDays(ctx context.Context, clock func() time.Time) error {
	for s.exports != nil && ctx.Err() == nil {
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
	err := s.exportDay(working, day, clock())
	cancel()
	renewing.Wait()
	if err == nil {
		return s.days.End(day, clock())
	}
	if ctx.Err() != nil {
		return s.days.Lease(day, time.UnixMilli(0)) // another node may continue at once
	}
	s.log.Error("exporting a day failed", "tracker", day.Tracker, "day", day.Start().Format(time.DateOnly), "error", err)
	return s.days.Fail(day, exportFailed, clock().Add(exportAgain))
}

// exportFailed is the error that a client sees. The cause is only logged, because it may
// name the operator's folder or bucket.
const exportFailed = "the file could not be written; the operator's log has the reason"

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

// exportDay writes the files of a day.
func (s *Exporter) exportDay(ctx context.Context, day *exporting.Day, now time.Time) error {
	t, err := s.store.TrackerByID(ctx, day.Organization, day.Tracker)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the tracker was deleted
	}
	if err != nil {
		return err
	}
	d, err := s.definitions.Of(t)
	if err != nil {
		return err
	}
	from := day.Start()
	if d.Exports == nil || from.Before(now.AddDate(0, 0, -d.KeepDays)) {
		return nil // exports were turned off, or answers of the day may be deleted
	}
	until := from.AddDate(0, 0, 1)
	format := cmp.Or(d.Exports.Format, string(tablefile.Parquet))
	for _, table := range d.Exports.Tables {
		rows, err := s.Export(ctx, t.Organization, t.Name, &earshot.ExportQuery{Table: table, Format: format}, from, until, now)
		if errors.Is(err, store.ErrNotFound) {
			return nil // the tracker is being deleted
		}
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
