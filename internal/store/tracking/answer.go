package tracking

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/engine"
)

// Answer is one prompt of a sweep, asked on one target, and its outcome.
type Answer struct {
	Organization string
	Tracker      string
	ID           string // of the task
	Sweep        string
	Prompt       int
	Target       int
	Sample       int
	Outcome      earshot.Outcome
	Reason       string // why it is missing
	Surface      string
	Model        string
	AskedAt      time.Time
	FinishedAt   time.Time // zero while it is pending
	Charged      int64
	Attempts     int

	// Result is the answer's content. Lists do not read it.
	Result []byte

	// Analyses are inserted together with the answer.
	Analyses []*analysing.Analysis

	hash   []byte // of Result
	packed []byte // Result, compressed
}

var (
	answersTable = engine.NewTable("answers",
		engine.Field("organization", "uuid", func(a *Answer) *string { return &a.Organization }),
		engine.Field("tracker", "uuid", func(a *Answer) *string { return &a.Tracker }),
		engine.Field("id", "uuid", func(a *Answer) *string { return &a.ID }),
		engine.Field("sweep", "uuid", func(a *Answer) *string { return &a.Sweep }),
		engine.IntField("prompt", func(a *Answer) *int { return &a.Prompt }),
		engine.IntField("target", func(a *Answer) *int { return &a.Target }),
		engine.IntField("sample", func(a *Answer) *int { return &a.Sample }),
		engine.TextField("outcome", func(a *Answer) *earshot.Outcome { return &a.Outcome }),
		engine.NullField("reason", "text", func(a *Answer) *string { return &a.Reason }),
		engine.NullField("surface", "text", func(a *Answer) *string { return &a.Surface }),
		engine.NullField("model", "text", func(a *Answer) *string { return &a.Model }),
		engine.TimeField("asked_at", func(a *Answer) *time.Time { return &a.AskedAt }),
		engine.TimeField("finished_at", func(a *Answer) *time.Time { return &a.FinishedAt }),
		engine.IntField("charged", func(a *Answer) *int64 { return &a.Charged }),
		engine.IntField("attempts", func(a *Answer) *int { return &a.Attempts }),
		engine.Field("body", "bytea", func(a *Answer) *[]byte { return &a.hash }))
	insertAnswers = answersTable.Insert("")

	completed     = []string{"outcome", "reason", "surface", "model", "finished_at", "charged", "attempts", "body"}
	updateAnswers = engine.NewStatement(answersTable.Only(append([]string{"organization", "tracker", "id"}, completed...)...), func(in engine.Input) string {
		return `UPDATE answers SET ` + in.Assign(completed...) + ` ` + in.Where("answers", "organization", "tracker", "id")
	})
	selectPending = engine.NewStatement(answersTable.Only("organization", "tracker", "id"), func(in engine.Input) string {
		return `SELECT tracker, id, sweep, prompt, target, sample FROM answers WHERE outcome = 'pending' AND ` + in.Matching()
	})

	bodiesTable = engine.NewTable("bodies",
		engine.Field("organization", "uuid", func(a *Answer) *string { return &a.Organization }),
		engine.Field("hash", "bytea", func(a *Answer) *[]byte { return &a.hash }),
		engine.Field("content", "bytea", func(a *Answer) *[]byte { return &a.packed }),
		engine.NewColumn("answers", "bigint", nil, func(*Answer) int64 { return 1 }))
	insertBodies = bodiesTable.Insert(`ON CONFLICT (organization, hash) DO UPDATE SET answers = bodies.answers + 1`)
)

// completeAnswers stores the outcomes and results of pending answers, and counts them in their
// sweeps.
func completeAnswers(ctx context.Context, t *engine.Tx, ended []*Answer) error {
	if len(ended) == 0 {
		return nil
	}
	counts := map[string]*Sweep{}
	var bodies []*Answer
	for _, a := range ended {
		sweep := counts[a.Sweep]
		if sweep == nil {
			sweep = &Sweep{Organization: a.Organization, Tracker: a.Tracker, ID: a.Sweep}
			counts[a.Sweep] = sweep
		}
		sweep.Charged += a.Charged
		if a.Outcome == earshot.OutcomeMissing {
			sweep.Missing++
		} else {
			sweep.Answered++
		}
		if a.wrap() {
			bodies = append(bodies, a)
		}
	}
	if err := engine.Each(ctx, t, updateAnswers, ended, nil); err != nil {
		return fmt.Errorf("complete answers: %w", err)
	}
	if err := addBodies(ctx, t, bodies); err != nil {
		return err
	}
	if err := addAnalyses(ctx, t, ended); err != nil {
		return err
	}
	for _, sweep := range counts {
		_, err := t.ExecContext(ctx, `UPDATE sweeps SET answered = answered + $4, missing = missing + $5, charged = charged + $6
			WHERE organization = $1 AND tracker = $2 AND id = $3`, sweep.Organization, sweep.Tracker, sweep.ID, sweep.Answered, sweep.Missing, sweep.Charged)
		if err != nil {
			return fmt.Errorf("count the answers of a sweep: %w", err)
		}
	}
	return nil
}

// wrap hashes and compresses the result and reports whether there is one.
func (a *Answer) wrap() bool {
	if a.Result == nil {
		return false
	}
	hash := sha256.Sum256(a.Result)
	a.hash = hash[:]
	if a.packed == nil {
		a.packed = store.Pack(a.Result)
	}
	return true
}

// InsertHistory inserts ended sweeps with all their answers in one transaction. It returns
// ErrChanged if the tracker was deleted meanwhile.
func (s *Store) InsertHistory(t *Tracker, sweeps []*Sweep, answers []*Answer) error {
	var bodies []*Answer
	for _, a := range answers {
		if a.wrap() {
			bodies = append(bodies, a)
		}
	}
	err := s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		// The lock keeps the tracker from being deleted meanwhile.
		found, err := engine.FindValues[string](ctx, tx, `SELECT id FROM trackers WHERE organization = $1 AND id = $2 AND state <> 'deleting' `+s.Dialect.ForUpdate,
			t.Organization, t.ID)
		if err == nil && len(found) == 0 {
			err = engine.ErrChanged
		}
		if err != nil {
			return err
		}
		return errors.Join(engine.Each(ctx, tx, insertSweeps, sweeps, nil), engine.Each(ctx, tx, insertAnswers, answers, nil), addBodies(ctx, tx, bodies), addAnalyses(ctx, tx, answers),
			analysing.EnterWork(ctx, tx, t.Organization, t.ID, earshot.WorkCount, earshot.WorkReview))
	})
	return engine.Wrap(err, "store the history of tracker %s", t.Name)
}

// addBodies inserts results, or increments the number of answers of existing ones. A statement
// cannot change a row twice, so answers with equal results need several statements.
func addBodies(ctx context.Context, t *engine.Tx, bodies []*Answer) error {
	for len(bodies) > 0 {
		seen := map[string]bool{}
		var now, later []*Answer
		for _, a := range bodies {
			if seen[string(a.hash)] {
				later = append(later, a)
			} else {
				seen[string(a.hash)] = true
				now = append(now, a)
			}
		}
		if err := engine.Each(ctx, t, insertBodies, now, nil); err != nil {
			return fmt.Errorf("store results: %w", err)
		}
		bodies = later
	}
	return nil
}

// Followed is an organization with running sweeps, and the sequence number of its last recorded
// task.
type Followed struct {
	Organization string
	Event        int64
}

// Followed lists the organizations that have running sweeps.
func (s *Store) Followed(ctx context.Context) ([]Followed, error) {
	all, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]Followed, error) {
		return engine.FindAll(ctx, p.Lookups, func(f *Followed) []any { return []any{&f.Organization, &f.Event} },
			`SELECT organization, event FROM followers ORDER BY organization`)
	})
	return all, engine.Wrap(err, "list organizations with running sweeps")
}

// followBatch limits the ended tasks that are processed together.
const followBatch = 500

// Ended returns the tasks of trackers that ended after f.Event, with their results: as many as
// fit into store.EventBytes, but at least one. last is the last event that was examined.
func (s *Store) Ended(ctx context.Context, f Followed) (tasks []*store.Task, last int64, err error) {
	last = f.Event
	var bytes int64
	full := false
	err = s.ShardOf(f.Organization).Lookups.Find(ctx, func(r engine.Scanner) error {
		var event, size int64
		var tracker *string
		if err := r.Scan(&event, &tracker, &size); err != nil || full {
			return err
		}
		if tracker != nil {
			if full = bytes > 0 && bytes+size > store.EventBytes; full {
				return nil
			}
			bytes += size
		}
		last = event
		return nil
	}, `SELECT event, tracker, COALESCE(octet_length(result), 0) + 200 FROM finished WHERE organization = $1 AND event > $2 ORDER BY event LIMIT $3`,
		f.Organization, f.Event, followBatch)
	if err != nil {
		return nil, 0, fmt.Errorf("look for ended tasks: %w", err)
	}
	if bytes == 0 {
		return nil, last, nil
	}
	tasks, err = engine.FindRows(ctx, s.ShardOf(f.Organization).Lookups, store.FinishedTable, `WHERE organization = $1 AND event > $2 AND event <= $3 AND tracker IS NOT NULL ORDER BY event`,
		f.Organization, f.Event, last)
	for _, task := range tasks {
		if err == nil {
			packed := task.Packed
			err = task.Unpack()
			task.Packed = packed
		}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read ended tasks: %w", err)
	}
	return tasks, last, nil
}

// RunningTrackers returns the ids, by name, of an organization's trackers with running sweeps. A
// name may have several ids, since it is free again while its tracker is being deleted.
func (s *Store) RunningTrackers(ctx context.Context, organization string) (map[string][]string, error) {
	ids := map[string][]string{}
	err := s.ShardOf(organization).Lookups.Find(ctx, func(r engine.Scanner) error {
		var name, id string
		err := r.Scan(&name, &id)
		ids[name] = append(ids[name], id)
		return err
	}, `SELECT DISTINCT t.name, t.id FROM sweeps s JOIN trackers t ON t.organization = s.organization AND t.id = s.tracker
		WHERE s.organization = $1 AND s.state = 'running'`, organization)
	return ids, engine.Wrap(err, "find trackers with running sweeps")
}

// AnswerOf returns an answer with the values of its ended task.
func AnswerOf(t *store.Task, tracker string) *Answer {
	a := &Answer{
		Organization: t.Organization, Tracker: tracker, ID: t.ID, FinishedAt: t.FinishedAt, Attempts: t.Attempts,
		Result: t.Result, packed: t.Packed,
	}
	if t.Charged != nil {
		a.Charged = *t.Charged
	}
	return a
}

// Record stores the answers of all tasks that ended after f.Event, up to the event last. It
// changes nothing if another node has recorded them, and ignores answers that are not pending.
// newest has the version of the newest rules, by tracker id, that the answers were analysed by.
// Record returns ErrChanged, and changes nothing, if a tracker has newer rules, by which these
// answers would never be analysed.
func (s *Store) Record(f Followed, last int64, ended []*Answer, newest map[string]int) error {
	// The lock on the organization keeps others from adding rules.
	err := s.Commit(store.Change{Organization: f.Organization, Jobs: len(ended), Apply: func(ctx context.Context, w *store.Work) error {
		// The lock on the row keeps other nodes from recording the same answers.
		var event int64
		err := engine.First(ctx, w, func(r engine.Scanner) error { return r.Scan(&event) }, `SELECT event FROM followers WHERE organization = $1 `+s.Dialect.ForUpdate, f.Organization)
		if errors.Is(err, store.ErrNotFound) || err == nil && event != f.Event {
			return nil
		}
		if err != nil {
			return err
		}
		if err := analysing.ExpectRules(ctx, w, f.Organization, newest); err != nil {
			return err
		}
		pending, err := stillPending(ctx, w.Tx, ended)
		if err != nil {
			return err
		}
		if err := completeAnswers(ctx, w.Tx, pending); err != nil {
			return err
		}
		_, err = w.ExecContext(ctx, `UPDATE followers SET event = $2 WHERE organization = $1`, f.Organization, last)
		return err
	}})
	return engine.Wrap(err, "record answers")
}

// stillPending returns the answers that are pending, with their sweep, prompt, target and sample.
func stillPending(ctx context.Context, t *engine.Tx, ended []*Answer) (pending []*Answer, err error) {
	asked := make(map[[2]string]*Answer, len(ended))
	for _, a := range ended {
		asked[[2]string{a.Tracker, a.ID}] = a
	}
	err = engine.Each(ctx, t, selectPending, ended, func(r engine.Scanner) error {
		var found Answer
		if err := r.Scan(&found.Tracker, &found.ID, &found.Sweep, &found.Prompt, &found.Target, &found.Sample); err != nil {
			return err
		}
		a := asked[[2]string{found.Tracker, found.ID}]
		a.Sweep, a.Prompt, a.Target, a.Sample = found.Sweep, found.Prompt, found.Target, found.Sample
		pending = append(pending, a)
		return nil
	})
	return pending, err
}

// RecordLost completes the pending answers of a sweep whose tasks were removed from the queue. It
// returns their number.
func (s *Store) RecordLost(ctx context.Context, sweep *Sweep, now time.Time) (n int, err error) {
	lost, err := engine.FindValues[string](ctx, s.ShardOf(sweep.Organization).Lookups, `
		SELECT a.id FROM answers a WHERE a.organization = $1 AND a.tracker = $2 AND a.sweep = $3 AND a.outcome = 'pending'
			AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.organization = a.organization AND j.id = a.id)
			AND NOT EXISTS (SELECT 1 FROM finished f WHERE f.organization = a.organization AND f.id = a.id) LIMIT $4`,
		sweep.Organization, sweep.Tracker, sweep.ID, followBatch)
	if err != nil || len(lost) == 0 {
		return 0, err
	}
	var asked []*Answer
	for _, id := range lost {
		asked = append(asked, &Answer{
			Organization: sweep.Organization, Tracker: sweep.Tracker, ID: id, Sweep: sweep.ID,
			Outcome: earshot.OutcomeMissing, Reason: ReasonCanceled, FinishedAt: sweep.since(now),
		})
	}
	err = s.ShardOf(sweep.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		// The lock on the row keeps other nodes from recording the same answers.
		_, err := engine.FindValues[int64](ctx, tx, `SELECT event FROM followers WHERE organization = $1 `+s.Dialect.ForUpdate, sweep.Organization)
		if err != nil {
			return err
		}
		still, err := stillPending(ctx, tx, asked)
		if err != nil {
			return err
		}
		n = len(still)
		return completeAnswers(ctx, tx, still)
	})
	if err != nil {
		return 0, fmt.Errorf("record lost tasks: %w", err)
	}
	return n, nil
}

// Analysis returns an analysis of the answer by rules of its tracker.
func (a *Answer) Analysis(rules int, content []byte) *analysing.Analysis {
	analysis := &analysing.Analysis{Rules: rules, Content: content}
	a.copyTo(analysis)
	return analysis
}

// copyTo copies the properties of the answer to its analysis.
func (a *Answer) copyTo(to *analysing.Analysis) {
	to.Organization, to.Tracker, to.Answer, to.Sweep = a.Organization, a.Tracker, a.ID, a.Sweep
	to.Prompt, to.Target, to.Sample, to.Outcome, to.Surface = a.Prompt, a.Target, a.Sample, a.Outcome, a.Surface
}

// addAnalyses inserts the analyses of answers.
func addAnalyses(ctx context.Context, t *engine.Tx, answers []*Answer) error {
	var all []*analysing.Analysis
	for _, a := range answers {
		for _, analysis := range a.Analyses {
			a.copyTo(analysis)
			all = append(all, analysis)
		}
	}
	return analysing.InsertAnalyses(ctx, t, all)
}
