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
	"iter"
	"slices"
	"strconv"
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

// Page is a page of calls or tasks. Tasks reads a chunk of at most store.EventBytes (but at least
// one task) when the caller has processed the chunk before it. So a page needs little memory
// whatever its length, and no connection while the caller processes a task.
type Page struct {
	Tasks iter.Seq2[*store.Task, error]
	// Next is the cursor of the next page, or "" at the end. It is set when Tasks has ended.
	Next string
}

// Requests lists calls and tasks of an organization without their results. It reads a limited
// number of rows, so a page may have fewer tasks than filter.Limit.
func (s *Store) Requests(ctx context.Context, organization string, filter RequestFilter) *Page {
	page := &Page{}
	page.Tasks = func(yield func(*store.Task, error) bool) {
		span := requestSpan{organization: organization, batch: filter.Batch, oldest: uuid.Nil.String(), before: cmp.Or(filter.Before, uuid.Max.String())}
		if !filter.From.IsZero() {
			span.oldest = store.FirstID(filter.From.Add(-store.IDEarlier))
		}
		if !filter.Until.IsZero() {
			span.before = min(span.before, store.FirstID(filter.Until.Add(store.IDLater)))
		}
		found, limit := 0, filter.Limit+1 // enough if all of them match
		for rows, bytes := 0, int64(0); rows < store.ScannedRows && bytes < scannedBytes; limit = store.ScanBatch {
			limit = min(limit, store.ScannedRows-rows)
			chunks, read, err := s.divide(ctx, span, limit)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, chunk := range chunks {
				tasks, err := s.readRequests(ctx, requestSpan{organization, filter.Batch, chunk.last, span.before}, filter)
				if err != nil {
					yield(nil, err)
					return
				}
				for i, t := range tasks {
					tasks[i] = nil             // as in readChunk
					if found == filter.Limit { // the extra task shows that there is another page
						return
					}
					found, page.Next = found+1, t.ID
					if !yield(t, nil) {
						return
					}
				}
				span.before, bytes = chunk.last, bytes+chunk.bytes
			}
			if rows += read; read < limit {
				page.Next = ""
				return
			}
		}
		page.Next = span.before
	}
	return page
}

// requestSpan selects calls and tasks with ids from oldest (included) to before (excluded), all or
// only those in a batch.
type requestSpan struct{ organization, batch, oldest, before string }

func (s requestSpan) where() (where string, args []any) {
	where, args = `WHERE organization = $1 AND id >= $2 AND id < $3`, []any{s.organization, s.oldest, s.before}
	if s.batch != "" {
		where += ` AND id IN (SELECT job FROM batch_tasks WHERE organization = $1 AND batch = $4)`
		args = append(args, s.batch)
	}
	return where, args
}

// divide divides the newest calls and tasks of a span, at most limit, into chunks, newest first. It
// also returns their number. It uses the primary keys of both tables.
func (s *Store) divide(ctx context.Context, span requestSpan, limit int) (all chunks[string], read int, err error) {
	where, args := span.where()
	newest := fmt.Sprintf(` %s ORDER BY id DESC LIMIT $%d`, where, len(args)+1)
	err = s.ShardOf(span.organization).Reports.Find(ctx, func(r engine.Scanner) error {
		var id string
		var bytes int64
		err := r.Scan(&id, &bytes)
		all.add(id, bytes)
		read++
		return err
	}, `SELECT id, bytes FROM (
		SELECT * FROM (SELECT id, octet_length(request) AS bytes FROM jobs`+newest+`) AS queued
		UNION ALL SELECT * FROM (SELECT id, octet_length(request) AS bytes FROM finished`+newest+`) AS ended) AS newest
		ORDER BY id DESC LIMIT $`+strconv.Itoa(len(args)+1), append(args, limit)...)
	return all, read, engine.Wrap(err, "list requests")
}

// readRequests returns the calls and tasks of a span that match a filter, newest first.
func (s *Store) readRequests(ctx context.Context, span requestSpan, filter RequestFilter) (all []*store.Task, err error) {
	where, args := span.where()
	err = s.ShardOf(span.organization).Reports.Snapshot(ctx, func(now engine.Snapshot) error {
		for _, from := range listedTables {
			found, err := engine.FindRows(ctx, now, from, where, args...)
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
		var together map[string]bool
		if filter.Alone {
			jobs, err := engine.FindValues[string](ctx, now, `SELECT job FROM batch_tasks WHERE organization = $1 AND job >= $2 AND job < $3`,
				span.organization, span.oldest, span.before)
			if err != nil {
				return err
			}
			together = make(map[string]bool, len(jobs))
			for _, job := range jobs {
				together[job] = true
			}
		}
		all = slices.DeleteFunc(all, func(t *store.Task) bool { return together[t.ID] || !filter.matches(t) })
		return nil
	})
	slices.SortFunc(all, func(a, b *store.Task) int { return cmp.Compare(b.ID, a.ID) })
	return all, engine.Wrap(err, "list requests")
}
