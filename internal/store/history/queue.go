package history

import (
	"context"
	"maps"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// QueueStatus is the state of an organization's queue.
type QueueStatus struct {
	Organization *account.Organization
	Processing   int                     // number of running tasks, without calls
	Queued       []earshot.PriorityCount // by priority, highest first
}

// QueueStatus returns a consistent view of an organization's queue.
func (s *Store) QueueStatus(ctx context.Context, organization string) (status QueueStatus, err error) {
	err = s.ShardOf(organization).Lookups.Snapshot(ctx, func(now engine.Snapshot) (err error) {
		status, err = queueStatus(ctx, now, organization)
		return err
	})
	return status, engine.Wrap(err, "read the queue's status")
}

func queueStatus(ctx context.Context, now engine.Snapshot, organization string) (status QueueStatus, err error) {
	status.Organization, err = engine.FirstRow(ctx, now, store.OrganizationsTable, `WHERE id = $1`, organization)
	if err != nil {
		return status, err
	}
	err = engine.First(ctx, now, func(r engine.Scanner) error { return r.Scan(&status.Processing) },
		`SELECT COUNT(*) FROM jobs WHERE organization = $1 AND status = 'PROCESSING' AND mode = 'async'`, organization)
	if err != nil {
		return status, err
	}
	status.Queued, err = engine.FindAll(ctx, now, func(p *earshot.PriorityCount) []any { return []any{&p.Priority, &p.Count} },
		`SELECT priority, COUNT(*) FROM jobs WHERE organization = $1 AND status = 'QUEUED' GROUP BY priority ORDER BY priority DESC`, organization)
	return status, err
}

// maxMoved limits the tasks of each kind in a Movement.
const maxMoved = 1000

// Movement is the state of an organization's queue and the tasks that may have changed.
type Movement struct {
	QueueStatus
	UnderWay map[string]earshot.Status // running tasks, and new queued ones
	Ended    []string                  // ids of ended tasks, newest first
}

// Movement returns a consistent view of an organization's queue: which tasks run or were
// submitted after a time, and which ended after an event. It returns the newest 1,000 of each.
func (s *Store) Movement(ctx context.Context, organization string, submitted time.Time, event int64) (*Movement, error) {
	m := &Movement{}
	err := s.ShardOf(organization).Lookups.Snapshot(ctx, func(now engine.Snapshot) (err error) {
		if m.QueueStatus, err = queueStatus(ctx, now, organization); err != nil {
			return err
		}
		m.UnderWay, err = engine.FindMap[string, earshot.Status](ctx, now,
			`SELECT id, status FROM jobs WHERE organization = $1 AND status = 'PROCESSING' AND mode = 'async' ORDER BY id DESC LIMIT $2`, organization, maxMoved)
		if err != nil {
			return err
		}
		recent, err := engine.FindMap[string, earshot.Status](ctx, now,
			`SELECT id, status FROM jobs WHERE organization = $1 AND id >= $2 AND mode = 'async' ORDER BY id DESC LIMIT $3`, organization, store.FirstID(submitted), maxMoved)
		if err != nil {
			return err
		}
		maps.Copy(m.UnderWay, recent)
		m.Ended, err = engine.FindValues[string](ctx, now, `SELECT id FROM finished WHERE organization = $1 AND event > $2 ORDER BY event DESC LIMIT $3`,
			organization, event, maxMoved)
		return err
	})
	return m, engine.Wrap(err, "read the movement of tasks")
}
