package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"earshot"
	"earshot/internal/store"
)

// batches lists batches, newest first.
func (s *Server) batches(c *call) error {
	var q earshot.BatchQuery
	if err := c.query(&q); err != nil {
		return err
	}
	before, err := idCursor(q.Cursor)
	if err != nil {
		return err
	}
	found, err := s.Store.Batches(c.r.Context(), c.principal.OrganizationID, before, q.Limit+1)
	if err != nil {
		return err
	}
	page := earshot.BatchPage{}
	found, page.NextCursor = cutPage(found, q.Limit+1, func(b *store.BatchProgress) string { return b.ID })
	for _, b := range found {
		page.Batches = append(page.Batches, batchRecord(b))
	}
	return c.json(page)
}

// batch shows one batch.
func (s *Server) batch(c *call) error {
	id := c.r.PathValue("id")
	found, err := s.Store.Batch(c.r.Context(), c.principal.OrganizationID, id)
	if err != nil {
		return notFoundAs(err, "batch", id)
	}
	return c.json(batchRecord(found))
}

func batchRecord(b *store.BatchProgress) earshot.BatchRecord {
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

// codeOf is the code of a stored error.
func codeOf(failure json.RawMessage) earshot.Code {
	var stored struct {
		Code earshot.Code `json:"code"`
	}
	if json.Unmarshal(failure, &stored) != nil || stored.Code == "" {
		return earshot.CodeInternal
	}
	return stored.Code
}

// retryBatch queues the failed tasks of a batch anew.
func (s *Server) retryBatch(c *call) error {
	id := c.r.PathValue("id")
	if _, err := s.Store.Batch(c.r.Context(), c.principal.OrganizationID, id); err != nil {
		return notFoundAs(err, "batch", id)
	}
	failed, err := s.Store.FailedTasks(c.r.Context(), c.principal.OrganizationID, id)
	if err != nil {
		return err
	}
	retries, err := s.Jobs.Retry(c.principal, failed, s.Store.Now())
	if err != nil {
		return err
	}
	var answer earshot.BatchRetried
	for _, r := range retries {
		item := earshot.RetryItem{TaskID: r.Failed, Success: r.Refusal == nil}
		switch {
		case r.Refusal != nil:
			item.Error = refusalOf(r.Refusal, r.Failed)
		case r.Before == "":
			record := s.Jobs.Record(&store.Task{Job: r.Task})
			item.Task, item.Credits = &record.Task, &record.Credits
			answer.Queued++
		}
		answer.Results = append(answer.Results, item)
	}
	return c.json(answer)
}

// refusalOf is why a failed task was not queued anew.
func refusalOf(err error, id string) *earshot.Error {
	return asClientError(notFoundAs(err, "failed task", id)) // it was deleted a moment ago
}

// retryRequest queues a call or task anew that failed. Asked again it answers with the
// same task, until that has failed, too.
func (s *Server) retryRequest(c *call) error {
	id := c.r.PathValue("id")
	request, err := s.Store.Request(c.r.Context(), c.principal.OrganizationID, id)
	if err != nil {
		return notFoundAs(err, "call or task", id)
	}
	newest, err := s.Store.RetryOf(c.r.Context(), request.Organization, request.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		newest = request
	case err != nil:
		return err
	case newest.Status != earshot.StatusFailed:
		return s.answerRetried(c, newest, false)
	}
	failed, err := s.Store.FailedRequest(c.r.Context(), newest.Organization, newest.ID)
	if errors.Is(err, store.ErrNotFound) {
		return &earshot.Error{
			Code: earshot.CodeConflict, Message: "only a call or task that failed can be retried",
			Details: earshot.ConflictDetails{ID: newest.ID, Status: newest.Status},
		}
	}
	if err != nil {
		return err
	}
	retries, err := s.Jobs.Retry(c.principal, []*store.Task{failed}, s.Store.Now())
	if err != nil {
		return err
	}
	retry := retries[0]
	switch {
	case retry.Refusal != nil:
		return notFoundAs(retry.Refusal, "call or task", id)
	case retry.Before == "":
		return s.answerRetried(c, &store.Task{Job: retry.Task}, true)
	}
	before, err := s.Store.Task(c.r.Context(), c.principal.OrganizationID, retry.Before)
	if err != nil {
		return notFoundAs(err, "call or task", id) // it was removed a moment ago
	}
	return s.answerRetried(c, before, false)
}

func (s *Server) answerRetried(c *call, t *store.Task, queued bool) error {
	record := s.Jobs.Record(t)
	return c.json(earshot.RequestRetried{Queued: queued, Task: record.Task, Credits: record.Credits})
}
