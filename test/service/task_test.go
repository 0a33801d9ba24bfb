package service_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
)

// plans have limits that make what is tested small; nobody meets their rate.
var plans = app.Settings{Plans: account.Plans{
	{Name: "one", Slots: 1, CreditsPerCycle: 1000, RequestsPerSecond: 100_000, QueueCapacity: 1000},
	{Name: "many", Slots: 100, CreditsPerCycle: 1000, RequestsPerSecond: 100_000, QueueCapacity: 1000},
	{Name: "five", Slots: 1, CreditsPerCycle: 1000, RequestsPerSecond: 100_000, QueueCapacity: 5},
}}

// onTwo runs the test on each database: with a node, and with another that shares
// the work where the database can be shared.
func onTwo(t *testing.T, test func(t *testing.T, n, other *node), change ...func(*app.Config)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, address string) {
		n := start(t, address, change...)
		other := n
		if store.Shared(address) {
			other = start(t, address, change...)
		}
		test(t, n, other)
		storetest.Audited(t, n.store)
	})
}

// chatTask is the text of a task, with more fields where given.
func chatTask(prompt string, more ...string) string {
	return fmt.Sprintf(`{"taskType":"CHATASSISTANT","payload":{"prompt":%q,"country":"US"}%s}`, prompt, strings.Join(append([]string{""}, more...), ","))
}

func idempotencyKey(key string) string { return fmt.Sprintf(`"idempotencyKey":%q`, key) }

// submit queues a task.
func (n *node) submit(t *testing.T, a *app.Account, body string) earshot.Task {
	t.Helper()
	var answer struct {
		Success bool
		Task    earshot.Task
	}
	n.post(t, a, taskPath, body).into(t, &answer)
	if !answer.Success || answer.Task.Status != earshot.StatusQueued {
		t.Errorf("submitted: %+v", answer)
	}
	return answer.Task
}

// batchReply is the answer to a batch.
type batchReply struct {
	Success bool
	Summary earshot.BatchSummary
	Results []struct {
		Index   int
		Success bool
		Task    *earshot.Task
		Credits *earshot.TaskCredits
		Error   struct {
			Code    earshot.Code
			Details json.RawMessage
		}
	}
}

// submitAll queues tasks as a batch.
func (n *node) submitAll(t *testing.T, a *app.Account, tasks ...string) *batchReply {
	t.Helper()
	answer := &batchReply{}
	n.post(t, a, batchPath, "["+strings.Join(tasks, ",")+"]").into(t, answer)
	if answer.Summary.Total != len(tasks) || len(answer.Results) != len(tasks) || answer.Summary.Succeeded+answer.Summary.Failed != len(tasks) {
		t.Errorf("a batch of %d: %+v", len(tasks), answer)
	}
	return answer
}

// task polls a task.
func (n *node) task(t *testing.T, a *app.Account, id string) earshot.TaskRecord {
	t.Helper()
	var record earshot.TaskRecord
	n.get(t, a, taskPath+"/"+id).into(t, &record)
	return record
}

// ended polls a task until it has ended.
func (n *node) ended(t *testing.T, a *app.Account, id string) (record earshot.TaskRecord) {
	t.Helper()
	eventually(t, "the task ends", func() bool {
		record = n.task(t, a, id)
		return record.Task.FinishedAt != nil
	})
	return record
}

// queue reads the queue's status.
func (n *node) queue(t *testing.T, a *app.Account) earshot.QueueStatus {
	t.Helper()
	var status earshot.QueueStatus
	n.get(t, a, statusPath).into(t, &status)
	return status
}

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
	onTwo(t, func(t *testing.T, n, other *node) {
		a := n.plan(t, plans, "one", 7)
		n.hang(t, a) // so that nothing is charged meanwhile
		first := n.submit(t, a, chatTask("first", idempotencyKey("k1")))
		batch := other.submitAll(t, a,
			chatTask("0"),
			`{"taskType":"CHATASSISTANT","payload":{"prompt":"1","country":"us","include":{"html":1}},"priority":0}`,
			chatTask("2", idempotencyKey("k1")),
			chatTask("3", idempotencyKey("k2")),
			chatTask("4", idempotencyKey("k2")),
			`{"taskType":"WEBSEARCH","payload":{"query":"5","country":"US","pages":4}}`, // costs 9
			`7`,
			`{"taskType":"CHATASSISTANT","taskType":"CHATASSISTANT","payload":{"prompt":"7","country":"US"}}`,
			chatTask("8", `"priority":10`),
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
			5: {earshot.CodeNoCredits, `{"required":9,"remaining":7}`},
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
		if queued := n.queue(t, a).QueuedTasks; queued != 4 {
			t.Errorf("%d tasks are queued", queued)
		}
	})
}

func TestABatchHasOneToFiveHundredTasks(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.plan(t, plans, "one", 1000)
	n.hang(t, a)
	many := func(count int) string { return "[" + strings.Repeat("{},", count-1) + "{}]" }
	for name, body := range map[string]string{
		"empty": `[]`, "an object": `{}`, "a task": chatTask("x"), "a word": `"x"`, "null": `null`, "nothing": ``, "cut off": `[{}`, "501 tasks": many(501),
	} {
		r := n.post(t, a, batchPath, body)
		r.fails(t, name, http.StatusUnprocessableEntity, earshot.CodeValidation)
		if r.StatusCode == http.StatusUnprocessableEntity && !slices.Equal(r.fields(t), []string{"body"}) {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	if queued := n.queue(t, a).QueuedTasks; queued != 0 {
		t.Errorf("%d tasks are queued", queued)
	}
	if batch := n.submitAll(t, a, slices.Repeat([]string{chatTask("x")}, 500)...); batch.Summary.Succeeded != 500 {
		t.Errorf("of 500 tasks %d were queued", batch.Summary.Succeeded)
	}
}

func TestABatchThatDoesNotFitIsRefusedWhole(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a := n.plan(t, plans, "five", 1000)
		n.hang(t, a)
		n.submitAll(t, a, chatTask("1"), chatTask("2"))
		refused := func(r *reply, want string) {
			t.Helper()
			r.fails(t, "too many", http.StatusTooManyRequests, earshot.CodeQueueLimit)
			if got := string(r.failure(t).Details); got != want {
				t.Errorf("the details are %s, want %s", got, want)
			}
		}
		// Faulty tasks count as well: the batch is refused before they are looked at.
		refused(other.post(t, a, batchPath, "["+strings.Repeat(chatTask("x", idempotencyKey("k"))+",", 3)+"{}]"),
			`{"queuedCount":2,"batchSize":4,"maxQueueSize":5,"remainingCapacity":3}`)
		if status := n.queue(t, a); status.QueuedTasks != 2 || status.Queue != (earshot.QueueRoom{Max: 5, Remaining: 3}) {
			t.Errorf("the queue is %+v", status)
		}
		if batch := other.submitAll(t, a, chatTask("3", idempotencyKey("k")), chatTask("4"), chatTask("5")); batch.Summary.Succeeded != 3 {
			t.Errorf("what fits is refused: %+v", batch)
		}
		refused(n.post(t, a, taskPath, chatTask("6")), `{"queuedCount":5,"batchSize":1,"maxQueueSize":5,"remainingCapacity":0}`)
		refused(n.post(t, a, taskPath, chatTask("6", idempotencyKey("k"))), `{"queuedCount":5,"batchSize":1,"maxQueueSize":5,"remainingCapacity":0}`)
	})
}

func TestOneOfManySubmissionsOfAKeyMakesTheTask(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a := n.plan(t, plans, "many", 1000)
		replies := make([]*reply, 64)
		var group sync.WaitGroup
		for i := range replies {
			group.Go(func() {
				replies[i] = []*node{n, other}[i%2].post(t, a, taskPath, chatTask(fmt.Sprint("race ", i), idempotencyKey("one of many")))
			})
		}
		group.Wait()
		statuses, ids := map[int]int{}, map[string]bool{}
		for _, r := range replies {
			statuses[r.StatusCode]++
			if r.StatusCode == http.StatusOK {
				var answer struct{ Task earshot.Task }
				r.into(t, &answer)
				ids[answer.Task.ID] = true
				continue
			}
			r.fails(t, "a duplicate", http.StatusConflict, earshot.CodeAlreadyExists)
			var details earshot.DuplicateDetails
			if err := json.Unmarshal(r.failure(t).Details, &details); err != nil {
				t.Fatal(err)
			}
			ids[details.TaskID] = true
		}
		if !maps.Equal(statuses, map[int]int{200: 1, 409: 63}) || len(ids) != 1 {
			t.Errorf("the statuses are %v, the tasks %v", statuses, ids)
		}
		for id := range ids {
			n.ended(t, a, id)
		}
	})
}

func TestTasksStartByPriorityAndThenAge(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a := n.plan(t, plans, "one", 1000)
		leave := n.hang(t, a)
		var want []earshot.Task
		for _, priority := range []int{1, 5, 10, 5, 1, 10} {
			want = append(want, n.submit(t, a, chatTask("order", fmt.Sprintf(`"priority":%d`, priority))))
		}
		for _, item := range other.submitAll(t, a, chatTask("order", `"priority":5`), chatTask("order")).Results {
			want = append(want, *item.Task)
		}
		status := n.queue(t, a)
		if breakdown := []earshot.PriorityCount{{Priority: 10, Count: 2}, {Priority: 5, Count: 3}, {Priority: 1, Count: 3}}; !slices.Equal(status.PriorityBreakdown, breakdown) {
			t.Errorf("the queue is %+v", status)
		}
		slices.SortStableFunc(want, func(a, b earshot.Task) int { return b.Priority - a.Priority })
		leave()
		for _, task := range want {
			n.ended(t, a, task.ID)
		}
		// With one slot they end in the order in which they start.
		events, _ := n.follow(t, a, "", 100)
		for i, e := range events {
			if i >= len(want) || e.Task.ID != want[i].ID {
				t.Errorf("task %d to start was %+v of %+v", i, e.Task, want)
			}
		}
	})
}

func TestSlotsAreSharedByCallsAndTasks(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a := n.plan(t, plans, "one", 1000)
		leave := n.hang(t, a)
		task := other.submit(t, a, chatTask("waits [[delay=1s]]"))
		// Somebody else's task shows that the scheduler has had its turn since.
		b := n.plan(t, plans, "one", 1000)
		other.ended(t, b, other.submit(t, b, chatTask("passes")).ID)
		if got := n.task(t, a, task.ID).Task; got.Status != earshot.StatusQueued || got.StartedAt != nil {
			t.Errorf("beside a call on the only slot the task is %+v", got)
		}
		if status := n.queue(t, a); status.Concurrency != (earshot.Concurrency{Used: 1, Max: 1}) || status.ProcessingTasks != 0 || status.QueuedTasks != 1 {
			t.Errorf("the queue is %+v", status)
		}
		leave()
		eventually(t, "the task starts", func() bool { return n.task(t, a, task.ID).Task.Status != earshot.StatusQueued })
		if status := n.queue(t, a); status.ProcessingTasks == 1 {
			r := n.post(t, a, chat, good)
			if n.task(t, a, task.ID).Task.Status == earshot.StatusProcessing { // it ran all the time
				r.fails(t, "a call beside a task", http.StatusTooManyRequests, earshot.CodeConcurrencyLimit)
			}
		}
		if record := n.ended(t, a, task.ID); record.Task.Status != earshot.StatusCompleted || record.Task.Attempts != 1 || *record.Credits.CreditsCharged != 5 {
			t.Errorf("the task ended as %+v %s", record.Task, record.Error)
		}
	})
}

func TestATaskThatCannotBePaidAtItsTurnFails(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a := n.plan(t, plans, "one", 9)
		leave := n.hang(t, a)
		// Each is covered by the balance, but not both.
		first, second := n.submit(t, a, chatTask("paid")), other.submit(t, a, chatTask("unpaid"))
		leave()
		if record := n.ended(t, a, first.ID); record.Task.Status != earshot.StatusCompleted {
			t.Errorf("the first is %+v %s", record.Task, record.Error)
		}
		record := n.ended(t, a, second.ID)
		failed(t, record, earshot.CodeNoCredits)
		if record.Task.StartedAt != nil || record.Task.LatencyMs != nil || record.Task.Attempts != 0 || !strings.Contains(string(record.Error), `"details":{"required":5,"remaining":4}`) {
			t.Errorf("the second is %+v %s", record.Task, record.Error)
		}
		if left := n.standing(t, a); left.Balance != 4 || left.Held != 0 || left.Running != 0 || left.Queued != 0 {
			t.Errorf("left is %+v", left)
		}
	})
}

func TestClearingRemovesWhatIsQueuedAndFreesItsKeys(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a, b := n.plan(t, plans, "one", 1000), n.plan(t, plans, "one", 1000)
		done := n.submit(t, a, chatTask("done", idempotencyKey("done")))
		n.ended(t, a, done.ID)
		leaveA := n.hang(t, a)
		n.hang(t, b)
		kept := n.submit(t, b, chatTask("kept", idempotencyKey("k1")))
		batch := n.submitAll(t, a, chatTask("1", idempotencyKey("k1")), chatTask("2"), chatTask("3", idempotencyKey("k3")))
		if r := other.send(t, a, http.MethodDelete, queuePath, ""); string(r.body) != `{"success":true,"cleared":3}` {
			t.Errorf("%d %s", r.StatusCode, r.body)
		}
		if r := n.send(t, a, http.MethodDelete, queuePath, ""); string(r.body) != `{"success":true,"cleared":0}` {
			t.Errorf("again: %d %s", r.StatusCode, r.body)
		}
		for _, item := range batch.Results {
			n.get(t, a, taskPath+"/"+item.Task.ID).fails(t, "a task that was cleared", http.StatusNotFound, earshot.CodeNotFound)
		}
		if got := n.task(t, b, kept.ID).Task.Status; got != earshot.StatusQueued {
			t.Errorf("another's task is %s", got)
		}
		if got := n.task(t, a, done.ID).Task.Status; got != earshot.StatusCompleted {
			t.Errorf("the completed task is %s", got)
		}
		if left := n.standing(t, a); left.Balance != 995 || left.Queued != 0 {
			t.Errorf("left is %+v", left)
		}
		again := n.submit(t, a, chatTask("again", idempotencyKey("k1")))
		n.post(t, a, taskPath, chatTask("done", idempotencyKey("done"))).fails(t, "the key of a completed task", http.StatusConflict, earshot.CodeAlreadyExists)
		leaveA()
		// One that runs is left alone.
		n.ended(t, a, again.ID)
		running := n.submit(t, a, chatTask("runs [[delay=1s]]"))
		eventually(t, "the task starts", func() bool { return n.task(t, a, running.ID).Task.Status != earshot.StatusQueued })
		if r := n.send(t, a, http.MethodDelete, queuePath, ""); string(r.body) != `{"success":true,"cleared":0}` {
			t.Errorf("beside a running task: %s", r.body)
		}
		if record := n.ended(t, a, running.ID); record.Task.Status != earshot.StatusCompleted {
			t.Errorf("the running task ended as %+v", record.Task)
		}
	})
}

func TestAQueuedTaskCanBeCanceled(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a, b := n.plan(t, plans, "one", 1000), n.plan(t, plans, "one", 1000)
		leave := n.hang(t, a)
		task := n.submit(t, a, chatTask("canceled", idempotencyKey("k"), `"priority":10`))
		running := n.submit(t, a, chatTask("runs [[hang]]", `"priority":10`))
		// An id is the same in either case.
		if r := other.send(t, a, http.MethodDelete, taskPath+"/"+strings.ToUpper(task.ID), ""); string(r.body) != `{"success":true,"id":"`+task.ID+`"}` {
			t.Errorf("%d %s", r.StatusCode, r.body)
		}
		for _, method := range []string{http.MethodDelete, http.MethodGet} {
			n.send(t, a, method, taskPath+"/"+task.ID, "").fails(t, method+" once more", http.StatusNotFound, earshot.CodeNotFound)
		}
		again := n.submit(t, a, chatTask("again", idempotencyKey("k")))
		leave()
		refused := func(a *app.Account, id string, status earshot.Status) {
			t.Helper()
			r := n.send(t, a, http.MethodDelete, taskPath+"/"+id, "")
			r.fails(t, "a task that is no longer queued", http.StatusConflict, earshot.CodeConflict)
			if got := string(r.failure(t).Details); got != fmt.Sprintf(`{"id":%q,"status":%q}`, id, status) {
				t.Errorf("the details are %s", got)
			}
		}
		eventually(t, "the task runs", func() bool { return n.task(t, a, running.ID).Task.Status == earshot.StatusProcessing })
		refused(a, running.ID, earshot.StatusProcessing)
		if got := n.task(t, a, again.ID).Task.Status; got != earshot.StatusQueued {
			t.Errorf("the task behind it is %s", got)
		}
		done, lost := n.submit(t, b, chatTask("done")).ID, n.submit(t, b, chatTask("lost [[block]]")).ID
		n.ended(t, b, done)
		refused(b, done, earshot.StatusCompleted)
		n.ended(t, b, lost)
		refused(b, lost, earshot.StatusFailed)
		if left := n.standing(t, a); left.Balance != 1000 || left.Held != 5 || left.Queued != 1 {
			t.Errorf("left is %+v", left)
		}
	}, func(cfg *app.Config) { cfg.StopGrace = time.Millisecond }) // one task never ends
}

func TestAnothersTaskIsNotFoundLikeOneThatIsNot(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, _ *node) {
		a, b := n.plan(t, plans, "many", 1000), n.plan(t, plans, "many", 1000)
		theirs := n.submit(t, b, chatTask("theirs", `"webhook":{"url":"http://127.0.0.1:1/"}`)).ID
		n.ended(t, b, theirs)
		for _, id := range []string{
			theirs, uuid.Must(uuid.NewV7()).String(), uuid.Nil.String(), uuid.NewString(), "1", "null", "task", strings.ReplaceAll(theirs, "-", ""),
			"{" + theirs + "}", "urn:uuid:" + theirs, theirs + "0", theirs[:35] + "g", "%00", "%ff", "%27%20OR%201=1", strings.Repeat("a", 3000),
		} {
			for _, c := range []struct{ method, path string }{
				{"GET", taskPath + "/" + id},
				{"DELETE", taskPath + "/" + id},
				{"GET", deliveriesPath + "/" + id},
				{"POST", deliveriesPath + "/" + id + "/resend"},
			} {
				r := n.send(t, a, c.method, c.path, "")
				r.fails(t, c.method+" "+c.path, http.StatusNotFound, earshot.CodeNotFound)
				if got := r.failure(t); got.Message != "there is nothing here" || !strings.HasPrefix(string(got.Details), `{"id":"`) {
					t.Errorf("%s %s: %s", c.method, c.path, r.body)
				}
			}
		}
	}, func(cfg *app.Config) { cfg.AllowPrivateWebhooks = true })
}

func TestAFailedTaskCostsNothing(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a := n.plan(t, plans, "many", 1000)
		retried, blocked := n.submit(t, a, chatTask("tents [[fail=2]]")), n.submit(t, a, chatTask("tents [[block]]"))
		record := other.ended(t, a, retried.ID)
		if record.Task.Status != earshot.StatusCompleted || record.Task.Attempts != 3 || *record.Credits.CreditsCharged != 5 || record.Webhook != nil {
			t.Errorf("the task that was tried again is %+v %s", record.Task, record.Error)
		}
		record = other.ended(t, a, blocked.ID)
		failed(t, record, earshot.CodeUpstream)
		if record.Task.Attempts != 5 || !strings.Contains(string(record.Error), `{"service":"chatassistant","reason":"blocked"}`) {
			t.Errorf("the blocked task is %+v %s", record.Task, record.Error)
		}
		if left := n.standing(t, a); left.Balance != 995 || left.Held != 0 || left.Running != 0 {
			t.Errorf("left is %+v", left)
		}
	})
}

func TestTheKeyOfATaskIsFreeWhenTheTaskIsNoLongerKept(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, _ *node) {
		a := n.plan(t, plans, "many", 1000)
		task := n.submit(t, a, chatTask("old", idempotencyKey("k")))
		n.ended(t, a, task.ID)
		n.post(t, a, taskPath, chatTask("new", idempotencyKey("k"))).fails(t, "while it is kept", http.StatusConflict, earshot.CodeAlreadyExists)
		// What tidying does when the retention has passed.
		later := time.Now().Add(time.Second)
		if dropped, err := n.store.DeleteFinished(t.Context(), later, later); err != nil || dropped != 1 {
			t.Fatalf("%d tasks were dropped: %v", dropped, err)
		}
		n.get(t, a, taskPath+"/"+task.ID).fails(t, "a task that is no longer kept", http.StatusNotFound, earshot.CodeNotFound)
		n.ended(t, a, n.submit(t, a, chatTask("new", idempotencyKey("k"))).ID)
		if left := n.standing(t, a); left.Balance != 990 {
			t.Errorf("%d credits are left", left.Balance)
		}
	})
}
