package alerting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/exporting"
	"earshot/internal/store/tracking"
)

// Series is the state of a change detector.
type Series struct {
	Organization string
	Tracker      string
	Metric       string
	Brand        string
	Target       string // by name
	State        []byte // JSON
}

var (
	seriesTable = engine.NewTable("series",
		engine.Field("organization", "uuid", func(s *Series) *string { return &s.Organization }),
		engine.Field("tracker", "uuid", func(s *Series) *string { return &s.Tracker }),
		engine.TextField("metric", func(s *Series) *string { return &s.Metric }),
		engine.TextField("brand", func(s *Series) *string { return &s.Brand }),
		engine.TextField("target", func(s *Series) *string { return &s.Target }),
		engine.BytesAsText("state", func(s *Series) *[]byte { return &s.State }))
	upsertSeries = seriesTable.Insert(`ON CONFLICT (organization, tracker, metric, brand, target) DO UPDATE SET state = excluded.state`)
)

// Alert is a finding about a tracker that needs attention.
type Alert struct {
	Organization   string
	Tracker        string
	ID             string
	Kind           earshot.AlertKind
	Subject        string
	Sweep          string // the sweep that raised it
	RaisedAt       time.Time
	AcknowledgedAt time.Time // zero while it is open
	AcknowledgedBy string    // the id of a key
	Content        []byte    // JSON
}

var (
	alertsTable = engine.NewTable("alerts",
		engine.Field("organization", "uuid", func(a *Alert) *string { return &a.Organization }),
		engine.Field("tracker", "uuid", func(a *Alert) *string { return &a.Tracker }),
		engine.Field("id", "uuid", func(a *Alert) *string { return &a.ID }),
		engine.TextField("kind", func(a *Alert) *earshot.AlertKind { return &a.Kind }),
		engine.TextField("subject", func(a *Alert) *string { return &a.Subject }),
		engine.Field("sweep", "uuid", func(a *Alert) *string { return &a.Sweep }),
		engine.TimeField("raised_at", func(a *Alert) *time.Time { return &a.RaisedAt }),
		engine.TimeField("acknowledged_at", func(a *Alert) *time.Time { return &a.AcknowledgedAt }),
		engine.NullField("acknowledged_by", "text", func(a *Alert) *string { return &a.AcknowledgedBy }),
		engine.BytesAsText("content", func(a *Alert) *[]byte { return &a.Content }))
	insertAlerts = alertsTable.Insert("")
)

// AlertDelivery is a delivery of an alert or a report to a channel.
type AlertDelivery struct {
	Organization string
	ID           string // of the delivery
	Tracker      string
	Alert        string // id of the alert or the report
	Channel      string
}

var (
	alertDeliveriesTable = engine.NewTable("alert_deliveries",
		engine.Field("organization", "uuid", func(d *AlertDelivery) *string { return &d.Organization }),
		engine.Field("id", "uuid", func(d *AlertDelivery) *string { return &d.ID }),
		engine.Field("tracker", "uuid", func(d *AlertDelivery) *string { return &d.Tracker }),
		engine.Field("alert", "uuid", func(d *AlertDelivery) *string { return &d.Alert }),
		engine.TextField("channel", func(d *AlertDelivery) *string { return &d.Channel }))
	insertAlertDeliveries = alertDeliveriesTable.Insert("")
)

// NextForDetection returns the next sweep of a tracker for its detectors; see AwaitingDetection. It
// returns ErrNotFound.
func (s *Store) NextForDetection(ctx context.Context, t *tracking.Tracker) (*tracking.Sweep, error) {
	sweep, err := engine.FirstRow(ctx, s.ShardOf(t.Organization).Lookups, tracking.SweepsTable, `WHERE stepped = 0 AND organization = $1 AND tracker = $2 ORDER BY due_at, id LIMIT 1`, t.Organization, t.ID)
	if err == nil && sweep.State == earshot.SweepRunning {
		err = store.ErrNotFound
	}
	return sweep, engine.Wrap(err, "find the next sweep for the detectors")
}

// AwaitingDetection lists ended sweeps that the detectors of their tracker have not processed: for each
// tracker the one that was due first, unless an earlier one is still running.
func (s *Store) AwaitingDetection(ctx context.Context, limit int) ([]*tracking.Sweep, error) {
	sweeps, err := engine.RowsFromAllShards(ctx, s.DB, tracking.SweepsTable, `WHERE stepped = 0 AND state <> 'running'
		AND NOT EXISTS (SELECT 1 FROM sweeps e WHERE e.stepped = 0 AND e.organization = sweeps.organization AND e.tracker = sweeps.tracker
			AND (e.due_at < sweeps.due_at OR e.due_at = sweeps.due_at AND e.id < sweeps.id))
		AND EXISTS (SELECT 1 FROM trackers t WHERE t.organization = sweeps.organization AND t.id = sweeps.tracker AND t.state <> 'deleting')
		ORDER BY organization, tracker LIMIT $1`, limit)
	return sweeps, engine.Wrap(err, "find sweeps for the detectors")
}

// Watch is a consistent view of a tracker's detectors and alerts.
type Watch struct {
	Steps  int64 // number of sweeps that the detectors have processed
	Series []*Series
	Open   []*Alert
	// Ceilings are the months that have an alert about the ceiling, acknowledged or not. A month
	// has at most one.
	Ceilings []string
}

// Watch returns the detectors and alerts of a tracker. It returns ErrNotFound.
func (s *Store) Watch(ctx context.Context, t *tracking.Tracker) (*Watch, error) {
	var w Watch
	err := s.ShardOf(t.Organization).Lookups.Snapshot(ctx, func(now engine.Snapshot) error {
		err := engine.First(ctx, now, func(r engine.Scanner) error { return r.Scan(&w.Steps) }, `SELECT steps FROM trackers WHERE organization = $1 AND id = $2 AND state <> 'deleting'`, t.Organization, t.ID)
		if err != nil {
			return err
		}
		if w.Series, err = engine.FindRows(ctx, now, seriesTable, `WHERE organization = $1 AND tracker = $2`, t.Organization, t.ID); err != nil {
			return err
		}
		if w.Open, err = engine.FindRows(ctx, now, alertsTable, `WHERE organization = $1 AND tracker = $2 AND acknowledged_at IS NULL`, t.Organization, t.ID); err != nil {
			return err
		}
		w.Ceilings, err = engine.FindValues[string](ctx, now, `SELECT subject FROM alerts WHERE organization = $1 AND tracker = $2 AND kind = 'ceiling'`, t.Organization, t.ID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the detectors of tracker %s: %w", t.Name, err)
	}
	return &w, nil
}

// Detection is the result of processing a sweep with the detectors of its tracker.
type Detection struct {
	Steps  int64     // as returned by Watch
	Series []*Series // the new states
	Alerts []*Alert
	// Changed are open alerts with new content, or with a time at which they were closed.
	Changed []*Alert
	// Channels receive the alerts.
	Channels []string
	// Days must be exported again.
	Days []int64
}

// SaveDetection stores the result of the detectors with the raised alerts and their deliveries, in
// one transaction. It returns ErrChanged if another node has processed the sweep.
func (s *Store) SaveDetection(t *tracking.Tracker, sweep *tracking.Sweep, found Detection, now time.Time) error {
	err := s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		err := engine.ExpectChange(w.Run(ctx, `UPDATE trackers SET steps = steps + 1 WHERE organization = $1 AND id = $2 AND steps = $3 AND state <> 'deleting'`,
			t.Organization, t.ID, found.Steps))
		if err != nil {
			return err
		}
		err = engine.ExpectChange(w.Run(ctx, `UPDATE sweeps SET stepped = 1 WHERE organization = $1 AND tracker = $2 AND id = $3 AND stepped = 0`, t.Organization, t.ID, sweep.ID))
		if err != nil {
			return err
		}
		err = errors.Join(
			engine.Each(ctx, w.Tx, upsertSeries, found.Series, nil),
			engine.Each(ctx, w.Tx, insertAlerts, found.Alerts, nil),
			exporting.NoteChanged(ctx, w.Tx, t.Organization, t.ID, found.Days))
		for _, a := range found.Changed {
			_, failed := w.Run(ctx, `UPDATE alerts SET content = $4, acknowledged_at = $5 WHERE organization = $1 AND tracker = $2 AND id = $3 AND acknowledged_at IS NULL`,
				t.Organization, t.ID, a.ID, string(a.Content), engine.NullMillis(a.AcknowledgedAt))
			err = errors.Join(err, failed)
		}
		for _, a := range found.Alerts {
			err = errors.Join(err, planDeliveries(ctx, w, t, a.ID, found.Channels, now))
		}
		return err
	}})
	return engine.Wrap(err, "store the result of the detectors for sweep %s", sweep.ID)
}

// planDeliveries plans deliveries of an alert or a report to channels.
func planDeliveries(ctx context.Context, w *store.Work, t *tracking.Tracker, what string, channels []string, now time.Time) error {
	var deliveries []*AlertDelivery
	for _, channel := range channels {
		d := &AlertDelivery{t.Organization, store.NewID(), t.ID, what, channel}
		deliveries = append(deliveries, d)
		w.Deliveries = append(w.Deliveries, store.NewDelivery(&store.Job{Organization: t.Organization, ID: d.ID}, ChannelURL(channel), now))
	}
	return engine.Each(ctx, w.Tx, insertAlertDeliveries, deliveries, nil)
}

// AlertFilter selects the alerts to list, newest first.
type AlertFilter struct {
	Open   bool
	Kind   earshot.AlertKind // "" for all
	Before string            // only ids before this one; "" for all
	Limit  int
}

// Alerts lists alerts of a tracker.
func (s *Store) Alerts(ctx context.Context, t *tracking.Tracker, f AlertFilter) ([]*Alert, error) {
	open := ""
	if f.Open {
		open = ` AND acknowledged_at IS NULL`
	}
	alerts, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Reports, alertsTable, `WHERE organization = $1 AND tracker = $2 AND id < $3 AND ($4 = '' OR kind = $4)`+open+` ORDER BY id DESC LIMIT $5`,
		t.Organization, t.ID, cmp.Or(f.Before, uuid.Max.String()), string(f.Kind), f.Limit)
	return alerts, engine.Wrap(err, "list alerts")
}

// AcknowledgeAlert marks an alert as acknowledged and returns it. Doing so twice changes
// nothing. It returns ErrNotFound.
func (s *Store) AcknowledgeAlert(t *tracking.Tracker, id string, by account.Actor, now time.Time) (*Alert, error) {
	id, err := store.CanonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("alert: %w", err)
	}
	var alert *Alert
	err = s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		n, err := w.Run(ctx, `UPDATE alerts SET acknowledged_at = $4, acknowledged_by = $5 WHERE organization = $1 AND tracker = $2 AND id = $3 AND acknowledged_at IS NULL`,
			t.Organization, t.ID, id, engine.Millis(now), by.ID)
		if err != nil {
			return err
		}
		alert, err = engine.FirstRow(ctx, w, alertsTable, `WHERE organization = $1 AND tracker = $2 AND id = $3`, t.Organization, t.ID, id)
		if err != nil || n == 0 {
			return err
		}
		after := map[string]any{"tracker": t.Name, "kind": alert.Kind, "subject": alert.Subject}
		return w.Audit(t.Organization, by, store.Audited{Action: "alert.acknowledge", Subject: id, After: after}, now)
	}})
	return alert, engine.Wrap(err, "acknowledge alert %s", id)
}

// SendEnd sends an acknowledged alert again to the PagerDuty channels that received it, which
// resolves their incidents.
func (s *Store) SendEnd(ctx context.Context, a *Alert, now time.Time) error {
	deliveries, err := engine.FindValues[string](ctx, s.ShardOf(a.Organization).Lookups, `SELECT d.id FROM alert_deliveries d
		JOIN channels c ON c.organization = d.organization AND c.name = d.channel AND c.kind = 'pagerduty'
		WHERE d.organization = $1 AND d.tracker = $2 AND d.alert = $3`, a.Organization, a.Tracker, a.ID)
	for _, id := range deliveries {
		_, sent := s.Resend(ctx, a.Organization, id, now)
		err = errors.Join(err, sent)
	}
	return engine.Wrap(err, "send the end of alert %s", a.ID)
}

// DeliveryContent returns the alert or else the report of a delivery to a channel. It returns
// ErrNotFound.
func (s *Store) DeliveryContent(ctx context.Context, organization, delivery string) (d *AlertDelivery, a *Alert, r *Report, err error) {
	d, err = engine.FirstRow(ctx, s.ShardOf(organization).Lookups, alertDeliveriesTable, `WHERE organization = $1 AND id = $2`, organization, delivery)
	if err == nil {
		const byID = `WHERE organization = $1 AND tracker = $2 AND id = $3`
		if a, err = engine.FirstRow(ctx, s.ShardOf(organization).Lookups, alertsTable, byID, organization, d.Tracker, d.Alert); errors.Is(err, store.ErrNotFound) {
			if r, err = engine.FirstRow(ctx, s.ShardOf(organization).Lookups, reportsTable, byID, organization, d.Tracker, d.Alert); err == nil {
				r.Document, err = store.Unpack(r.packed)
			}
		}
	}
	return d, a, r, engine.Wrap(err, "find the alert or report of delivery %s", delivery)
}
