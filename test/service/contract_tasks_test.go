package service_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/provider/search"
)

const (
	taskPath       = "/v1/async/task"
	batchPath      = "/v1/async/task/batch"
	tasksPath      = "/v1/async/tasks"
	statusPath     = "/v1/async/status"
	queuePath      = "/v1/async/queue"
	quotePath      = "/v1/quote"
	usagePath      = "/v1/usage"
	eventsPath     = "/v1/events"
	deliveriesPath = "/v1/webhooks/deliveries"

	pollOp     = "GET /v1/async/task/{taskId}"
	cancelOp   = "DELETE /v1/async/task/{taskId}"
	deliveryOp = "GET /v1/webhooks/deliveries/{id}"
	resendOp   = "POST /v1/webhooks/deliveries/{id}/resend"

	noTask   = "01a0805a-0000-7000-8000-000000000000"
	goodTask = `{"taskType":"CHATASSISTANT","payload":` + good + `}`
)

// patient is a plan with one slot on which any number of tasks may wait.
var patient = app.Settings{Plans: account.Plans{{Name: "patient", Slots: 1, CreditsPerCycle: 500, RequestsPerSecond: 1000, QueueCapacity: 10}}}

// payloads is for each provider a request with everything that it takes.
func payloads() map[string]string {
	all := map[string]string{"chatassistant": everyFlag}
	for _, a := range others {
		all[a.name] = with(a.everything, "best hats")
	}
	return all
}

// fillQueues brings tasks of some accounts into every state.
func (n *addressed) fillQueues(t *testing.T, s *stage) {
	t.Helper()
	n.submit(t, s.accounts[anyKey], strings.Replace(goodTask, `{`, `{"idempotencyKey":"taken",`, 1))
	s.things["<queued>"] = n.submit(t, s.accounts[busyKey], goodTask).ID

	s.accounts[waitKey] = n.plan(t, patient, "patient", 500)
	n.hang(t, s.accounts[waitKey])
	s.things["<cancelable>"] = n.submit(t, s.accounts[waitKey], goodTask).ID

	// The call holds the credits that the task would need.
	s.accounts[unpaidKey] = n.plan(t, app.Settings{}, "enterprise-5k", 5)
	n.hang(t, s.accounts[unpaidKey])
	s.things["<unpaid>"] = n.submit(t, s.accounts[unpaidKey], goodTask).ID
	n.ended(t, s.accounts[unpaidKey], s.things["<unpaid>"])

	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	a := n.plan(t, app.Settings{}, "enterprise-5k", 100_000)
	s.accounts[listKey] = a
	requests := payloads()
	for _, p := range app.Providers(search.Engine{Host: "search.lab.test"}) {
		def := p.Definition()
		n.ended(t, a, n.submit(t, a, fmt.Sprintf(`{"taskType":%q,"payload":%s}`, def.TaskType, requests[def.Name])).ID)
	}
	for name, url := range map[string]string{"<delivered>": receiver.URL, "<resent>": receiver.URL, "<pending>": "http://127.0.0.1:1/"} {
		s.things[name] = n.submit(t, a, fmt.Sprintf(`{"taskType":"CHATASSISTANT","payload":%s,"webhook":{"url":%q}}`, good, url)).ID
		eventually(t, "the webhook was tried", func() bool {
			webhook := n.task(t, a, s.things[name]).Webhook
			return webhook != nil && webhook.Attempts == 1
		})
	}
	s.things["<failed>"] = n.submit(t, a, strings.Replace(goodTask, "best hats", "hats [[block]]", 1)).ID
	n.ended(t, a, s.things["<failed>"])
	s.things["<processing>"] = n.submit(t, a, strings.Replace(goodTask, "best hats", "kites [[hang]]", 1)).ID
	eventually(t, "the task runs", func() bool { return n.task(t, a, s.things["<processing>"]).Task.Status == earshot.StatusProcessing })
}

// usual are the responses that an operation has in common with others.
func usual(name, as, path, body string, scope account.Scope) []row {
	method, documented, _ := strings.Cut(as, " ")
	if path == "" {
		path = documented
	}
	other := readKey
	if scope == account.ScopeRead {
		other = monitorKey
	}
	rows := []row{
		{name: "without a key", key: noKey, status: 401, code: "MISSING_API_KEY"},
		{name: "with nobody's key", key: wrongKey, status: 401, code: "INVALID_API_KEY"},
		{name: "without the scope", key: other, status: 403, code: "INSUFFICIENT_PERMISSIONS", check: details(`{"requiredScope":"` + string(scope) + `"}`)},
		{name: "too fast", key: hastyKey, until: true, status: 429, code: "RATE_LIMIT_EXCEEDED"},
		{name: "when keys cannot be read", on: "keyless", key: anyKey, status: 500, code: "INTERNAL_SERVER_ERROR"},
		{name: "when the node is full", on: "full", key: anyKey, status: 503, code: "SERVICE_UNAVAILABLE"},
	}
	for i := range rows {
		rows[i].name = name + " " + rows[i].name
		rows[i].method, rows[i].path, rows[i].as, rows[i].body = method, path, as, body
	}
	return rows
}

func taskRows() []row {
	rows := slices.Concat(
		usual("submit", "POST "+taskPath, "", `{}`, account.ScopeTasks),
		usual("batch", "POST "+batchPath, "", `[]`, account.ScopeTasks),
		usual("poll", pollOp, taskPath+"/<failed>", "", account.ScopeRead),
		usual("cancel", cancelOp, taskPath+"/<failed>", "", account.ScopeTasks),
		usual("tasks", "GET "+tasksPath, "", "", account.ScopeRead),
		usual("status", "GET "+statusPath, "", "", account.ScopeRead),
		usual("clear", "DELETE "+queuePath, "", "", account.ScopeTasks),
		usual("quote", "POST "+quotePath, "", `{}`, account.ScopeRead),
		usual("usage", "GET "+usagePath, "", "", account.ScopeRead),
		usual("events", "GET "+eventsPath, "", "", account.ScopeRead),
		usual("deliveries", "GET "+deliveriesPath, "", "", account.ScopeRead),
		usual("delivery", deliveryOp, deliveriesPath+"/<delivered>", "", account.ScopeRead),
		usual("resend", resendOp, deliveriesPath+"/<delivered>/resend", "", account.ScopeTasks),
		submitRows, batchRows, readRows, accountingRows, eventRows,
	)
	// Without its table every operation on tasks fails, and tells nothing of it.
	for _, op := range []struct{ name, as, path, body string }{
		{"submit", "POST " + taskPath, taskPath, goodTask},
		{"batch", "POST " + batchPath, batchPath, `[` + goodTask + `]`},
		{"poll", pollOp, taskPath + "/" + noTask, ""},
		{"cancel", cancelOp, taskPath + "/" + noTask, ""},
		{"tasks", "GET " + tasksPath, tasksPath, ""},
		{"status", "GET " + statusPath, statusPath, ""},
		{"clear", "DELETE " + queuePath, queuePath, ""},
	} {
		method, _, _ := strings.Cut(op.as, " ")
		rows = append(rows, row{
			name: op.name + " when tasks cannot be read", on: "jobless", method: method, path: op.path, as: op.as, key: anyKey, body: op.body,
			status: 500, code: "INTERNAL_SERVER_ERROR",
		})
	}
	return rows
}

var submitRows = []row{
	{name: "submit", method: "POST", path: taskPath, key: anyKey, body: goodTask, status: 200, check: holds(`"status":"QUEUED","priority":1,"payload":` + good + `,"idempotencyKey":null,`)},
	{name: "submit with a key of one scope", method: "POST", path: taskPath, key: tasksKey, body: goodTask, status: 200, check: holds(`"credits":{"creditsToCharge":5,"creditsCharged":null}`)},
	{
		name: "submit with everything", method: "POST", path: taskPath, key: anyKey,
		body: `{"taskType":"WEBSEARCH","payload":` + with(others[4].everything, "hats") + `,"priority":10,"idempotencyKey":"everything ☂","webhook":{"url":"http://127.0.0.1:1/"}}`,
		// The redirect flag is ignored, but the payload stays as it was sent.
		status: 200, check: holds(`"priority":10,"payload":` + with(others[4].everything, "hats") + `,"idempotencyKey":"everything ☂",`),
	},
	{name: "submit beyond the credits", method: "POST", path: taskPath, key: poorKey, body: goodTask, status: 403, code: "INSUFFICIENT_CREDITS", check: details(`{"required":5,"remaining":4}`)},
	{name: "submit with a taken key", method: "POST", path: taskPath, key: anyKey, body: strings.Replace(goodTask, `{`, `{"idempotencyKey":"taken",`, 1), status: 409, code: "RESOURCE_ALREADY_EXISTS", check: holds(`"details":{"field":"idempotencyKey","value":"taken","taskId":"`)},
	{name: "submit nothing", method: "POST", path: taskPath, key: anyKey, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "submit an empty object", method: "POST", path: taskPath, key: anyKey, body: `{}`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("payload", "taskType")},
	{name: "submit an array", method: "POST", path: taskPath, key: anyKey, body: `[` + goodTask + `]`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "submit as text", method: "POST", path: taskPath, key: anyKey, header: map[string]string{"Content-Type": "text/plain"}, body: goodTask, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "submit an unknown type", method: "POST", path: taskPath, key: anyKey, body: `{"taskType":"chatassistant","payload":{}}`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("taskType")},
	{name: "submit a hidden type", on: "hidden", method: "POST", path: taskPath, key: anyKey, body: goodTask, status: 422, code: "VALIDATION_ERROR", check: fields("taskType")},
	{name: "submit the wrong payload", method: "POST", path: taskPath, key: anyKey, body: `{"taskType":"CHATASSISTANT","payload":{"query":"x","country":"us","include":{"html":1}}}`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("payload.country", "payload.include.html", "payload.prompt", "payload.query")},
	{name: "submit every mistake", method: "POST", path: taskPath, key: anyKey, body: `{"taskType":"CHATASSISTANT","payload":{},"priority":11,"idempotencyKey":"","webhook":{"url":"ftp://x.test/"},"webhooks":1}`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("idempotencyKey", "payload.country", "payload.prompt", "priority", "webhook.url", "webhooks")},
	{name: "submit a webhook without a URL", method: "POST", path: taskPath, key: anyKey, body: strings.Replace(goodTask, `{`, `{"webhook":{},`, 1), status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("webhook.url")},
	{name: "submit an inner webhook", on: "draining", method: "POST", path: taskPath, key: anyKey, body: strings.Replace(goodTask, `{`, `{"webhook":{"url":"http://127.0.0.1/"},`, 1), status: 422, code: "VALIDATION_ERROR", check: fields("webhook.url")},
	{name: "submit to a full queue", method: "POST", path: taskPath, key: busyKey, body: goodTask, status: 429, code: "QUEUE_LIMIT_EXCEEDED", check: details(`{"queuedCount":1,"batchSize":1,"maxQueueSize":1,"remainingCapacity":0}`)},
	{name: "submit while the node stops", on: "draining", method: "POST", path: taskPath, key: anyKey, body: goodTask, status: 503, code: "SERVICE_UNAVAILABLE"},
}

var batchRows = []row{
	{name: "batch", method: "POST", path: batchPath, key: anyKey, body: `[` + goodTask + `,` + goodTask + `]`, status: 200, check: says(`{"success":true,"summary":{"total":2,"succeeded":2,"failed":0},"results":[{"index":0,"success":true,"task":{`)},
	{name: "batch with a taken key", method: "POST", path: batchPath, key: tasksKey, body: `[` + strings.Replace(goodTask, `{`, `{"idempotencyKey":"taken",`, 1) + `]`, status: 200, check: says(`{"success":true,"summary":{"total":1,"succeeded":0,"failed":1},"results":[{"index":0,"success":false,"error":{"code":"RESOURCE_ALREADY_EXISTS",`)},
	{name: "batch beyond the credits", method: "POST", path: batchPath, key: poorKey, body: `[` + goodTask + `]`, status: 200, check: holds(`"error":{"code":"INSUFFICIENT_CREDITS",`)},
	{name: "batch with mistakes", method: "POST", path: batchPath, key: anyKey, body: `[{},` + goodTask + `,1]`, status: 200, refused: true, check: says(`{"success":true,"summary":{"total":3,"succeeded":1,"failed":2},"results":[{"index":0,"success":false,"error":{"code":"VALIDATION_ERROR",`)},
	{name: "batch of nothing", method: "POST", path: batchPath, key: anyKey, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "batch that is no array", method: "POST", path: batchPath, key: anyKey, body: goodTask, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "batch that is empty", method: "POST", path: batchPath, key: anyKey, body: `[]`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "batch of 501", method: "POST", path: batchPath, key: anyKey, body: `[` + strings.Repeat(goodTask+`,`, 500) + goodTask + `]`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "batch to a full queue", method: "POST", path: batchPath, key: busyKey, body: `[` + goodTask + `,{}]`, status: 429, code: "QUEUE_LIMIT_EXCEEDED", check: details(`{"queuedCount":1,"batchSize":2,"maxQueueSize":1,"remainingCapacity":0}`)},
	{name: "batch while the node stops", on: "draining", method: "POST", path: batchPath, key: anyKey, body: `[` + goodTask + `]`, status: 503, code: "SERVICE_UNAVAILABLE"},
}

var readRows = []row{
	{name: "poll a queued task", method: "GET", path: taskPath + "/<queued>", as: pollOp, key: busyKey, status: 200, check: holds(`"startedAt":null,"finishedAt":null,"latencyMs":null,"attempts":0},"credits":{"creditsToCharge":5,"creditsCharged":null}}`)},
	{name: "poll a running task", method: "GET", path: taskPath + "/<processing>", as: pollOp, key: listKey, status: 200, check: holds(`"finishedAt":null,"latencyMs":null,"attempts":`)},
	{name: "poll a completed task", method: "GET", path: taskPath + "/<delivered>", as: pollOp, key: listKey, status: 200, check: holds(`"credits":{"creditsToCharge":5,"creditsCharged":5},"webhook":{"url":"http://127.0.0.1:`)},
	{name: "poll a failed task", method: "GET", path: taskPath + "/<failed>", as: pollOp, key: listKey, status: 200, check: holds(`"details":{"service":"chatassistant","reason":"blocked"}`)},
	{name: "poll a task that could not be paid", method: "GET", path: taskPath + "/<unpaid>", as: pollOp, key: unpaidKey, status: 200, check: holds(`"latencyMs":null,"attempts":0},"credits":{"creditsToCharge":5,"creditsCharged":0},"error":{"code":"INSUFFICIENT_CREDITS",`)},
	{name: "poll no task", method: "GET", path: taskPath + "/" + noTask, as: pollOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + noTask + `"}`)},
	{name: "poll another's task", method: "GET", path: taskPath + "/<failed>", as: pollOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "poll what is no id", method: "GET", path: taskPath + "/1", as: pollOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"1"}`)},

	{name: "cancel", method: "DELETE", path: taskPath + "/<cancelable>", as: cancelOp, key: waitKey, status: 200, check: says(`{"success":true,"id":"`)},
	{name: "cancel no task", method: "DELETE", path: taskPath + "/" + noTask, as: cancelOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + noTask + `"}`)},
	{name: "cancel another's task", method: "DELETE", path: taskPath + "/<queued>", as: cancelOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "cancel a running task", method: "DELETE", path: taskPath + "/<processing>", as: cancelOp, key: listKey, status: 409, code: "RESOURCE_CONFLICT", check: holds(`,"status":"PROCESSING"}`)},
	{name: "cancel a completed task", method: "DELETE", path: taskPath + "/<delivered>", as: cancelOp, key: listKey, status: 409, code: "RESOURCE_CONFLICT", check: holds(`,"status":"COMPLETED"}`)},

	{name: "tasks", method: "GET", path: tasksPath + "?limit=100", as: "GET " + tasksPath, key: listKey, status: 200, check: holds(`"status":"PROCESSING"`)},
	{name: "tasks of nobody", method: "GET", path: tasksPath, key: brokeKey, status: 200, check: says(`{"tasks":[],"nextCursor":null}`)},
	{name: "tasks by filters", method: "GET", path: tasksPath + "?status=COMPLETED&taskType=WEBSEARCH_NEWS&limit=1&cursor=ffffffff-ffff-7fff-bfff-ffffffffffff", key: listKey, status: 200, check: says(`{"tasks":[{"task":{"id":"`)},
	{name: "tasks of no status", method: "GET", path: tasksPath + "?status=DONE", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("status")},
	{name: "tasks of no type", method: "GET", path: tasksPath + "?taskType=chatassistant", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("taskType")},
	{name: "tasks without a limit", method: "GET", path: tasksPath + "?limit=101", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("limit")},
	{name: "tasks from nowhere", method: "GET", path: tasksPath + "?cursor=nowhere", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},

	{name: "status", method: "GET", path: statusPath, key: busyKey, status: 200, check: says(`{"queuedTasks":1,"processingTasks":0,"priorityBreakdown":[{"priority":1,"count":1}],"concurrency":{"used":1,"max":1},"queue":{"max":1,"remaining":0}}`)},
	{name: "status of nothing", method: "GET", path: statusPath, key: brokeKey, status: 200, check: says(`{"queuedTasks":0,"processingTasks":0,"priorityBreakdown":[],"concurrency":{"used":0,"max":10},"queue":{"max":10000,"remaining":10000}}`)},
	{name: "status while the node stops", on: "draining", method: "GET", path: statusPath, key: anyKey, status: 200},
	{name: "clear nothing", method: "DELETE", path: queuePath, key: brokeKey, status: 200, check: says(`{"success":true,"cleared":0}`)},
	{name: "clear while the node stops", on: "draining", method: "DELETE", path: queuePath, key: anyKey, status: 200, check: says(`{"success":true,"cleared":0}`)},
}

var accountingRows = []row{
	{name: "quote a task", method: "POST", path: quotePath, key: readKey, body: goodTask, status: 200, check: says(`{"success":true,"creditsToCharge":5,"items":[{"index":0,"success":true,"creditsToCharge":5}]}`)},
	{name: "quote without credits", method: "POST", path: quotePath, key: brokeKey, body: goodTask, status: 200, check: says(`{"success":true,"creditsToCharge":5,`)},
	{name: "quote a batch", method: "POST", path: quotePath, key: anyKey, body: ` [` + goodTask + `,{"taskType":"SEARCHAIMODE","payload":{"prompt":"hats","include":{"expandProducts":true}}}]`, status: 200, check: says(`{"success":true,"creditsToCharge":15,`)},
	{name: "quote a batch with a mistake", method: "POST", path: quotePath, key: anyKey, body: `[` + goodTask + `,{"taskType":"CHATASSISTANT","payload":{"prompt":"x"}}]`, status: 200, refused: true, check: holds(`{"index":1,"success":false,"error":{"code":"VALIDATION_ERROR","message":"payload.country: is required","details":[{"field":"payload.country","message":"is required"}]}`)},
	{name: "quote a mistake", method: "POST", path: quotePath, key: anyKey, body: `{"taskType":"CHATASSISTANT","payload":{"prompt":"x"}}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("payload.country")},
	{name: "quote an empty batch", method: "POST", path: quotePath, key: anyKey, body: `[]`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "quote nothing", method: "POST", path: quotePath, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},

	{name: "usage", method: "GET", path: usagePath, key: listKey, status: 200, check: holds(`"provider":"websearch/news","completed":1,"failed":0,"creditsCharged":7}`)},
	{name: "usage of a month", method: "GET", path: usagePath + "?from=2026-01-01&to=2026-01-31", key: listKey, status: 200, check: says(`{"from":"2026-01-01","to":"2026-01-31","usage":[]}`)},
	{name: "usage of 366 days", method: "GET", path: usagePath + "?from=2024-01-01&to=2024-12-31", key: anyKey, status: 200},
	{name: "usage of 367 days", method: "GET", path: usagePath + "?from=2024-01-01&to=2025-01-01", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("from")},
	{name: "usage of no day", method: "GET", path: usagePath + "?from=yesterday", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("from")},
	{name: "usage backwards", method: "GET", path: usagePath + "?from=2026-01-02&to=2026-01-01", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("to")},
}

var eventRows = []row{
	{name: "events", method: "GET", path: eventsPath, key: listKey, status: 200, check: holds(`"taskType":"WEBSEARCH_NEWS","status":"COMPLETED"`)},
	{name: "events one by one", method: "GET", path: eventsPath + "?limit=1&cursor=0", key: listKey, status: 200, check: holds(`"nextCursor":"1"}`)},
	{name: "events of a task without credits", method: "GET", path: eventsPath, key: unpaidKey, status: 200, check: holds(`"startedAt":null`)},
	{name: "events of nobody", method: "GET", path: eventsPath, key: brokeKey, status: 200, check: says(`{"events":[],"nextCursor":null}`)},
	{name: "events to come", method: "GET", path: eventsPath + "?cursor=latest", key: unpaidKey, status: 200, check: says(`{"events":[],"nextCursor":"1"}`)},
	{name: "events to come of nobody", method: "GET", path: eventsPath + "?cursor=latest", key: brokeKey, status: 200, check: says(`{"events":[],"nextCursor":"0"}`)},
	{name: "events past the end", method: "GET", path: eventsPath + "?cursor=1", key: unpaidKey, status: 200, check: says(`{"events":[],"nextCursor":"1"}`)},
	{name: "events from nowhere", method: "GET", path: eventsPath + "?cursor=nowhere", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},
	{name: "events without a limit", method: "GET", path: eventsPath + "?limit=0", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("limit")},

	{name: "deliveries", method: "GET", path: deliveriesPath, key: listKey, status: 200, check: holds(`"error":"connection failed"`)},
	{name: "deliveries by state", method: "GET", path: deliveriesPath + "?state=delivered&limit=1", key: listKey, status: 200, check: holds(`"delivered":true,`)},
	{name: "deliveries of nobody", method: "GET", path: deliveriesPath + "?state=failed", key: brokeKey, status: 200, check: says(`{"deliveries":[],"nextCursor":null}`)},
	{name: "deliveries of no state", method: "GET", path: deliveriesPath + "?state=lost", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("state")},
	{name: "deliveries from nowhere", method: "GET", path: deliveriesPath + "?cursor=nowhere", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},

	{name: "delivery", method: "GET", path: deliveriesPath + "/<delivered>", as: deliveryOp, key: listKey, status: 200, check: holds(`"attempts":1,"nextTryAt":null,"tries":[{"at":"`)},
	{name: "delivery that is tried again", method: "GET", path: deliveriesPath + "/<pending>", as: deliveryOp, key: listKey, status: 200, check: holds(`"delivered":false,"deliveredAt":null,`)},
	{name: "delivery of a task without a webhook", method: "GET", path: deliveriesPath + "/<failed>", as: deliveryOp, key: listKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "delivery of another's", method: "GET", path: deliveriesPath + "/<delivered>", as: deliveryOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},

	{name: "resend", method: "POST", path: deliveriesPath + "/<resent>/resend", as: resendOp, key: listKey, status: 200, check: says(`{"success":true,"delivery":{"id":"`)},
	{name: "resend of no task", method: "POST", path: deliveriesPath + "/" + noTask + "/resend", as: resendOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + noTask + `"}`)},
	{name: "resend of another's", method: "POST", path: deliveriesPath + "/<delivered>/resend", as: resendOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
}
