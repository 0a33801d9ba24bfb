package job

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/schema"
	"earshot/internal/store"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream"
)

// stage is a provider whose requests name the script that they follow.
type stage struct{ scripts map[string]script }

func (stage) Definition() provider.Definition {
	return provider.Definition{Name: definition.Name, TaskType: "FAKE", Prices: []provider.Price{{Item: provider.ItemBase, Credits: 5}}}
}

func (s stage) Decode(in *schema.Object) provider.Request {
	in.Require("script")
	if in.Text("script", 100) == "panic" {
		panic("oops")
	}
	return s.scripts[in.Text("script", 100)]
}

// worker starts a node on the database at address whose tasks follow scripts. The node runs
// until the test ends or stop is called.
func worker(t *testing.T, address string, workers int, scripts map[string]script) (r *Runner, stop func(grace time.Duration)) {
	t.Helper()
	catalogue, err := provider.NewCatalogue([]provider.Provider{stage{scripts}}, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	r = newRunner(t, storetest.Open(t, address), catalogue, workers, []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	var once sync.Once
	stop = func(grace time.Duration) {
		once.Do(func() {
			r.Drain()
			patience, done := context.WithTimeout(context.WithoutCancel(t.Context()), grace)
			defer done()
			r.Stop(patience)
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() { stop(5 * time.Minute) })
	return r, stop
}

// client returns a principal of a new organization with the given number of slots.
func client(t *testing.T, r *Runner, slots int) *account.Principal {
	t.Helper()
	return &account.Principal{KeyID: "key", OrganizationID: storetest.Organization(t, r.Store, slots, 10_000).ID}
}

// queue submits n tasks that follow a script and returns their ids.
func queue(t *testing.T, r *Runner, p *account.Principal, script string, n int) (ids []string) {
	t.Helper()
	var tasks []Task
	for range n {
		id := uuid.Must(uuid.NewV7()).String()
		ids = append(ids, id)
		tasks = append(tasks, Task{
			ID: id, Provider: stage{}.Definition(), Request: answers(""), Payload: []byte(`{"script":"` + script + `"}`), Priority: 1,
		})
	}
	_, refusals, err := r.Submit(p, tasks, n, time.Now(), nil)
	if err = errors.Join(append(refusals, err)...); err != nil {
		t.Fatal(err)
	}
	return ids
}

// await waits until a task satisfies a condition.
func await(t *testing.T, r *Runner, p *account.Principal, id string, done func(*store.Task) bool) *store.Task {
	t.Helper()
	var task *store.Task
	until(t, "task "+id+" gets there", func() (ok bool) {
		var err error
		if task, err = r.Store.Task(t.Context(), p.OrganizationID, id); err != nil {
			t.Fatalf("waiting for task %s: %v", id, err)
		}
		return done(task)
	})
	return task
}

// until waits until a condition holds that another goroutine makes true.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.After(5 * time.Minute)
	for !so() {
		select {
		case <-deadline:
			t.Fatalf("timed out waiting until %s", what)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func ended(task *store.Task) bool { return !task.FinishedAt.IsZero() }

func TestATaskIsRunChargedAndKept(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		r, _ := worker(t, address, 10, map[string]script{"answer": answers("well")})
		p := client(t, r, 5)
		task := await(t, r, p, queue(t, r, p, "answer", 1)[0], ended)
		if task.Status != earshot.StatusCompleted || string(task.Result) != `"well"` || *task.Charged != 5 || task.Attempts != 1 {
			t.Errorf("it ended as %+v", task)
		}
		record := r.Record(task)
		if record.Task.TaskType != "FAKE" || record.Task.StartedAt == nil || record.Task.LatencyMs == nil || *record.Credits.CreditsCharged != 5 {
			t.Errorf("its record is %+v", record)
		}
		storetest.Audited(t, r.Store)
	})
}

func TestAPanicFailsOnlyItsTask(t *testing.T) {
	t.Parallel()
	r, _ := worker(t, storetest.SQLite(t), 1, map[string]script{"good": answers(`{"text":"x"}`)})
	p := client(t, r, 1)
	bad, good := queue(t, r, p, "panic", 1)[0], queue(t, r, p, "good", 1)[0]
	if task := await(t, r, p, bad, ended); task.Status != earshot.StatusFailed || *task.Charged != 0 || !strings.Contains(string(task.Error), "INTERNAL_SERVER_ERROR") || strings.Contains(string(task.Error), "oops") {
		t.Errorf("the task that panicked: %s %s", task.Status, task.Error)
	}
	if task := await(t, r, p, good, ended); task.Status != earshot.StatusCompleted {
		t.Errorf("the next task: %s %s", task.Status, task.Error)
	}
}

func TestATaskTriesAgainAndSaysSo(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		again := make(chan struct{})
		var tries atomic.Int64
		r, _ := worker(t, address, 10, map[string]script{"stumble": func(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
			if tries.Add(1) < 3 {
				return nil, upstream.Fail(earshot.ReasonEmpty, "nothing")
			}
			<-again
			return answers("well")(ctx, up)
		}})
		p := client(t, r, 5)
		id := queue(t, r, p, "stumble", 1)[0]
		await(t, r, p, id, func(task *store.Task) bool { return task.Status == earshot.StatusProcessing && task.Attempts == 3 })
		storetest.Audited(t, r.Store)
		close(again)
		if task := await(t, r, p, id, ended); task.Status != earshot.StatusCompleted || task.Attempts != 3 {
			t.Errorf("it ended as %+v", task)
		}
	})
}

func TestANodeRunsOnlyAsManyTasksAsItHasWorkers(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		var now, most atomic.Int64
		gate := make(chan struct{})
		r, _ := worker(t, address, 3, map[string]script{"count": func(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
			for n := now.Add(1); ; {
				seen := most.Load()
				if n <= seen || most.CompareAndSwap(seen, n) {
					break
				}
			}
			<-gate // so that they meet
			now.Add(-1)
			return answers("well")(ctx, up)
		}})
		p := client(t, r, 50)
		ids := queue(t, r, p, "count", 60)
		until(t, "all workers are busy", func() bool { return now.Load() == 3 })
		r.Wake() // in vain
		close(gate)
		for _, id := range ids {
			await(t, r, p, id, ended)
		}
		if most.Load() != 3 {
			t.Errorf("%d tasks ran at once on 3 workers", most.Load())
		}
	})
}

// firstHangs is a script whose first run signals that it began and hangs until its node
// ends. Later runs answer.
func firstHangs(began chan<- struct{}) script {
	var runs atomic.Int64
	return func(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
		if runs.Add(1) == 1 {
			close(began)
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		return answers("well")(ctx, up)
	}
}

func TestAStoppedNodeLeavesItsTasksToTheNext(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		began := make(chan struct{})
		scripts := map[string]script{"hang": firstHangs(began)}
		first, stop := worker(t, address, 10, scripts)
		p := client(t, first, 1)
		id := queue(t, first, p, "hang", 1)[0]
		<-began
		stop(time.Nanosecond)
		task, err := first.Store.Task(t.Context(), p.OrganizationID, id)
		if err != nil || task.Status != earshot.StatusProcessing {
			t.Fatalf("it was left as %+v, %v", task, err)
		}
		storetest.Audited(t, first.Store)
		next, _ := worker(t, address, 10, scripts)
		task = await(t, next, p, id, ended)
		if task.Status != earshot.StatusCompleted || task.Attempts != 2 || *task.Charged != 5 {
			t.Errorf("it ended as %+v", task)
		}
		storetest.Audited(t, next.Store)
	})
}

func TestATaskOfANodeThatWasTakenForDeadIsRunAgain(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		began := make(chan struct{})
		r, _ := worker(t, address, 10, map[string]script{"hang": firstHangs(began)})
		p := client(t, r, 1)
		id := queue(t, r, p, "hang", 1)[0]
		<-began
		if err := r.Store.RemoveNode(r.node.Load().id); err != nil { // as another node does that declares it dead
			t.Fatal(err)
		}
		task := await(t, r, p, id, ended) // its own next incarnation takes the task over
		if task.Status != earshot.StatusCompleted || task.Attempts < 2 || *task.Charged != 5 {
			t.Errorf("it ended as %+v", task)
		}
		storetest.Audited(t, r.Store)
	})
}

func TestATaskThatTakesItsNodesDownEndsSometime(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		r, _ := worker(t, address, 10, map[string]script{"answer": answers("well")})
		p := client(t, r, 1)
		lost := store.Job{
			ID: uuid.Must(uuid.NewV7()).String(), Organization: p.OrganizationID, KeyID: "key", Provider: definition.Name,
			Request: []byte(`{"script":"answer"}`), MaxCost: 5, Priority: 1, CreatedAt: time.Now(),
		}
		if _, err := r.Store.Submit(p.OrganizationID, []store.Job{lost}, 1, time.Now()); err != nil {
			t.Fatal(err)
		}
		gone := uuid.Must(uuid.NewV7()).String()
		started, _, err := r.Store.Claim(t.Context(), gone, store.ClaimLimits{Tasks: 1}, time.Now())
		if err == nil && len(started) == 1 {
			err = r.Store.NoteAttempt(started[0], 5)
		}
		if err != nil {
			t.Fatal(err)
		}
		task := await(t, r, p, lost.ID, ended)
		if len(started) == 1 && (task.Status != earshot.StatusFailed || *task.Charged != 0 || !strings.Contains(string(task.Error), string(earshot.CodeInternal))) {
			t.Errorf("it ended as %+v: %s", task, task.Error)
		}
		storetest.Audited(t, r.Store)
	})
}

func TestATaskOfAClaimThatBrokeOffIsFound(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		hang, goOn := hangsOn()
		defer goOn() // before the worker is stopped, which waits for its tasks
		r, _ := worker(t, address, 1, map[string]script{"answer": answers("well"), "hang": hang})
		p := client(t, r, 1)
		for range 2 { // one worker is twice what one organization gets
			queue(t, r, client(t, r, 1), "hang", 1)
		}
		until(t, "the workers are busy", func() bool { return r.free() == 0 })
		id := queue(t, r, p, "answer", 1)[0]
		if started, _, err := r.Store.Claim(t.Context(), r.node.Load().id, store.ClaimLimits{Tasks: 1}, time.Now()); err != nil || len(started) != 1 {
			t.Fatalf("claimed %d, %v", len(started), err)
		}
		if task := await(t, r, p, id, ended); task.Status != earshot.StatusCompleted {
			t.Errorf("it ended as %+v", task)
		}
	})
}

// hangsOn is a script that hangs until the test lets it continue.
func hangsOn() (hang script, goOn func()) {
	over := make(chan struct{})
	return func(ctx context.Context, up *upstream.Session) (*provider.Outcome, error) {
		select {
		case <-over:
		case <-ctx.Done():
		}
		return answers("late")(ctx, up)
	}, func() { close(over) }
}

func TestATaskThatIsNoLongerServedFails(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		r, _ := worker(t, address, 1, map[string]script{})
		p := client(t, r, 1)
		for request, code := range map[string]earshot.Code{`{"script":"x","more":1}`: earshot.CodeValidation, `{}`: earshot.CodeValidation} {
			job := store.Job{
				ID: uuid.Must(uuid.NewV7()).String(), Organization: p.OrganizationID, KeyID: "key", Provider: definition.Name,
				Request: []byte(request), MaxCost: 5, Priority: 1, CreatedAt: time.Now(),
			}
			if _, err := r.Store.Submit(p.OrganizationID, []store.Job{job}, 1, time.Now()); err != nil {
				t.Fatal(err)
			}
			task := await(t, r, p, job.ID, ended)
			var failure earshot.Error
			if err := json.Unmarshal(task.Error, &failure); err != nil || failure.Code != code || task.Status != earshot.StatusFailed {
				t.Errorf("%s ended as %s: %s", request, task.Status, task.Error)
			}
		}
	})
}
