package contract_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/test/harness"
)

const (
	requestsPath = "/v1/requests"
	requestOp    = "GET /v1/requests/{id}"
)

// makeCalls makes a call with a key to every provider, and one that fails.
func makeCalls(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	send := func(provider, key, body string) string {
		r := n.SendWith(t, s.accounts[anyKey], http.MethodPost, "/v1/monitor/"+provider, body, map[string]string{"Idempotency-Key": key})
		return r.Header.Get("X-Request-Id")
	}
	for _, a := range providers {
		s.things["<call of "+a.name+">"] = send(a.name, "key of "+a.name, with(a.plain, "best hats"))
	}
	s.things["<failed call>"] = send("websearch", "failed", `{"query":"hats [[block]]","country":"US"}`)
	s.things["<CALL>"] = strings.ToUpper(s.things["<call of chatassistant>"])
	for record, err := range n.Client(s.accounts[waitKey]).Requests(t.Context(), earshot.RequestQuery{Mode: earshot.ModeSync}) {
		if err != nil {
			t.Fatal(err)
		}
		s.things["<running call>"] = record.ID
	}
}

func requestRows() []row {
	rows := slices.Concat(
		commonRows("requests", "GET "+requestsPath, "", "", account.ScopeRead),
		commonRows("request", requestOp, requestsPath+"/"+harness.NoTask, "", account.ScopeRead), []row{
			{name: "requests", path: requestsPath + "?limit=100", key: listKey, status: 200, check: holds(`"mode":"async"`)},
			{name: "requests of nobody", path: requestsPath, key: brokeKey, status: 200, check: says(`{"requests":[],"nextCursor":null}`)},
			{name: "requests that wait", path: requestsPath + "?status=QUEUED", key: busyKey, status: 200, check: holds(`"startedAt":null,"finishedAt":null,"latencyMs":null,"attempts":0,"credits":{"creditsToCharge":5,"creditsCharged":null}}],`)},
			{
				name: "requests by every filter", path: requestsPath + "?mode=sync&status=FAILED&provider=websearch&country=US&q=HATS&from=2026-01-01&to=2999-12-31T23:59:59%2B02:00&errorReason=blocked&limit=1&cursor=ffffffff-ffff-7fff-bfff-ffffffffffff",
				key: readKey, status: 200, check: holds(`"details":{"service":"websearch","reason":"blocked"}}}`),
			},
			{name: "requests while the node stops", on: "draining", path: requestsPath, key: anyKey, status: 200},
			{name: "requests that cannot be read", on: "jobless", path: requestsPath, key: anyKey, status: 500, code: "INTERNAL_SERVER_ERROR"},
			{name: "request that cannot be read", on: "jobless", path: requestsPath + "/" + harness.NoTask, as: requestOp, key: anyKey, status: 500, code: "INTERNAL_SERVER_ERROR"},
			{name: "requests of no mode", path: requestsPath + "?mode=both", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("mode")},
			{name: "requests of many mistakes", path: requestsPath + "?status=DONE&errorReason=bad&limit=0&from=yesterday&to=2026-02-30T", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("errorReason", "from", "limit", "status", "to")},
			{name: "requests of no provider", path: requestsPath + "?provider=CHATASSISTANT", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("provider")},
			{name: "requests of no country", path: requestsPath + "?country=us", key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("country")},
			{name: "requests of no time", path: requestsPath + "?from=2026-02-30", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("from")},
			{name: "requests backwards", path: requestsPath + "?from=2026-01-02&to=2026-01-01", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("to")},
			{name: "requests of a long text", path: requestsPath + "?q=" + strings.Repeat("q", 1001), key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("q")},
			{name: "requests from nowhere", path: requestsPath + "?cursor=nowhere", key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("cursor")},

			{name: "request that failed", path: requestsPath + "/<failed call>", as: requestOp, key: anyKey, status: 200, check: holds(`"creditsCharged":0},"error":{"code":"EXTERNAL_SERVICE_ERROR",`)},
			{name: "request that runs", path: requestsPath + "/<running call>", as: requestOp, key: waitKey, status: 200, check: holds(`"idempotencyKey":"running",`)},
			{name: "request of a task", path: requestsPath + "/<delivered>", as: requestOp, key: listKey, status: 200, check: holds(`"mode":"async","provider":"chatassistant","status":"COMPLETED"`)},
			{name: "request of a task that could not be paid", path: requestsPath + "/<unpaid>", as: requestOp, key: unpaidKey, status: 200, check: holds(`"startedAt":null`)},
			{name: "request for the brands of nobody", path: requestsPath + "/<call of chatassistant>?brandsOf=nobody", as: requestOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"nobody"}`)},
			{name: "request for the brands of no name", path: requestsPath + "/<call of chatassistant>?brandsOf=%20", as: requestOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("brandsOf")},
			{name: "requests alone", path: requestsPath + "?alone=true&mode=sync", key: anyKey, status: 200, check: holds(`"mode":"sync"`)},
			{name: "request in capitals", path: requestsPath + "/<CALL>", as: requestOp, key: anyKey, status: 200, check: holds(`"provider":"chatassistant"`)},
			{name: "request of nothing", path: requestsPath + "/" + harness.NoTask, as: requestOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + harness.NoTask + `"}`)},
			{name: "request of another", path: requestsPath + "/<failed call>", as: requestOp, key: listKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "request of no id", path: requestsPath + "/1", as: requestOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"1"}`)},
		},
	)
	for _, a := range providers {
		rows = append(rows, row{
			name: "request to " + a.name, path: requestsPath + "/<call of " + a.name + ">", as: requestOp, key: anyKey, status: 200,
			check: holds(`"mode":"sync","provider":"` + a.name + `","status":"COMPLETED"`),
		})
	}
	for i := range rows {
		rows[i].method = http.MethodGet
	}
	return append(rows, row{
		name: "a call whose key runs", method: http.MethodPost, path: harness.ChatPath, key: waitKey, header: map[string]string{"Idempotency-Key": "running"},
		body: harness.EndlessCall, status: 409, code: "RESOURCE_CONFLICT", check: holds(`"status":"PROCESSING","requestId":"`),
	})
}
