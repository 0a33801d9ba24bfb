package service_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"earshot"
	"earshot/client"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

func as(role app.Role) func(*app.Config) { return func(cfg *app.Config) { cfg.Role = role } }

// aChatTask is a task of the chat assistant.
func aChatTask(prompt string) earshot.TaskRequest {
	return earshot.TaskRequest{TaskType: "CHATASSISTANT", Payload: earshot.ChatAssistantRequest{Prompt: prompt, Country: "US"}}
}

// followed waits for the end of a task.
func followed(t *testing.T, c *client.Client, id string) *earshot.TaskRecord {
	t.Helper()
	var record *earshot.TaskRecord
	harness.Eventually(t, "task "+id+" ends", func() bool {
		var err error
		if record, err = c.Task(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return record.Task.FinishedAt != nil
	})
	return record
}

func TestATaskHandedToOneNodeRunsOnAnother(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	front, _ := harness.StartOn(t, address, as(app.RoleAPI)), harness.StartOn(t, address, as(app.RoleWorker))
	c := front.Client(front.Organization(t, "business", 1000))
	for i := range 10 {
		task, err := c.Submit(t.Context(), aChatTask(fmt.Sprintf("best shoes %d", i)))
		if err != nil {
			t.Fatal(err)
		}
		if record := followed(t, c, task.Task.ID); record.Task.Status != earshot.StatusCompleted || record.Result == nil {
			t.Errorf("it ended as %+v", record)
		}
	}
	storetest.Audited(t, front.Store)
}

func TestAnAPINodeRunsNoTasks(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		front := harness.StartOn(t, address, as(app.RoleAPI))
		a := front.Organization(t, "business", 1000)
		if _, err := front.Client(a).Submit(t.Context(), aChatTask("best shoes")); err != nil {
			t.Fatal(err)
		}
		// A call takes a slot and gives it back, which is when a task could start.
		front.Post(t, a, "/v1/monitor/chatassistant", `{"prompt": "shoes", "country": "US"}`).Has(t, "a call", http.StatusOK)
		if status, err := front.Client(a).QueueStatus(t.Context()); err != nil || status.QueuedTasks != 1 {
			t.Errorf("the queue is %+v, %v", status, err)
		}
	})
}

func TestAWorkerTakesNoCalls(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		worker := harness.StartOn(t, address, as(app.RoleWorker))
		a := worker.Organization(t, "business", 1000)
		for _, path := range []string{"/v1/credits", "/v1/async/status", "/v1/nothing"} {
			worker.Get(t, a, path).Fails(t, path, http.StatusServiceUnavailable, earshot.CodeServerUnavailable)
		}
		for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
			worker.Get(t, nil, path).Has(t, path, http.StatusOK)
		}
	})
}

// The spec promises that another account's large batch does not delay mine.
func TestABacklogOfAnotherAccountDelaysNobody(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		n := harness.StartOn(t, address, func(cfg *app.Config) { cfg.Workers = 60 })
		large, mine := n.Client(n.Organization(t, "enterprise-2k", 100_000)), n.Client(n.Organization(t, "business", 100))
		var batch []earshot.TaskRequest
		for i := range 500 {
			batch = append(batch, aChatTask(fmt.Sprintf("shoes %d [[delay=100ms]]", i)))
		}
		for range 4 {
			if _, err := large.SubmitBatch(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		}
		task, err := mine.Submit(t.Context(), aChatTask("my shoes"))
		if err != nil {
			t.Fatal(err)
		}
		followed(t, mine, task.Task.ID)
		status, err := large.QueueStatus(t.Context())
		if err != nil || status.QueuedTasks < 1000 {
			t.Errorf("mine ended when the other's queue was %+v, %v", status, err)
		}
		if n, err := large.ClearQueue(t.Context()); err != nil || n == 0 {
			t.Errorf("cleared %d, %v", n, err)
		}
	})
}

func TestAStoppingNodeTakesNoTasks(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		n := harness.StartOn(t, address, func(cfg *app.Config) { cfg.StopGrace = 20 * time.Second })
		a := n.Organization(t, "business", 1000)
		c := n.Client(a)
		running, err := c.Submit(t.Context(), aChatTask("shoes [[delay=1s]]"))
		if err != nil {
			t.Fatal(err)
		}
		harness.Eventually(t, "it starts", func() bool {
			record, err := c.Task(t.Context(), running.Task.ID)
			return err == nil && record.Task.StartedAt != nil
		})
		ended := make(chan error, 1)
		go func() { ended <- n.Stop() }()
		harness.Eventually(t, "the node drains", func() bool { return n.Get(t, nil, "/readyz").StatusCode == http.StatusServiceUnavailable })
		body, err := json.Marshal(aChatTask("more shoes"))
		if err != nil {
			t.Fatal(err)
		}
		if resp := n.Post(t, a, "/v1/async/task", string(body)); resp.Code(t) != earshot.CodeServerUnavailable || resp.Header.Get("Retry-After") == "" {
			t.Errorf("a task while it stops got %d: %s", resp.StatusCode, resp.Body)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if task, err := n.Store.Task(t.Context(), a.Organization.ID, running.Task.ID); err != nil || task.Status != earshot.StatusCompleted {
			t.Errorf("the running task was left as %+v, %v", task, err)
		}
	})
}
