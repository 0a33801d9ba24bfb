package service_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// TestALargeSweep has one account sweep over 4,000 questions that are never answered,
// more than there are workers, slots and places in its queue.
func TestALargeSweep(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, func(cfg *app.Config) { cfg.Workers, cfg.StopGrace = 60, time.Millisecond })
	victim, owner := n.Organization(t, "many", 1000), n.Organization(t, "many", 100_000)
	var prompts []string
	for i := range 2000 {
		prompts = append(prompts, fmt.Sprintf(`"question %d %s"`, i, harness.Endless))
	}
	definition := `{"prompts":[` + strings.Join(prompts, ",") + `],"targets":[{"provider":"chatassistant","country":"US"},{"provider":"genassistant","country":"US"}]}`
	n.Send(t, owner, http.MethodPut, "/v1/trackers/large", definition).Has(t, "apply", http.StatusOK)
	var started earshot.SweepStarted
	n.Post(t, owner, "/v1/trackers/large/sweeps", `{}`).Has(t, "run", http.StatusOK).Into(t, &started)

	const half = 500 // of what the queue takes
	harness.Eventually(t, "the sweep has all that it may have", func() bool {
		queued := n.Queue(t, owner).QueuedTasks
		if queued > half {
			t.Fatalf("the sweep takes %d places of %d in the queue", queued, 2*half)
		}
		return queued == half && n.Reload(t, owner).Running > 0
	})
	served(t, n, victim)
	var tasks []string
	for i := range 400 {
		tasks = append(tasks, harness.ChatTask(fmt.Sprintf("mine %d", i)))
	}
	if reply := n.SubmitAll(t, owner, tasks...); reply.Summary.Succeeded != len(tasks) {
		t.Errorf("beside the sweep %d of %d tasks of its owner have room", reply.Summary.Succeeded, len(tasks))
	}
	served(t, n, victim)

	var sweep earshot.Sweep
	path := "/v1/trackers/large/sweeps/" + started.Sweep.ID
	n.Get(t, owner, path).Has(t, "the sweep", http.StatusOK).Into(t, &sweep)
	if p := sweep.Progress; sweep.State != earshot.SweepRunning || p.Planned != 4000 || p.Submitted < half || p.Submitted > half+100 {
		t.Errorf("meanwhile the sweep is %+v", sweep)
	}
	n.Send(t, owner, http.MethodDelete, path, "").Has(t, "cancel", http.StatusOK)
	if queued := n.Queue(t, owner).QueuedTasks; queued > len(tasks) {
		t.Errorf("of a canceled sweep %d tasks are left in the queue", queued-len(tasks))
	}
}
