package tasks_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// failed checks that a task failed with a code and cost nothing.
func failed(t *testing.T, r earshot.TaskRecord, code earshot.Code) {
	t.Helper()
	var e earshot.Error
	if err := json.Unmarshal(r.Error, &e); err != nil || r.Task.Status != earshot.StatusFailed || e.Code != code ||
		r.Result != nil || r.Credits.CreditsCharged == nil || *r.Credits.CreditsCharged != 0 {
		t.Errorf("want a task that failed with %s: %+v %s", code, r.Task, r.Error)
	}
}

func TestABatchKeepsItsOrderAndJudgesEachTaskAlone(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "one", 7)
		n.Hang(t, a) // so that nothing is charged meanwhile
		first := n.Submit(t, a, harness.ChatTask("first", harness.IdempotencyKey("k1")))
		batch := other.SubmitAll(t, a,
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
	})
}

func TestABatchHasOneToFiveHundredTasks(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "one", 1000)
	n.Hang(t, a)
	many := func(count int) string { return "[" + strings.Repeat("{},", count-1) + "{}]" }
	for name, body := range map[string]string{
		"empty": `[]`, "an object": `{}`, "a task": harness.ChatTask("x"), "a word": `"x"`, "null": `null`, "nothing": ``, "cut off": `[{}`, "501 tasks": many(501),
	} {
		r := n.Post(t, a, harness.BatchPath, body)
		r.Invalid(t, name, http.StatusUnprocessableEntity, "body")
	}
	if queued := n.Queue(t, a).QueuedTasks; queued != 0 {
		t.Errorf("%d tasks are queued", queued)
	}
	if batch := n.SubmitAll(t, a, slices.Repeat([]string{harness.ChatTask("x")}, 500)...); batch.Summary.Succeeded != 500 {
		t.Errorf("of 500 tasks %d were queued", batch.Summary.Succeeded)
	}
}

func TestABatchThatDoesNotFitIsRefusedWhole(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "five", 1000)
		n.Hang(t, a)
		n.SubmitAll(t, a, harness.ChatTask("1"), harness.ChatTask("2"))
		refused := func(r *harness.Reply, want string) {
			t.Helper()
			r.FailsWith(t, "too many", http.StatusTooManyRequests, earshot.CodeQueueLimit, want)
		}
		refused(other.Post(t, a, harness.BatchPath, "["+strings.Repeat(harness.ChatTask("x")+",", 4)+"{}]"),
			`{"queuedCount":2,"batchSize":5,"maxQueueSize":5,"remainingCapacity":3}`)
		if status := n.Queue(t, a); status.QueuedTasks != 2 || status.Queue != (earshot.QueueRoom{Max: 5, Remaining: 3}) {
			t.Errorf("the queue is %+v", status)
		}
		// Only tasks that would be queued take room: neither faulty ones nor duplicates do.
		keyed := harness.ChatTask("3", harness.IdempotencyKey("k"))
		if batch := other.SubmitAll(t, a, keyed, harness.ChatTask("4"), "{}", keyed, harness.ChatTask("5")); batch.Summary.Succeeded != 3 {
			t.Errorf("what fits is refused: %+v", batch)
		}
		refused(n.Post(t, a, harness.TaskPath, harness.ChatTask("6")), `{"queuedCount":5,"batchSize":1,"maxQueueSize":5,"remainingCapacity":0}`)
		n.Post(t, a, harness.TaskPath, keyed).Fails(t, "a duplicate for a full queue", http.StatusConflict, earshot.CodeAlreadyExists)
		if batch := n.SubmitAll(t, a, keyed, "{}"); batch.Results[0].Error.Code != earshot.CodeAlreadyExists || batch.Results[1].Error.Code != earshot.CodeValidation {
			t.Errorf("a batch of which nothing would be queued: %+v", batch)
		}
	})
}

// A task whose credits are held by another, which ends uncharged, waits for it and is done.
func TestATaskWaitsForCreditsThatAnotherHolds(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 9)
		batch := n.SubmitAll(t, a, harness.ChatTask("hats [[status=503]]"), harness.ChatTask("hats"), harness.ChatTask("shoes"))
		want := []earshot.Status{earshot.StatusFailed, earshot.StatusCompleted, earshot.StatusFailed}
		for i, result := range batch.Results {
			if record := other.Wait(t, a, result.Task.ID); record.Task.Status != want[i] {
				t.Errorf("task %d is %s with %s, want %s", i, record.Task.Status, record.Error, want[i])
			}
		}
		n.Expect(t, a, "at the end", harness.State{Balance: 4})
	})
}

func TestOneOfManySubmissionsOfAKeyMakesTheTask(t *testing.T) {
	t.Parallel()
	keys := 1
	if os.Getenv("EARSHOT_SOAK_CYCLES") != "" {
		keys = 200
	}
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		tasks := map[string]bool{}
		for i := range keys {
			id := submitAtOnce(t, a, fmt.Sprint("one of many ", i), n, other)
			tasks[id] = true
			n.Wait(t, a, id)
		}
		if len(tasks) != keys {
			t.Errorf("%d keys have %d tasks", keys, len(tasks))
		}
		n.Expect(t, a, "at the end", harness.State{Balance: 1000 - 5*int64(keys)})
		t.Logf("%d keys, each submitted 64 times at once: %d tasks", keys, len(tasks))
	})
}

// submitAtOnce submits tasks with the same key to two nodes, 64 at once, and returns the id of the
// only task.
func submitAtOnce(t *testing.T, a *app.Account, key string, n, other *harness.Node) (id string) {
	t.Helper()
	replies := make([]*harness.Reply, 64)
	var group sync.WaitGroup
	for i := range replies {
		group.Go(func() {
			replies[i] = []*harness.Node{n, other}[i%2].Post(t, a, harness.TaskPath, harness.ChatTask(fmt.Sprint("race ", i), harness.IdempotencyKey(key)))
		})
	}
	group.Wait()
	statuses, ids := map[int]int{}, map[string]bool{}
	for _, r := range replies {
		statuses[r.StatusCode]++
		if r.StatusCode == http.StatusOK {
			var answer struct{ Task earshot.Task }
			r.Into(t, &answer)
			id = answer.Task.ID
			ids[id] = true
			continue
		}
		r.Fails(t, "a duplicate", http.StatusConflict, earshot.CodeAlreadyExists)
		var details earshot.DuplicateDetails
		if err := json.Unmarshal(r.Failure(t).Details, &details); err != nil {
			t.Fatal(err)
		}
		ids[details.TaskID] = true
	}
	if !maps.Equal(statuses, map[int]int{200: 1, 409: 63}) || len(ids) != 1 {
		t.Fatalf("the statuses are %v, the tasks %v", statuses, ids)
	}
	return id
}

func TestTasksStartByPriorityAndThenAge(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "one", 1000)
		leave := n.Hang(t, a)
		var want []earshot.Task
		for _, priority := range []int{1, 5, 10, 5, 1, 10} {
			want = append(want, n.Submit(t, a, harness.ChatTask("order", fmt.Sprintf(`"priority":%d`, priority))))
		}
		for _, item := range other.SubmitAll(t, a, harness.ChatTask("order", `"priority":5`), harness.ChatTask("order")).Results {
			want = append(want, *item.Task)
		}
		status := n.Queue(t, a)
		if breakdown := []earshot.PriorityCount{{Priority: 10, Count: 2}, {Priority: 5, Count: 3}, {Priority: 1, Count: 3}}; !slices.Equal(status.PriorityBreakdown, breakdown) {
			t.Errorf("the queue is %+v", status)
		}
		slices.SortStableFunc(want, func(a, b earshot.Task) int { return b.Priority - a.Priority })
		leave()
		for _, task := range want {
			n.Wait(t, a, task.ID)
		}
		// With one slot they end in the order in which they start.
		events, _ := n.Events(t, a, "", 100)
		for i, e := range events {
			if i >= len(want) || e.Task.ID != want[i].ID {
				t.Errorf("task %d to start was %+v of %+v", i, e.Task, want)
			}
		}
	})
}

func TestSlotsAreSharedByCallsAndTasks(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "one", 1000)
		leave := n.Hang(t, a)
		task := other.Submit(t, a, harness.ChatTask("waits [[delay=1s]]"))
		// Somebody else's task shows that the scheduler has had its turn since.
		b := n.Organization(t, "one", 1000)
		other.Wait(t, b, other.Submit(t, b, harness.ChatTask("passes")).ID)
		if got := n.Task(t, a, task.ID).Task; got.Status != earshot.StatusQueued || got.StartedAt != nil {
			t.Errorf("beside a call on the only slot the task is %+v", got)
		}
		if status := n.Queue(t, a); status.Concurrency != (earshot.Concurrency{Used: 1, Max: 1}) || status.ProcessingTasks != 0 || status.QueuedTasks != 1 {
			t.Errorf("the queue is %+v", status)
		}
		leave()
		harness.Eventually(t, "the task starts", func() bool { return n.Task(t, a, task.ID).Task.Status != earshot.StatusQueued })
		if status := n.Queue(t, a); status.ProcessingTasks == 1 {
			r := n.Post(t, a, harness.ChatPath, harness.GoodCall)
			if n.Task(t, a, task.ID).Task.Status == earshot.StatusProcessing { // it ran all the time
				r.Fails(t, "a call beside a task", http.StatusTooManyRequests, earshot.CodeConcurrencyLimit)
			}
		}
		if record := n.Wait(t, a, task.ID); record.Task.Status != earshot.StatusCompleted || record.Task.Attempts != 1 || *record.Credits.CreditsCharged != 5 {
			t.Errorf("the task ended as %+v %s", record.Task, record.Error)
		}
	})
}

func TestATaskThatCannotBePaidAtItsTurnFails(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "one", 9)
		leave := n.Hang(t, a)
		// Each is covered by the balance, but not both.
		first, second := n.Submit(t, a, harness.ChatTask("paid")), other.Submit(t, a, harness.ChatTask("unpaid"))
		leave()
		if record := n.Wait(t, a, first.ID); record.Task.Status != earshot.StatusCompleted {
			t.Errorf("the first is %+v %s", record.Task, record.Error)
		}
		record := n.Wait(t, a, second.ID)
		failed(t, record, earshot.CodeNoCredits)
		if record.Task.StartedAt != nil || record.Task.LatencyMs != nil || record.Task.Attempts != 0 || !strings.Contains(string(record.Error), `"details":{"required":5,"remaining":4,"held":0}`) {
			t.Errorf("the second is %+v %s", record.Task, record.Error)
		}
		n.Expect(t, a, "at the end", harness.State{Balance: 4})
	})
}

func TestClearingRemovesWhatIsQueuedAndFreesItsKeys(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, b := n.Organization(t, "one", 1000), n.Organization(t, "one", 1000)
		done := n.Submit(t, a, harness.ChatTask("done", harness.IdempotencyKey("done")))
		n.Wait(t, a, done.ID)
		leaveA := n.Hang(t, a)
		n.Hang(t, b)
		kept := n.Submit(t, b, harness.ChatTask("kept", harness.IdempotencyKey("k1")))
		batch := n.SubmitAll(t, a, harness.ChatTask("1", harness.IdempotencyKey("k1")), harness.ChatTask("2"), harness.ChatTask("3", harness.IdempotencyKey("k3")))
		if r := other.Send(t, a, http.MethodDelete, harness.QueuePath, ""); string(r.Body) != `{"success":true,"cleared":3}` {
			t.Errorf("%d %s", r.StatusCode, r.Body)
		}
		if r := n.Send(t, a, http.MethodDelete, harness.QueuePath, ""); string(r.Body) != `{"success":true,"cleared":0}` {
			t.Errorf("again: %d %s", r.StatusCode, r.Body)
		}
		for _, item := range batch.Results {
			n.Get(t, a, harness.TaskPath+"/"+item.Task.ID).Fails(t, "a task that was cleared", http.StatusNotFound, earshot.CodeNotFound)
		}
		if got := n.Task(t, b, kept.ID).Task.Status; got != earshot.StatusQueued {
			t.Errorf("another's task is %s", got)
		}
		if got := n.Task(t, a, done.ID).Task.Status; got != earshot.StatusCompleted {
			t.Errorf("the completed task is %s", got)
		}
		n.Expect(t, a, "beside a call", harness.State{Balance: 995, Held: 5, Running: 1})
		again := n.Submit(t, a, harness.ChatTask("again", harness.IdempotencyKey("k1")))
		n.Post(t, a, harness.TaskPath, harness.ChatTask("done", harness.IdempotencyKey("done"))).Fails(t, "the key of a completed task", http.StatusConflict, earshot.CodeAlreadyExists)
		leaveA()
		// One that runs is left alone.
		n.Wait(t, a, again.ID)
		running := n.Submit(t, a, harness.ChatTask("runs [[delay=1s]]"))
		harness.Eventually(t, "the task starts", func() bool { return n.Task(t, a, running.ID).Task.Status != earshot.StatusQueued })
		if r := n.Send(t, a, http.MethodDelete, harness.QueuePath, ""); string(r.Body) != `{"success":true,"cleared":0}` {
			t.Errorf("beside a running task: %s", r.Body)
		}
		if record := n.Wait(t, a, running.ID); record.Task.Status != earshot.StatusCompleted {
			t.Errorf("the running task ended as %+v", record.Task)
		}
	})
}

func TestAQueuedTaskCanBeCanceled(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, b := n.Organization(t, "one", 1000), n.Organization(t, "one", 1000)
		leave := n.Hang(t, a)
		task := n.Submit(t, a, harness.ChatTask("canceled", harness.IdempotencyKey("k"), `"priority":10`))
		running := n.Submit(t, a, harness.ChatTask("runs "+harness.Endless, `"priority":10`))
		// An id is the same in either case.
		if r := other.Send(t, a, http.MethodDelete, harness.TaskPath+"/"+strings.ToUpper(task.ID), ""); string(r.Body) != `{"success":true,"id":"`+task.ID+`"}` {
			t.Errorf("%d %s", r.StatusCode, r.Body)
		}
		for _, method := range []string{http.MethodDelete, http.MethodGet} {
			n.Send(t, a, method, harness.TaskPath+"/"+task.ID, "").Fails(t, method+" once more", http.StatusNotFound, earshot.CodeNotFound)
		}
		again := n.Submit(t, a, harness.ChatTask("again", harness.IdempotencyKey("k")))
		leave()
		refused := func(a *app.Account, id string, status earshot.Status) {
			t.Helper()
			r := n.Send(t, a, http.MethodDelete, harness.TaskPath+"/"+id, "")
			r.FailsWith(t, "a task that is no longer queued", http.StatusConflict, earshot.CodeConflict, fmt.Sprintf(`{"id":%q,"status":%q}`, id, status))
		}
		harness.Eventually(t, "the task runs", func() bool { return n.Task(t, a, running.ID).Task.Status == earshot.StatusProcessing })
		refused(a, running.ID, earshot.StatusProcessing)
		if got := n.Task(t, a, again.ID).Task.Status; got != earshot.StatusQueued {
			t.Errorf("the task behind it is %s", got)
		}
		done, lost := n.Submit(t, b, harness.ChatTask("done")).ID, n.Submit(t, b, harness.ChatTask("lost [[block]]")).ID
		n.Wait(t, b, done)
		refused(b, done, earshot.StatusCompleted)
		n.Wait(t, b, lost)
		refused(b, lost, earshot.StatusFailed)
		n.Expect(t, a, "at the end", harness.State{Balance: 1000, Held: 5, Running: 1, Queued: 1})
	}, func(cfg *app.Config) { cfg.StopGrace = time.Millisecond }) // one task never ends
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

func TestAFailedTaskCostsNothing(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		retried, blocked := n.Submit(t, a, harness.ChatTask("tents [[fail=2]]")), n.Submit(t, a, harness.ChatTask("tents [[block]]"))
		record := other.Wait(t, a, retried.ID)
		if record.Task.Status != earshot.StatusCompleted || record.Task.Attempts != 3 || *record.Credits.CreditsCharged != 5 || record.Webhook != nil {
			t.Errorf("the task that was tried again is %+v %s", record.Task, record.Error)
		}
		record = other.Wait(t, a, blocked.ID)
		failed(t, record, earshot.CodeUpstream)
		if record.Task.Attempts != 5 || !strings.Contains(string(record.Error), `{"service":"chatassistant","reason":"blocked"}`) {
			t.Errorf("the blocked task is %+v %s", record.Task, record.Error)
		}
		n.Expect(t, a, "at the end", harness.State{Balance: 995})
	})
}

func TestTheKeyOfATaskIsFreeWhenTheTaskIsNoLongerKept(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, _ *harness.Node) {
		a := n.Organization(t, "many", 1000)
		task := n.Submit(t, a, harness.ChatTask("old", harness.IdempotencyKey("k")))
		n.Wait(t, a, task.ID)
		n.Post(t, a, harness.TaskPath, harness.ChatTask("new", harness.IdempotencyKey("k"))).Fails(t, "while it is kept", http.StatusConflict, earshot.CodeAlreadyExists)
		// What tidying does when the retention has passed.
		later := time.Now().Add(time.Second)
		if dropped, err := n.Store.DeleteFinished(t.Context(), later, later); err != nil || dropped != 1 {
			t.Fatalf("%d tasks were dropped: %v", dropped, err)
		}
		n.Get(t, a, harness.TaskPath+"/"+task.ID).Fails(t, "a task that is no longer kept", http.StatusNotFound, earshot.CodeNotFound)
		n.Wait(t, a, n.Submit(t, a, harness.ChatTask("new", harness.IdempotencyKey("k"))).ID)
		n.Expect(t, a, "at the end", harness.State{Balance: 990})
	})
}
