package contract_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

const (
	pollOp     = "GET /v1/async/task/{taskId}"
	cancelOp   = "DELETE /v1/async/task/{taskId}"
	deliveryOp = "GET /v1/webhooks/deliveries/{id}"
	resendOp   = "POST /v1/webhooks/deliveries/{id}/resend"
)

// payloads is for each provider a request with everything that it takes.
func payloads() map[string]string {
	all := map[string]string{}
	for _, a := range providers {
		all[a.name] = with(a.everything, "best hats")
	}
	return all
}

// fillQueues brings tasks of some accounts into every state.
func fillQueues(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	n.Submit(t, s.accounts[anyKey], strings.Replace(harness.GoodTask, `{`, `{"idempotencyKey":"taken",`, 1))
	s.things["<queued>"] = n.Submit(t, s.accounts[busyKey], harness.GoodTask).ID

	s.accounts[waitKey] = n.Organization(t, "patient", 500)
	n.HangWith(t, s.accounts[waitKey], map[string]string{"Idempotency-Key": "running"})
	s.things["<cancelable>"] = strings.ToUpper(n.Submit(t, s.accounts[waitKey], harness.GoodTask).ID) // the same in either case

	// The task waits for credits that the call holds, until the balance does not cover it any more.
	s.accounts[unpaidKey] = n.Organization(t, "enterprise-5k", 7)
	n.Hang(t, s.accounts[unpaidKey])
	s.things["<unpaid>"] = n.Submit(t, s.accounts[unpaidKey], strings.Replace(harness.GoodTask, `"country"`, `"include":{"searchQueries":true},"country"`, 1)).ID
	if _, err := n.Orgs.SetBalance(s.accounts[unpaidKey].Organization.ID, 5, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	n.Wait(t, s.accounts[unpaidKey], s.things["<unpaid>"])

	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	a := n.Organization(t, "enterprise-5k", 100_000)
	s.accounts[listKey] = a
	requests := payloads()
	for _, p := range app.Providers() {
		def := p.Definition()
		n.Wait(t, a, n.Submit(t, a, fmt.Sprintf(`{"taskType":%q,"payload":%s}`, def.TaskType, requests[def.Name])).ID)
	}
	for name, url := range map[string]string{"<delivered>": receiver.URL, "<resent>": receiver.URL, "<pending>": "http://127.0.0.1:1/"} {
		s.things[name] = n.Submit(t, a, fmt.Sprintf(`{"taskType":"CHATASSISTANT","payload":%s,"webhook":{"url":%q}}`, harness.GoodCall, url)).ID
		harness.Eventually(t, "the webhook was tried", func() bool {
			webhook := n.Task(t, a, s.things[name]).Webhook
			return webhook != nil && webhook.Attempts == 1
		})
	}
	s.things["<failed>"] = n.Submit(t, a, strings.Replace(harness.GoodTask, "best hats", "hats [[block]]", 1)).ID
	n.Wait(t, a, s.things["<failed>"])
	s.things["<processing>"] = n.Submit(t, a, strings.Replace(harness.GoodTask, "best hats", "kites "+harness.Endless, 1)).ID
	harness.Eventually(t, "the task runs", func() bool { return n.Task(t, a, s.things["<processing>"]).Task.Status == earshot.StatusProcessing })
}

// commonRows are the responses that an operation has in common with others.
func commonRows(name, as, path, body string, scope account.Scope) []row {
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
		{name: "too fast", key: hastyKey, status: 429, code: earshot.CodeRateLimit},
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
		commonRows("submit", "POST "+harness.TaskPath, "", `{}`, account.ScopeTasks),
		commonRows("batch", "POST "+harness.BatchPath, "", `[]`, account.ScopeTasks),
		commonRows("poll", pollOp, harness.TaskPath+"/<failed>", "", account.ScopeRead),
		commonRows("cancel", cancelOp, harness.TaskPath+"/<failed>", "", account.ScopeTasks),
		commonRows("tasks", "GET "+harness.TasksPath, "", "", account.ScopeRead),
		commonRows("status", "GET "+harness.StatusPath, "", "", account.ScopeRead),
		commonRows("clear", "DELETE "+harness.QueuePath, "", "", account.ScopeTasks),
		commonRows("quote", "POST "+harness.QuotePath, "", `{}`, account.ScopeRead),
		commonRows("preview", "POST "+harness.PreviewPath, "", `{}`, account.ScopeRead),
		commonRows("usage", "GET "+harness.UsagePath, "", "", account.ScopeRead),
		commonRows("events", "GET "+harness.EventsPath, "", "", account.ScopeRead),
		commonRows("deliveries", "GET "+harness.DeliveriesPath, "", "", account.ScopeRead),
		commonRows("delivery", deliveryOp, harness.DeliveriesPath+"/<delivered>", "", account.ScopeRead),
		commonRows("resend", resendOp, harness.DeliveriesPath+"/<delivered>/resend", "", account.ScopeTasks),
		submitRows, batchRows, readRows, accountingRows, eventRows,
	)
	// Without its table every operation on tasks fails, and tells nothing of it.
	for _, op := range []struct{ name, as, path, body string }{
		{"submit", "POST " + harness.TaskPath, harness.TaskPath, harness.GoodTask},
		{"batch", "POST " + harness.BatchPath, harness.BatchPath, `[` + harness.GoodTask + `]`},
		{"poll", pollOp, harness.TaskPath + "/" + harness.NoTask, ""},
		{"cancel", cancelOp, harness.TaskPath + "/" + harness.NoTask, ""},
		{"tasks", "GET " + harness.TasksPath, harness.TasksPath, ""},
		{"status", "GET " + harness.StatusPath, harness.StatusPath, ""},
		{"clear", "DELETE " + harness.QueuePath, harness.QueuePath, ""},
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
	{name: "submit", method: "POST", path: harness.TaskPath, key: anyKey, body: harness.GoodTask, status: 200, check: holds(`"status":"QUEUED","priority":1,"payload":` + harness.GoodCall + `,"idempotencyKey":null,`)},
	{name: "submit with a key of one scope", method: "POST", path: harness.TaskPath, key: tasksKey, body: harness.GoodTask, status: 200, check: holds(`"credits":{"creditsToCharge":5,"creditsCharged":null}`)},
	{
		name: "submit with everything", method: "POST", path: harness.TaskPath, key: anyKey,
		body: `{"taskType":"WEBSEARCH","payload":` + payloads()["websearch"] + `,"priority":10,"idempotencyKey":"everything ☂","webhook":{"url":"http://127.0.0.1:1/"}}`,
		// The redirect flag is ignored, but the payload stays as it was sent.
		status: 200, check: holds(`"priority":10,"payload":` + payloads()["websearch"] + `,"idempotencyKey":"everything ☂",`),
	},
	{
		name: "submit with a webhook", method: "POST", path: harness.TaskPath, key: anyKey,
		body: strings.Replace(harness.GoodTask, `{`, `{"webhook":{"url":"http://127.0.0.1:1/"},`, 1), status: 200,
		check: holds(`"webhook":{"url":"http://127.0.0.1:1/","delivered":false,"deliveredAt":null,"attempts":0}}`),
	},
	{name: "submit beyond the credits", method: "POST", path: harness.TaskPath, key: poorKey, body: harness.GoodTask, status: 403, code: "INSUFFICIENT_CREDITS", check: details(`{"required":5,"remaining":4,"held":0}`)},
	{name: "submit with a taken key", method: "POST", path: harness.TaskPath, key: anyKey, body: strings.Replace(harness.GoodTask, `{`, `{"idempotencyKey":"taken",`, 1), status: 409, code: "RESOURCE_ALREADY_EXISTS", check: holds(`"details":{"field":"idempotencyKey","value":"taken","taskId":"`)},
	{name: "submit nothing", method: "POST", path: harness.TaskPath, key: anyKey, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "submit an empty object", method: "POST", path: harness.TaskPath, key: anyKey, body: `{}`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("payload", "taskType")},
	{name: "submit an array", method: "POST", path: harness.TaskPath, key: anyKey, body: `[` + harness.GoodTask + `]`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "submit as text", method: "POST", path: harness.TaskPath, key: anyKey, header: map[string]string{"Content-Type": "text/plain"}, body: harness.GoodTask, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "submit an unknown type", method: "POST", path: harness.TaskPath, key: anyKey, body: `{"taskType":"chatassistant","payload":{}}`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("taskType")},
	{name: "submit a hidden type", on: "hidden", method: "POST", path: harness.TaskPath, key: anyKey, body: harness.GoodTask, status: 422, code: "VALIDATION_ERROR", check: fields("taskType")},
	{name: "submit the wrong payload", method: "POST", path: harness.TaskPath, key: anyKey, body: `{"taskType":"CHATASSISTANT","payload":{"query":"x","country":"us","include":{"html":1}}}`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("payload.country", "payload.include.html", "payload.prompt", "payload.query")},
	{name: "submit every mistake", method: "POST", path: harness.TaskPath, key: anyKey, body: `{"taskType":"CHATASSISTANT","payload":{},"priority":11,"idempotencyKey":"","webhook":{"url":"ftp://x.test/"},"webhooks":1}`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("idempotencyKey", "payload.country", "payload.prompt", "priority", "webhook.url", "webhooks")},
	{name: "submit a webhook without a URL", method: "POST", path: harness.TaskPath, key: anyKey, body: strings.Replace(harness.GoodTask, `{`, `{"webhook":{},`, 1), status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("webhook.url")},
	{name: "submit an inner webhook", on: "draining", method: "POST", path: harness.TaskPath, key: anyKey, body: strings.Replace(harness.GoodTask, `{`, `{"webhook":{"url":"http://127.0.0.1/"},`, 1), status: 422, code: "VALIDATION_ERROR", check: fields("webhook.url")},
	{name: "submit to a full queue", method: "POST", path: harness.TaskPath, key: busyKey, body: harness.GoodTask, status: 429, code: "QUEUE_LIMIT_EXCEEDED", check: details(`{"queuedCount":1,"batchSize":1,"maxQueueSize":1,"remainingCapacity":0}`)},
	{name: "submit while the node stops", on: "draining", method: "POST", path: harness.TaskPath, key: anyKey, body: harness.GoodTask, status: 503, code: "SERVICE_UNAVAILABLE"},
}

var batchRows = []row{
	{name: "batch", method: "POST", path: harness.BatchPath, key: anyKey, body: `[` + harness.GoodTask + `,` + harness.GoodTask + `]`, status: 200, check: says(`{"success":true,"summary":{"total":2,"succeeded":2,"failed":0},"results":[{"index":0,"success":true,"task":{`)},
	{
		name: "batch with a webhook", method: "POST", path: harness.BatchPath, key: anyKey,
		body: `[` + strings.Replace(harness.GoodTask, `{`, `{"webhook":{"url":"http://127.0.0.1:1/"},`, 1) + `]`, status: 200,
		check: holds(`"webhook":{"url":"http://127.0.0.1:1/","delivered":false,"deliveredAt":null,"attempts":0}}]`),
	},
	{name: "batch with a taken key", method: "POST", path: harness.BatchPath, key: tasksKey, body: `[` + strings.Replace(harness.GoodTask, `{`, `{"idempotencyKey":"taken",`, 1) + `]`, status: 200, check: says(`{"success":true,"summary":{"total":1,"succeeded":0,"failed":1},"results":[{"index":0,"success":false,"error":{"code":"RESOURCE_ALREADY_EXISTS",`)},
	{name: "batch beyond the credits", method: "POST", path: harness.BatchPath, key: poorKey, body: `[` + harness.GoodTask + `]`, status: 200, check: holds(`"error":{"code":"INSUFFICIENT_CREDITS",`)},
	{name: "batch with mistakes", method: "POST", path: harness.BatchPath, key: anyKey, body: `[{},` + harness.GoodTask + `,1]`, status: 200, refused: true, check: says(`{"success":true,"summary":{"total":3,"succeeded":1,"failed":2},"results":[{"index":0,"success":false,"error":{"code":"VALIDATION_ERROR",`)},
	{name: "batch of nothing", method: "POST", path: harness.BatchPath, key: anyKey, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "batch that is no array", method: "POST", path: harness.BatchPath, key: anyKey, body: harness.GoodTask, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "batch that is empty", method: "POST", path: harness.BatchPath, key: anyKey, body: `[]`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "batch of 501", method: "POST", path: harness.BatchPath, key: anyKey, body: `[` + strings.Repeat(harness.GoodTask+`,`, 500) + harness.GoodTask + `]`, status: 422, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "batch to a full queue", method: "POST", path: harness.BatchPath, key: busyKey, body: `[` + harness.GoodTask + `,{}]`, status: 429, code: "QUEUE_LIMIT_EXCEEDED", check: details(`{"queuedCount":1,"batchSize":2,"maxQueueSize":1,"remainingCapacity":0}`)},
	{name: "batch while the node stops", on: "draining", method: "POST", path: harness.BatchPath, key: anyKey, body: `[` + harness.GoodTask + `]`, status: 503, code: "SERVICE_UNAVAILABLE"},
}

var readRows = []row{
	{name: "poll a queued task", method: "GET", path: harness.TaskPath + "/<queued>", as: pollOp, key: busyKey, status: 200, check: holds(`"startedAt":null,"finishedAt":null,"latencyMs":null,"attempts":0},"credits":{"creditsToCharge":5,"creditsCharged":null}}`)},
	{name: "poll a running task", method: "GET", path: harness.TaskPath + "/<processing>", as: pollOp, key: listKey, status: 200, check: holds(`"finishedAt":null,"latencyMs":null,"attempts":`)},
	{name: "poll a completed task", method: "GET", path: harness.TaskPath + "/<delivered>", as: pollOp, key: listKey, status: 200, check: holds(`"credits":{"creditsToCharge":5,"creditsCharged":5},"webhook":{"url":"http://127.0.0.1:`)},
	{name: "poll a failed task", method: "GET", path: harness.TaskPath + "/<failed>", as: pollOp, key: listKey, status: 200, check: holds(`"details":{"service":"chatassistant","reason":"blocked"}`)},
	{name: "poll a task that could not be paid", method: "GET", path: harness.TaskPath + "/<unpaid>", as: pollOp, key: unpaidKey, status: 200, check: holds(`"latencyMs":null,"attempts":0},"credits":{"creditsToCharge":7,"creditsCharged":0},"error":{"code":"INSUFFICIENT_CREDITS",`)},
	{name: "poll no task", method: "GET", path: harness.TaskPath + "/" + harness.NoTask, as: pollOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + harness.NoTask + `"}`)},
	{name: "poll another's task", method: "GET", path: harness.TaskPath + "/<failed>", as: pollOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "poll what is no id", method: "GET", path: harness.TaskPath + "/1", as: pollOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"1"}`)},

	{name: "cancel", method: "DELETE", path: harness.TaskPath + "/<cancelable>", as: cancelOp, key: waitKey, status: 200, check: says(`{"success":true,"id":"`)},
	{name: "cancel no task", method: "DELETE", path: harness.TaskPath + "/" + harness.NoTask, as: cancelOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + harness.NoTask + `"}`)},
	{name: "cancel another's task", method: "DELETE", path: harness.TaskPath + "/<queued>", as: cancelOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "cancel a running task", method: "DELETE", path: harness.TaskPath + "/<processing>", as: cancelOp, key: listKey, status: 409, code: "RESOURCE_CONFLICT", check: holds(`,"status":"PROCESSING"}`)},
	{name: "cancel a completed task", method: "DELETE", path: harness.TaskPath + "/<delivered>", as: cancelOp, key: listKey, status: 409, code: "RESOURCE_CONFLICT", check: holds(`,"status":"COMPLETED"}`)},

	{name: "tasks", method: "GET", path: harness.TasksPath + "?limit=100", as: "GET " + harness.TasksPath, key: listKey, status: 200, check: holds(`"status":"PROCESSING"`)},
	{name: "tasks of nobody", method: "GET", path: harness.TasksPath, key: brokeKey, status: 200, check: says(`{"tasks":[],"nextCursor":null}`)},
	{name: "tasks by filters", method: "GET", path: harness.TasksPath + "?status=COMPLETED&taskType=WEBSEARCH_NEWS&limit=1&cursor=ffffffff-ffff-7fff-bfff-ffffffffffff", key: listKey, status: 200, check: says(`{"tasks":[{"task":{"id":"`)},
	{name: "tasks of no status", method: "GET", path: harness.TasksPath + "?status=DONE", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("status")},
	{name: "tasks of no type", method: "GET", path: harness.TasksPath + "?taskType=chatassistant", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("taskType")},
	{name: "tasks without a limit", method: "GET", path: harness.TasksPath + "?limit=101", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("limit")},
	{name: "tasks from nowhere", method: "GET", path: harness.TasksPath + "?cursor=nowhere", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},

	{name: "status", method: "GET", path: harness.StatusPath, key: busyKey, status: 200, check: says(`{"queuedTasks":1,"processingTasks":0,"priorityBreakdown":[{"priority":1,"count":1}],"concurrency":{"used":1,"max":1},"queue":{"max":1,"remaining":0}}`)},
	{name: "status of nothing", method: "GET", path: harness.StatusPath, key: brokeKey, status: 200, check: says(`{"queuedTasks":0,"processingTasks":0,"priorityBreakdown":[],"concurrency":{"used":0,"max":10},"queue":{"max":10000,"remaining":10000}}`)},
	{name: "status while the node stops", on: "draining", method: "GET", path: harness.StatusPath, key: anyKey, status: 200},
	{name: "clear nothing", method: "DELETE", path: harness.QueuePath, key: brokeKey, status: 200, check: says(`{"success":true,"cleared":0}`)},
	{name: "clear while the node stops", on: "draining", method: "DELETE", path: harness.QueuePath, key: anyKey, status: 200, check: says(`{"success":true,"cleared":0}`)},
}

var accountingRows = []row{
	{name: "quote a task", method: "POST", path: harness.QuotePath, key: readKey, body: harness.GoodTask, status: 200, check: says(`{"success":true,"creditsToCharge":5,"usd":0,"items":[{"index":0,"success":true,"creditsToCharge":5,"upstream":{"name":"lab","usd":0,"usdAtMost":0}}]}`)},
	{name: "quote without credits", method: "POST", path: harness.QuotePath, key: brokeKey, body: harness.GoodTask, status: 200, check: says(`{"success":true,"creditsToCharge":5,`)},
	{name: "quote a batch", method: "POST", path: harness.QuotePath, key: anyKey, body: ` [` + harness.GoodTask + `,{"taskType":"SEARCHAIMODE","payload":{"prompt":"hats","include":{"expandProducts":true}}}]`, status: 200, check: says(`{"success":true,"creditsToCharge":15,`)},
	{name: "quote a batch with a mistake", method: "POST", path: harness.QuotePath, key: anyKey, body: `[` + harness.GoodTask + `,{"taskType":"CHATASSISTANT","payload":{"prompt":"x"}}]`, status: 200, refused: true, check: holds(`{"index":1,"success":false,"error":{"code":"VALIDATION_ERROR","message":"payload.country: is required","details":[{"field":"payload.country","message":"is required"}]}`)},
	{name: "quote a mistake", method: "POST", path: harness.QuotePath, key: anyKey, body: `{"taskType":"CHATASSISTANT","payload":{"prompt":"x"}}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("payload.country")},
	{name: "quote an empty batch", method: "POST", path: harness.QuotePath, key: anyKey, body: `[]`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},
	{name: "quote nothing", method: "POST", path: harness.QuotePath, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("body")},

	{name: "preview a table", method: "POST", path: harness.PreviewPath, key: readKey, body: `{"text":"Prompt;country;Include.Markdown;note\nshoes, red;DE;true;x\nhats;;;\nboots;US\n","taskType":"CHATASSISTANT","priority":3,"webhook":{"url":"https://receiver.example/"}}`, status: 200, check: says(`{"success":true,"creditsToCharge":5,"rows":[{"line":2,"task":{"taskType":"CHATASSISTANT","payload":{"country":"DE","include":{"markdown":true},"prompt":"shoes, red"},"priority":3,"idempotencyKey":"earshot-batch-1af134e36a698c3ceac6cd9b3bf3b37680e61ccf","webhook":{"url":"https://receiver.example/"}},"creditsToCharge":5}],"problems":[{"line":3,"error":{"code":"VALIDATION_ERROR","message":"payload.country: is required","details":[{"field":"payload.country","message":"is required"}]}},{"line":4,"error":{"code":"VALIDATION_ERROR","message":"row: the row has 2 cells, but the header has 4","details":[{"field":"row","message":"the row has 2 cells, but the header has 4"}]}}],"ignored":["note"]}`)},
	{name: "preview objects", method: "POST", path: harness.PreviewPath, key: anyKey, body: `{"text":"{\"provider\":\"WebSearch\",\"prompt\":\"shoes\",\"country\":\"US\",\"pages\":2,\"priority\":7,\"idempotencyKey\":\"mine\",\"webhook\":\"https://receiver.example/own\"}\n{\"prompt\":\"x\"}\n{\"pages\":1,\"payload\":{}}"}`, status: 200, check: says(`{"success":true,"creditsToCharge":5,"rows":[{"line":1,"task":{"taskType":"WEBSEARCH","payload":{"country":"US","pages":2,"query":"shoes"},"priority":7,"idempotencyKey":"mine","webhook":{"url":"https://receiver.example/own"}},"creditsToCharge":5}],"problems":[{"line":2,"error":{"code":"VALIDATION_ERROR","message":"provider: must be one of `)},
	{name: "preview lines of a run", method: "POST", path: harness.PreviewPath, key: anyKey, body: `{"text":"prompt\n\nprompt","format":"lines","run":"r","taskType":"CHATASSISTANT","country":"DE"}`, status: 200, check: holds(`"idempotencyKey":"earshot-batch-83d5d31fe02e5773a2af1bbacc9d435634326089"`)},
	{name: "preview nothing", method: "POST", path: harness.PreviewPath, key: brokeKey, body: `{"text":""}`, status: 200, check: says(`{"success":true,"creditsToCharge":0,"rows":[],"problems":[],"ignored":[]}`)},
	{name: "preview too many lines", method: "POST", path: harness.PreviewPath, key: anyKey, body: `{"text":"` + strings.Repeat(`\n`, 20_001) + `"}`, status: 400, code: "VALIDATION_ERROR", check: fields("text")},
	{name: "preview too many cells", method: "POST", path: harness.PreviewPath, key: anyKey, body: `{"text":"` + strings.Repeat(`,`, 500_001) + `"}`, status: 400, code: "VALIDATION_ERROR", check: fields("text")},
	{name: "preview a mistake", method: "POST", path: harness.PreviewPath, key: anyKey, body: `{"format":"xls","taskType":"NOBODY"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("format", "taskType", "text")},
	{name: "preview 8 MiB", method: "POST", path: harness.PreviewPath, key: anyKey, body: `{"text":"` + strings.Repeat("a", 8<<20) + `"}`, status: 400, code: "VALIDATION_ERROR", check: fields("body")},

	{name: "usage", method: "GET", path: harness.UsagePath, key: listKey, status: 200, check: holds(`"provider":"websearch/news","completed":1,"failed":0,"creditsCharged":7}`)},
	{name: "usage of a month", method: "GET", path: harness.UsagePath + "?from=2026-01-01&to=2026-01-31", key: listKey, status: 200, check: says(`{"from":"2026-01-01","to":"2026-01-31","usage":[],"upstreams":[]}`)},
	{name: "usage of 366 days", method: "GET", path: harness.UsagePath + "?from=2024-01-01&to=2024-12-31", key: anyKey, status: 200},
	{name: "usage of 367 days", method: "GET", path: harness.UsagePath + "?from=2024-01-01&to=2025-01-01", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("from")},
	{name: "usage of no day", method: "GET", path: harness.UsagePath + "?from=yesterday", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("from")},
	{name: "usage backwards", method: "GET", path: harness.UsagePath + "?from=2026-01-02&to=2026-01-01", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("to")},
}

var eventRows = []row{
	{name: "events", method: "GET", path: harness.EventsPath, key: listKey, status: 200, check: holds(`"taskType":"WEBSEARCH_NEWS","status":"COMPLETED"`)},
	{name: "events one by one", method: "GET", path: harness.EventsPath + "?limit=1&cursor=0", key: listKey, status: 200, check: holds(`"nextCursor":"1"}`)},
	{name: "events of a task without credits", method: "GET", path: harness.EventsPath, key: unpaidKey, status: 200, check: holds(`"startedAt":null`)},
	{name: "events of nobody", method: "GET", path: harness.EventsPath, key: brokeKey, status: 200, check: says(`{"events":[],"nextCursor":null}`)},
	{name: "events to come", method: "GET", path: harness.EventsPath + "?cursor=latest", key: unpaidKey, status: 200, check: says(`{"events":[],"nextCursor":"1"}`)},
	{name: "events to come of nobody", method: "GET", path: harness.EventsPath + "?cursor=latest", key: brokeKey, status: 200, check: says(`{"events":[],"nextCursor":"0"}`)},
	{name: "events past the end", method: "GET", path: harness.EventsPath + "?cursor=1", key: unpaidKey, status: 200, check: says(`{"events":[],"nextCursor":"1"}`)},
	{name: "events from nowhere", method: "GET", path: harness.EventsPath + "?cursor=nowhere", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},
	{name: "events without a limit", method: "GET", path: harness.EventsPath + "?limit=0", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("limit")},

	{name: "deliveries", method: "GET", path: harness.DeliveriesPath, key: listKey, status: 200, check: holds(`"error":"connection failed"`)},
	{name: "deliveries by state", method: "GET", path: harness.DeliveriesPath + "?state=delivered&limit=1", key: listKey, status: 200, check: holds(`"delivered":true,`)},
	{name: "deliveries of nobody", method: "GET", path: harness.DeliveriesPath + "?state=failed", key: brokeKey, status: 200, check: says(`{"deliveries":[],"nextCursor":null}`)},
	{name: "deliveries of no state", method: "GET", path: harness.DeliveriesPath + "?state=lost", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("state")},
	{name: "deliveries from nowhere", method: "GET", path: harness.DeliveriesPath + "?cursor=nowhere", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},

	{name: "delivery", method: "GET", path: harness.DeliveriesPath + "/<delivered>", as: deliveryOp, key: listKey, status: 200, check: holds(`"attempts":1,"nextTryAt":null,"tries":[{"at":"`)},
	{name: "delivery that is tried again", method: "GET", path: harness.DeliveriesPath + "/<pending>", as: deliveryOp, key: listKey, status: 200, check: holds(`"delivered":false,"deliveredAt":null,`)},
	{name: "delivery of a task without a webhook", method: "GET", path: harness.DeliveriesPath + "/<failed>", as: deliveryOp, key: listKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	{name: "delivery of another's", method: "GET", path: harness.DeliveriesPath + "/<delivered>", as: deliveryOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},

	{name: "resend", method: "POST", path: harness.DeliveriesPath + "/<resent>/resend", as: resendOp, key: listKey, status: 200, check: says(`{"success":true,"delivery":{"id":"`)},
	{name: "resend of no task", method: "POST", path: harness.DeliveriesPath + "/" + harness.NoTask + "/resend", as: resendOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + harness.NoTask + `"}`)},
	{name: "resend of another's", method: "POST", path: harness.DeliveriesPath + "/<delivered>/resend", as: resendOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
}
