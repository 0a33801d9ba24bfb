package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
)

// Task is an asynchronous job as its organization sees it.
type Task struct {
	Job
	Charged    *int64
	FinishedAt time.Time       // zero until then
	Error      json.RawMessage // why it failed
	Result     json.RawMessage // what it came to
	Event      int64           // its place among the ended ones
	Delivery   *Delivery       // how its webhook stands
}

const (
	underWay = `SELECT ` + jobColumns + `,
		NULL AS charged, NULL AS finished_at, NULL AS error, NULL AS event, NULL AS result FROM jobs WHERE mode = 'async' AND `
	ended = `SELECT organization, id, key_id, provider, mode, status, request, most, node, attempts, created_at, started_at,
		priority, idempotency_key, NULL AS webhook_url, charged, finished_at, error, event, result FROM finished WHERE mode = 'async' AND `
)

func scanTask(found scanner) (*Task, error) {
	t := &Task{}
	var node, failure *string
	var created int64
	var started, finished, event *int64
	var result []byte
	err := found.Scan(&t.Organization, &t.ID, &t.KeyID, &t.Provider, &t.Mode, &t.Status, &t.Request, &t.Most, &node,
		&t.Attempts, &created, &started, &t.Priority, &t.IdempotencyKey, &t.WebhookURL,
		&t.Charged, &finished, &failure, &event, &result)
	if err != nil {
		return nil, err
	}
	t.CreatedAt = time.UnixMilli(created)
	if started != nil {
		t.StartedAt = time.UnixMilli(*started)
	}
	if finished != nil {
		t.FinishedAt = time.UnixMilli(*finished)
	}
	if failure != nil {
		t.Error = json.RawMessage(*failure)
	}
	if event != nil {
		t.Event = *event
	}
	t.Result, err = unpack(result)
	return t, err
}

// Task finds a task of an organization. Returns ErrNotFound.
func (s *Store) Task(ctx context.Context, organization, id string) (*Task, error) {
	id, err := canonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	// A task moves from the first table to the second, so this order never misses it.
	for _, from := range []string{underWay, ended} {
		var t *Task
		err := s.first(ctx, func(r scanner) (err error) {
			t, err = scanTask(r)
			return err
		}, from+`organization = $1 AND id = $2`, organization, id)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", id, err)
		}
		return t, s.addDelivery(ctx, t)
	}
	return nil, fmt.Errorf("task %s: %w", id, ErrNotFound)
}

// canonicalID is an id as it is stored. What is none cannot be found.
func canonicalID(id string) (string, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != len(parsed.String()) {
		return "", ErrNotFound
	}
	return parsed.String(), nil
}

// addDelivery tells how the webhook of a task stands.
func (s *Store) addDelivery(ctx context.Context, t *Task) error {
	if t.WebhookURL != nil {
		t.Delivery = &Delivery{Job: t.ID, URL: *t.WebhookURL}
		return nil
	}
	if t.FinishedAt.IsZero() {
		return nil
	}
	d, err := s.Delivery(ctx, t.Organization, t.ID)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	t.Delivery = d
	return err
}

// TaskFilter says which tasks to list, newest first.
type TaskFilter struct {
	Status   earshot.Status // "" for all
	Provider string         // "" for all
	Before   string         // only tasks older than this id; "" for all
	Limit    int
}

// Tasks lists tasks of an organization without their results.
func (s *Store) Tasks(ctx context.Context, organization string, filter TaskFilter) (tasks []*Task, err error) {
	newest := cmp.Or(filter.Before, uuid.Max.String())
	const where = `organization = $1 AND id < $2 AND ($3 = '' OR status = $3) AND ($4 = '' OR provider = $4) ORDER BY id DESC LIMIT $5`
	add := func(r scanner) error {
		t, err := scanTask(r)
		tasks = append(tasks, t)
		return err
	}
	err = s.snapshot(ctx, func(tx *sql.Tx) error {
		for _, from := range []string{underWay, ended} {
			if err := find(ctx, tx, add, from+where, organization, newest, string(filter.Status), filter.Provider, filter.Limit); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list tasks: %w", err)
	}
	slices.SortFunc(tasks, func(a, b *Task) int { return cmp.Compare(b.ID, a.ID) })
	return tasks[:min(len(tasks), filter.Limit)], nil
}

// Events are tasks of an organization in the order in which they ended, after the
// one with the number after.
func (s *Store) Events(ctx context.Context, organization string, after int64, limit int) (tasks []*Task, err error) {
	err = s.find(ctx, func(r scanner) error {
		t, err := scanTask(r)
		tasks = append(tasks, t)
		return err
	}, ended+`organization = $1 AND event > $2 ORDER BY event LIMIT $3`, organization, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return tasks, nil
}

// QueueStatus is how an organization's queue stands.
type QueueStatus struct {
	Organization *account.Organization
	Processing   int                     // tasks that run; calls are not tasks
	Queued       []earshot.PriorityCount // by priority, the highest first
}

// QueueStatus tells how an organization's queue stands, at one moment.
func (s *Store) QueueStatus(ctx context.Context, organization string) (status QueueStatus, err error) {
	err = s.snapshot(ctx, func(tx *sql.Tx) (err error) {
		status, err = queueStatus(ctx, tx, organization)
		return err
	})
	if err != nil {
		return status, fmt.Errorf("read the queue's status: %w", err)
	}
	return status, nil
}

func queueStatus(ctx context.Context, tx *sql.Tx, organization string) (status QueueStatus, err error) {
	status.Organization, err = scanOrganization(tx.QueryRowContext(ctx, `SELECT `+organizationColumns+` FROM organizations WHERE id = $1`, organization))
	if err != nil {
		return status, err
	}
	err = tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM jobs WHERE organization = $1 AND status = 'PROCESSING' AND mode = 'async'`, organization).
		Scan(&status.Processing)
	if err != nil {
		return status, err
	}
	err = find(ctx, tx, func(r scanner) error {
		var one earshot.PriorityCount
		err := r.Scan(&one.Priority, &one.Count)
		status.Queued = append(status.Queued, one)
		return err
	}, `SELECT priority, COUNT(*) FROM jobs WHERE organization = $1 AND status = 'QUEUED' GROUP BY priority ORDER BY priority DESC`, organization)
	return status, err
}

// snapshot runs reads that must agree with each other.
func (s *Store) snapshot(ctx context.Context, read func(*sql.Tx) error) error {
	tx, err := s.reads.BeginTx(ctx, &sql.TxOptions{Isolation: s.dialect.snapshot, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return read(tx)
}
