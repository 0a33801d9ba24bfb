package store_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

// aTask returns a task with a maximum cost of 5.
func aTask(o *account.Organization, priority int) store.Job {
	return store.Job{
		ID: uuid.Must(uuid.NewV7()).String(), Organization: o.ID, KeyID: "key", Provider: "chatassistant", Mode: store.ModeAsync,
		Request: []byte(`{}`), MaxCost: 5, CreatedAt: time.Now(), Priority: priority,
	}
}

func someTasks(o *account.Organization, n int) (tasks []store.Job) {
	for range n {
		tasks = append(tasks, aTask(o, 1))
	}
	return tasks
}

// submit queues tasks that must all be accepted.
func submit(t *testing.T, s *store.Store, o *account.Organization, tasks ...store.Job) {
	t.Helper()
	refusals, err := s.Submit(o.ID, tasks, len(tasks), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, refusal := range refusals {
		if refusal != nil {
			t.Fatal(refusal)
		}
	}
}

func claimed(t *testing.T, s *store.Store, node string, n int) []store.Job {
	t.Helper()
	started, _, err := s.Claim(t.Context(), node, store.ClaimLimits{Tasks: n}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return values(started)
}

// values dereferences jobs.
func values(jobs []*store.Job) (all []store.Job) {
	for _, job := range jobs {
		all = append(all, *job)
	}
	return all
}

func ids(jobs []store.Job) (all []string) {
	for _, job := range jobs {
		all = append(all, job.ID)
	}
	return all
}

func TestTasksStartByPriorityThenAge(t *testing.T) {
	t.Parallel()
	onEach(t, 10, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		old, urgent, young, urgentToo := aTask(o, 1), aTask(o, 9), aTask(o, 1), aTask(o, 9)
		submit(t, s, o, old, urgent, young, urgentToo)
		var order []string
		for range 4 {
			order = append(order, ids(claimed(t, s, node, 1))...)
		}
		if diff := cmp.Diff(ids([]store.Job{urgent, urgentToo, old, young}), order); diff != "" {
			t.Errorf("they started in another order (-want +got):\n%s", diff)
		}
		storetest.Audited(t, s)
	})
}

func TestOnlyAsManyTasksStartAsThereAreSlots(t *testing.T) {
	t.Parallel()
	onEach(t, 3, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		call := aJob(o, node, 5)
		begin(t, s, call)
		submit(t, s, o, someTasks(o, 10)...)
		started := claimed(t, s, node, 100)
		if len(started) != 2 { // the call has the third slot
			t.Fatalf("%d tasks started on two free slots", len(started))
		}
		if more := claimed(t, s, node, 100); len(more) != 0 {
			t.Errorf("%d more started without a slot", len(more))
		}
		settle(t, s, completed(call, 5), time.Now())
		if more := claimed(t, s, node, 100); len(more) != 1 {
			t.Errorf("%d started on the slot that became free", len(more))
		}
		storetest.Audited(t, s)
	})
}

func TestOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		node := aNode(t, s)
		large, small := storetest.Organization(t, s, 50, 1000), storetest.Organization(t, s, 50, 1000)
		submit(t, s, large, someTasks(large, 90)...)
		for range 3 {
			claimed(t, s, node, 5)
		}
		late := aTask(small, 1)
		submit(t, s, small, late)
		if started := ids(claimed(t, s, node, 1)); !slices.Contains(started, late.ID) {
			t.Errorf("the newcomer was not served first, but %v", started)
		}
		submit(t, s, small, someTasks(small, 40)...)
		share := map[string]int{}
		for _, job := range claimed(t, s, node, 10) {
			share[job.Organization]++
		}
		if share[large.ID] != 5 || share[small.ID] != 5 {
			t.Errorf("ten workers were shared as %v", share)
		}
		storetest.Audited(t, s)
	})
}

func TestNoTaskStartsTwice(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		stores := []*store.Store{storetest.Open(t, address), storetest.Open(t, address)}
		for range 7 {
			o := storetest.Organization(t, stores[0], 1000, 100_000)
			submit(t, stores[0], o, someTasks(o, 30)...)
		}
		var mu sync.Mutex
		seen := map[string]int{}
		var group errgroup.Group
		for i := range 4 {
			node := aNode(t, stores[0])
			group.Go(func() error {
				for {
					started, handled, err := stores[i%2].Claim(t.Context(), node, store.ClaimLimits{Tasks: 13}, time.Now())
					if err != nil || handled == 0 {
						return err
					}
					mu.Lock()
					for _, job := range started {
						seen[job.ID]++
					}
					mu.Unlock()
					for _, job := range started {
						if _, err := stores[i%2].Settle(completed(*job, 5), time.Now()); err != nil {
							return err
						}
					}
				}
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		for len(seen) < 210 { // a claim that found nothing may have met a lock
			for _, job := range claimed(t, stores[0], aNode(t, stores[0]), 100) {
				seen[job.ID]++
			}
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("task %s started %d times", id, n)
			}
		}
		storetest.Audited(t, stores[0])
	})
}

func TestOneTaskForAKey(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		stores := []*store.Store{storetest.Open(t, address), storetest.Open(t, address)}
		keys, submits := 20, 16
		if os.Getenv("EARSHOT_SOAK_CYCLES") != "" {
			keys, submits = 200, 64
		}
		o := storetest.Organization(t, stores[0], 10, 5*int64(keys))
		o.Plan.QueueCapacity = keys
		if err := orgs.New(stores[0]).SetPlan(o.ID, o.Plan, account.Operator(), time.Now()); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		accepted, refused := map[string][]string{}, map[string][]string{}
		var group errgroup.Group
		for i := range keys * submits {
			group.Go(func() error {
				task := aTask(o, 1)
				key := fmt.Sprintf("key-%d", i%keys)
				task.IdempotencyKey = &key
				refusals, err := stores[i/keys%2].Submit(o.ID, []store.Job{task}, 1, time.Now())
				if err != nil {
					return err
				}
				mu.Lock()
				defer mu.Unlock()
				if refusals[0] == nil {
					accepted[key] = append(accepted[key], task.ID)
					return nil
				}
				var e *earshot.Error
				if !errors.As(refusals[0], &e) || e.Code != earshot.CodeAlreadyExists {
					return refusals[0]
				}
				details, _ := e.Details.(earshot.DuplicateDetails)
				refused[key] = append(refused[key], details.TaskID)
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		for key, tasks := range accepted {
			others := slices.Compact(refused[key])
			if len(tasks) != 1 || len(refused[key]) != submits-1 || len(others) != 1 || others[0] != tasks[0] {
				t.Errorf("%s: accepted %v, and refused for %v", key, tasks, others)
			}
		}
		if len(accepted) != keys {
			t.Errorf("%d keys have a task, want %d", len(accepted), keys)
		}
		t.Logf("%d keys, each submitted %d times at once: %d tasks", keys, submits, len(accepted))
		storetest.Audited(t, stores[0])
	})
}

func TestABatchThatDoesNotFitIsRefusedWhole(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o := storetest.Organization(t, s, 10, 1000) // its queue has room for 100 tasks
		submit(t, s, o, someTasks(o, 95)...)
		keyed := func() store.Job {
			task := aTask(o, 1)
			task.IdempotencyKey = new("key")
			return task
		}
		_, err := s.Submit(o.ID, append(someTasks(o, 5), keyed()), 8, time.Now()) // two more were invalid
		var e *earshot.Error
		want := earshot.QueueDetails{QueuedCount: 95, BatchSize: 8, MaxQueueSize: 100, RemainingCapacity: 5}
		if !errors.As(err, &e) || e.Code != earshot.CodeQueueLimit || e.Details != want {
			t.Fatalf("got %v with %+v", err, e)
		}
		// Invalid tasks and tasks with a key that is taken need no room.
		refusals, err := s.Submit(o.ID, append(someTasks(o, 4), keyed(), keyed()), 8, time.Now())
		if err != nil || slices.ContainsFunc(refusals[:5], func(err error) bool { return err != nil }) || earshot.ErrorCode(refusals[5]) != earshot.CodeAlreadyExists {
			t.Fatalf("five tasks and a duplicate in a queue with room for five: %v, %v", refusals, err)
		}
		if refusals, err = s.Submit(o.ID, []store.Job{keyed()}, 1, time.Now()); err != nil || earshot.ErrorCode(refusals[0]) != earshot.CodeAlreadyExists {
			t.Errorf("a duplicate for a full queue: %v, %v", refusals, err)
		}
		if _, err = s.Submit(o.ID, someTasks(o, 1), 1, time.Now()); earshot.ErrorCode(err) != earshot.CodeQueueLimit {
			t.Errorf("a task for a full queue: %v", err)
		}
		storetest.Audited(t, s)
	})
}

func TestClearingRemovesQueuedTasksAndReleasesTheirKeys(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o, other, node := storetest.Organization(t, s, 1, 1000), storetest.Organization(t, s, 1, 1000), aNode(t, s)
		keyed := func() store.Job {
			task := aTask(o, 1)
			task.IdempotencyKey = new("key")
			return task
		}
		running := aTask(o, 10)
		submit(t, s, o, running)
		claimed(t, s, node, 1)
		submit(t, s, o, aTask(o, 1), keyed(), aTask(o, 5))
		submit(t, s, other, aTask(other, 1))
		if n, err := s.Clear(o.ID, account.Operator(), time.Now()); err != nil || n != 3 {
			t.Fatalf("cleared %d, %v; want 3", n, err)
		}
		if n, err := s.Clear(o.ID, account.Operator(), time.Now()); err != nil || n != 0 {
			t.Errorf("cleared %d again, %v", n, err)
		}
		submit(t, s, o, keyed())
		if task, err := s.Task(t.Context(), o.ID, running.ID); err != nil || task.Status != earshot.StatusProcessing {
			t.Errorf("the running task is %+v, %v", task, err)
		}
		if status, err := history.New(s).QueueStatus(t.Context(), other.ID); err != nil || status.Organization.Queued != 1 {
			t.Errorf("the other's queue is %+v, %v", status, err)
		}
		storetest.Audited(t, s)
	})
}

func TestOnlyAQueuedTaskIsCanceled(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o, other, node := storetest.Organization(t, s, 1, 1000), storetest.Organization(t, s, 1, 1000), aNode(t, s)
		first, second := aTask(o, 1), aTask(o, 1)
		second.IdempotencyKey = new("key")
		submit(t, s, o, first, second)
		claimed(t, s, node, 1)
		if err := s.Cancel(t.Context(), other.ID, second.ID, account.Operator(), time.Now()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another's task: %v", err)
		}
		if err := s.Cancel(t.Context(), o.ID, first.ID, account.Operator(), time.Now()); earshot.ErrorCode(err) != earshot.CodeConflict {
			t.Errorf("the running task: %v", err)
		}
		if err := s.Cancel(t.Context(), o.ID, second.ID, account.Operator(), time.Now()); err != nil {
			t.Errorf("the queued task: %v", err)
		}
		if err := s.Cancel(t.Context(), o.ID, second.ID, account.Operator(), time.Now()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the same again: %v", err)
		}
		storetest.Audited(t, s)
	})
}

func TestATaskOfALostNodeIsTakenOverOnce(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		o, dead := storetest.Organization(t, s, 20, 1000), aNode(t, s)
		submit(t, s, o, someTasks(o, 20)...)
		started := claimed(t, s, dead, 20)
		heir := aNode(t, s) // on SQLite, this already declares the other node dead
		if err := s.RemoveNode(dead); err != nil {
			t.Fatal(err)
		}
		if none, err := s.Adopt(t.Context(), dead, 30); err != nil || len(none) != 0 {
			t.Errorf("a dead node took over %d tasks, %v", len(none), err)
		}
		var mu sync.Mutex
		var adopted []store.Job
		var group errgroup.Group
		for range 4 {
			group.Go(func() error {
				jobs, err := s.Adopt(t.Context(), heir, 30)
				mu.Lock()
				defer mu.Unlock()
				adopted = append(adopted, values(jobs)...)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := ids(adopted); len(got) != 20 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 20 {
			t.Fatalf("%d tasks were taken over, want each of the 20 once", len(got))
		}
		if job := adopted[0]; job.Node != heir || job.Attempts != 2 || job.Status != earshot.StatusProcessing {
			t.Errorf("one of them is %+v", job)
		}
		storetest.Audited(t, s)
		if _, err := s.Settle(completed(started[0], 5), time.Now()); !errors.Is(err, store.ErrLost) {
			t.Errorf("the dead node settled: %v", err)
		}
		for _, job := range adopted {
			if _, err := s.Settle(completed(job, 5), time.Now()); err != nil {
				t.Error(err)
			}
		}
		if end, err := orgs.New(s).Organization(t.Context(), o.ID, time.Now()); err != nil || end.Balance != 900 || end.Running != 0 {
			t.Errorf("at the end: %+v, %v", end, err)
		}
		storetest.Audited(t, s)
	})
}

func TestOwnedReturnsTheTasksOfANode(t *testing.T) {
	t.Parallel()
	onEach(t, 2, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		submit(t, s, o, someTasks(o, 5)...)
		started := claimed(t, s, node, 5)
		if err := s.NoteAttempt(&started[0], 3); err != nil {
			t.Fatal(err)
		}
		owned, err := s.Owned(t.Context(), node)
		if err != nil || len(owned) != 2 {
			t.Fatalf("%d are owned, %v; want 2", len(owned), err)
		}
		attempts := []int{owned[0].Attempts, owned[1].Attempts}
		if slices.Sort(attempts); attempts[0] != 1 || attempts[1] != 3 {
			t.Errorf("their attempts are %v", attempts)
		}
	})
}

// A plan that reads the backlog is a hundred times slower, which is noticed only with a large
// backlog.
func TestClaimsAndSettlesLookUpRatherThanScan(t *testing.T) {
	t.Parallel()
	address := storetest.FreshPostgres(t)
	s := storetest.Open(t, address)
	o := storetest.Organization(t, s, 100, 1_000_000)
	for range 2 {
		submit(t, s, o, someTasks(o, 50)...)
	}
	if err := s.Exec(`ANALYZE jobs`); err != nil {
		t.Fatal(err)
	}
	start, takeOut, err := s.Plan(t.Context(), o.ID)
	if err != nil {
		t.Fatal(err)
	}
	for what, plan := range map[string]struct{ text, want string }{
		"a claim finds tasks by their order":  {start, "using jobs_queued"},
		"a claim starts them where they lie":  {start, "Tid Scan on jobs"},
		"a settle finds its jobs by their id": {takeOut, "using jobs_pkey"},
	} {
		if !strings.Contains(plan.text, plan.want) || strings.Contains(plan.text, "Seq Scan on jobs") {
			t.Errorf("the plan does not show that %s:\n%s", what, plan.text)
		}
	}
	if strings.Contains(start, "Sort") {
		t.Errorf("a claim sorts the backlog:\n%s", start)
	}
}

// If more organizations wait than one claim serves, each of the served ones starts a few tasks, and
// the others are served next.
func TestManyOrganizationsTakeTurnsOfAFewTasks(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := storetest.Open(t, address)
		node := aNode(t, s)
		const waiting, atOnce, few = 130, 125, 8
		// All of one writer: a second writer that is slow would choose again after the first is done.
		var writer any
		for n := 0; n < waiting; {
			o := storetest.Organization(t, s, 20, 1000)
			if writer == nil {
				writer = s.WriterFor(o.ID)
			}
			if s.WriterFor(o.ID) == writer {
				submit(t, s, o, someTasks(o, few+1)...)
				n++
			}
		}
		turns := func() (started map[string]int) {
			started = map[string]int{}
			for _, job := range claimed(t, s, node, atOnce*few) {
				started[job.Organization]++
			}
			return started
		}
		first, second := turns(), turns()
		if len(first) != atOnce {
			t.Errorf("%d organizations had a turn", len(first))
		}
		for id, n := range first {
			if n != few {
				t.Errorf("%s started %d tasks", id, n)
			}
		}
		left := 0
		for id, n := range second {
			if first[id] == 0 && n == few {
				left++
			}
		}
		if left != waiting-atOnce {
			t.Errorf("%d of the remaining organizations were served next", left)
		}
	})
}
