package tracking

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/engine"
	"earshot/internal/store/exporting"
)

// DeleteTracker hides a tracker, removes its queued tasks and frees its name. DeleteTracked
// deletes its rows later. It returns ErrNotFound.
func (s *Store) DeleteTracker(ctx context.Context, organization, name string, by account.Actor, now time.Time) error {
	t, err := s.Tracker(ctx, organization, name)
	if err != nil {
		return err
	}
	// The organization is locked, so that no sweep can begin before the running ones are ended below.
	err = s.Commit(store.Change{Organization: organization, Apply: func(ctx context.Context, w *store.Work) error {
		if err := expectTag(ctx, w, organization, t.ID, by); err != nil {
			return err
		}
		n, err := w.Run(ctx, `UPDATE trackers SET state = 'deleting', next_slot = NULL, due_at = NULL, report_slot = NULL, report_due_at = NULL
			WHERE organization = $1 AND id = $2 AND state <> 'deleting'`, organization, t.ID)
		if err == nil && n == 0 {
			err = store.ErrNotFound
		}
		if err != nil {
			return err
		}
		// If this node is killed before it has ended the sweeps, no more of their tasks are submitted.
		_, err = w.ExecContext(ctx, `UPDATE sweeps SET reason = COALESCE(reason, $3), ends_at = CASE WHEN ends_at > $4 THEN $4 ELSE ends_at END
			WHERE organization = $1 AND tracker = $2 AND state = 'running'`, organization, t.ID, ReasonCanceled, engine.Millis(now))
		if err != nil {
			return err
		}
		if err := exporting.NoteShown(ctx, w.Tx, organization, t.ID); err != nil {
			return err
		}
		before := map[string]any{"version": t.Version, "state": t.State, "createdAt": earshot.Timestamp{Time: t.CreatedAt}}
		return w.Audit(organization, by, store.Audited{Action: "tracker.delete", Subject: name, Before: before}, now)
	}})
	if err != nil {
		return fmt.Errorf("delete tracker %s: %w", name, err)
	}
	running, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, SweepsTable, `WHERE organization = $1 AND tracker = $2 AND state = 'running'`, organization, t.ID)
	if err != nil {
		return fmt.Errorf("find running sweeps of tracker %s: %w", name, err)
	}
	for _, sweep := range running {
		if _, err := s.EndSweep(sweep, ReasonCanceled, now); err != nil {
			return err
		}
	}
	return nil
}

// DeleteTracked deletes answers past their tracker's retention, and all rows of deleted
// trackers. It returns the number of answers.
func (s *Store) DeleteTracked(ctx context.Context, now time.Time) (n int, err error) {
	kept := TrackersTable.Without("definition") // may be large
	trackers, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]*Tracker, error) {
		return engine.FindRows(ctx, p.Reports, kept, `ORDER BY organization, id`)
	})
	if err != nil {
		return 0, fmt.Errorf("list trackers: %w", err)
	}
	var errs []error
	for _, t := range trackers {
		deleted, err := s.deleteTracked(ctx, t, now)
		n += deleted
		if err != nil { // it does not keep the rows of other trackers
			errs = append(errs, fmt.Errorf("delete answers of tracker %s: %w", t.Name, err))
		}
	}
	return n, errors.Join(errs...)
}

// deleteTracked is DeleteTracked for one tracker.
func (s *Store) deleteTracked(ctx context.Context, t *Tracker, now time.Time) (n int, err error) {
	before := now.AddDate(0, 0, -t.KeepDays)
	// Sweeps are kept as long as their numbers, and at least as long as they count against the ceiling
	// of their month.
	alertsBefore := now.AddDate(0, 0, -max(t.KeepDays, longestMonth))
	sweepsBefore := now.AddDate(0, 0, -max(t.KeepDays, t.NumbersDays, longestMonth))
	if t.State == TrackerDeleting {
		before = now.Add(time.Hour) // all answers; running tasks end first
		alertsBefore, sweepsBefore = before, before
	}
	for after := uuid.Nil.String(); after != ""; {
		var deleted int
		deleted, after, err = s.deleteAnswers(ctx, t, after, before)
		if n += deleted; err != nil {
			return n, err
		}
	}
	if err := s.deleteSweeps(t, alertsBefore, sweepsBefore); err != nil {
		return n, err
	}
	if t.State == TrackerDeleting {
		err = s.deleteTrackerRows(t, now)
	}
	return n, err
}

// longestMonth is the maximum age in days of a sweep that counts in the current month, in any
// time zone and with a window that began in the previous month.
const longestMonth = 62

// deleteAnswers deletes a batch of answers after an id that were asked before a time, except for the
// answers of sweeps that are not counted yet. It returns the id to continue from, or "" at the end.
func (s *Store) deleteAnswers(ctx context.Context, t *Tracker, after string, before time.Time) (n int, last string, err error) {
	old, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Lookups, answersTable, `WHERE organization = $1 AND tracker = $2 AND id > $3 AND id < $4 AND outcome <> 'pending' ORDER BY id LIMIT $5`,
		t.Organization, t.ID, after, store.FirstID(before), store.PruneBatch)
	if err != nil || len(old) == 0 {
		return 0, "", err
	}
	last = old[len(old)-1].ID
	if t.State != TrackerDeleting {
		if old, err = s.onlyCounted(ctx, t, old); err != nil || len(old) == 0 {
			return 0, last, err
		}
	}
	byID := map[string]*Answer{}
	for _, a := range old {
		byID[a.ID] = a
	}
	err = s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		// Another node may delete the same answers; the use of each result must be released once.
		var removed []*Answer
		err := engine.Each(ctx, tx, deleteAnswers, old, func(r engine.Scanner) error {
			var id string
			err := r.Scan(&id)
			removed = append(removed, byID[id])
			return err
		})
		if err != nil {
			return err
		}
		if err := errors.Join(engine.Each(ctx, tx, deleteAnalyses, removed, nil), pruneSweeps(ctx, tx, removed)); err != nil {
			return err
		}
		if err := deleteFindings(ctx, tx, t, old[len(old)-1].ID); err != nil {
			return err
		}
		return releaseResults(ctx, tx, removed)
	})
	return len(old), last, err
}

// onlyCounted returns the answers of sweeps that are counted, and enters the counting of the others.
func (s *Store) onlyCounted(ctx context.Context, t *Tracker, old []*Answer) ([]*Answer, error) {
	var ids []string
	for _, a := range old {
		if !slices.Contains(ids, a.Sweep) {
			ids = append(ids, a.Sweep)
		}
	}
	uncounted, err := analysing.Uncounted(ctx, s.ShardOf(t.Organization).Lookups, t.Organization, t.ID, ids)
	if err != nil || len(uncounted) == 0 {
		return old, err
	}
	err = s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		return analysing.EnterWork(ctx, tx, t.Organization, t.ID, earshot.WorkCount)
	})
	return slices.DeleteFunc(old, func(a *Answer) bool { return slices.Contains(uncounted, a.Sweep) }), err
}

// pruneSweeps marks the sweeps of deleted answers as incomplete. Their numbers stay.
func pruneSweeps(ctx context.Context, t *engine.Tx, answers []*Answer) error {
	pruned := map[string]bool{}
	for _, a := range answers {
		if pruned[a.Sweep] {
			continue
		}
		pruned[a.Sweep] = true
		if err := pruneSweep(ctx, t, &Sweep{Organization: a.Organization, Tracker: a.Tracker, ID: a.Sweep}); err != nil {
			return fmt.Errorf("mark the sweep of deleted answers: %w", err)
		}
	}
	return nil
}

func pruneSweep(ctx context.Context, t *engine.Tx, sweep *Sweep) error {
	n, err := t.Run(ctx, `UPDATE sweeps SET pruned = 1 WHERE organization = $1 AND tracker = $2 AND id = $3 AND pruned = 0`, sweep.Organization, sweep.Tracker, sweep.ID)
	if err != nil || n == 0 {
		return err
	}
	return analysing.KeepCounts(ctx, t, sweep.Organization, sweep.Tracker, sweep.ID)
}

// Prune marks a sweep as incomplete, as if some of its answers were deleted.
func (s *Store) Prune(sweep *Sweep) error {
	return s.ShardOf(sweep.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error { return pruneSweep(ctx, tx, sweep) })
}

// deleteSweeps deletes sweeps that began before sweepsBefore and have no answers left, with their
// numbers, and deliveries, alerts and reviews from before a time. The last prompt of a sweep may be
// asked weeks after the first.
func (s *Store) deleteSweeps(t *Tracker, before, sweepsBefore time.Time) error {
	return s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		ids, err := engine.FindValues[string](ctx, tx, `DELETE FROM sweeps WHERE organization = $1 AND tracker = $2 AND id < $3 AND state <> 'running'
			AND NOT EXISTS (SELECT 1 FROM answers a WHERE a.organization = sweeps.organization AND a.tracker = sweeps.tracker AND a.sweep = sweeps.id)
			RETURNING id`,
			t.Organization, t.ID, store.FirstID(sweepsBefore))
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := analysing.DeleteCounts(ctx, tx, t.Organization, t.ID, id); err != nil {
				return err
			}
		}
		kept, err := engine.FindValues[string](ctx, tx, `SELECT id FROM sweeps WHERE organization = $1 AND tracker = $2 AND id < $3 AND state <> 'running'
			AND EXISTS (SELECT 1 FROM deliveries d WHERE d.organization = sweeps.organization AND d.job = sweeps.id)`, t.Organization, t.ID, store.FirstID(before))
		if err != nil {
			return err
		}
		var webhooks []*store.DeliveryRow
		for _, id := range slices.Concat(ids, kept) {
			webhooks = append(webhooks, &store.DeliveryRow{Delivery: store.Delivery{Organization: t.Organization, Job: id}})
		}
		if err := deleteAlerts(ctx, tx, t.Organization, t.ID, before); err != nil {
			return err
		}
		if err := deleteReviews(ctx, tx, t, before); err != nil {
			return err
		}
		return store.RemoveDeliveries(ctx, tx, webhooks)
	})
}

// deleteAlerts deletes alerts and reports of a tracker from before a time, with their
// deliveries.
func deleteAlerts(ctx context.Context, t *engine.Tx, organization, tracker string, before time.Time) error {
	deliveries, err := engine.FindValues[string](ctx, t, `DELETE FROM alert_deliveries WHERE organization = $1 AND tracker = $2 AND alert < $3 RETURNING id`,
		organization, tracker, store.FirstID(before))
	if err != nil {
		return err
	}
	var webhooks []*store.DeliveryRow
	for _, id := range deliveries {
		webhooks = append(webhooks, &store.DeliveryRow{Delivery: store.Delivery{Organization: organization, Job: id}})
	}
	for _, table := range []string{"alerts", "reports"} {
		if _, err := t.ExecContext(ctx, `DELETE FROM `+table+` WHERE organization = $1 AND tracker = $2 AND id < $3`, organization, tracker, store.FirstID(before)); err != nil {
			return err
		}
	}
	return store.RemoveDeliveries(ctx, t, webhooks)
}

var deleteAnswers = engine.NewStatement(answersTable.Only("organization", "tracker", "id"), func(in engine.Input) string {
	return `DELETE FROM answers WHERE ` + in.Matching() + ` RETURNING id`
})

// deleteAnalyses deletes the analyses of answers by all rules.
var deleteAnalyses = engine.NewStatement([]engine.Column[Answer]{
	engine.Field("organization", "uuid", func(a *Answer) *string { return &a.Organization }),
	engine.Field("tracker", "uuid", func(a *Answer) *string { return &a.Tracker }),
	engine.Field("answer", "uuid", func(a *Answer) *string { return &a.ID }),
}, func(in engine.Input) string { return `DELETE FROM analyses WHERE ` + in.Matching() })

// releaseResults releases the results of deleted answers and deletes results without answers.
func releaseResults(ctx context.Context, t *engine.Tx, answers []*Answer) error {
	uses := map[string]*bodyUse{}
	for _, a := range answers {
		if a.hash == nil {
			continue
		}
		key := a.Organization + string(a.hash)
		if uses[key] == nil {
			uses[key] = &bodyUse{organization: a.Organization, hash: a.hash}
		}
		uses[key].answers++
	}
	rows := slices.Collect(maps.Values(uses))
	slices.SortFunc(rows, func(a, b *bodyUse) int { return bytes.Compare(a.hash, b.hash) })
	if err := engine.Each(ctx, t, releaseBodies, rows, nil); err != nil {
		return err
	}
	return engine.Each(ctx, t, deleteBodies, rows, nil)
}

// bodyUse is the number of deleted answers that had a result.
type bodyUse struct {
	organization string
	hash         []byte
	answers      int64
}

var (
	bodyUseColumns = []engine.Column[bodyUse]{
		engine.Field("organization", "uuid", func(b *bodyUse) *string { return &b.organization }),
		engine.Field("hash", "bytea", func(b *bodyUse) *[]byte { return &b.hash }),
		engine.IntField("answers", func(b *bodyUse) *int64 { return &b.answers }),
	}
	releaseBodies = engine.NewStatement(bodyUseColumns, func(in engine.Input) string {
		return `UPDATE bodies SET answers = bodies.answers - ` + in.Value("answers") + ` ` + in.Where("bodies", "organization", "hash")
	})
	deleteBodies = engine.NewStatement(bodyUseColumns[:2], func(in engine.Input) string {
		return `DELETE FROM bodies WHERE answers <= 0 AND ` + in.Matching()
	})
)

// farFuture is after every stored time.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// deleteTrackerRows deletes the rows of a deleted tracker that has no answers and no sweeps left.
func (s *Store) deleteTrackerRows(t *Tracker, now time.Time) error {
	return s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		// Running sweeps and their answers must end first, and rows of views must be deleted.
		left, err := engine.FindValues[int64](ctx, tx, `SELECT 1 FROM answers WHERE organization = $1 AND tracker = $2
			UNION ALL SELECT 1 FROM sweeps WHERE organization = $1 AND tracker = $2
			UNION ALL SELECT 1 FROM export_days WHERE organization = $1 AND tracker = $2 AND (shown > 0 OR leased_until > $3) LIMIT 1`, t.Organization, t.ID, engine.Millis(now))
		if err != nil || len(left) > 0 {
			return err
		}
		if err := deleteAlerts(ctx, tx, t.Organization, t.ID, farFuture); err != nil {
			return err
		}
		tables := []string{"export_days", "series", "reviews", "review_findings", "reviewed_sweeps", "analyses", "counted", "cells", "tracker_rules", "tracker_work", "tracker_prompts", "tracker_targets", "tracker_versions"}
		for _, table := range slices.Concat(exporting.RowTables, tables) {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE organization = $1 AND tracker = $2`, t.Organization, t.ID); err != nil {
				return err
			}
		}
		if _, err = tx.ExecContext(ctx, `DELETE FROM trackers WHERE organization = $1 AND id = $2`, t.Organization, t.ID); err != nil {
			return err
		}
		return unfollow(ctx, tx, t.Organization)
	})
}
