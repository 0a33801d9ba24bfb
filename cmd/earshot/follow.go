package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/client"
)

// batch is the state of a running batch.
type batch struct {
	*invocation
	server   *remote
	service  *client.Client
	results  *results
	progress *progress
	every    time.Duration // between attempts to submit to a full queue
	wait     bool          // wait for the results
	retry    bool          // retry failed tasks of an earlier run

	waiting   []*question          // not submitted yet
	pending   map[string]*question // submitted, by task id; the tasks have not ended
	submitted bool                 // some question may have reached the server

	total, before, completed, failed, refusals int   // before counts results of an earlier run in --out
	credits, earlierCredits                    int64 // charged for tasks of this run, and of earlier runs
}

const (
	// maxTasks and maxBody are the service's limits for one request; maxBody leaves room
	// for the rest of the tasks besides their payloads.
	maxTasks = 500
	maxBody  = 7 << 20
)

// chunk returns how many of the questions fit into one request.
func chunk(questions []*question) int {
	size := 0
	for i, q := range questions {
		text, _ := json.Marshal(q.payload) // cannot fail: it came from JSON or text
		if size += len(text); i == maxTasks || (size > maxBody && i > 0) {
			return i
		}
	}
	return len(questions)
}

func tasksOf(questions []*question) []earshot.TaskRequest {
	tasks := make([]earshot.TaskRequest, len(questions))
	for i, q := range questions {
		tasks[i] = q.task()
	}
	return tasks
}

// limitError is returned if a batch costs more than allowed.
type limitError struct{ error }

// quote prints the maximum cost of the batch and removes the questions that the service
// would refuse. It returns an error if the batch costs too much. maxCredits may be nil.
func (b *batch) quote(maxCredits *int64) error {
	var sum int64
	var valid []*question
	for rest := b.waiting; len(rest) > 0; {
		n := chunk(rest)
		quoted, err := b.service.Quote(b, tasksOf(rest[:n])...)
		if err != nil {
			return err
		}
		if len(quoted.Items) != n {
			return fmt.Errorf("the server returned %d results for %d tasks", len(quoted.Items), n)
		}
		for i, item := range quoted.Items {
			if item.CreditsToCharge == nil {
				b.refuse(rest[i].refusal(item.Error))
				continue
			}
			rest[i].price = *item.CreditsToCharge
			sum += rest[i].price
			valid = append(valid, rest[i])
		}
		rest = rest[n:]
	}
	if b.waiting = valid; len(valid) == 0 {
		return nil
	}
	credits, err := b.service.Credits(b)
	if err != nil {
		return err
	}
	b.say("%s, at most %s; %s left", many(len(valid), "task"), many(sum, "credit"), thousands(credits.Remaining))
	limit := credits.Remaining - credits.Held
	if maxCredits != nil {
		limit = min(limit, *maxCredits)
	}
	if sum <= limit {
		return nil
	}
	return b.checkLimit(sum, limit, maxCredits)
}

// checkLimit returns an error if the batch costs more than limit, not counting tasks that
// an earlier run has already submitted. It lists all tasks on the server, so call it only
// if the full sum exceeds the limit.
func (b *batch) checkLimit(sum, limit int64, maxCredits *int64) error {
	unpaid := map[string]int64{}
	for _, q := range b.waiting {
		unpaid[q.key] = q.price
	}
	for record, err := range b.service.Tasks(b, earshot.TaskQuery{PageQuery: earshot.PageQuery{Limit: pageSize}}) {
		if err != nil {
			return err
		}
		if key := record.Task.IdempotencyKey; key != nil {
			sum -= unpaid[*key]
			delete(unpaid, *key)
		}
	}
	switch {
	case sum <= limit:
		return nil
	case maxCredits != nil && limit == *maxCredits:
		return limitError{fmt.Errorf("%s not submitted: they can cost %s, but --max-credits allows %s; raise it, or submit fewer",
			many(len(unpaid), "task"), many(sum, "credit"), thousands(limit))}
	default:
		return limitError{fmt.Errorf("%s not submitted: they can cost %s, but only %s are available; submit fewer, wait for the next billing cycle ('earshot status'), or add credits on the server's machine: earshot credits grant --org %s %d",
			many(len(unpaid), "task"), many(sum, "credit"), thousands(limit), b.server.organization(), sum-limit)}
	}
}

// refusal returns the refused row of the question, with the service's reason.
func (q *question) refusal(e *earshot.Error) refused {
	reason := "the server gives no reason"
	if e != nil {
		details, _ := json.Marshal(e.Details) // cannot fail: it was decoded from JSON
		reason = sentence(e.Message, details)
	}
	return refused{line: q.Line, provider: q.provider.Name, country: q.country(), reason: reason}
}

// follow submits questions while the queue has room, and writes results as they arrive.
func (b *batch) follow() error {
	for len(b.waiting)+len(b.pending) > 0 {
		if err := b.submit(); err != nil {
			return err
		}
		if !b.wait && len(b.waiting) == 0 {
			return nil
		}
		if b.wait && len(b.pending) > 0 {
			if err := b.collect(); err != nil {
				return err
			}
			continue
		}
		select {
		case <-b.Done():
			return b.Err()
		case <-time.After(b.every):
		}
	}
	return nil
}

// submit submits as many questions as the queue has room for.
func (b *batch) submit() error {
	for room := maxTasks; len(b.waiting) > 0; {
		n := min(room, chunk(b.waiting))
		b.submitted = true
		taken, err := b.service.SubmitBatch(b, tasksOf(b.waiting[:n]))
		if full, ok := client.Details[earshot.QueueDetails](err); ok {
			if room = min(full.RemainingCapacity, n-1); room <= 0 {
				return nil
			}
			continue
		}
		if err != nil {
			return err
		}
		if len(taken.Results) != n {
			return fmt.Errorf("the server returned %d results for %d tasks", len(taken.Results), n)
		}
		for i, item := range taken.Results {
			if err := b.accept(b.waiting[i], item); err != nil {
				return err
			}
		}
		b.waiting = b.waiting[n:]
	}
	return nil
}

// accept handles the server's response to a submitted question. A duplicate is the task of
// an earlier run.
func (b *batch) accept(q *question, item earshot.BatchItem) error {
	id := ""
	if item.Task != nil {
		id = item.Task.ID
	} else if duplicate, ok := client.Details[earshot.DuplicateDetails](item.Error); ok {
		var err error
		if id, err = b.earlier(duplicate.TaskID); err != nil {
			return err
		}
		q.earlier = id == duplicate.TaskID
	}
	if id == "" {
		b.refuse(q.refusal(item.Error))
		return nil
	}
	b.pending[id] = q
	if b.wait {
		return nil
	}
	return b.write(map[string]any{"line": q.Line, "provider": q.provider.Name, "country": q.country(), "key": q.key, "taskId": id})
}

// earlier returns the id of an earlier run's task or, with --retry-failed and a failed task,
// the id of the task that retries it.
func (b *batch) earlier(id string) (string, error) {
	if !b.retry || id == "" {
		return id, nil
	}
	retried, err := b.service.RetryRequest(b, id)
	switch {
	case client.IsCode(err, earshot.CodeConflict): // the task did not fail
		return id, nil
	case err != nil:
		return "", err
	}
	return retried.Task.ID, nil
}

// collect writes results until all have arrived or the queue has room for more tasks.
func (b *batch) collect() error {
	enough := 0
	if len(b.waiting) > 0 {
		enough = len(b.pending) / 2
	}
	for record, err := range b.service.WaitAll(b, slices.Collect(maps.Keys(b.pending))...) {
		var missing *client.TaskError
		switch {
		case record != nil:
			if err := b.finish(record); err != nil {
				return err
			}
		case errors.As(err, &missing):
			if q := b.pending[missing.TaskID]; q != nil {
				b.refuse(refused{line: q.Line, provider: q.provider.Name, country: q.country(), reason: "its task was removed from the queue"})
				delete(b.pending, missing.TaskID)
			}
		default:
			return err
		}
		b.progress.show(b.completed+b.failed-b.before, b.failed, time.Now())
		if enough > 0 && len(b.pending) <= enough {
			return nil
		}
	}
	return nil
}

// finish writes the result of a task.
func (b *batch) finish(record *earshot.TaskRecord) error {
	q := b.pending[record.Task.ID]
	if q == nil {
		return nil
	}
	delete(b.pending, record.Task.ID)
	if record.Task.Status == earshot.StatusCompleted {
		b.completed++
	} else {
		b.failed++
	}
	if charged := record.Credits.CreditsCharged; charged != nil {
		if q.earlier {
			b.earlierCredits += *charged
		} else {
			b.credits += *charged
		}
	}
	return b.write(outcome{
		Line: q.Line, Row: q.Fields, Provider: q.provider.Name, Country: q.country(), Key: q.key,
		TaskID: record.Task.ID, Status: record.Task.Status, CreditsCharged: record.Credits.CreditsCharged,
		Result: record.Result, Error: record.Error,
	})
}

// write writes a result. If standard output may be the terminal with the progress bar, it
// clears the bar first.
func (b *batch) write(line any) error {
	if b.results.file == nil || !b.wait {
		b.progress.clear()
	}
	if !b.wait {
		return json.NewEncoder(b.out).Encode(line)
	}
	return b.results.write(line)
}
