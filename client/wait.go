package client

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"earshot"
)

const (
	firstPoll = 100 * time.Millisecond
	maxPoll   = 5 * time.Second
	// lookupEvery is how often pending tasks are looked up one by one, because canceled
	// tasks never appear in the events.
	lookupEvery = 30 * time.Second
	// feedPage is the largest page of the events and of the list of tasks.
	feedPage = 100
	// tasksPerPage is the number of tasks from which on reading a page of the list is
	// cheaper than polling the tasks one by one.
	tasksPerPage = 10
)

// Wait polls a task with increasing intervals until it ends. A failed task is returned
// together with a *TaskError. If the task is canceled, Wait returns an error with
// CodeNotFound. If ctx ends first, Wait returns the task's last known state with the error
// of ctx. Use WaitAll for many tasks.
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

// errUnfinished is returned if ctx ends before the task.
var errUnfinished = errors.New("the task has not ended")

// WaitAll yields each task once, when it has ended. It reads the list of events, which
// contains all finished tasks of the organization, so it needs few requests for many tasks.
//
// An error of one task is a *TaskError, with the task's record if the task failed and
// without a record if the task does not exist; the iteration continues. Any other error
// ends the iteration.
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

// waiter is the state of a WaitAll iteration.
type waiter struct {
	client  *Client
	pending map[string]bool // by id
	yield   func(*earshot.TaskRecord, error) bool
}

// errStopped is returned if the caller breaks out of the iteration.
var errStopped = errors.New("stopped")

// deliver yields a finished or missing task.
func (w *waiter) deliver(id string, record *earshot.TaskRecord, err error) error {
	delete(w.pending, id)
	if !w.yield(record, err) {
		return errStopped
	}
	return nil
}

// run reads the events until every task has ended. It fetches the start cursor before it
// looks up the tasks, so that no task ends unnoticed in between.
func (w *waiter) run(ctx context.Context) error {
	if len(w.pending) == 0 {
		return nil
	}
	latest, err := w.client.Events(ctx, Latest, 0)
	if err != nil {
		return err
	}
	cursor, lookedUp, quiet := latest.NextCursor, time.Time{}, 0
	for {
		if time.Since(lookedUp) >= lookupEvery {
			if err := w.lookUp(ctx); err != nil {
				return err
			}
			lookedUp = time.Now()
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
			continue // more pages follow
		}
		if err := sleep(ctx, backoff(firstPoll, maxPoll, quiet), errUnfinished); err != nil {
			return err
		}
		quiet++
	}
}

// read reads one page of events.
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

// lookUp looks up the pending tasks, and yields tasks that have ended or do not exist.
func (w *waiter) lookUp(ctx context.Context) error {
	underWay, err := w.underWay(ctx)
	if err != nil {
		return err
	}
	for _, id := range w.ids() {
		if underWay[id] {
			continue
		}
		record, err := w.client.Task(ctx, id)
		switch refused, ok := errors.AsType[*Error](err); {
		case ok && refused.Code == earshot.CodeNotFound:
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

// underWay returns the unfinished tasks in the list of tasks, if reading the list saves
// requests. Ids are ordered by time, so it stops at the oldest pending task.
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

// ids returns the pending tasks, oldest first.
func (w *waiter) ids() []string { return slices.Sorted(maps.Keys(w.pending)) }
