package service_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

func as(role app.Role) func(*app.Config) { return func(cfg *app.Config) { cfg.Role = role } }

func TestATaskHandedToOneNodeRunsOnAnother(t *testing.T) {
	t.Parallel()
	address := storetest.Postgres(t)
	front, _ := harness.StartOn(t, address, as(app.RoleAPI)), harness.StartOn(t, address, as(app.RoleWorker))
	a := front.Organization(t, "business", 1000)
	for i := range 10 {
		id := front.Submit(t, a, harness.ChatTask(fmt.Sprint("best shoes ", i))).ID
		if record := front.Wait(t, a, id); record.Task.Status != earshot.StatusCompleted || record.Result == nil {
			t.Errorf("it ended as %+v", record)
		}
	}
	storetest.Audited(t, front.Store)
}

func TestAnAPINodeRunsNoTasks(t *testing.T) {
	t.Parallel()
	front := harness.Start(t, as(app.RoleAPI))
	a := front.Organization(t, "business", 1000)
	front.Submit(t, a, harness.ChatTask("best shoes"))
	// A call takes a slot and gives it back, which is when a task could start.
	front.Post(t, a, harness.ChatPath, harness.GoodCall).Has(t, "a call", http.StatusOK)
	if status := front.Queue(t, a); status.QueuedTasks != 1 {
		t.Errorf("the queue is %+v", status)
	}
}

// The spec promises that another account's large batch does not delay mine.
func TestABacklogOfAnotherAccountDelaysNobody(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		n := harness.StartOn(t, address, func(cfg *app.Config) { cfg.Workers, cfg.StopGrace = 60, time.Millisecond })
		large, mine := n.Organization(t, "enterprise-2k", 100_000), n.Organization(t, "business", 100)
		batches := 2
		if os.Getenv("EARSHOT_SOAK_CYCLES") != "" {
			batches = 10
		}
		for range batches {
			n.SubmitAll(t, large, slices.Repeat([]string{harness.ChatTask("shoes " + harness.Endless)}, 500)...)
		}
		ended := n.Wait(t, mine, n.Submit(t, mine, harness.ChatTask("my shoes")).ID).Task
		if status := n.Queue(t, large); status.QueuedTasks < batches*500-200 {
			t.Errorf("mine ended when the other's queue was %+v", status)
		}
		t.Logf("mine started %s after it was submitted, behind %d tasks", ended.StartedAt.Sub(ended.CreatedAt.Time), batches*500)
		if n, err := n.Client(large).ClearQueue(t.Context()); err != nil || n == 0 {
			t.Errorf("cleared %d, %v", n, err)
		}
	})
}
