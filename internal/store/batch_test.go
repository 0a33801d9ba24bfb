package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/store/storetest"
)

// keyedTasks returns n tasks with the idempotency keys key-0, key-1 …
func keyedTasks(o *account.Organization, n int) []store.Job {
	tasks := someTasks(o, n)
	for i := range tasks {
		tasks[i].IdempotencyKey = new(fmt.Sprint("key-", i))
	}
	return tasks
}

func submitBatch(t *testing.T, s *store.Store, o *account.Organization, tasks []store.Job) (id string, refusals []error) {
	t.Helper()
	batch := store.Batch{ID: uuid.Must(uuid.NewV7()).String(), Organization: o.ID, CreatedAt: time.Now(), Total: len(tasks)}
	positions := make([]int, len(tasks))
	for i := range positions {
		positions[i] = i
	}
	id, refusals, err := s.SubmitBatch(batch, tasks, positions, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return id, refusals
}

// standing describes the states of the tasks of a batch.
func standing(t *testing.T, s *store.Store, o *account.Organization, id string) string {
	t.Helper()
	b, err := history.New(s).Batch(t.Context(), o.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d of %d: %v, %d of %d credits", b.Accepted, b.Total, b.Tasks, b.Charged, b.MaxCost)
}

// retryAll retries the failed tasks of a batch and returns how many it queued.
func retryAll(t *testing.T, s *store.Store, o *account.Organization, id string) (queued int) {
	t.Helper()
	failed, err := history.New(s).FailedTasks(t.Context(), o.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	var retries []*store.Retry
	for _, f := range failed {
		task := f.Job
		task.ID = uuid.Must(uuid.NewV7()).String()
		task.Node, task.StartedAt, task.Attempts = "", time.Time{}, 0
		retries = append(retries, &store.Retry{Failed: f.ID, Task: task})
	}
	if err := s.Retry(o.ID, retries, time.Now()); err != nil {
		t.Error(err)
	}
	for _, r := range retries {
		switch {
		case r.Refusal != nil:
			t.Errorf("%s was refused: %v", r.Failed, r.Refusal)
		case r.Before == "":
			queued++
		}
	}
	return queued
}

func TestABatchReportsItsProgressAndIsRetriedOnce(t *testing.T) {
	t.Parallel()
	onEach(t, 10, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		tasks := append(keyedTasks(o, 4), keyedTasks(o, 1)...) // the last task has a key that is taken
		tasks[1].WebhookURL = new("https://hooks.example.com/in")
		id, refusals := submitBatch(t, s, o, tasks)
		if earshot.ErrorCode(refusals[4]) != earshot.CodeAlreadyExists || slices.ContainsFunc(refusals[:4], func(err error) bool { return err != nil }) {
			t.Fatalf("refused were %v", refusals)
		}
		for i, job := range claimed(t, s, node, 3) {
			end := failed(job)
			if i == 0 {
				end = completed(job, 4)
				end.Result = []byte(`{"text":"an answer"}`)
			}
			settle(t, s, end, time.Now())
		}
		if got, want := standing(t, s, o, id), "4 of 5: map[COMPLETED:1 FAILED:2 QUEUED:1], 4 of 20 credits"; got != want {
			t.Errorf("the batch is %s, want %s", got, want)
		}
		var queued [8]int
		var group sync.WaitGroup
		for i := range queued {
			group.Go(func() { queued[i] = retryAll(t, s, o, id) })
		}
		group.Wait()
		sum := 0
		for _, n := range queued {
			sum += n
		}
		if got, want := standing(t, s, o, id), "4 of 5: map[COMPLETED:1 QUEUED:3], 4 of 20 credits"; sum != 2 || got != want {
			t.Errorf("%d tasks were queued again, and the batch is %s, want %s", sum, got, want)
		}
		storetest.Audited(t, s)

		// Submitting it again returns the same batch; its keys belong to the replacing tasks.
		again, refusals := submitBatch(t, s, o, keyedTasks(o, 4))
		if again != id {
			t.Errorf("submitted again, the batch is %s, want %s", again, id)
		}
		var refusal *earshot.Error
		if !errors.As(refusals[1], &refusal) {
			t.Fatalf("refused with %v", refusals[1])
		}
		details, _ := refusal.Details.(earshot.DuplicateDetails)
		if retry, err := history.New(s).RetryOf(t.Context(), o.ID, tasks[1].ID); err != nil || details.TaskID != retry.ID || retry.WebhookURL == nil {
			t.Errorf("the key belongs to task %s, and the failed task was replaced by %+v, %v", details.TaskID, retry, err)
		}
		if _, err := history.New(s).RetryOf(t.Context(), o.ID, tasks[0].ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("retry of a completed task: %v", err)
		}
		checkResults(t, s, o, id, tasks[0].ID)

		if n, err := s.Clear(o.ID, account.Operator(), time.Now()); err != nil || n != 3 {
			t.Errorf("cleared %d, %v", n, err)
		}
		if got, want := standing(t, s, o, id), "4 of 5: map[COMPLETED:1], 4 of 5 credits"; got != want {
			t.Errorf("after clearing the queue, the batch is %s, want %s", got, want)
		}
		if _, err := history.New(s).RetryOf(t.Context(), o.ID, tasks[1].ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("retry of a task whose retry was removed: %v", err)
		}
		storetest.Audited(t, s)
		forget(t, s, o, id)
	})
}

func checkResults(t *testing.T, s *store.Store, o *account.Organization, batch, task string) {
	t.Helper()
	results, err := history.New(s).BatchResults(t.Context(), o.ID, batch)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r, err := range results {
		if n++; err != nil || r.ID != task || r.Position != 0 || !bytes.Equal(r.Result, []byte(`{"text":"an answer"}`)) {
			t.Errorf("a result is %+v, %v", r, err)
		}
	}
	if n != 1 {
		t.Errorf("there are %d results", n)
	}
}

// forget deletes a batch that is past its retention.
func forget(t *testing.T, s *store.Store, o *account.Organization, id string) {
	t.Helper()
	later := time.Now().Add(time.Hour)
	if n, err := s.DeleteBatches(t.Context(), later); err != nil || n != 0 {
		t.Errorf("%d batches with tasks were removed, %v", n, err)
	}
	if _, err := s.DeleteFinished(t.Context(), later, later); err != nil {
		t.Error(err)
	}
	storetest.Audited(t, s)
	// The webhook of one task is not sent yet, so the task is kept.
	for _, due := range receivers(t, s, time.Now()) {
		release(t, s, due, tried(due, true, time.Time{}))
	}
	if _, err := s.DeleteFinished(t.Context(), later, later); err != nil {
		t.Error(err)
	}
	if n, err := s.DeleteBatches(t.Context(), later); err != nil || n != 1 {
		t.Errorf("%d batches were removed, %v", n, err)
	}
	if _, err := history.New(s).Batch(t.Context(), o.ID, id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the batch still exists: %v", err)
	}
	storetest.Audited(t, s)
}

func TestARetryThatIsRefusedChangesNothing(t *testing.T) {
	t.Parallel()
	onEach(t, 10, 7, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		id, _ := submitBatch(t, s, o, keyedTasks(o, 1))
		job := claimed(t, s, node, 1)[0]
		settle(t, s, failed(job), time.Now())
		task := job
		task.ID, task.MaxCost, task.Node, task.StartedAt = uuid.Must(uuid.NewV7()).String(), 8, "", time.Time{}
		retry := &store.Retry{Failed: job.ID, Task: task}
		if err := s.Retry(o.ID, []*store.Retry{retry}, time.Now()); err != nil || earshot.ErrorCode(retry.Refusal) != earshot.CodeNoCredits {
			t.Errorf("beyond the balance: %v, %v", err, retry.Refusal)
		}
		storetest.Audited(t, s)
		stranger := &store.Retry{Failed: uuid.Must(uuid.NewV7()).String(), Task: aTask(o, 1)}
		if err := s.Retry(o.ID, []*store.Retry{stranger}, time.Now()); err != nil || !errors.Is(stranger.Refusal, store.ErrNotFound) {
			t.Errorf("retry of an unknown job: %v, %v", err, stranger.Refusal)
		}
		if n := retryAll(t, s, o, id); n != 1 {
			t.Errorf("within the balance %d were queued", n)
		}
		storetest.Audited(t, s)
	})
}
