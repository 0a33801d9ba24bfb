// Package history reads the calls, tasks, batches and audit log of an organization, until the end of
// their retention. It extends package store, which writes them.
//
//	history.go    lists of calls and tasks
//	batch.go      batches, their progress and results
//	event.go      ended tasks in the order in which they ended
//	queue.go      the state of the queue; which tasks started or ended since the last look
//	retry.go      failed jobs and the tasks that replace them
//	auditlog.go   who changed what
package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// scannedBytes limits the size of the rows that one page of the history reads, as
// store.ScannedRows limits their number.
const scannedBytes = 16 << 20

// listedTables are the tables with calls and tasks, without the columns that a list does not
// need.
var listedTables = []*engine.Table[store.Task]{store.TaskTables[0], store.FinishedTable.Without("result")}

// Store adds the history to a store. It is safe for concurrent use.
type Store struct {
	*store.Store
}

// New adds the history to a store.
func New(s *store.Store) *Store { return &Store{s} }

// RequestFilter selects the calls and tasks to list, newest first.
type RequestFilter struct {
	From, Until time.Time              // creation time, Until excluded; zero for no limit
	Batch       string                 // only tasks of this batch; "" for all
	Alone       bool                   // only calls and tasks without a tracker and a batch
	Match       func(*store.Task) bool // any other condition
	Before      string                 // only ids before this one; "" for all
	Limit       int
}

func (f *RequestFilter) matches(t *store.Task) bool {
	return (!f.Alone || t.Tracker == "") && !t.CreatedAt.Before(f.From) && (f.Until.IsZero() || t.CreatedAt.Before(f.Until)) && f.Match(t)
}

// Requests lists calls and tasks of an organization without their results. It reads a limited
// number of rows; next is the id to continue from, or "" at the end.
func (s *Store) Requests(ctx context.Context, organization string, filter RequestFilter) (found []*store.Task, next string, err error) {
	err = s.ShardOf(organization).Reports.Snapshot(ctx, func(now engine.Snapshot) (err error) {
		found, next, err = scanRequests(ctx, now, organization, filter)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list requests: %w", err)
	}
	return found, next, nil
}

func scanRequests(ctx context.Context, now engine.Snapshot, organization string, filter RequestFilter) (found []*store.Task, next string, err error) {
	oldest, before := uuid.Nil.String(), cmp.Or(filter.Before, uuid.Max.String())
	if !filter.From.IsZero() {
		oldest = store.FirstID(filter.From.Add(-store.IDEarlier))
	}
	if !filter.Until.IsZero() {
		before = min(before, store.FirstID(filter.Until.Add(store.IDLater)))
	}
	batch := filter.Limit + 1 // enough if all of them match
	for rows, bytes := 0, 0; rows < store.ScannedRows && bytes < scannedBytes; batch = store.ScanBatch {
		batch = min(batch, store.ScannedRows-rows)
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
func inBatches(ctx context.Context, now engine.Snapshot, organization string, read []*store.Task) (map[string]bool, error) {
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
func newestRequests(ctx context.Context, now engine.Snapshot, organization, batch, oldest, before string, n int) (all []*store.Task, err error) {
	where, args := `WHERE organization = $1 AND id >= $2 AND id < $3`, []any{organization, oldest, before, n}
	if batch != "" {
		where += ` AND id IN (SELECT job FROM batch_tasks WHERE organization = $1 AND batch = $5)`
		args = append(args, batch)
	}
	for _, from := range listedTables {
		found, err := engine.FindRows(ctx, now, from, where+` ORDER BY id DESC LIMIT $4`, args...)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b *store.Task) int { return cmp.Compare(b.ID, a.ID) })
	return all[:min(len(all), n)], nil
}
