package analysing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Work is background work of a tracker that is not done yet. A node leases it for one step at a
// time, so any node can do the next step.
type Work struct {
	Organization string
	Tracker      string
	Kind         earshot.WorkKind
	BeganAt      time.Time // when the first step began; zero if none has
	Done, Total  int       // Total is 0 if it is unknown
	State        []byte    // JSON: where the next step goes on; nil for the first one
	Error        string    // why the last step failed, or ""

	// Wait is how long the next step must wait. A step sets it.
	Wait time.Duration

	wanted   int64
	lease    string
	freeAt   int64
	servedAt int64
	claimed  time.Time
}

var (
	workTable = engine.NewTable("tracker_work",
		engine.Field("organization", "uuid", func(w *Work) *string { return &w.Organization }),
		engine.Field("tracker", "uuid", func(w *Work) *string { return &w.Tracker }),
		engine.TextField("kind", func(w *Work) *earshot.WorkKind { return &w.Kind }),
		engine.IntField("wanted", func(w *Work) *int64 { return &w.wanted }),
		engine.NullField("lease", "uuid", func(w *Work) *string { return &w.lease }),
		engine.IntField("free_at", func(w *Work) *int64 { return &w.freeAt }),
		engine.IntField("served_at", func(w *Work) *int64 { return &w.servedAt }),
		engine.TimeField("began_at", func(w *Work) *time.Time { return &w.BeganAt }),
		engine.IntField("done", func(w *Work) *int { return &w.Done }),
		engine.IntField("total", func(w *Work) *int { return &w.Total }),
		engine.BytesAsText("state", func(w *Work) *[]byte { return &w.State }),
		engine.NullField("error", "text", func(w *Work) *string { return &w.Error }))
	// Work that failed is tried again at once, because what it needs has changed.
	enterWork = workTable.Insert(`ON CONFLICT (organization, tracker, kind) DO UPDATE SET wanted = tracker_work.wanted + 1,
		free_at = CASE WHEN tracker_work.lease IS NULL THEN 0 ELSE tracker_work.free_at END`)
)

// EnterWork enters work of a tracker in the transaction that makes it necessary. Work that a node
// does meanwhile is repeated afterwards.
func EnterWork(ctx context.Context, t *engine.Tx, organization, tracker string, kinds ...earshot.WorkKind) error {
	var all []*Work
	for _, kind := range kinds {
		all = append(all, &Work{Organization: organization, Tracker: tracker, Kind: kind, wanted: 1})
	}
	return engine.Wrap(engine.Each(ctx, t, enterWork, all, nil), "enter work")
}

// EnterWork is the function EnterWork in a transaction of its own.
func (s *Store) EnterWork(organization, tracker string, kinds ...earshot.WorkKind) error {
	return s.ShardOf(organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		return EnterWork(ctx, tx, organization, tracker, kinds...)
	})
}

// ClaimWork leases the next work for one step. Organizations take turns: it is work of the first
// organization after the given one, and of the first of all if there is none. Within an
// organization, the work whose last step is longest ago comes first. ClaimWork returns ErrNotFound
// if no work is free, and ErrChanged if another node was faster.
func (s *Store) ClaimWork(ctx context.Context, after string, lease time.Duration) (*Work, error) {
	free, err := s.freeWork(ctx, after)
	if err == nil && len(free) == 0 && after != uuid.Nil.String() {
		free, err = s.freeWork(ctx, uuid.Nil.String())
	}
	if err == nil && len(free) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("find work: %w", err)
	}
	w := slices.MinFunc(free, func(a, b *Work) int { return cmp.Compare(a.Organization, b.Organization) }) // of all shards
	now := s.Dialect.Now
	var claimed []*Work
	err = s.ShardOf(w.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		claimed = nil
		return tx.Find(ctx, engine.Collect(workTable, &claimed), `UPDATE tracker_work SET lease = $4, free_at = `+now+` + $5, began_at = COALESCE(began_at, `+now+`)
			WHERE organization = $1 AND tracker = $2 AND kind = $3 AND free_at <= `+now+` RETURNING `+workTable.List,
			w.Organization, w.Tracker, string(w.Kind), uuid.NewString(), lease.Milliseconds())
	})
	if err == nil && len(claimed) == 0 {
		err = store.ErrChanged
	}
	if err != nil {
		return nil, fmt.Errorf("claim work: %w", err)
	}
	claimed[0].claimed = time.UnixMilli(claimed[0].freeAt).Add(-lease)
	return claimed[0], nil
}

func (s *Store) freeWork(ctx context.Context, after string) ([]*Work, error) {
	return engine.RowsFromAllShards(ctx, s.DB, workTable, `WHERE organization > $1 AND free_at <= `+s.Dialect.Now+` ORDER BY organization, served_at, tracker, kind LIMIT 1`, after)
}

// Restart begins the progress of the work from zero.
func (w *Work) Restart() { w.BeganAt, w.Done, w.Total = w.claimed, 0, 0 }

// RenewWork extends the lease of a step. It returns ErrChanged if another node has the work.
func (s *Store) RenewWork(w *Work, lease time.Duration) error {
	return s.updateWork(w, `free_at = `+s.Dialect.Now+` + $5`, lease.Milliseconds())
}

// EndStep stores the progress after a step. If the work is done, EndStep deletes it, unless it was
// entered again since the step began. EndStep returns ErrChanged if another node has the work.
func (s *Store) EndStep(w *Work, done bool) error {
	if done {
		n, err := s.ShardOf(w.Organization).Run(`DELETE FROM tracker_work WHERE organization = $1 AND tracker = $2 AND kind = $3 AND lease = $4 AND wanted = $5`,
			w.Organization, w.Tracker, string(w.Kind), w.lease, w.wanted)
		if err != nil || n > 0 {
			return engine.Wrap(err, "end work")
		}
		w.Restart()
		w.State = nil
	}
	return s.updateWork(w, `lease = NULL, free_at = `+s.Dialect.Now+` + $5, served_at = `+s.Dialect.Now+`, began_at = $6, done = $7, total = $8, state = $9, error = NULL`,
		w.Wait.Milliseconds(), engine.Millis(w.BeganAt), w.Done, w.Total, engine.NullText(string(w.State)))
}

// FailStep ends the lease of a step whose progress is not stored. failure says why, or is "" if
// the step was only interrupted. A node may try it again after a while.
func (s *Store) FailStep(w *Work, failure string, again time.Duration) error {
	return s.updateWork(w, `lease = NULL, free_at = `+s.Dialect.Now+` + $5, served_at = `+s.Dialect.Now+`, error = $6`, again.Milliseconds(), engine.NullText(failure))
}

// updateWork changes work that this node has leased.
func (s *Store) updateWork(w *Work, set string, args ...any) error {
	err := engine.ExpectChange(s.ShardOf(w.Organization).Run(`UPDATE tracker_work SET `+set+` WHERE organization = $1 AND tracker = $2 AND kind = $3 AND lease = $4`,
		append([]any{w.Organization, w.Tracker, string(w.Kind), w.lease}, args...)...))
	return engine.Wrap(err, "update work")
}

// WorkOf lists the work of a tracker, and how long each has taken so far.
func (s *Store) WorkOf(ctx context.Context, organization, tracker string) (all []*Work, took []time.Duration, err error) {
	err = s.ShardOf(organization).Lookups.Find(ctx, func(r engine.Scanner) error {
		w, ms := &Work{}, int64(0)
		err := r.Scan(append(workTable.Targets(w), &ms)...)
		all, took = append(all, w), append(took, time.Duration(ms)*time.Millisecond)
		return err
	}, `SELECT `+workTable.List+`, `+s.Dialect.Now+` - COALESCE(began_at, `+s.Dialect.Now+`) FROM tracker_work WHERE organization = $1 AND tracker = $2 ORDER BY kind`, organization, tracker)
	return all, took, engine.Wrap(err, "list the work of a tracker")
}
