package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/store/engine"
)

// TakeoverAfter is how long a node may be silent before it is declared dead. A node sends a
// heartbeat every two seconds, so it has missed four by then.
const TakeoverAfter = 10 * time.Second

// RegisterNode adds a node that runs up to workers tasks at once and returns its new id. On a
// database that serves a single process it first removes all other nodes, which must be dead.
func (s *Store) RegisterNode(host string, workers int, now time.Time) (id string, err error) {
	id = NewID()
	err = s.Transact(func(ctx context.Context, tx *engine.Tx) error {
		if s.Dialect.Exclusive {
			if _, err := tx.ExecContext(ctx, `DELETE FROM nodes`); err != nil {
				return fmt.Errorf("remove former nodes: %w", err)
			}
			for _, change := range []string{"receivers SET leased_until = 0", "export_days SET leased_until = 0", "tracker_work SET lease = NULL, free_at = 0"} {
				if _, err := tx.ExecContext(ctx, `UPDATE `+change); err != nil {
					return fmt.Errorf("end the leases of former nodes: %w", err)
				}
			}
		}
		seen, args := s.heartbeat(id, host, workers, engine.Millis(now))
		if _, err := tx.ExecContext(ctx, `INSERT INTO nodes (id, host, workers, started_at, seen_at) VALUES ($1, $2, $3, $4, `+seen+`)`, args...); err != nil {
			return fmt.Errorf("register node: %w", err)
		}
		return nil
	})
	return id, err
}

// IsAlive reports whether another node was alive at the last heartbeat of this node, or may have been.
func (s *Store) IsAlive(node string) bool {
	nodes := s.nodes.Load()
	if s.Dialect.Exclusive || nodes == nil {
		return !s.Dialect.Exclusive
	}
	_, alive := (*nodes)[node]
	return alive
}

// heartbeat returns the SQL expression for the time of a heartbeat and the arguments of its
// statement. The time is PostgreSQL's own clock or, on SQLite, the trusted time.
func (s *Store) heartbeat(args ...any) (expression string, all []any) {
	if !s.Dialect.Exclusive {
		return s.Dialect.Now, args
	}
	return fmt.Sprintf("$%d", len(args)+1), append(args, engine.Millis(s.Clock.Trusted()))
}

// Beat records a heartbeat and the number of workers of a node. It also reads the clock and
// the list of nodes. It returns ErrNotFound if the node was declared dead meanwhile; then the
// node no longer owns its jobs.
func (s *Store) Beat(id string, workers int) error {
	if s.Dialect.Exclusive { // only a trusted time may be stored
		s.Clock.Look(engine.Look{Time: time.Now().Round(0), Looked: time.Now()})
	}
	// Like execAtOnce, this does not go through a writer.
	err := s.Transact(func(ctx context.Context, tx *engine.Tx) error {
		seen, args := s.heartbeat(id, workers)
		began, at := time.Now(), int64(0)
		err := engine.First(ctx, tx, func(r engine.Scanner) error { return r.Scan(&at) }, `UPDATE nodes SET workers = $2, seen_at = `+seen+` WHERE id = $1 RETURNING seen_at`, args...)
		if err != nil || s.Dialect.Exclusive {
			return err
		}
		s.Clock.Look(engine.Look{Time: time.UnixMilli(at), Looked: time.Now(), Took: time.Since(began)})
		nodes, err := engine.FindMap[string, int](ctx, tx, `SELECT id, workers FROM nodes`)
		if err == nil {
			s.nodes.Store(&nodes)
		}
		return err
	})
	return engine.Wrap(err, "heartbeat of node %s", id)
}

// startClock reads the clock for the first time and compares it with the last heartbeat of any
// node.
func (s *Store) startClock(ctx context.Context, accept bool) error {
	var at int64
	var newest sql.NullInt64
	began := time.Now()
	err := engine.First(ctx, s.Lookups, func(r engine.Scanner) error { return r.Scan(&at, &newest) }, `SELECT `+s.Dialect.Now+`, MAX(seen_at) FROM nodes`)
	if err != nil {
		return fmt.Errorf("read the database's clock: %w", err)
	}
	l := engine.Look{Time: time.UnixMilli(at), Looked: time.Now(), Took: time.Since(began)}
	seen := time.Time{}
	if newest.Valid && !accept && !s.Clock.Virtual {
		seen = time.UnixMilli(newest.Int64)
	}
	s.Clock.Start(l, seen)
	return nil
}

// StopNode removes a node that stops. On SQLite the row of the node stays until the next server
// starts, because it holds the time of the last heartbeat.
func (s *Store) StopNode(id string) error {
	if s.Dialect.Exclusive {
		return nil
	}
	return s.RemoveNode(id)
}

// RemoveNode removes a node. Its jobs become lost jobs.
func (s *Store) RemoveNode(id string) error {
	return engine.Wrap(s.execAtOnce(`DELETE FROM nodes WHERE id = $1`, id), "remove node")
}

// Hosts returns the machines of all nodes.
func (s *Store) Hosts(ctx context.Context) ([]string, error) {
	hosts, err := engine.FindValues[string](ctx, s.Lookups, `SELECT DISTINCT host FROM nodes ORDER BY host`)
	return hosts, engine.Wrap(err, "list the machines of nodes")
}

// DeclareDead removes nodes that have been silent for too long.
func (s *Store) DeclareDead() error {
	now, args := s.heartbeat(TakeoverAfter.Milliseconds())
	return engine.Wrap(s.execAtOnce(`DELETE FROM nodes WHERE seen_at < `+now+` - $1`, args...), "declare nodes dead")
}

// execAtOnce runs a statement on nodes. It does not go through a writer, where it could wait
// behind locked rows until the node seems dead.
func (s *Store) execAtOnce(text string, args ...any) error {
	return s.Transact(func(ctx context.Context, tx *engine.Tx) error {
		_, err := tx.ExecContext(ctx, text, args...)
		return err
	})
}

// lostBatch is how many lost jobs ReleaseLost ends at once, in shared commits.
const lostBatch = 500

// ReleaseLost ends a batch of synchronous jobs of dead nodes, whose clients have lost their
// connections. The jobs are not charged. It returns their number. Call it again until it
// returns 0.
func (s *Store) ReleaseLost(ctx context.Context, now time.Time) (int, error) {
	lost, err := s.lostJobs(ctx, ModeSync, lostBatch)
	if err != nil {
		return 0, err
	}
	var group errgroup.Group
	for _, job := range lost {
		group.Go(func() error {
			_, err := s.Settle(Settlement{
				Job:      job,
				Status:   earshot.StatusFailed,
				Attempts: job.Attempts,
				Error:    &earshot.Error{Code: earshot.CodeInternal, Message: "the node that ran this call has stopped"},
			}, now)
			if errors.Is(err, ErrLost) { // another node was faster
				return nil
			}
			return err
		})
	}
	return len(lost), group.Wait()
}

// Adopt assigns up to n tasks of dead nodes to a node. They keep their slots and held credits;
// an adoption counts as an attempt.
func (s *Store) Adopt(ctx context.Context, node string, n int) (adopted []*Job, err error) {
	lost, err := s.lostJobs(ctx, ModeAsync, n)
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	lost = lost[:min(n, len(lost))] // each shard has returned up to n
	for _, p := range s.Shards {
		some, err := adopt(p, slices.DeleteFunc(slices.Clone(lost), func(j *Job) bool { return s.ShardOf(j.Organization) != p }), node)
		adopted = append(adopted, some...)
		if err != nil && !p.Dialect.Unavailable(err) {
			return adopted, fmt.Errorf("adopt tasks: %w", err)
		}
	}
	return adopted, nil
}

func adopt(p *engine.Shard, lost []*Job, node string) (adopted []*Job, err error) {
	if len(lost) == 0 {
		return nil, nil
	}
	organizations := map[string]bool{}
	var takeovers []*takeover
	for _, job := range lost {
		organizations[job.Organization] = true
		takeovers = append(takeovers, &takeover{*job, node})
	}
	err = p.WithKeys().Transact(func(ctx context.Context, tx *engine.Tx) error {
		work := newWork(tx)
		// Do not wait for organizations that are locked: the next call adopts their tasks.
		if err := work.Lock(ctx, slices.Sorted(maps.Keys(organizations)), true); err != nil {
			return err
		}
		takeovers := slices.DeleteFunc(slices.Clone(takeovers), func(t *takeover) bool { return work.organizations[t.Organization] == nil })
		adopted = nil
		return engine.Each(ctx, tx, adoptJobs, takeovers, engine.Collect(JobsTable, &adopted))
	})
	if err != nil {
		return nil, err
	}
	return adopted, nil
}

// takeover is a job of a dead node and the node that takes it over.
type takeover struct {
	Job
	heir string
}

// adoptJobs skips jobs that another node has adopted meanwhile.
var adoptJobs = engine.NewStatement(
	append(engine.Lift(JobsTable.Only("organization", "id", "node"), func(t *takeover) *Job { return &t.Job }),
		engine.Field("heir", "uuid", func(t *takeover) *string { return &t.heir })),
	func(in engine.Input) string {
		return `UPDATE jobs SET node = ` + in.Value("heir") + `, attempts = attempts + 1 ` + in.Where("jobs", "organization", "id", "node") + `
			AND EXISTS (SELECT 1 FROM nodes WHERE nodes.id = ` + in.Value("heir") + `) -- the heir must not be declared dead itself
			RETURNING ` + JobsTable.List
	})

func (s *Store) lostJobs(ctx context.Context, mode string, n int) ([]*Job, error) {
	return s.findJobs(ctx, `status = 'PROCESSING' AND mode = $1 AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = jobs.node) LIMIT $2`, mode, n)
}

// Owned returns the tasks that a node must run.
func (s *Store) Owned(ctx context.Context, node string) ([]*Job, error) {
	return s.findJobs(ctx, `status = 'PROCESSING' AND mode = $1 AND node = $2`, ModeAsync, node)
}

func (s *Store) findJobs(ctx context.Context, condition string, args ...any) ([]*Job, error) {
	jobs, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]*Job, error) {
		return engine.FindRows(ctx, p.WithKeys().Lookups, JobsTable, `WHERE `+condition, args...)
	})
	return jobs, engine.Wrap(err, "find jobs")
}
