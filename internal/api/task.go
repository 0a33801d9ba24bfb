package api

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/job"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/telemetry/trace"
)

// MaxTasks is the maximum number of tasks in a batch.
const MaxTasks = 500

func taskOperations() []Operation {
	return []Operation{
		operation(Operation{Method: "POST", Path: "/v1/async/task", Scope: account.ScopeTasks, Submits: true, Unaudited: submitsWork}, (*Server).submit),
		operation(Operation{Method: "POST", Path: "/v1/async/task/batch", Scope: account.ScopeTasks, Submits: true, Unaudited: submitsWork}, (*Server).submitBatch),
		operation(Operation{Method: "POST", Path: "/v1/async/task/batch/preview", Scope: account.ScopeRead, Long: true, Unaudited: changesNothing, Client: Method{Name: "PreviewBatch"}}, (*Server).previewBatch),
		operation(Operation{Method: "GET", Path: "/v1/async/task/{taskId}", Scope: account.ScopeRead, Finds: "task", Client: Method{Name: "Task"}},
			func(s *Server, c *call, _, _ none) (*earshot.TaskRecord, error) {
				task, err := s.Store.Task(c.context(), c.organization(), c.subject())
				if err != nil {
					return nil, err
				}
				return new(s.record(task)), nil
			}),
		operation(Operation{Method: "DELETE", Path: "/v1/async/task/{taskId}", Scope: account.ScopeTasks, Finds: "task", Audit: "task.cancel", Client: Method{Name: "Cancel", Returns: nothing}},
			func(s *Server, c *call, _, _ none) (earshot.TaskCanceled, error) {
				return earshot.TaskCanceled{ID: strings.ToLower(c.subject())}, s.Store.Cancel(c.context(), c.organization(), c.subject(), c.actor(), s.Store.Now())
			}),
		special(Operation{Method: "GET", Path: "/v1/async/tasks", Scope: account.ScopeRead, Response: earshot.TaskPage{}, Client: Method{Name: "Tasks"}}, (*Server).tasks),
		operation(Operation{Method: "GET", Path: "/v1/async/status", Scope: account.ScopeRead, Client: Method{Name: "QueueStatus"}},
			func(s *Server, c *call, _, _ none) (*earshot.QueueStatus, error) {
				status, err := s.Store.QueueStatus(c.context(), c.organization())
				if err != nil {
					return nil, err
				}
				return new(queueOf(status)), nil
			}),
		operation(Operation{Method: "DELETE", Path: "/v1/async/queue", Scope: account.ScopeTasks, Audit: "queue.clear", Client: Method{Name: "ClearQueue", Returns: "Cleared"}}, (*Server).clear),
	}
}

// submit queues one task.
func (s *Server) submit(c *call, _ none, _ unread[earshot.TaskRequest]) (*earshot.TaskSubmitted, error) {
	in, err := c.object()
	if err != nil {
		return nil, err
	}
	task := s.decodeTask(in)
	if err := in.Err(); err != nil {
		return nil, err
	}
	queued, refusals, err := s.Jobs.Submit(c.principal, []job.Task{task}, 1, s.Store.Now(), func(queued []store.Job, refusals []error) any {
		if refusals[0] != nil {
			return nil
		}
		return s.submitted(queued[0])
	})
	if err != nil {
		return nil, err
	}
	if refusals[0] != nil {
		return nil, refusals[0]
	}
	c.span.String(trace.Task, queued[0].ID)
	return s.submitted(queued[0]), nil
}

func (s *Server) submitted(queued store.Job) *earshot.TaskSubmitted {
	record := s.record(store.Queued(queued))
	return &earshot.TaskSubmitted{Task: record.Task, Credits: record.Credits, Webhook: record.Webhook}
}

// submitBatch queues many tasks, each validated independently.
func (s *Server) submitBatch(c *call, _ none, _ unread[[]earshot.TaskRequest]) (*earshot.Batch, error) {
	body, err := c.body(maxBatch)
	if err != nil {
		return nil, err
	}
	texts, err := schema.Split(body, MaxTasks)
	if err != nil {
		return nil, err
	}
	items := make([]earshot.BatchItem, len(texts))
	var tasks []job.Task
	var places []int // indexes of the tasks in items
	for i, text := range texts {
		items[i].Index = i
		task, err := s.parseTask(text)
		if err != nil {
			items[i].Error = asClientError(err)
			continue
		}
		tasks, places = append(tasks, task), append(places, i)
	}
	answer := func(id string, queued []store.Job, refusals []error) any {
		return s.batch(id, items, places, queued, refusals)
	}
	id, queued, refusals, err := s.Jobs.SubmitBatch(c.principal, tasks, places, len(texts), s.Store.Now(), answer)
	if err != nil {
		return nil, err
	}
	c.span.String(trace.Batch, id)
	return s.batch(id, items, places, queued, refusals), nil
}

// batch returns the response to a submitted batch. items has the invalid tasks, and places the indexes
// of the others.
func (s *Server) batch(id string, items []earshot.BatchItem, places []int, queued []store.Job, refusals []error) *earshot.Batch {
	items = slices.Clone(items)
	summary := earshot.BatchSummary{Total: len(items), Failed: len(items)}
	for i, place := range places {
		if refusals[i] != nil {
			items[place].Error = asClientError(refusals[i])
			continue
		}
		record := s.record(store.Queued(queued[i]))
		items[place].Success, items[place].Task, items[place].Credits, items[place].Webhook = true, &record.Task, &record.Credits, record.Webhook
		summary.Succeeded++
		summary.Failed--
	}
	return &earshot.Batch{BatchID: id, Summary: summary, Results: items}
}

// asClientError returns err as the error of one item of a batch.
func asClientError(err error) *earshot.Error {
	if e, ok := errors.AsType[*earshot.Error](err); ok {
		return e
	}
	return &earshot.Error{Code: earshot.CodeInternal, Message: "internal error"}
}

// parseTask parses one task of a batch.
func (s *Server) parseTask(text []byte) (job.Task, error) {
	in, err := schema.Parse(text)
	if err != nil {
		return job.Task{}, err
	}
	task := s.decodeTask(in)
	return task, in.Err()
}

// decodeTask decodes a task. Problems are recorded in in.
func (s *Server) decodeTask(in *schema.Object) job.Task {
	var body earshot.TaskRequest
	in.Decode(&body)
	task := job.Task{ID: uuid.Must(uuid.NewV7()).String(), Priority: body.Priority}
	if body.IdempotencyKey != "" {
		task.IdempotencyKey = &body.IdempotencyKey
	}
	asked := s.providerOf(body.TaskType)
	if asked == nil && in.IsString("taskType") {
		in.Reject("taskType", "%s", schema.NotOneOf(body.TaskType, s.taskTypes()))
	}
	payload := in.Object("payload")
	if asked == nil || payload.Raw() == nil {
		payload.IgnoreAll() // without a provider, there is no schema for it
	} else {
		task.Provider, task.Request = asked.Definition(), s.decodeRequest(asked, payload)
		task.Payload = compact(payload.Raw())
	}
	if body.Webhook != nil && in.Object("webhook").IsString("url") {
		if err := s.CheckWebhook(body.Webhook.URL); err != nil {
			in.Reject("webhook.url", "%s", err)
		}
		task.WebhookURL = &body.Webhook.URL
	}
	return task
}

func (s *Server) taskTypes() []string {
	var types []string
	for _, p := range s.Catalogue.Providers() {
		types = append(types, p.Definition().TaskType)
	}
	return types
}

func (s *Server) providerOf(taskType string) provider.Provider {
	for _, p := range s.Catalogue.Providers() {
		if p.Definition().TaskType == taskType {
			return p
		}
	}
	return nil
}

// record returns the API's representation of a task, with its webhook.
func (s *Server) record(task *store.Task) earshot.TaskRecord {
	record := s.Jobs.Record(task)
	if d := task.Delivery; d != nil {
		record.Webhook = &earshot.TaskWebhook{
			URL: d.URL, Delivered: !d.DeliveredAt.IsZero(), DeliveredAt: earshot.When(d.DeliveredAt), Attempts: d.Attempts,
		}
	}
	return record
}

// tasks lists tasks, newest first.
func (s *Server) tasks(c *call, q earshot.TaskQuery, _ none) error {
	before, err := idCursor(q.Cursor)
	if err != nil {
		return err
	}
	provider := ""
	if c.r.URL.Query().Has("taskType") {
		asked := s.providerOf(q.TaskType)
		if asked == nil {
			return schema.Invalid("taskType", "%s", schema.NotOneOf(q.TaskType, s.taskTypes()))
		}
		provider = asked.Definition().Name
	}
	page := s.Store.Requests(c.context(), c.organization(), history.RequestFilter{
		Before: before, Limit: q.Limit,
		Match: func(t *store.Task) bool {
			return t.Mode == store.ModeAsync && (q.Status == "" || q.Status == t.Status) && (provider == "" || provider == t.Provider)
		},
	})
	return c.list("tasks", page, func(t *store.Task) any { return s.Jobs.Record(t) })
}

// cutPage removes the extra item that was read to find out whether there is a next page,
// and returns the cursor of the next page, or nil. limit includes the extra item.
func cutPage[T any](items []T, limit int, id func(T) string) (page []T, next *string) {
	if len(items) < limit {
		return items, nil
	}
	page = items[:limit-1]
	return page, new(id(page[len(page)-1]))
}

// idCursor parses a cursor that is an id; "" is the first page.
func idCursor(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return "", schema.Invalid("cursor", "must be the nextCursor of another page")
	}
	return id.String(), nil
}

// quote returns the maximum cost of a task or a batch.
func (s *Server) quote(c *call, _ none, _ unread[earshot.TaskRequest]) (*earshot.Quote, error) {
	body, err := c.body(maxBatch)
	if err != nil {
		return nil, err
	}
	texts := [][]byte{body}
	batch := bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("["))
	if !batch && len(body) > maxBody {
		return nil, schema.Invalid(schema.BodyField, "must have at most %d bytes", maxBody)
	}
	if batch {
		if texts, err = schema.Split(body, MaxTasks); err != nil {
			return nil, err
		}
	}
	var sum int64
	var usd float64
	items := make([]earshot.QuoteItem, len(texts))
	for i, text := range texts {
		items[i].Index = i
		task, err := s.parseTask(text)
		if err != nil && !batch {
			return nil, err
		}
		if err != nil {
			items[i].Error = asClientError(err)
			continue
		}
		price := s.Jobs.Price(task.Provider, task.Request)
		items[i].Success, items[i].CreditsToCharge = true, &price
		sum += price
		if items[i].Upstream = s.Jobs.Desk.QuoteUpstream(task.Provider.Name, task.Request); items[i].Upstream != nil {
			usd += items[i].Upstream.USD
		}
	}
	return &earshot.Quote{CreditsToCharge: sum, USD: usd, Items: items}, nil
}
