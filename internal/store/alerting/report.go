package alerting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/tracking"
)

// Report is a report of a tracker that is sent to channels.
type Report struct {
	Organization string
	Tracker      string
	ID           string
	Slot         string // unique within the tracker
	MadeAt       time.Time
	Content      []byte // JSON: the summary
	Document     []byte // JSON: the whole report
	packed       []byte // Document, compressed
}

var (
	reportsTable = engine.NewTable("reports",
		engine.Field("organization", "uuid", func(r *Report) *string { return &r.Organization }),
		engine.Field("tracker", "uuid", func(r *Report) *string { return &r.Tracker }),
		engine.Field("id", "uuid", func(r *Report) *string { return &r.ID }),
		engine.TextField("slot", func(r *Report) *string { return &r.Slot }),
		engine.TimeField("made_at", func(r *Report) *time.Time { return &r.MadeAt }),
		engine.BytesAsText("content", func(r *Report) *[]byte { return &r.Content }),
		engine.Field("document", "bytea", func(r *Report) *[]byte { return &r.packed }))
	// listedReports omits the largest column.
	listedReports = reportsTable.Without("document")
	insertReports = reportsTable.Insert(`ON CONFLICT (organization, tracker, slot) DO NOTHING RETURNING id`)
)

// TrackersToReport returns trackers whose next report is due, longest overdue first.
func (s *Store) TrackersToReport(ctx context.Context, now time.Time, limit int) ([]*tracking.Tracker, error) {
	due, err := engine.RowsFromAllShards(ctx, s.DB, tracking.TrackersTable, `WHERE report_due_at IS NOT NULL AND report_due_at <= $1 ORDER BY report_due_at LIMIT $2`, engine.Millis(now), limit)
	return due, engine.Wrap(err, "find trackers with due reports")
}

// TakeReport stores a due report, plans its deliveries to channels, and sets the next slot of the
// tracker, in one transaction. It never stores a second report of a slot. It returns ErrChanged
// if the tracker was changed since the caller read it.
func (s *Store) TakeReport(t *tracking.Tracker, r *Report, channels []string, slot string, due, now time.Time) error {
	return s.saveReport(t, r, channels, now, func(ctx context.Context, w *store.Work) error {
		return engine.ExpectChange(w.Run(ctx, `UPDATE trackers SET report_slot = $5, report_due_at = $6 WHERE organization = $1 AND id = $2 AND version = $3 AND report_slot = $4`,
			t.Organization, t.ID, t.Version, t.ReportSlot, engine.NullText(slot), engine.NullMillis(due)))
	})
}

// SendReport stores a report that a user requested and plans its deliveries.
func (s *Store) SendReport(t *tracking.Tracker, r *Report, channels []string, now time.Time) error {
	return s.saveReport(t, r, channels, now, func(context.Context, *store.Work) error { return nil })
}

func (s *Store) saveReport(t *tracking.Tracker, r *Report, channels []string, now time.Time, first func(context.Context, *store.Work) error) error {
	r.Organization, r.Tracker, r.packed = t.Organization, t.ID, store.Pack(r.Document)
	err := s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		if err := first(ctx, w); err != nil {
			return err
		}
		isNew := false
		err := engine.Each(ctx, w.Tx, insertReports, []*Report{r}, func(r engine.Scanner) error {
			isNew = true
			var id string
			return r.Scan(&id)
		})
		if err != nil || !isNew {
			return err
		}
		return planDeliveries(ctx, w, t, r.ID, channels, now)
	}})
	return engine.Wrap(err, "save a report of tracker %s", t.Name)
}

// SentReport returns the report of a slot, or the newest if slot is "", without its document, and
// its deliveries by channel. It returns ErrNotFound.
func (s *Store) SentReport(ctx context.Context, t *tracking.Tracker, slot string) (*Report, map[string]*store.Delivery, error) {
	r, err := engine.FirstRow(ctx, s.ShardOf(t.Organization).Lookups, listedReports, `WHERE organization = $1 AND tracker = $2 AND ($3 = '' OR slot = $3) ORDER BY id DESC LIMIT 1`, t.Organization, t.ID, slot)
	if err != nil {
		return nil, nil, fmt.Errorf("report of tracker %s: %w", t.Name, err)
	}
	deliveries, err := s.deliveriesOf(ctx, t, r.ID)
	return r, deliveries, err
}

// deliveriesOf returns the deliveries of an alert or a report, by channel.
func (s *Store) deliveriesOf(ctx context.Context, t *tracking.Tracker, what string) (map[string]*store.Delivery, error) {
	rows, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Lookups, alertDeliveriesTable, `WHERE organization = $1 AND tracker = $2 AND alert = $3`, t.Organization, t.ID, what)
	if err != nil {
		return nil, fmt.Errorf("find deliveries: %w", err)
	}
	all := map[string]*store.Delivery{}
	for _, one := range rows {
		if all[one.Channel], err = s.Delivery(ctx, t.Organization, one.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	return all, nil
}
