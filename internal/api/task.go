package api

import (
	"bytes"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/job"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/strictjson"
)

const (
	maxTasks      = 500 // in a batch
	maxKey        = 255 // characters of an idempotency key
	leastPriority = 1
	mostPriority  = 10
)

// submit queues one task.
func (s *Server) submit(c *call) error {
	in, err := c.object()
	if err != nil {
		return err
	}
	task := s.decodeTask(in)
	if err := in.Err(); err != nil {
		return err
	}
	queued, refusals, err := s.Jobs.Submit(c.principal, []job.Task{task}, 1, c.started)
	if err != nil {
		return err
	}
	if refusals[0] != nil {
		return refusals[0]
	}
	record := s.Jobs.Record(&store.Task{Job: queued[0]})
	return c.json(struct {
		Success bool                `json:"success"`
		Task    earshot.Task        `json:"task"`
		Credits earshot.TaskCredits `json:"credits"`
	}{true, record.Task, record.Credits})
}

// submitBatch queues many tasks, each on its own merits.
func (s *Server) submitBatch(c *call) error {
	body, err := c.body(maxBatch)
	if err != nil {
		return err
	}
	texts, err := strictjson.Split(body, maxTasks)
	if err != nil {
		return err
	}
	items := make([]earshot.BatchItem, len(texts))
	var tasks []job.Task
	var places []int // of the tasks among the items
	for i, text := range texts {
		items[i].Index = i
		task, err := s.parseTask(text)
		if err != nil {
			items[i].Error = asClientError(err)
			continue
		}
		tasks, places = append(tasks, task), append(places, i)
	}
	queued, refusals, err := s.Jobs.Submit(c.principal, tasks, len(texts), c.started)
	if err != nil {
		return err
	}
	summary := earshot.BatchSummary{Total: len(texts), Failed: len(texts)}
	for i, place := range places {
		if refusals[i] != nil {
			items[place].Error = asClientError(refusals[i])
			continue
		}
		record := s.Jobs.Record(&store.Task{Job: queued[i]})
		items[place].Success, items[place].Task, items[place].Credits = true, &record.Task, &record.Credits
		summary.Succeeded++
		summary.Failed--
	}
	return c.json(struct {
		Success bool                 `json:"success"`
		Summary earshot.BatchSummary `json:"summary"`
		Results []earshot.BatchItem  `json:"results"`
	}{true, summary, items})
}

// asClientError is the error of one item of a batch.
func asClientError(err error) *earshot.Error {
	var e *earshot.Error
	if errors.As(err, &e) {
		return e
	}
	return &earshot.Error{Code: earshot.CodeInternal, Message: "internal error"}
}

// parseTask reads a task that is one item of a batch.
func (s *Server) parseTask(text []byte) (job.Task, error) {
	in, err := strictjson.Parse(text)
	if err != nil {
		return job.Task{}, err
	}
	task := s.decodeTask(in)
	return task, in.Err()
}

// decodeTask takes a task out of a body; in notes what is wrong.
func (s *Server) decodeTask(in *strictjson.Object) job.Task {
	in.Require("taskType", "payload")
	task := job.Task{
		ID:             uuid.Must(uuid.NewV7()).String(),
		Priority:       in.Int("priority", leastPriority, mostPriority, leastPriority),
		IdempotencyKey: decodeKey(in),
	}
	payload := in.Object("payload")
	asked := s.providerOf(in.Enum("taskType", s.taskTypes()...))
	if asked == nil || payload.Raw() == nil {
		payload.IgnoreAll() // there is nothing to hold it against
	} else {
		task.Provider, task.Request = asked.Definition(), asked.Decode(payload)
		task.Payload = compact(payload.Raw())
	}
	if in.Has("webhook") {
		hook := in.Object("webhook")
		hook.Require("url")
		if url, ok := hook.String("url"); ok {
			if err := s.CheckWebhook(url); err != nil {
				hook.Reject("url", "%s", err)
			}
			task.WebhookURL = &url
		}
	}
	return task
}

func decodeKey(in *strictjson.Object) *string {
	key, ok := in.String("idempotencyKey")
	if !ok {
		return nil
	}
	if n := utf8.RuneCountInString(key); n == 0 || n > maxKey || strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }) {
		in.Reject("idempotencyKey", "must have 1 to %d printable characters", maxKey)
	}
	return &key
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

// poll tells how a task stands.
func (s *Server) poll(c *call) error {
	id := c.r.PathValue("taskId")
	task, err := s.Store.Task(c.r.Context(), c.principal.OrganizationID, id)
	if err != nil {
		return notFoundAs(err, id)
	}
	record := s.Jobs.Record(task)
	if d := task.Delivery; d != nil {
		record.Webhook = &earshot.TaskWebhook{
			URL: d.URL, Delivered: !d.DeliveredAt.IsZero(), DeliveredAt: earshot.When(d.DeliveredAt), Attempts: d.Attempts,
		}
	}
	return c.json(record)
}

// notFoundAs answers 404 for what the store did not find.
func notFoundAs(err error, id string) error {
	if errors.Is(err, store.ErrNotFound) {
		return errNotFound(id)
	}
	return err
}

// cancel removes a task that is still queued.
func (s *Server) cancel(c *call) error {
	id := c.r.PathValue("taskId")
	if err := s.Store.Cancel(c.r.Context(), c.principal.OrganizationID, id, c.started); err != nil {
		return notFoundAs(err, id)
	}
	return c.json(struct {
		Success bool   `json:"success"`
		ID      string `json:"id"`
	}{true, strings.ToLower(id)})
}

// tasks lists tasks, newest first.
func (s *Server) tasks(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	filter := store.TaskFilter{Status: earshot.Status(q.Get("status"))}
	states := []earshot.Status{earshot.StatusQueued, earshot.StatusProcessing, earshot.StatusCompleted, earshot.StatusFailed}
	if q.Has("status") && !slices.Contains(states, filter.Status) {
		return strictjson.Invalid("status", "must be one of QUEUED, PROCESSING, COMPLETED, FAILED")
	}
	if q.Has("taskType") {
		asked := s.providerOf(q.Get("taskType"))
		if asked == nil {
			return strictjson.Invalid("taskType", "must be one of %s", strings.Join(s.taskTypes(), ", "))
		}
		filter.Provider = asked.Definition().Name
	}
	if filter.Limit, filter.Before, err = pageByID(q); err != nil {
		return err
	}
	tasks, err := s.Store.Tasks(c.r.Context(), c.principal.OrganizationID, filter)
	if err != nil {
		return err
	}
	page := earshot.TaskPage{}
	tasks, page.NextCursor = cutPage(tasks, filter.Limit, func(t *store.Task) string { return t.ID })
	for _, task := range tasks {
		record := s.Jobs.Record(task)
		record.Result = nil
		page.Tasks = append(page.Tasks, record)
	}
	return c.json(page)
}

const (
	usualPage = 50
	mostPage  = 100
)

// pageLimit is how many items a page is to have.
func pageLimit(text string) (int, error) {
	if text == "" {
		return usualPage, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > mostPage {
		return 0, strictjson.Invalid("limit", "must be an integer from 1 to %d", mostPage)
	}
	return limit, nil
}

// pageByID reads which page of a list is asked for: so many items, older than an
// id. One more than asked for tells whether there is a next page.
func pageByID(q url.Values) (limit int, before string, err error) {
	if limit, err = pageLimit(q.Get("limit")); err == nil {
		before, err = idCursor(q.Get("cursor"))
	}
	return limit + 1, before, err
}

// cutPage takes off the one more, and tells where the next page begins.
func cutPage[T any](items []T, limit int, id func(T) string) (page []T, next *string) {
	if len(items) < limit {
		return items, nil
	}
	page = items[:limit-1]
	return page, new(id(page[len(page)-1]))
}

// idCursor is the id after which a page begins, "" for the first.
func idCursor(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return "", strictjson.Invalid("cursor", "must be the nextCursor of another page")
	}
	return id.String(), nil
}

// quote tells what a task or a batch can cost at most.
func (s *Server) quote(c *call) error {
	body, err := c.body(maxBatch)
	if err != nil {
		return err
	}
	texts := [][]byte{body}
	batch := bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("["))
	if !batch && len(body) > maxBody {
		return strictjson.Invalid(strictjson.BodyField, "must have at most %d bytes", maxBody)
	}
	if batch {
		if texts, err = strictjson.Split(body, maxTasks); err != nil {
			return err
		}
	}
	var sum int64
	items := make([]earshot.QuoteItem, len(texts))
	for i, text := range texts {
		items[i].Index = i
		task, err := s.parseTask(text)
		if err != nil && !batch {
			return err
		}
		if err != nil {
			items[i].Error = asClientError(err)
			continue
		}
		price := s.Jobs.Price(task.Provider, task.Request)
		items[i].Success, items[i].CreditsToCharge = true, &price
		sum += price
	}
	return c.json(struct {
		Success         bool                `json:"success"`
		CreditsToCharge int64               `json:"creditsToCharge"`
		Items           []earshot.QuoteItem `json:"items"`
	}{true, sum, items})
}
