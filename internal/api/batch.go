package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/history"
)

func batchOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "GET", Path: "/v1/batches", Scope: account.ScopeRead, Client: Method{Name: "Batches", Takes: []string{}}}, (*Server).batches),
		operation(Operation{Method: "GET", Path: "/v1/batches/{id}", Scope: account.ScopeRead, Finds: "batch", Client: Method{Name: "Batch"}},
			func(s *Server, c *call, _, _ none) (*earshot.BatchRecord, error) {
				found, err := s.Store.Batch(c.context(), c.organization(), c.subject())
				if err != nil {
					return nil, err
				}
				return new(batchRecord(found)), nil
			}),
		operation(Operation{Method: "POST", Path: "/v1/batches/{id}/retry", Scope: account.ScopeTasks, Finds: "batch", Unaudited: submitsWork, Client: Method{Name: "RetryBatch"}}, (*Server).retryBatch),
		special(Operation{Method: "GET", Path: "/v1/batches/{id}/results", Scope: account.ScopeRead, Finds: "batch", Events: []any{earshot.BatchResult{}}}, (*Server).batchResults),
	}
}

// batches lists batches, newest first.
func (s *Server) batches(c *call, q earshot.BatchQuery, _ none) (page earshot.BatchPage, err error) {
	before, err := idCursor(q.Cursor)
	if err != nil {
		return page, err
	}
	found, err := s.Store.Batches(c.context(), c.organization(), before, q.Limit+1)
	found, page.NextCursor = cutPage(found, q.Limit+1, func(b *history.BatchProgress) string { return b.ID })
	for _, b := range found {
		page.Batches = append(page.Batches, batchRecord(b))
	}
	return page, err
}

func batchRecord(b *history.BatchProgress) earshot.BatchRecord {
	record := earshot.BatchRecord{
		ID: b.ID, CreatedAt: earshot.Timestamp{Time: b.CreatedAt}, Total: b.Total, Refused: b.Total - b.Accepted,
		Queued: b.Tasks[earshot.StatusQueued], Processing: b.Tasks[earshot.StatusProcessing],
		Completed: b.Tasks[earshot.StatusCompleted], Failed: b.Tasks[earshot.StatusFailed],
		Credits: earshot.BatchCredits{CreditsToCharge: b.MaxCost, CreditsCharged: b.Charged},
	}
	record.Removed = b.Accepted - record.Queued - record.Processing - record.Completed - record.Failed
	for _, failure := range b.Failures {
		one := earshot.BatchFailure{Code: codeOf(failure.Error), Reason: reasonOf(failure.Error), Tasks: failure.Tasks}
		same := func(f earshot.BatchFailure) bool { return f.Code == one.Code && f.Reason == one.Reason }
		if i := slices.IndexFunc(record.Failures, same); i >= 0 {
			record.Failures[i].Tasks += one.Tasks
		} else {
			record.Failures = append(record.Failures, one)
		}
	}
	slices.SortFunc(record.Failures, func(a, b earshot.BatchFailure) int {
		return cmp.Or(cmp.Compare(b.Tasks, a.Tasks), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Reason, b.Reason))
	})
	return record
}

// codeOf returns the code of a stored error.
func codeOf(failure json.RawMessage) earshot.Code {
	var stored struct {
		Code earshot.Code `json:"code"`
	}
	if json.Unmarshal(failure, &stored) != nil || stored.Code == "" {
		return earshot.CodeInternal
	}
	return stored.Code
}

// retryBatch retries the failed tasks of a batch.
func (s *Server) retryBatch(c *call, _, _ none) (answer earshot.BatchRetried, err error) {
	id := c.subject()
	if _, err := s.Store.Batch(c.context(), c.organization(), id); err != nil {
		return answer, err
	}
	failed, err := s.Store.FailedTasks(c.context(), c.organization(), id)
	if err != nil {
		return answer, err
	}
	retries, err := s.Jobs.Retry(c.principal, failed, s.Store.Now(), func(retries []*store.Retry) any { return s.batchRetried(retries) })
	return s.batchRetried(retries), err
}

func (s *Server) batchRetried(retries []*store.Retry) (answer earshot.BatchRetried) {
	for _, r := range retries {
		item := earshot.RetryItem{TaskID: r.Failed, Success: r.Refusal == nil}
		switch {
		case r.Refusal != nil:
			item.Error = asClientError(notFoundAs(r.Refusal, "failed task", r.Failed)) // it was deleted a moment ago
		case r.Before == "":
			record := s.Jobs.Record(&store.Task{Job: r.Task})
			item.Task, item.Credits = &record.Task, &record.Credits
			answer.Queued++
		}
		answer.Results = append(answer.Results, item)
	}
	return answer
}

// retryRequest retries a failed call or task. A repeated request returns the same task,
// until that task has failed too.
func (s *Server) retryRequest(c *call, _, _ none) (*earshot.RequestRetried, error) {
	request, err := s.Store.Request(c.context(), c.organization(), c.subject())
	if err != nil {
		return nil, err
	}
	newest, err := s.Store.RetryOf(c.context(), request.Organization, request.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		newest = request
	case err != nil:
		return nil, err
	case newest.Status != earshot.StatusFailed:
		return s.retried(newest, false), nil
	}
	failed, err := s.Store.FailedRequest(c.context(), newest.Organization, newest.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, &earshot.Error{
			Code: earshot.CodeConflict, Message: "only a call or task that failed can be retried",
			Details: earshot.ConflictDetails{ID: newest.ID, Status: newest.Status},
		}
	}
	if err != nil {
		return nil, err
	}
	retries, err := s.Jobs.Retry(c.principal, []*store.Task{failed}, s.Store.Now(), func(retries []*store.Retry) any {
		if retries[0].Refusal != nil || retries[0].Before != "" {
			return nil
		}
		return s.retried(&store.Task{Job: retries[0].Task}, true)
	})
	if err != nil {
		return nil, err
	}
	retry := retries[0]
	switch {
	case retry.Refusal != nil:
		return nil, retry.Refusal
	case retry.Before == "":
		return s.retried(&store.Task{Job: retry.Task}, true), nil
	}
	before, err := s.Store.Task(c.context(), c.organization(), retry.Before)
	if err != nil { // it may have been removed a moment ago
		return nil, err
	}
	return s.retried(before, false), nil
}

func (s *Server) retried(t *store.Task, queued bool) *earshot.RequestRetried {
	record := s.Jobs.Record(t)
	return &earshot.RequestRetried{Queued: queued, Task: record.Task, Credits: record.Credits}
}
