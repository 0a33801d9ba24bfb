package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot/internal/store/engine"
)

// Request returns a call or task of an organization with its result. It returns ErrNotFound.
func (s *Store) Request(ctx context.Context, organization, id string) (*Task, error) {
	id, err := CanonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	for _, from := range taskTables {
		found, err := findRequests(ctx, s.ShardOf(organization).Lookups, from, `organization = $1 AND id = $2`, organization, id)
		if err != nil {
			return nil, fmt.Errorf("request %s: %w", id, err)
		}
		if len(found) > 0 {
			return found[0], nil
		}
	}
	return nil, fmt.Errorf("request %s: %w", id, ErrNotFound)
}

const (
	// ScannedRows and scannedBytes limit what one page of the history reads, whatever the filter,
	// so that no request makes the database read a long history.
	ScannedRows  = 1000
	scannedBytes = 16 << 20
	// ScanBatch is the number of rows that are read at once.
	ScanBatch = 200
	// IDEarlier is how much the time in an id may precede the creation of its job.
	IDEarlier = time.Second
	// IDLater is how much it may follow the creation: a task gets its id after its body has arrived.
	IDLater = time.Minute
)

// RequestFilter selects the calls and tasks to list, newest first.
type RequestFilter struct {
	From, Until time.Time        // creation time, Until excluded; zero for no limit
	Batch       string           // only tasks of this batch; "" for all
	Alone       bool             // only calls and tasks without a tracker and a batch
	Match       func(*Task) bool // any other condition
	Before      string           // only ids before this one; "" for all
	Limit       int
}

func (f *RequestFilter) matches(t *Task) bool {
	return (!f.Alone || t.Tracker == "") && !t.CreatedAt.Before(f.From) && (f.Until.IsZero() || t.CreatedAt.Before(f.Until)) && f.Match(t)
}

// Requests lists calls and tasks of an organization without their results. It reads a limited
// number of rows; next is the id to continue from, or "" at the end.
func (s *Store) Requests(ctx context.Context, organization string, filter RequestFilter) (found []*Task, next string, err error) {
	err = s.ShardOf(organization).Reports.Snapshot(ctx, func(now engine.Snapshot) (err error) {
		found, next, err = scanRequests(ctx, now, organization, filter)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list requests: %w", err)
	}
	return found, next, nil
}

func scanRequests(ctx context.Context, now engine.Snapshot, organization string, filter RequestFilter) (found []*Task, next string, err error) {
	oldest, before := uuid.Nil.String(), cmp.Or(filter.Before, uuid.Max.String())
	if !filter.From.IsZero() {
		oldest = FirstID(filter.From.Add(-IDEarlier))
	}
	if !filter.Until.IsZero() {
		before = min(before, FirstID(filter.Until.Add(IDLater)))
	}
	batch := filter.Limit + 1 // enough if all of them match
	for rows, bytes := 0, 0; rows < ScannedRows && bytes < scannedBytes; batch = ScanBatch {
		batch = min(batch, ScannedRows-rows)
		read, err := newestRequests(ctx, now, organization, filter.Batch, oldest, before, batch)
		if err != nil {
			return nil, "", err
		}
		var together map[string]bool
		if filter.Alone {
			if together, err = inBatches(ctx, now, organization, read); err != nil {
				return nil, "", err
			}
		}
		for _, t := range read {
			if filter.matches(t) && !together[t.ID] {
				found = append(found, t)
			}
			if len(found) > filter.Limit { // the extra row shows that there is another page
				found = found[:filter.Limit]
				return found, found[filter.Limit-1].ID, nil
			}
			rows, bytes, before = rows+1, bytes+len(t.Request), t.ID
		}
		if len(read) < batch {
			return found, "", nil
		}
	}
	return found, before, nil
}

// inBatches returns which of the given requests (newest first) belong to a batch.
func inBatches(ctx context.Context, now engine.Snapshot, organization string, read []*Task) (map[string]bool, error) {
	if len(read) == 0 {
		return nil, nil //nolint:nilnil // no requests
	}
	jobs, err := engine.FindValues[string](ctx, now, `SELECT job FROM batch_tasks WHERE organization = $1 AND job >= $2 AND job <= $3`,
		organization, read[len(read)-1].ID, read[0].ID)
	together := make(map[string]bool, len(jobs))
	for _, job := range jobs {
		together[job] = true
	}
	return together, err
}

// newestRequests returns the n newest calls and tasks with ids from oldest (included) to before
// (excluded), all or only those in a batch. It uses the primary keys of both tables.
func newestRequests(ctx context.Context, now engine.Snapshot, organization, batch, oldest, before string, n int) (all []*Task, err error) {
	where, args := `organization = $1 AND id >= $2 AND id < $3`, []any{organization, oldest, before, n}
	if batch != "" {
		where += ` AND id IN (SELECT job FROM batch_tasks WHERE organization = $1 AND batch = $5)`
		args = append(args, batch)
	}
	for _, from := range listedTables {
		found, err := findRequests(ctx, now, from, where+` ORDER BY id DESC LIMIT $4`, args...)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b *Task) int { return cmp.Compare(b.ID, a.ID) })
	return all[:min(len(all), n)], nil
}
