package client

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"earshot"
)

const (
	firstPoll = 100 * time.Millisecond
	maxPoll   = 5 * time.Second
	// sweepEvery is how often tasks that are waited for through the feed of events
	// are looked up, since one that is canceled never appears there.
	sweepEvery = 30 * time.Second
	// feedPage is the largest page of the feed and of the list of tasks.
	feedPage = 100
	// tasksPerPage is from how many tasks on it is cheaper to read a page of the list
	// than to poll them one by one.
	tasksPerPage = 10
)

// Wait waits for the end of a task, polling it ever more rarely. A task that failed is
// returned together with a *TaskError that tells why; one that is canceled meanwhile
// gives an error with CodeNotFound. When ctx ends first, Wait returns the task as it was
// last seen, with the error of ctx. Use WaitAll for many.
func (c *Client) Wait(ctx context.Context, id string) (*earshot.TaskRecord, error) {
	for n := 0; ; n++ {
		record, err := c.Task(ctx, id)
		if err != nil {
			return nil, err
		}
		if record.Task.FinishedAt != nil {
			return record, taskError(record)
		}
		if err := sleep(ctx, backoff(firstPoll, maxPoll, n), errUnfinished); err != nil {
			return record, err
		}
	}
}

// errUnfinished is the error of a wait that ctx has ended.
var errUnfinished = errors.New("the task has not ended")

// WaitAll yields each task once, when it has ended. It reads the feed of ended tasks,
// so it needs few requests for many tasks; the feed also contains other tasks of the
// organization.
//
// An error about one task is a *TaskError, with the task's record if it failed and
// without one if the task does not exist; the loop goes on. Any other error ends it.
func (c *Client) WaitAll(ctx context.Context, ids ...string) iter.Seq2[*earshot.TaskRecord, error] {
	return func(yield func(*earshot.TaskRecord, error) bool) {
		w := &waiter{client: c, pending: map[string]bool{}, yield: yield}
		for _, id := range ids {
			w.pending[strings.ToLower(id)] = true
		}
		if err := w.run(ctx); err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// waiter is a loop of WaitAll.
type waiter struct {
	client  *Client
	pending map[string]bool // by id
	yield   func(*earshot.TaskRecord, error) bool
}

// errStopped says that the loop's body has ended the loop.
var errStopped = errors.New("stopped")

// deliver yields the end of a task.
func (w *waiter) deliver(id string, record *earshot.TaskRecord, err error) error {
	delete(w.pending, id)
	if !w.yield(record, err) {
		return errStopped
	}
	return nil
}

// run reads the feed until every task has ended. It fetches the cursor to read from
// before it looks up the tasks, so that none ends unseen in between.
func (w *waiter) run(ctx context.Context) error {
	if len(w.pending) == 0 {
		return nil
	}
	latest, err := w.client.Events(ctx, Latest, 0)
	if err != nil {
		return err
	}
	cursor, swept, quiet := latest.NextCursor, time.Time{}, 0
	for {
		if time.Since(swept) >= sweepEvery {
			if err := w.sweep(ctx); err != nil {
				return err
			}
			swept = time.Now()
		}
		before := len(w.pending)
		page, err := w.read(ctx, cursor)
		if err != nil || len(w.pending) == 0 {
			return err
		}
		cursor = page.NextCursor
		if len(w.pending) < before {
			quiet = 0
		}
		if len(page.Events) == feedPage {
			continue // there is more to read
		}
		if err := sleep(ctx, backoff(firstPoll, maxPoll, quiet), errUnfinished); err != nil {
			return err
		}
		quiet++
	}
}

// read reads one page of the feed.
func (w *waiter) read(ctx context.Context, cursor *string) (*earshot.EventPage, error) {
	from := ""
	if cursor != nil {
		from = *cursor
	}
	page, err := w.client.Events(ctx, from, feedPage)
	if err != nil {
		return nil, err
	}
	for i := range page.Events {
		record := &page.Events[i]
		if !w.pending[record.Task.ID] {
			continue
		}
		if err := w.deliver(record.Task.ID, record, taskError(record)); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// sweep looks up the pending tasks, and yields those that have ended or do not exist.
func (w *waiter) sweep(ctx context.Context) error {
	underWay, err := w.underWay(ctx)
	if err != nil {
		return err
	}
	for _, id := range w.ids() {
		if underWay[id] {
			continue
		}
		record, err := w.client.Task(ctx, id)
		var refused *Error
		switch {
		case IsCode(err, earshot.CodeNotFound) && errors.As(err, &refused):
			err = w.deliver(id, nil, &TaskError{TaskID: id, Err: refused})
		case err == nil && record.Task.FinishedAt != nil:
			err = w.deliver(id, record, taskError(record))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// underWay finds pending tasks that have not ended in the list of tasks, where that
// saves requests. Ids grow with time, so it can stop at the oldest pending one.
func (w *waiter) underWay(ctx context.Context) (map[string]bool, error) {
	found, limit := map[string]bool{}, len(w.pending)/tasksPerPage*feedPage
	if limit == 0 {
		return found, nil
	}
	oldest := slices.Min(w.ids())
	for record, err := range w.client.Tasks(ctx, earshot.TaskQuery{PageQuery: earshot.PageQuery{Limit: feedPage}}) {
		if err != nil {
			return nil, err
		}
		if limit--; limit < 0 || record.Task.ID < oldest {
			break
		}
		if record.Task.FinishedAt == nil {
			found[record.Task.ID] = true
		}
	}
	return found, nil
}

// ids are the pending tasks, oldest first.
func (w *waiter) ids() []string {
	ids := make([]string, 0, len(w.pending))
	for id := range w.pending {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
