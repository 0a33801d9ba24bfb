package service_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

func TestABatchKeepsItsOrderAndJudgesEachTaskAlone(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "one", 7)
	n.Hang(t, a) // so that nothing is charged meanwhile
	first := n.Submit(t, a, harness.ChatTask("first", harness.IdempotencyKey("k1")))
	batch := n.SubmitAll(t, a,
		harness.ChatTask("0"),
		`{"taskType":"CHATASSISTANT","payload":{"prompt":"1","country":"us","include":{"html":1}},"priority":0}`,
		harness.ChatTask("2", harness.IdempotencyKey("k1")),
		harness.ChatTask("3", harness.IdempotencyKey("k2")),
		harness.ChatTask("4", harness.IdempotencyKey("k2")),
		`{"taskType":"WEBSEARCH","payload":{"query":"5","country":"US","pages":4}}`, // costs 9
		`7`,
		`{"taskType":"CHATASSISTANT","taskType":"CHATASSISTANT","payload":{"prompt":"7","country":"US"}}`,
		harness.ChatTask("8", `"priority":10`),
	)
	if !batch.Success || batch.Summary != (earshot.BatchSummary{Total: 9, Succeeded: 3, Failed: 6}) {
		t.Errorf("the summary is %+v", batch.Summary)
	}
	want := map[int]struct {
		code   earshot.Code
		detail string
	}{
		1: {earshot.CodeValidation, `"field":"payload.country"`},
		2: {earshot.CodeAlreadyExists, `{"field":"idempotencyKey","value":"k1","taskId":"` + first.ID + `"}`},
		5: {earshot.CodeNoCredits, `{"required":9,"remaining":7,"held":5}`},
		6: {earshot.CodeValidation, `"field":"body"`},
		7: {earshot.CodeValidation, `"field":"taskType"`},
	}
	want[4] = want[2]
	if batch.Results[3].Task != nil {
		w := want[4]
		w.detail = `{"field":"idempotencyKey","value":"k2","taskId":"` + batch.Results[3].Task.ID + `"}`
		want[4] = w
	}
	for i, item := range batch.Results {
		w, fails := want[i]
		if item.Index != i || item.Success == fails || (item.Task == nil) != fails || (item.Credits == nil) != fails || item.Error.Code != w.code {
			t.Errorf("%d: %+v, want %+v", i, item, w)
		}
		if !strings.Contains(string(item.Error.Details), w.detail) {
			t.Errorf("%d: the details are %s, want %s", i, item.Error.Details, w.detail)
		}
		if !fails && !strings.Contains(string(item.Task.Payload), fmt.Sprintf(`"prompt":"%d"`, i)) {
			t.Errorf("%d: the task is %s", i, item.Task.Payload)
		}
	}
	for _, field := range []string{"priority", "payload.include.html"} {
		if !strings.Contains(string(batch.Results[1].Error.Details), `"field":"`+field+`"`) {
			t.Errorf("%s is not among %s", field, batch.Results[1].Error.Details)
		}
	}
	if queued := n.Queue(t, a).QueuedTasks; queued != 4 {
		t.Errorf("%d tasks are queued", queued)
	}
	storetest.Audited(t, n.Store)
}

func TestAnothersTaskIsNotFoundLikeOneThatIsNot(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, _ *harness.Node) {
		a, b := n.Organization(t, "many", 1000), n.Organization(t, "many", 1000)
		theirs := n.Submit(t, b, harness.ChatTask("theirs", `"webhook":{"url":"http://127.0.0.1:1/"}`)).ID
		n.Wait(t, b, theirs)
		for _, id := range []string{
			theirs, uuid.Must(uuid.NewV7()).String(), uuid.Nil.String(), uuid.NewString(), "1", "null", "task", strings.ReplaceAll(theirs, "-", ""),
			"{" + theirs + "}", "urn:uuid:" + theirs, theirs + "0", theirs[:35] + "g", "%00", "%ff", "%27%20OR%201=1", strings.Repeat("a", 3000),
		} {
			for _, c := range []struct{ method, path string }{
				{"GET", harness.TaskPath + "/" + id},
				{"DELETE", harness.TaskPath + "/" + id},
				{"GET", harness.DeliveriesPath + "/" + id},
				{"POST", harness.DeliveriesPath + "/" + id + "/resend"},
			} {
				r := n.Send(t, a, c.method, c.path, "")
				r.Fails(t, c.method+" "+c.path, http.StatusNotFound, earshot.CodeNotFound)
				if got := r.Failure(t); !strings.HasPrefix(got.Message, "there is no ") || !strings.HasPrefix(string(got.Details), `{"id":"`) {
					t.Errorf("%s %s: %s", c.method, c.path, r.Body)
				}
			}
		}
	}, func(cfg *app.Config) { cfg.AllowPrivateWebhooks = true })
}
