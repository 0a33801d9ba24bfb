package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"earshot"
)

// mostMoved bounds what a look at the movement of tasks gives of each kind.
const mostMoved = 1000

// Movement is how an organization's queue stands, and tasks that may have moved.
type Movement struct {
	QueueStatus
	UnderWay map[string]earshot.Status // tasks that run, and new ones that wait
	Ended    []string                  // tasks, the last one first
}

// Movement tells at one moment how an organization stands, which tasks run or were
// submitted after a time, and which ended after an event; of each the last 1,000.
func (s *Store) Movement(ctx context.Context, organization string, submitted time.Time, event int64) (*Movement, error) {
	m := &Movement{UnderWay: map[string]earshot.Status{}}
	underWay := func(r scanner) error {
		var id string
		var status earshot.Status
		err := r.Scan(&id, &status)
		m.UnderWay[id] = status
		return err
	}
	ended := func(r scanner) error {
		var id string
		err := r.Scan(&id)
		m.Ended = append(m.Ended, id)
		return err
	}
	err := s.snapshot(ctx, func(tx *sql.Tx) (err error) {
		if m.QueueStatus, err = queueStatus(ctx, tx, organization); err != nil {
			return err
		}
		err = find(ctx, tx, underWay, `SELECT id, status FROM jobs WHERE organization = $1 AND status = 'PROCESSING' AND mode = 'async' ORDER BY id DESC LIMIT $2`,
			organization, mostMoved)
		if err != nil {
			return err
		}
		err = find(ctx, tx, underWay, `SELECT id, status FROM jobs WHERE organization = $1 AND id >= $2 AND mode = 'async' ORDER BY id DESC LIMIT $3`,
			organization, firstID(submitted), mostMoved)
		if err != nil {
			return err
		}
		return find(ctx, tx, ended, `SELECT id FROM finished WHERE organization = $1 AND event > $2 ORDER BY event DESC LIMIT $3`, organization, event, mostMoved)
	})
	if err != nil {
		return nil, fmt.Errorf("look at the movement of tasks: %w", err)
	}
	return m, nil
}
