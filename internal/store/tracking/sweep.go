package tracking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/engine"
)

// Sweep is one pass over all prompts and targets of a tracker.
type Sweep struct {
	Organization string
	Tracker      string
	ID           string
	Slot         string // unique within the tracker
	State        earshot.SweepState
	Reason       string // why it was skipped
	Version      int    // of the tracker's definition
	Month        string // whose ceiling it counts against
	DueAt        time.Time
	StartedAt    time.Time // zero if it did not start
	EndsAt       time.Time // end of its window
	ClosedAt     time.Time // zero until it is closed
	Planned      int
	Submitted    int // number of planned tasks that were submitted, in order
	Answered     int
	Missing      int
	MaxCost      int64
	Charged      int64
	Pruned       bool   // some of its answers were deleted
	Repeats      string // id of the sweep that it repeats, or ""
	Facts        []byte // JSON, nil until it is closed: models and surfaces of its targets or, for a repeat, the differences
}

var (
	// SweepsTable describes the rows of sweeps.
	SweepsTable = engine.NewTable("sweeps",
		engine.Field("organization", "uuid", func(s *Sweep) *string { return &s.Organization }),
		engine.Field("tracker", "uuid", func(s *Sweep) *string { return &s.Tracker }),
		engine.Field("id", "uuid", func(s *Sweep) *string { return &s.ID }),
		engine.TextField("slot", func(s *Sweep) *string { return &s.Slot }),
		engine.TextField("state", func(s *Sweep) *earshot.SweepState { return &s.State }),
		engine.NullField("reason", "text", func(s *Sweep) *string { return &s.Reason }),
		engine.IntField("version", func(s *Sweep) *int { return &s.Version }),
		engine.TextField("month", func(s *Sweep) *string { return &s.Month }),
		engine.TimeField("due_at", func(s *Sweep) *time.Time { return &s.DueAt }),
		engine.TimeField("started_at", func(s *Sweep) *time.Time { return &s.StartedAt }),
		engine.TimeField("ends_at", func(s *Sweep) *time.Time { return &s.EndsAt }),
		engine.TimeField("closed_at", func(s *Sweep) *time.Time { return &s.ClosedAt }),
		engine.IntField("planned", func(s *Sweep) *int { return &s.Planned }),
		engine.IntField("submitted", func(s *Sweep) *int { return &s.Submitted }),
		engine.IntField("answered", func(s *Sweep) *int { return &s.Answered }),
		engine.IntField("missing", func(s *Sweep) *int { return &s.Missing }),
		engine.IntField("most", func(s *Sweep) *int64 { return &s.MaxCost }),
		engine.IntField("charged", func(s *Sweep) *int64 { return &s.Charged }),
		engine.FlagField("pruned", func(s *Sweep) *bool { return &s.Pruned }),
		engine.NullField("repeats", "uuid", func(s *Sweep) *string { return &s.Repeats }),
		engine.BytesAsText("facts", func(s *Sweep) *[]byte { return &s.Facts }))
	insertSweeps = SweepsTable.Insert("")
)

const (
	// ReasonCeiling is the reason of a skipped sweep that could exceed the tracker's ceiling.
	ReasonCeiling = "ceiling"
	// ReasonCanceled is the reason of a missing answer whose task was removed from the queue.
	ReasonCanceled = "canceled"
	// ReasonExpired is the reason of a missing answer whose task was still queued when the window
	// of its sweep ended.
	ReasonExpired = "expired"
)

// RepeatNewest in Sweep.Repeats makes StartSweep repeat the newest closed sweep.
const RepeatNewest = "newest"

var (
	// ErrNothingToRepeat is returned by StartSweep if no closed sweep has all its answers.
	ErrNothingToRepeat = errors.New("there is no closed sweep to repeat")
	// ErrSweepRuns is returned for a repeat while a sweep is running.
	ErrSweepRuns = errors.New("a sweep of the tracker is running")
	// ErrSweepsRun is returned for a manual sweep while maxRunning sweeps are running.
	ErrSweepsRun = errors.New("too many sweeps of the tracker are running")
)

const (
	// ManualSlot begins the slot of a manual sweep.
	ManualSlot = "manual "
	// maxRunning limits the running sweeps of a tracker when a manual sweep starts.
	maxRunning = 3
)

// Manual reports whether the sweep was started manually.
func (s *Sweep) Manual() bool { return strings.HasPrefix(s.Slot, ManualSlot) }

// StartedSweep is the result of StartSweep.
type StartedSweep struct {
	Sweep
	Existed bool // there was a sweep of the slot before
}

// StartSweep starts a sweep of a tracker or, with state SweepMissed, records that the sweep was
// missed. A sweep that could exceed ceiling (nil for none) is stored as skipped. slot and due
// are the next slot of the tracker and its time. A slot has only one sweep: if it has one already,
// StartSweep returns that. It returns ErrChanged if the tracker was changed since the caller
// read it, ErrNothingToRepeat and ErrSweepRuns for a repeat, and ErrSweepsRun for a manual sweep.
// Only manual sweeps are in the audit log. answer returns the response to a request with an idempotency key;
// it may be nil for others.
func (s *Store) StartSweep(t *Tracker, sweep Sweep, ceiling *int64, webhook *string, slot string, due time.Time, answer func(*StartedSweep) any, by account.Actor, now time.Time) (started StartedSweep, err error) {
	sweep.Organization, sweep.Tracker = t.Organization, t.ID
	err = s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		o, err := w.Organization(t.Organization, now)
		if err != nil {
			return err
		}
		if err := expectTracker(ctx, w, t); err != nil {
			return err
		}
		if err := w.CheckKey(ctx, by.Once); err != nil {
			return err
		}
		existing, err := engine.FirstRow(ctx, w, SweepsTable, `WHERE organization = $1 AND tracker = $2 AND slot = $3`, t.Organization, t.ID, sweep.Slot)
		if err == nil {
			started = StartedSweep{*existing, true}
			return setNextSlot(ctx, w, t, slot, due)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		started = StartedSweep{Sweep: sweep}
		running, err := engine.FindValues[string](ctx, w, `SELECT id FROM sweeps WHERE organization = $1 AND tracker = $2 AND state = 'running'`, t.Organization, t.ID)
		if err != nil {
			return err
		}
		if sweep.Manual() && len(running) >= maxRunning {
			return ErrSweepsRun
		}
		if sweep.Repeats == RepeatNewest {
			if len(running) > 0 {
				return ErrSweepRuns
			}
			if started.Repeats, err = newestToRepeat(ctx, w, t); err != nil {
				return err
			}
		}
		if sweep.State == earshot.SweepRunning && ceiling != nil {
			spent, err := committed(ctx, w, t, sweep.Month)
			if err != nil {
				return err
			}
			if spent+sweep.MaxCost > *ceiling {
				started.State, started.Reason, started.ClosedAt, started.StartedAt = earshot.SweepSkipped, ReasonCeiling, now, time.Time{}
			}
		}
		if started.State == earshot.SweepSkipped && webhook != nil {
			w.Deliveries = append(w.Deliveries, store.NewDelivery(&store.Job{Organization: t.Organization, ID: sweep.ID}, *webhook, now))
		}
		if started.State == earshot.SweepRunning {
			// Tasks that ended before now do not belong to the sweep.
			_, err := w.ExecContext(ctx, `INSERT INTO followers (organization, event) VALUES ($1, $2) ON CONFLICT (organization) DO NOTHING`, t.Organization, o.Events)
			if err != nil {
				return err
			}
		}
		if sweep.Manual() {
			after := map[string]any{"sweep": sweep.ID, "state": started.State, "repeats": started.Repeats, "maxCost": sweep.MaxCost}
			if err := w.Audit(t.Organization, by, store.Audited{Action: "tracker.run", Subject: t.Name, After: after}, now); err != nil {
				return err
			}
		}
		if by.Once != nil {
			by.Once.Answer = answer(&started)
		}
		return errors.Join(engine.Each(ctx, w.Tx, insertSweeps, []*Sweep{&started.Sweep}, nil), setNextSlot(ctx, w, t, slot, due),
			w.KeepAnswer(ctx, by.Once, now))
	}})
	return started, engine.Wrap(err, "start a sweep of tracker %s", t.Name)
}

// newestToRepeat returns the id of the newest closed sweep of a tracker.
func newestToRepeat(ctx context.Context, w *store.Work, t *Tracker) (string, error) {
	newest, err := engine.FindValues[string](ctx, w, `SELECT id FROM sweeps WHERE organization = $1 AND tracker = $2 AND state = 'closed' AND repeats IS NULL AND pruned = 0
		ORDER BY id DESC LIMIT 1`, t.Organization, t.ID)
	if err != nil {
		return "", err
	}
	if len(newest) == 0 {
		return "", ErrNothingToRepeat
	}
	return newest[0], nil
}

// expectTracker returns ErrChanged if a tracker was changed since the caller read it.
func expectTracker(ctx context.Context, w *store.Work, t *Tracker) error {
	var version int
	var slot *string
	err := engine.First(ctx, w, func(r engine.Scanner) error { return r.Scan(&version, &slot) },
		`SELECT version, next_slot FROM trackers WHERE organization = $1 AND id = $2 AND state <> 'deleting'`, t.Organization, t.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (version != t.Version || slot == nil && t.NextSlot != "" || slot != nil && *slot != t.NextSlot) {
		return engine.ErrChanged
	}
	return err
}

func setNextSlot(ctx context.Context, w *store.Work, t *Tracker, slot string, due time.Time) error {
	_, err := w.ExecContext(ctx, `UPDATE trackers SET next_slot = $3, due_at = $4 WHERE organization = $1 AND id = $2`,
		t.Organization, t.ID, engine.NullText(slot), engine.NullMillis(due))
	return err
}

// Committed returns what the sweeps of a tracker in a month, and the tasks that judge its reviews,
// have cost or can still cost.
func (s *Store) Committed(ctx context.Context, t *Tracker, month string) (int64, error) {
	credits, err := committed(ctx, s.ShardOf(t.Organization).Lookups, t, month)
	return credits, engine.Wrap(err, "sum up the sweeps of tracker %s", t.Name)
}

// SubmitSweep queues the next tasks of a sweep and inserts their answers as pending. Sweeps use at most
// half of the organization's queue. SubmitSweep returns the number of queued tasks, which is 0 if
// another node has submitted tasks since the sweep was read or if the sweep has ended.
func (s *Store) SubmitSweep(sweep *Sweep, tasks []store.Job, answers []*Answer, now time.Time) (n int, err error) {
	err = s.Commit(store.Change{Organization: sweep.Organization, Jobs: len(tasks), Apply: func(ctx context.Context, w *store.Work) error {
		n = 0
		o, err := w.Organization(sweep.Organization, now)
		if err != nil {
			return err
		}
		stored, err := engine.FirstRow(ctx, w, SweepsTable, `WHERE organization = $1 AND tracker = $2 AND id = $3`, sweep.Organization, sweep.Tracker, sweep.ID)
		if errors.Is(err, store.ErrNotFound) || err == nil && (stored.State != earshot.SweepRunning || stored.Reason != "" || stored.Submitted != sweep.Submitted) {
			return nil
		}
		if err != nil {
			return err
		}
		n = max(0, min(len(tasks), (o.Plan.QueueCapacity+1)/2-o.Queued))
		for i := range tasks[:n] {
			task := tasks[i]
			task.Mode, task.Status = store.ModeAsync, earshot.StatusQueued
			w.Insert(o, &task)
		}
		if err := engine.Each(ctx, w.Tx, insertAnswers, answers[:n], nil); err != nil {
			return err
		}
		_, err = w.ExecContext(ctx, `UPDATE sweeps SET submitted = submitted + $4 WHERE organization = $1 AND tracker = $2 AND id = $3`,
			sweep.Organization, sweep.Tracker, sweep.ID, n)
		return err
	}})
	if err != nil {
		return 0, fmt.Errorf("submit tasks of sweep %s: %w", sweep.ID, err)
	}
	return n, nil
}

// RunningSweeps returns the running sweeps of all organizations.
func (s *Store) RunningSweeps(ctx context.Context) ([]*Sweep, error) {
	all, err := engine.RowsFromAllShards(ctx, s.DB, SweepsTable, `WHERE state = 'running' ORDER BY organization, tracker, id`)
	return all, engine.Wrap(err, "find running sweeps")
}

// TrackerByID returns a tracker, even if it is being deleted. It returns ErrNotFound.
func (s *Store) TrackerByID(ctx context.Context, organization, id string) (*Tracker, error) {
	t, err := engine.FirstRow(ctx, s.ShardOf(organization).Lookups, TrackersTable, `WHERE organization = $1 AND id = $2`, organization, id)
	return t, engine.Wrap(err, "tracker %s", id)
}

// CancelSweep marks a running sweep of a tracker as canceled, and then ends it.
func (s *Store) CancelSweep(t *Tracker, sweep *Sweep, by account.Actor, now time.Time) (cleared int, err error) {
	// If this node is killed before it has ended the sweep, the next step of any node does.
	err = s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		n, err := w.Run(ctx, `UPDATE sweeps SET reason = $4 WHERE organization = $1 AND tracker = $2 AND id = $3 AND state = 'running' AND reason IS NULL`,
			t.Organization, t.ID, sweep.ID, ReasonCanceled)
		if err != nil || n == 0 {
			return err
		}
		return w.Audit(t.Organization, by, store.Audited{Action: "sweep.cancel", Subject: sweep.ID, After: map[string]any{"tracker": t.Name}}, now)
	}})
	if err != nil {
		return 0, fmt.Errorf("cancel sweep %s: %w", sweep.ID, err)
	}
	return s.EndSweep(sweep, ReasonCanceled, now)
}

// EndSweep stops a sweep: no more tasks are submitted, and queued tasks are removed. Their
// answers are missing for the given reason. Running tasks continue. EndSweep returns the number
// of removed tasks.
func (s *Store) EndSweep(sweep *Sweep, reason string, now time.Time) (cleared int, err error) {
	for {
		n, err := s.endSweepOnce(sweep, reason, now)
		if err != nil {
			return cleared, fmt.Errorf("end sweep %s: %w", sweep.ID, err)
		}
		if cleared += n; n < store.ClearBatch {
			return cleared, nil
		}
	}
}

func (s *Store) endSweepOnce(sweep *Sweep, reason string, now time.Time) (n int, err error) {
	err = s.Commit(store.Change{Organization: sweep.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		n = 0
		o, err := w.Organization(sweep.Organization, now)
		if err != nil {
			return err
		}
		// Tasks that are not submitted yet need not be waited for.
		_, err = w.ExecContext(ctx, `UPDATE sweeps SET ends_at = $4, reason = COALESCE(reason, $5) WHERE organization = $1 AND tracker = $2 AND id = $3 AND state = 'running'`,
			sweep.Organization, sweep.Tracker, sweep.ID, min(engine.Millis(sweep.EndsAt), engine.Millis(now)), engine.NullText(reason))
		if err != nil {
			return err
		}
		ids, err := engine.FindValues[string](ctx, w, `
			SELECT a.id FROM answers a JOIN jobs j ON j.organization = a.organization AND j.id = a.id
			WHERE a.organization = $1 AND a.tracker = $2 AND a.sweep = $3 AND a.outcome = 'pending' AND j.status = 'QUEUED' LIMIT $4`,
			sweep.Organization, sweep.Tracker, sweep.ID, store.ClearBatch)
		if err != nil {
			return err
		}
		var queued []*store.Job
		var ended []*Answer
		for _, id := range ids {
			queued = append(queued, &store.Job{Organization: sweep.Organization, ID: id})
			ended = append(ended, &Answer{
				Organization: sweep.Organization, Tracker: sweep.Tracker, ID: id, Sweep: sweep.ID,
				Outcome: earshot.OutcomeMissing, Reason: reason, FinishedAt: sweep.since(now),
			})
		}
		n = len(ids)
		o.Queued -= n
		return errors.Join(engine.Each(ctx, w.Tx, deleteJobs, queued, nil), completeAnswers(ctx, w.Tx, ended))
	}})
	return n, err
}

// since returns now, or the start of the sweep if that is later: a slow node may have read its
// clock before another node started the sweep.
func (s *Sweep) since(now time.Time) time.Time {
	if now.Before(s.StartedAt) {
		return s.StartedAt
	}
	return now
}

var deleteJobs = store.JobsTable.Delete("organization", "id")

// CloseSweep closes a sweep when all its tasks have ended, and plans its webhook. It reports
// whether it has closed the sweep: not while tasks are running, and not twice.
func (s *Store) CloseSweep(sweep *Sweep, state earshot.SweepState, webhook *string, now time.Time) (closed bool, err error) {
	err = s.Commit(store.Change{Organization: sweep.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		n, err := w.Run(ctx, `UPDATE sweeps SET state = $4, closed_at = $6
			WHERE organization = $1 AND tracker = $2 AND id = $3 AND state = 'running' AND answered + missing = submitted AND (submitted = planned OR ends_at <= $5)`,
			sweep.Organization, sweep.Tracker, sweep.ID, string(state), engine.Millis(now), engine.Millis(sweep.since(now)))
		closed = n > 0
		if err != nil || !closed {
			return err
		}
		// The caller may have read its clock before another node submitted the last task.
		_, err = w.ExecContext(ctx, `UPDATE sweeps SET closed_at = a.last
			FROM (SELECT MAX(CASE WHEN finished_at > asked_at THEN finished_at ELSE asked_at END) AS last
				FROM answers WHERE organization = $1 AND tracker = $2 AND sweep = $3) a
			WHERE organization = $1 AND tracker = $2 AND id = $3 AND closed_at < a.last`, sweep.Organization, sweep.Tracker, sweep.ID)
		if err != nil {
			return err
		}
		if webhook != nil {
			w.Deliveries = append(w.Deliveries, store.NewDelivery(&store.Job{Organization: sweep.Organization, ID: sweep.ID}, *webhook, now))
		}
		if err := analysing.EnterWork(ctx, w.Tx, sweep.Organization, sweep.Tracker, earshot.WorkCount, earshot.WorkReview); err != nil {
			return err
		}
		return unfollow(ctx, w.Tx, sweep.Organization)
	}})
	if err != nil {
		return false, fmt.Errorf("close sweep %s: %w", sweep.ID, err)
	}
	return closed, nil
}

// unfollow stops recording the ended tasks of an organization without running sweeps.
func unfollow(ctx context.Context, t *engine.Tx, organization string) error {
	_, err := t.ExecContext(ctx, `DELETE FROM followers WHERE organization = $1 AND NOT EXISTS (
		SELECT 1 FROM sweeps WHERE sweeps.organization = $1 AND state = 'running')`, organization)
	return err
}

// Sweep returns a sweep of a tracker. It returns ErrNotFound.
func (s *Store) Sweep(ctx context.Context, t *Tracker, id string) (*Sweep, error) {
	id, err := store.CanonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	sweep, err := engine.FirstRow(ctx, s.ShardOf(t.Organization).Lookups, SweepsTable, `WHERE organization = $1 AND tracker = $2 AND id = $3`, t.Organization, t.ID, id)
	return sweep, engine.Wrap(err, "sweep %s", id)
}

// SweepOf returns a sweep of an organization, of any tracker. It returns ErrNotFound.
func (s *Store) SweepOf(ctx context.Context, organization, id string) (*Sweep, error) {
	sweep, err := engine.FirstRow(ctx, s.ShardOf(organization).Lookups, SweepsTable, `WHERE organization = $1 AND id = $2`, organization, id)
	return sweep, engine.Wrap(err, "sweep %s", id)
}

// Sweeps lists sweeps of a tracker, newest first. state "" means all states; before "" means the
// first page.
func (s *Store) Sweeps(ctx context.Context, t *Tracker, state earshot.SweepState, before string, limit int) ([]*Sweep, error) {
	sweeps, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Lookups, SweepsTable, `WHERE organization = $1 AND tracker = $2 AND id < $3 AND ($4 = '' OR state = $4) ORDER BY id DESC LIMIT $5`,
		t.Organization, t.ID, cmp.Or(before, uuid.Max.String()), string(state), limit)
	return sweeps, engine.Wrap(err, "list sweeps")
}

// ClosedSweeps returns all closed sweeps of a tracker in the order in which they were due, without
// repeats.
func (s *Store) ClosedSweeps(ctx context.Context, t *Tracker) ([]*Sweep, error) {
	sweeps, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Reports, SweepsTable, `WHERE organization = $1 AND tracker = $2 AND state = 'closed' AND repeats IS NULL ORDER BY due_at, id`, t.Organization, t.ID)
	return sweeps, engine.Wrap(err, "list closed sweeps")
}

// NewestRepeat returns the newest closed repeat of a tracker that has answers. It returns
// ErrNotFound.
func (s *Store) NewestRepeat(ctx context.Context, t *Tracker) (*Sweep, error) {
	sweep, err := engine.FirstRow(ctx, s.ShardOf(t.Organization).Reports, SweepsTable, `WHERE organization = $1 AND tracker = $2 AND state = 'closed' AND repeats IS NOT NULL AND answered > 0
		ORDER BY id DESC LIMIT 1`, t.Organization, t.ID)
	return sweep, engine.Wrap(err, "find the newest repeat")
}

// MissingReasons counts the missing answers of a sweep by their reason.
func (s *Store) MissingReasons(ctx context.Context, sweep *Sweep) (counts []earshot.ReasonCount, err error) {
	counts, err = engine.FindAll(ctx, s.ShardOf(sweep.Organization).Reports, func(c *earshot.ReasonCount) []any { return []any{&c.Reason, &c.Count} }, `
		SELECT COALESCE(reason, ''), COUNT(*) FROM answers WHERE organization = $1 AND tracker = $2 AND sweep = $3 AND outcome = 'missing'
		GROUP BY reason ORDER BY COUNT(*) DESC, reason`, sweep.Organization, sweep.Tracker, sweep.ID)
	return counts, engine.Wrap(err, "count the missing answers of sweep %s", sweep.ID)
}

// Ending counts the answers of a target that ended in the same way.
type Ending struct {
	Target                 int
	Reason, Surface, Model string
	Count                  int
}

// Endings counts how the answers of a sweep ended.
func (s *Store) Endings(ctx context.Context, sweep *Sweep) (endings []Ending, err error) {
	targets := func(e *Ending) []any { return []any{&e.Target, &e.Reason, &e.Surface, &e.Model, &e.Count} }
	endings, err = engine.FindAll(ctx, s.ShardOf(sweep.Organization).Reports, targets, `
		SELECT target, COALESCE(reason, ''), COALESCE(surface, ''), COALESCE(model, ''), COUNT(*) FROM answers
		WHERE organization = $1 AND tracker = $2 AND sweep = $3 GROUP BY target, reason, surface, model`, sweep.Organization, sweep.Tracker, sweep.ID)
	return endings, engine.Wrap(err, "count how answers ended")
}

// SaveFacts sets Facts of a sweep.
func (s *Store) SaveFacts(sweep *Sweep, facts []byte) error {
	_, err := s.ShardOf(sweep.Organization).Run(`UPDATE sweeps SET facts = $4 WHERE organization = $1 AND tracker = $2 AND id = $3`, sweep.Organization, sweep.Tracker, sweep.ID, string(facts))
	return engine.Wrap(err, "store the facts of a sweep")
}

// TargetCount counts the answers of a target in a sweep that have the same outcome and reason.
type TargetCount struct {
	Target  int
	Outcome earshot.Outcome
	Reason  string
	Count   int
}

// TargetCounts counts the answers of a sweep by target, outcome and reason.
func (s *Store) TargetCounts(ctx context.Context, sweep *Sweep) (counts []TargetCount, err error) {
	targets := func(c *TargetCount) []any { return []any{&c.Target, &c.Outcome, &c.Reason, &c.Count} }
	counts, err = engine.FindAll(ctx, s.ShardOf(sweep.Organization).Reports, targets, `
		SELECT target, outcome, COALESCE(reason, ''), COUNT(*) FROM answers WHERE organization = $1 AND tracker = $2 AND sweep = $3
		GROUP BY target, outcome, COALESCE(reason, '')`, sweep.Organization, sweep.Tracker, sweep.ID)
	return counts, engine.Wrap(err, "count the answers of sweep %s", sweep.ID)
}
