package contract_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot/internal/account"
	"earshot/test/harness"
)

const (
	batchesPath     = "/v1/batches"
	batchOp         = "GET /v1/batches/{id}"
	retryBatchOp    = "POST /v1/batches/{id}/retry"
	batchResultsOp  = "GET /v1/batches/{id}/results"
	retryRequestOp  = "POST /v1/requests/{id}/retry"
	noBatchRetry    = batchesPath + "/" + harness.NoTask + "/retry"
	noBatchResults  = batchesPath + "/" + harness.NoTask + "/results"
	noRequestRetry  = requestsPath + "/" + harness.NoTask + "/retry"
	failedQuestions = "hats [[block]]"
)

// makeBatches submits batches that end and fail in part, and tasks that fail.
func makeBatches(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	full := s.accounts[anyKey]
	submit := func(name string, tasks ...string) {
		answer := n.SubmitAll(t, full, tasks...)
		s.things[name] = answer.BatchID
		for _, item := range answer.Results {
			if item.Task != nil {
				n.Wait(t, full, item.Task.ID)
			}
		}
	}
	blocked := strings.Replace(harness.GoodTask, "best hats", failedQuestions, 1)
	submit("<batch>", harness.GoodTask, blocked, `{}`)
	submit("<failed batch>", blocked, harness.GoodTask)
	spent := n.Organization(t, "lite", 8)
	s.accounts[spentKey] = spent
	s.things["<task of who has spent all>"] = n.Submit(t, spent, blocked).ID
	n.Wait(t, spent, s.things["<task of who has spent all>"])
	n.Post(t, spent, harness.ChatPath, harness.GoodCall).Has(t, "a call", http.StatusOK)
	s.things["<task to retry>"] = n.Submit(t, full, blocked).ID
	n.Wait(t, full, s.things["<task to retry>"])
}

func batchesRows() []row {
	rows := slices.Concat(
		commonRows("batches", "GET "+batchesPath, "", "", account.ScopeRead),
		commonRows("a batch", batchOp, batchesPath+"/"+harness.NoTask, "", account.ScopeRead),
		commonRows("results", batchResultsOp, noBatchResults, "", account.ScopeRead),
		commonRows("retry of a batch", retryBatchOp, noBatchRetry, "", account.ScopeTasks),
		commonRows("retry of a request", retryRequestOp, noRequestRetry, "", account.ScopeTasks), []row{
			{name: "batches", path: batchesPath + "?limit=1", key: anyKey, status: 200, check: holds(`"nextCursor":"`)},
			{name: "batches of nobody", path: batchesPath, key: brokeKey, status: 200, check: says(`{"batches":[],"nextCursor":null}`)},
			{name: "batches of too many", path: batchesPath + "?limit=51", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("limit")},
			{name: "batches from nowhere", path: batchesPath + "?cursor=nowhere", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},
			{name: "batches while the node stops", on: "draining", path: batchesPath, key: anyKey, status: 200},
			{name: "a batch", path: batchesPath + "/<batch>", as: batchOp, key: readKey, status: 200, check: holds(
				`"total":3,"refused":1,"queued":0,"processing":0,"completed":1,"failed":1,"removed":0,"credits":{"creditsToCharge":10,"creditsCharged":5},` +
					`"failures":[{"code":"EXTERNAL_SERVICE_ERROR","reason":"blocked","tasks":1}]}`)},
			{name: "a batch of another", path: batchesPath + "/<batch>", as: batchOp, key: listKey, status: 404, code: "RESOURCE_NOT_FOUND", check: holds(`"id":"`)},
			{name: "a batch of no id", path: batchesPath + "/1", as: batchOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"1"}`)},
			{name: "tasks of a batch", path: requestsPath + "?batch=<batch>&status=FAILED", as: "GET " + requestsPath, key: anyKey, status: 200, check: holds(`"reason":"blocked"}}}],"nextCursor":null}`)},
			{name: "tasks of a batch of another", path: requestsPath + "?batch=<batch>", as: "GET " + requestsPath, key: listKey, status: 200, check: says(`{"requests":[],"nextCursor":null}`)},
			{name: "tasks of no batch", path: requestsPath + "?batch=1", as: "GET " + requestsPath, key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("batch")},
			{name: "results as lines", path: batchesPath + "/<batch>/results", as: batchResultsOp, key: readKey, status: 200, media: "application/x-ndjson", check: holds("\n" + `{"index":1,"task":{`)},
			{name: "results as a table", path: batchesPath + "/<batch>/results?format=csv", as: batchResultsOp, key: anyKey, status: 200, media: "text/csv", check: holds("EXTERNAL_SERVICE_ERROR,blocked,")},
			{name: "results as a page", path: batchesPath + "/<batch>/results?format=html", as: batchResultsOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("format")},
			{name: "results of another", path: batchesPath + "/<batch>/results", as: batchResultsOp, key: listKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		},
	)
	for i := range rows {
		if rows[i].method == "" {
			rows[i].method = http.MethodGet
		}
	}
	return append(rows, []row{
		{name: "retry of a batch", method: "POST", path: batchesPath + "/<failed batch>/retry", as: retryBatchOp, key: tasksKey, status: 200, check: holds(`{"success":true,"queued":1,"results":[{"taskId":"`)},
		{name: "retry of no batch", method: "POST", path: noBatchRetry, as: retryBatchOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		{name: "retry of nothing while the node stops", on: "draining", method: "POST", path: noRequestRetry, as: retryRequestOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		{name: "retry of a task", method: "POST", path: requestsPath + "/<task to retry>/retry", as: retryRequestOp, key: anyKey, status: 200, check: holds(`{"success":true,"queued":true,"task":{`)},
		{name: "retry of a call", method: "POST", path: requestsPath + "/<failed call>/retry", as: retryRequestOp, key: tasksKey, status: 200, check: holds(`"idempotencyKey":null,`)},
		{name: "retry of what completed", method: "POST", path: requestsPath + "/<delivered>/retry", as: retryRequestOp, key: listKey, status: 409, code: "RESOURCE_CONFLICT", check: holds(`"status":"COMPLETED"`)},
		{name: "retry of what cannot be paid", method: "POST", path: requestsPath + "/<task of who has spent all>/retry", as: retryRequestOp, key: spentKey, status: 403, code: "INSUFFICIENT_CREDITS"},
		{name: "retry of nothing", method: "POST", path: noRequestRetry, as: retryRequestOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
	}...)
}
