package store

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/store/engine"
)

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
	m := &Movement{UnderWay: map[string]earshot.Status{}}
	underWay := func(r engine.Scanner) error {
		var id string
		var status earshot.Status
		err := r.Scan(&id, &status)
		m.UnderWay[id] = status
		return err
	}
	err := s.ShardOf(organization).Lookups.Snapshot(ctx, func(now engine.Snapshot) (err error) {
		if m.QueueStatus, err = queueStatus(ctx, now, organization); err != nil {
			return err
		}
		err = now.Find(ctx, underWay, `SELECT id, status FROM jobs WHERE organization = $1 AND status = 'PROCESSING' AND mode = 'async' ORDER BY id DESC LIMIT $2`,
			organization, maxMoved)
		if err != nil {
			return err
		}
		err = now.Find(ctx, underWay, `SELECT id, status FROM jobs WHERE organization = $1 AND id >= $2 AND mode = 'async' ORDER BY id DESC LIMIT $3`,
			organization, FirstID(submitted), maxMoved)
		if err != nil {
			return err
		}
		m.Ended, err = engine.FindValues[string](ctx, now, `SELECT id FROM finished WHERE organization = $1 AND event > $2 ORDER BY event DESC LIMIT $3`,
			organization, event, maxMoved)
		return err
	})
	return m, engine.Wrap(err, "read the movement of tasks")
}
