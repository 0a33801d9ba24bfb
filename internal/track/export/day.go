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
	"earshot/internal/store/tracking"
	"earshot/internal/track/answers"
	"earshot/internal/track/definition"
)

// Destination is where files of trackers are written.
type Destination interface {
	// Write replaces the file at a path by what the pieces are together, at once.
	Write(ctx context.Context, path string, pieces iter.Seq2[[]byte, error]) error
}

const (
	// exportLease is how long a day is nobody else's; it is renewed well before it ends.
	exportLease = time.Minute
	// exportTime is how long writing a day may take, so that a store that hangs does not keep
	// a node from all others.
	exportTime = time.Hour
	// exportAgain is when a day is tried again that could not be written.
	exportAgain = time.Minute
)

// allDays are the days of all sweeps of a tracker that has exports.
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

// DaysOfChange are the days that a new definition has written: all of them, when it asks
// for other files than the one before.
func (s *Exporter) DaysOfChange(ctx context.Context, t *tracking.Tracker, before *earshot.TrackerDefinition, d *definition.Definition, now time.Time) ([]int64, error) {
	if reflect.DeepEqual(before.Exports, d.Exports) {
		return nil, nil
	}
	return s.allDays(ctx, t, d, now)
}

// DaysOfRules are the days to write again once rules have been applied to all answers.
func (s *Exporter) DaysOfRules(ctx context.Context, r *tracking.Rules, now time.Time) ([]int64, error) {
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
		day, err := s.store.ClaimExport(ctx, exportLease, clock())
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case errors.Is(err, tracking.ErrChanged): // another node has it
		case err != nil:
			return err
		default:
			if err := s.exportClaimed(ctx, day, clock); err != nil && !errors.Is(err, tracking.ErrChanged) {
				return err
			}
		}
	}
	return nil
}

// exportClaimed writes a day and notes how that went.
func (s *Exporter) exportClaimed(ctx context.Context, day *tracking.ExportDay, clock func() time.Time) error {
	working, cancel := context.WithTimeout(ctx, exportTime)
	defer cancel()
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renew(working, cancel, day, clock) })
	err := s.exportDay(working, day, clock())
	cancel()
	renewing.Wait()
	if err == nil {
		return s.store.EndExport(day, clock())
	}
	if ctx.Err() != nil {
		return s.store.LeaseExport(day, time.UnixMilli(0)) // whoever goes on need not wait
	}
	s.log.Error("a day could not be exported", "tracker", day.Tracker, "day", day.Start().Format(time.DateOnly), "error", err)
	return s.store.FailExport(day, exportFailed, clock().Add(exportAgain))
}

// exportFailed is all that a tenant is told of the operator's folder or bucket.
const exportFailed = "the file could not be written; the operator's log says why"

// renew keeps a day's lease until ctx ends, and ends the work when that is not possible.
func (s *Exporter) renew(ctx context.Context, cancel func(), day *tracking.ExportDay, clock func() time.Time) {
	tick := time.NewTicker(exportLease / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if s.store.LeaseExport(day, clock().Add(exportLease)) != nil {
				cancel()
				return
			}
		}
	}
}

// exportDay writes the files of a day.
func (s *Exporter) exportDay(ctx context.Context, day *tracking.ExportDay, now time.Time) error {
	t, err := s.store.TrackerByID(ctx, day.Organization, day.Tracker)
	if errors.Is(err, store.ErrNotFound) {
		return nil // it was deleted
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
		return nil // nobody wants it any more, or not all of it is there
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
		// Both names hold letters, digits and hyphens only.
		path := fmt.Sprintf("organization=%s/tracker=%s/table=%s/day=%s/part-0.%s", t.Organization, t.Name, table, from.Format(time.DateOnly), format)
		if err := s.exports.Write(ctx, path, rows.Pieces); err != nil {
			return err
		}
	}
	return nil
}
