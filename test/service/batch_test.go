package service_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// batchOf reads how a batch stands once all of its tasks have ended.
func batchOf(t *testing.T, n *harness.Node, a *app.Account, id string) (b earshot.BatchRecord) {
	t.Helper()
	harness.Eventually(t, "the batch ends", func() bool {
		b = earshot.BatchRecord{}
		n.Get(t, a, "/v1/batches/"+id).Has(t, id, http.StatusOK).Into(t, &b)
		return b.Queued+b.Processing == 0
	})
	return b
}

// TestABatchIsFollowedRetriedAndDownloaded retries what failed many times at once: each failure is
// queued anew once.
func TestABatchIsFollowedRetriedAndDownloaded(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 1000)
	tasks := []string{
		harness.ChatTask("=cmd() hats", harness.IdempotencyKey("one")), harness.ChatTask("hats [[block]]", harness.IdempotencyKey("two")),
		`{"taskType":"WEBSEARCH","payload":{"query":"hats [[status=503]]","country":"US"}}`, `{"taskType":"NOBODY"}`,
	}
	submitted := n.SubmitAll(t, a, tasks...)
	id := submitted.BatchID
	b := batchOf(t, n, a, id)
	if b.Total != 4 || b.Refused != 1 || b.Completed != 1 || b.Failed != 2 || b.Removed != 0 || len(b.Failures) != 2 ||
		b.Credits != (earshot.BatchCredits{CreditsToCharge: 13, CreditsCharged: 5}) {
		t.Errorf("it stands %+v", b)
	}

	var group sync.WaitGroup
	answers := make([]earshot.BatchRetried, 6)
	for i := range answers {
		group.Go(func() {
			n.Post(t, a, "/v1/batches/"+id+"/retry", "").Has(t, "a retry", http.StatusOK).Into(t, &answers[i])
		})
	}
	group.Wait()
	b = batchOf(t, n, a, id)
	var records struct{ Requests []earshot.RequestRecord }
	n.Get(t, a, "/v1/requests?limit=100").Into(t, &records)
	queued := 0
	for _, answer := range answers {
		queued += answer.Queued
	}
	// What failed anew may have been queued by a retry that came late.
	if queued < 2 || len(records.Requests) != 3+queued || b.Completed != 1 || b.Failed != 2 {
		t.Errorf("%d were queued anew, there are %d tasks, and it stands %+v", queued, len(records.Requests), b)
	}
	n.Get(t, a, "/v1/requests?batch="+id+"&status=FAILED").Into(t, &records)
	if len(records.Requests) != 2 {
		t.Errorf("the batch has %d failed tasks", len(records.Requests))
	}
	if again := n.SubmitAll(t, a, tasks[:2]...); again.BatchID != id || again.Summary.Failed != 2 {
		t.Errorf("sent again it is %+v", again)
	}
	checkLines(t, n, a, id)
	checkTable(t, n, a, id)
	n.Expect(t, a, "at the end", harness.State{Balance: 995})
	storetest.Audited(t, n.Store)
}

func checkLines(t *testing.T, n *harness.Node, a *app.Account, id string) {
	t.Helper()
	index := 0
	for line := range strings.Lines(string(n.Get(t, a, "/v1/batches/"+id+"/results").Has(t, "lines", http.StatusOK).Body)) {
		var result earshot.BatchResult
		if err := json.Unmarshal([]byte(line), &result); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if completed := index == 0; result.Index != index || (result.Result != nil) != completed || (result.Error == nil) != completed {
			t.Errorf("line %d is %.300s", index, line)
		}
		index++
	}
	if index != 3 {
		t.Errorf("there are %d lines", index)
	}
}

func checkTable(t *testing.T, n *harness.Node, a *app.Account, id string) {
	t.Helper()
	r := n.Get(t, a, "/v1/batches/"+id+"/results?format=csv").Has(t, "a table", http.StatusOK)
	rows, err := csv.NewReader(strings.NewReader(string(r.Body))).ReadAll()
	if err != nil || len(rows) != 4 || r.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Fatalf("%v: %d rows, %v", err, len(rows), r.Header)
	}
	cell := func(row int, column string) string {
		for i, name := range rows[0] {
			if name == column {
				return rows[row][i]
			}
		}
		t.Fatalf("there is no column %s", column)
		return ""
	}
	if cell(1, "question") != "'=cmd() hats" || cell(1, "creditsCharged") != "5" || cell(1, "text") == "" || cell(1, "errorCode") != "" ||
		!strings.HasPrefix(cell(1, "result"), `{"`) || !strings.HasSuffix(cell(1, "finishedAt"), "Z") {
		t.Errorf("the first row is %.300q", rows[1])
	}
	if cell(2, "errorReason") != "blocked" || cell(2, "status") != "FAILED" || cell(3, "provider") != "websearch" || cell(3, "result") != "" {
		t.Errorf("the others are %q", rows[2:])
	}
}

func TestOneRequestIsRetriedOnce(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 1000)
	call := n.Post(t, a, harness.ChatPath, `{"prompt":"hats [[block]]","country":"US"}`)
	call.Fails(t, "a call", http.StatusBadGateway, earshot.CodeUpstream)
	blocker := n.Organization(t, "one", 1000)
	failed := n.Submit(t, blocker, harness.ChatTask("hats [[block]]", harness.IdempotencyKey("mine"))).ID
	n.Wait(t, blocker, failed)
	n.Hang(t, blocker) // what is queued stays so
	retry := func(n *harness.Node, a *app.Account, id string) (retried earshot.RequestRetried) {
		n.Post(t, a, "/v1/requests/"+id+"/retry", "").Has(t, id, http.StatusOK).Into(t, &retried)
		return retried
	}
	first, second := retry(n, blocker, failed), retry(n, blocker, failed)
	if !first.Queued || second.Queued || first.Task.ID != second.Task.ID || *first.Task.IdempotencyKey != "mine" {
		t.Errorf("retried twice it is %+v and %+v", first, second)
	}
	n.Post(t, blocker, "/v1/requests/"+first.Task.ID+"/retry", "").
		FailsWith(t, "what waits", http.StatusConflict, earshot.CodeConflict, `{"id":"`+first.Task.ID+`","status":"QUEUED"}`)
	n.Send(t, blocker, http.MethodDelete, harness.QueuePath, "").Has(t, "clear", http.StatusOK)
	if third := retry(n, blocker, failed); !third.Queued || third.Task.ID == first.Task.ID {
		t.Errorf("when it was removed, it is %+v", third)
	}
	task := retry(n, a, call.Header.Get("X-Request-Id"))
	if !task.Queued || task.Task.IdempotencyKey != nil {
		t.Errorf("a call that failed is %+v", task)
	}
	n.Wait(t, a, task.Task.ID)
	if again := retry(n, a, call.Header.Get("X-Request-Id")); !again.Queued || again.Task.ID == task.Task.ID {
		t.Errorf("when its task failed, it is %+v", again)
	}
	storetest.Audited(t, n.Store)
}
