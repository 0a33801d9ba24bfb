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
	firstPoll   = 100 * time.Millisecond
	longestPoll = 5 * time.Second
	// sweepEvery is how often tasks that are waited for through the feed of events
	// are looked up, since one that is canceled never appears there.
	sweepEvery = 30 * time.Second
	// feedPage is the largest page of the feed and of the list of tasks.
	feedPage = 100
	// listWorth is how many tasks must be looked for to make reading a page of the
	// list cheaper than polling them one by one.
	listWorth = 10
)

// Wait waits for the end of a task, polling it ever more rarely. One that failed
// is returned together with a *TaskError that tells why; one that is canceled
// meanwhile gives an error with CodeNotFound. When ctx ends first, the task comes
// as it was last seen, with the error of ctx. Use WaitAll for many.
func (c *Client) Wait(ctx context.Context, id string) (*earshot.TaskRecord, error) {
	for n := 0; ; n++ {
		record, err := c.Task(ctx, id)
		if err != nil {
			return nil, err
		}
		if record.Task.FinishedAt != nil {
			return record, taskError(record)
		}
		if err := sleep(ctx, backoff(firstPoll, longestPoll, n), errUnfinished); err != nil {
			return record, err
		}
	}
}

// errUnfinished is what is left to say when a wait is cut short.
var errUnfinished = errors.New("the task has not ended")

// WaitAll gives each task as it ends, once. It reads the feed of ended tasks, so
// that many are waited for with few requests; tasks of others in the organization
// pass through the same feed.
//
// An error about one task is a *TaskError, beside the task's record if it failed
// and alone if the task is not there, and the loop goes on. Any other error ends
// it.
func (c *Client) WaitAll(ctx context.Context, ids ...string) iter.Seq2[*earshot.TaskRecord, error] {
	return func(yield func(*earshot.TaskRecord, error) bool) {
		w := &waiting{client: c, pending: map[string]bool{}, yield: yield}
		for _, id := range ids {
			w.pending[strings.ToLower(id)] = true
		}
		if err := w.run(ctx); err != nil && !errors.Is(err, errLeft) {
			yield(nil, err)
		}
	}
}

// waiting is a loop of WaitAll.
type waiting struct {
	client  *Client
	pending map[string]bool // by id
	yield   func(*earshot.TaskRecord, error) bool
}

// errLeft says that the loop's body does not want more.
var errLeft = errors.New("left")

// tell passes on what became of a task.
func (w *waiting) tell(id string, record *earshot.TaskRecord, err error) error {
	delete(w.pending, id)
	if !w.yield(record, err) {
		return errLeft
	}
	return nil
}

// run reads the feed until every task has ended. The place to read from is noted
// before the tasks are looked up, so that none ends unseen in between.
func (w *waiting) run(ctx context.Context) error {
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
		if err := sleep(ctx, backoff(firstPoll, longestPoll, quiet), errUnfinished); err != nil {
			return err
		}
		quiet++
	}
}

// read reads one page of the feed.
func (w *waiting) read(ctx context.Context, cursor *string) (*earshot.EventPage, error) {
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
		if err := w.tell(record.Task.ID, record, taskError(record)); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// sweep looks up the tasks that are waited for, and tells of those that have ended
// or are not there.
func (w *waiting) sweep(ctx context.Context) error {
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
			err = w.tell(id, nil, &TaskError{TaskID: id, Err: refused})
		case err == nil && record.Task.FinishedAt != nil:
			err = w.tell(id, record, taskError(record))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// underWay finds tasks in the list that have not ended, as far as that saves
// requests. Ids grow with time, so the list can be left at the oldest.
func (w *waiting) underWay(ctx context.Context) (map[string]bool, error) {
	found, most := map[string]bool{}, len(w.pending)/listWorth*feedPage
	if most == 0 {
		return found, nil
	}
	oldest := slices.Min(w.ids())
	for record, err := range w.client.Tasks(ctx, earshot.TaskQuery{PageQuery: earshot.PageQuery{Limit: feedPage}}) {
		if err != nil {
			return nil, err
		}
		if most--; most < 0 || record.Task.ID < oldest {
			break
		}
		if record.Task.FinishedAt == nil {
			found[record.Task.ID] = true
		}
	}
	return found, nil
}

// ids are the tasks that are waited for, oldest first.
func (w *waiting) ids() []string {
	ids := make([]string, 0, len(w.pending))
	for id := range w.pending {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
