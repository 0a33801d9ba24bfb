package tracking

import (
	"context"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// committed returns what the sweeps of a month, and the tasks that judge reviews, have cost or can
// still cost.
func committed(ctx context.Context, in engine.Querier, t *Tracker, month string) (int64, error) {
	return engine.FirstOf(engine.FindValues[int64](ctx, in, `SELECT COALESCE(SUM(CASE WHEN state = 'running' THEN most ELSE charged END), 0) + (
			SELECT COALESCE(SUM(judge_cost), 0) FROM reviews WHERE organization = $1 AND tracker = $2 AND judge_month = $3)
		FROM sweeps WHERE organization = $1 AND tracker = $2 AND month = $3`, t.Organization, t.ID, month))
}

// unjudgedBatch limits the sweeps and the reviews of a tracker that are judged in one step.
const unjudgedBatch = 500

// UnjudgedSweeps lists reviewed sweeps about whose new reviews a model has to be asked.
func (s *Store) UnjudgedSweeps(ctx context.Context, t *Tracker) ([]string, error) {
	all, err := engine.FindValues[string](ctx, s.ShardOf(t.Organization).Lookups,
		`SELECT sweep FROM reviewed_sweeps WHERE organization = $1 AND tracker = $2 AND judged = 0 ORDER BY sweep LIMIT $3`, t.Organization, t.ID, unjudgedBatch)
	return all, engine.Wrap(err, "list sweeps to judge")
}

// Unjudged lists open reviews that answers of a sweep have and about which no model was asked.
func (s *Store) Unjudged(ctx context.Context, t *Tracker, sweep string, limit int) ([]*Review, error) {
	all, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Lookups, reviewsTable,
		`WHERE organization = $1 AND tracker = $2 AND state = 'open' AND judge_task IS NULL AND `+isFound+` AND f.sweep = $3) ORDER BY id LIMIT $4`, t.Organization, t.ID, sweep, limit)
	return all, engine.Wrap(err, "list reviews to judge")
}

// SubmitJudging queues a task for a model about each of these reviews of a sweep, which are in the order of their
// ids, and marks the sweep as judged. Tasks that could exceed the ceiling of the month (nil for none)
// are left out. SubmitJudging queues nothing if another node was faster, or while the tasks do not fit
// into half of the organization's queue. It returns the number of queued tasks.
func (s *Store) SubmitJudging(t *Tracker, sweep string, model string, reviews []*Review, tasks []store.Job, month string, ceiling *int64, now time.Time) (n int, err error) {
	err = s.Commit(store.Change{Organization: t.Organization, Jobs: len(tasks), Apply: func(ctx context.Context, w *store.Work) error {
		n = 0
		o, err := w.Organization(t.Organization, now)
		if err != nil || len(tasks) > 0 && o.Queued+len(tasks) > (o.Plan.QueueCapacity+1)/2 {
			return err
		}
		marked, err := w.Run(ctx, `UPDATE reviewed_sweeps SET judged = 1 WHERE organization = $1 AND tracker = $2 AND sweep = $3 AND judged = 0`, t.Organization, t.ID, sweep)
		if err != nil || marked == 0 {
			return err
		}
		spent, err := committed(ctx, w, t, month)
		if err != nil {
			return err
		}
		for i, task := range tasks {
			if spent += task.MaxCost; ceiling != nil && spent > *ceiling {
				return nil
			}
			changed, err := w.Run(ctx, `UPDATE reviews SET judge_task = $4, judge_month = $5, judge_cost = $6, opinion_model = $7 WHERE organization = $1 AND tracker = $2 AND id = $3 AND judge_task IS NULL`,
				t.Organization, t.ID, reviews[i].ID, task.ID, month, task.MaxCost, model)
			if err != nil {
				return err
			}
			if changed == 0 { // another sweep has the same review
				spent -= task.MaxCost
				continue
			}
			task.Mode, task.Status = store.ModeAsync, earshot.StatusQueued
			w.Insert(o, &task)
			n++
		}
		return nil
	}})
	if err != nil {
		return 0, fmt.Errorf("judge the reviews of sweep %s: %w", sweep, err)
	}
	return n, nil
}

// Judged lists reviews about which a model was asked and whose opinion is not stored yet.
func (s *Store) Judged(ctx context.Context, t *Tracker) ([]*Review, error) {
	all, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Lookups, reviewsTable,
		`WHERE organization = $1 AND tracker = $2 AND judge_task IS NOT NULL AND opinion IS NULL ORDER BY judge_task LIMIT $3`, t.Organization, t.ID, unjudgedBatch)
	return all, engine.Wrap(err, "list judged reviews")
}

// SaveOpinion stores the opinion of a review and the charge of its task.
func (s *Store) SaveOpinion(r *Review) error {
	_, err := s.ShardOf(r.Organization).Run(`UPDATE reviews SET opinion = $5, opinion_reason = $6, judge_cost = $7
		WHERE organization = $1 AND tracker = $2 AND id = $3 AND judge_task = $4 AND opinion IS NULL`,
		r.Organization, r.Tracker, r.ID, r.Opinion.Task, string(r.Opinion.Opinion), r.Opinion.Reason, r.Opinion.Charged)
	return engine.Wrap(err, "store an opinion")
}
