package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/history"
	"earshot/internal/store/storetest"
)

// aCall returns a job with an idempotency key.
func aCall(o *account.Organization, node, key string) store.Job {
	job := aJob(o, node, 5)
	job.IdempotencyKey = &key
	return job
}

// takenBy returns the job that has the idempotency key of a refused call, or "" if the call was not
// refused.
func takenBy(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	taken, ok := errors.AsType[*store.KeyTakenError](err)
	if !ok {
		t.Fatal(err)
	}
	return taken.JobID
}

func TestTheResultOfACallIsKept(t *testing.T) {
	t.Parallel()
	onEach(t, 2, 100, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		job := aJob(o, node, 7)
		begin(t, s, job)
		found, err := s.Request(t.Context(), o.ID, job.ID)
		if err != nil || found.Status != earshot.StatusProcessing || found.Result != nil {
			t.Errorf("while it runs: %+v, %v", found, err)
		}
		end := completed(job, 5)
		end.Result = []byte(`{"text":"kept"}`)
		settle(t, s, end, time.Now())
		found, err = s.Request(t.Context(), o.ID, job.ID)
		if err != nil || found.Status != earshot.StatusCompleted || string(found.Result) != `{"text":"kept"}` || *found.Charged != 5 {
			t.Errorf("once it ended: %+v, %v", found, err)
		}
		if _, err := s.Task(t.Context(), o.ID, job.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a call is no task: %v", err)
		}
		other := storetest.Organization(t, s, 1, 1)
		for _, id := range []string{job.ID, "", "1", uuid.Nil.String()} {
			if _, err := s.Request(t.Context(), other.ID, id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%q of another: %v", id, err)
			}
		}
		n, err := s.DeleteFinished(t.Context(), time.Now().Add(time.Hour), time.Now().Add(time.Hour))
		if _, gone := s.Request(t.Context(), o.ID, job.ID); n != 1 || err != nil || !errors.Is(gone, store.ErrNotFound) {
			t.Errorf("past its time: %d, %v, %v", n, err, gone)
		}
		storetest.Audited(t, s)
	})
}

func TestACallKeepsItsKeyUntilItFailsOrIsDeleted(t *testing.T) {
	t.Parallel()
	onEach(t, 1, 10, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		first := aCall(o, node, "key")
		begin(t, s, first)
		storetest.Audited(t, s)
		// The key is checked before slots and credits.
		after, err := s.Begin(aCall(o, node, "key"))
		if takenBy(t, err) != first.ID || after == nil || after.Running != 1 {
			t.Errorf("while it runs: %+v, %v", after, err)
		}
		settle(t, s, failed(first), time.Now())
		storetest.Audited(t, s)

		second := aCall(o, node, "key")
		begin(t, s, second)
		settle(t, s, completed(second, 5), time.Now())
		storetest.Audited(t, s)
		third := aCall(o, node, "key")
		if _, err := s.Begin(third); takenBy(t, err) != second.ID {
			t.Errorf("after the answer: %v", err)
		}

		// Deleting the first call leaves the key to the second.
		if _, err := s.DeleteFinished(t.Context(), second.CreatedAt.Truncate(time.Millisecond), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		storetest.Audited(t, s)
		if _, err := s.Begin(third); takenBy(t, err) != second.ID {
			t.Errorf("after the first was deleted: %v", err)
		}
		if _, err := s.DeleteFinished(t.Context(), time.Now().Add(time.Hour), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		begin(t, s, third)
		storetest.Audited(t, s)
	})
}

func TestCallsAndTasksShareIdempotencyKeys(t *testing.T) {
	t.Parallel()
	onEach(t, 3, 100, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		task, call := aTask(o, 1), aCall(o, node, "call's")
		task.IdempotencyKey = new("task's")
		submit(t, s, o, task)
		begin(t, s, call)
		if _, err := s.Begin(aCall(o, node, "task's")); takenBy(t, err) != task.ID {
			t.Errorf("a call with the key of a task: %v", err)
		}
		other := aTask(o, 1)
		other.IdempotencyKey = call.IdempotencyKey
		refusals, err := s.Submit(o.ID, []store.Job{other}, 1, time.Now())
		if err != nil || earshot.ErrorCode(refusals[0]) != earshot.CodeAlreadyExists {
			t.Errorf("a task with the key of a call: %v, %v", refusals, err)
		}
		// Only a failed call releases its key; a failed task keeps it.
		settle(t, s, failed(call), time.Now())
		submit(t, s, o, other)
		started, _, err := s.Claim(t.Context(), node, store.ClaimLimits{Tasks: 1}, time.Now())
		if err != nil || len(started) != 1 || started[0].ID != task.ID {
			t.Fatalf("claimed %v, %v", started, err)
		}
		settle(t, s, failed(*started[0]), time.Now())
		if _, err := s.Begin(aCall(o, node, "task's")); takenBy(t, err) != task.ID {
			t.Errorf("a call with the key of a failed task: %v", err)
		}
		storetest.Audited(t, s)
	})
}

func TestOneOfManyCallsWithAKeyBegins(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		stores := []*store.Store{storetest.Open(t, address), storetest.Open(t, address)}
		s := stores[0]
		o, node := storetest.Organization(t, s, 100, 1000), aNode(t, s)
		for round := range 5 {
			var begun atomic.Pointer[store.Job]
			var count atomic.Int64
			var group errgroup.Group
			for i := range 40 {
				group.Go(func() error {
					job := aCall(o, node, "key")
					_, err := stores[i%2].Begin(job)
					if err == nil {
						begun.Store(&job)
						count.Add(1)
						return nil
					}
					if _, ok := errors.AsType[*store.KeyTakenError](err); !ok {
						return err
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				t.Fatal(err)
			}
			if count.Load() != 1 {
				t.Fatalf("round %d: %d calls began", round, count.Load())
			}
			// Settle it as failed while others want the key, so that both may share a
			// transaction.
			for range 10 {
				group.Go(func() error {
					job := aCall(o, node, "key")
					_, err := s.Begin(job)
					if _, taken := errors.AsType[*store.KeyTakenError](err); taken {
						return nil
					}
					if err == nil {
						_, err = s.Settle(failed(job), time.Now())
					}
					return err
				})
			}
			group.Go(func() error {
				_, err := s.Settle(failed(*begun.Load()), time.Now())
				return err
			})
			if err := group.Wait(); err != nil {
				t.Fatal(err)
			}
			storetest.Audited(t, s)
		}
	})
}

func TestTheKeyOfALostCallIsFreeAgain(t *testing.T) {
	t.Parallel()
	onEach(t, 2, 100, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		lost := aCall(o, node, "key")
		begin(t, s, lost)
		if err := s.RemoveNode(node); err != nil {
			t.Fatal(err)
		}
		if n, err := s.ReleaseLost(t.Context(), time.Now()); n != 1 || err != nil {
			t.Fatalf("released %d, %v", n, err)
		}
		storetest.Audited(t, s)
		next := aCall(o, aNode(t, s), "key")
		begin(t, s, next)
		// The node was only paused: it can neither charge the call nor take the key back.
		if _, err := s.Settle(completed(lost, 5), time.Now()); !errors.Is(err, store.ErrLost) {
			t.Errorf("settled by a node that was declared dead: %v", err)
		}
		settle(t, s, completed(next, 5), time.Now())
		storetest.Audited(t, s)
	})
}

// requests reads a page of the history.
func requests(t *testing.T, s *store.Store, organization string, filter history.RequestFilter) (found []*store.Task, next string) {
	t.Helper()
	page := history.New(s).Requests(t.Context(), organization, filter)
	for task, err := range page.Tasks {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, task)
	}
	return found, page.Next
}

// list reads the history page by page and returns the ids and the number of pages.
func list(t *testing.T, s *store.Store, o *account.Organization, filter history.RequestFilter) (ids []string, pages int) {
	t.Helper()
	if filter.Match == nil {
		filter.Match = func(*store.Task) bool { return true }
	}
	for {
		found, next := requests(t, s, o.ID, filter)
		if len(found) > filter.Limit {
			t.Fatalf("%d found", len(found))
		}
		pages++
		for _, task := range found {
			if task.Result != nil {
				t.Errorf("the list holds the result of %s", task.ID)
			}
			ids = append(ids, task.ID)
		}
		if next == "" {
			return ids, pages
		}
		filter.Before = next
	}
}

func TestTheHistoryListsCallsAndTasksNewestFirst(t *testing.T) {
	t.Parallel()
	onEach(t, 50, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		var want []string
		for i := range 12 {
			switch i % 3 {
			case 0: // answered
				job := aJob(o, node, 5)
				begin(t, s, job)
				end := completed(job, 5)
				end.Result = []byte(`{}`)
				settle(t, s, end, time.Now())
				want = append(want, job.ID)
			case 1: // running
				job := aJob(o, node, 5)
				begin(t, s, job)
				want = append(want, job.ID)
			case 2: // queued
				task := aTask(o, 1)
				submit(t, s, o, task)
				want = append(want, task.ID)
			}
		}
		slices.Reverse(want)
		other := storetest.Organization(t, s, 5, 100)
		begin(t, s, aJob(other, node, 5))
		for _, limit := range []int{1, 5, 12, 100} {
			got, pages := list(t, s, o, history.RequestFilter{Limit: limit})
			if !slices.Equal(got, want) || pages != (12+limit-1)/limit {
				t.Errorf("with %d a page, %d pages: %q, want %q", limit, pages, got, want)
			}
		}
		got, _ := list(t, s, o, history.RequestFilter{Limit: 2, Match: func(task *store.Task) bool { return task.Mode == store.ModeAsync }})
		if len(got) != 4 || got[0] != want[0] || got[3] != want[9] {
			t.Errorf("the tasks are %q, of %q", got, want)
		}
	})
}

func TestTheHistoryIsFilteredByTime(t *testing.T) {
	t.Parallel()
	onEach(t, 50, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		start := time.Now().Add(-time.Hour).Truncate(time.Second)
		var ids []string
		for i := range 5 {
			job := aJob(o, node, 5)
			job.CreatedAt = start.Add(time.Duration(i) * time.Minute)
			// The id belongs to a task whose body took 20 s to arrive.
			job.ID = fmt.Sprintf("%012x-7000-8000-%012d", job.CreatedAt.Add(20*time.Second).UnixMilli(), i)
			job.ID = job.ID[:8] + "-" + job.ID[8:]
			begin(t, s, job)
			ids = append([]string{job.ID}, ids...)
		}
		at := func(minute int) time.Time { return start.Add(time.Duration(minute) * time.Minute) }
		for _, test := range []struct {
			from, until time.Time
			want        []string
		}{
			{time.Time{}, time.Time{}, ids},
			{at(0), at(5), ids},
			{at(1), time.Time{}, ids[:4]},
			{at(1).Add(time.Millisecond), time.Time{}, ids[:3]},
			{time.Time{}, at(3), ids[2:]},
			{time.Time{}, at(3).Add(time.Millisecond), ids[1:]},
			{at(1), at(2), ids[3:4]},
			{at(9), time.Time{}, nil},
			{time.Time{}, at(-1), nil},
		} {
			if got, _ := list(t, s, o, history.RequestFilter{From: test.from, Until: test.until, Limit: 2}); !slices.Equal(got, test.want) {
				t.Errorf("from %v until %v: %q, want %q", test.from, test.until, got, test.want)
			}
		}
	})
}

func TestOnePageReadsALimitedPartOfTheHistory(t *testing.T) {
	t.Parallel()
	onEach(t, 5000, 1<<40, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		const all = 2500
		var group errgroup.Group
		group.SetLimit(200)
		for range all {
			group.Go(func() error {
				job := aJob(o, node, 1)
				if _, err := s.Begin(job); err != nil {
					return err
				}
				_, err := s.Settle(completed(job, 1), time.Now())
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		var seen []int
		before := ""
		for {
			looked := 0
			found, next := requests(t, s, o.ID, history.RequestFilter{Limit: 10, Before: before, Match: func(*store.Task) bool {
				looked++
				return false
			}})
			if len(found) > 0 {
				t.Fatalf("%d found", len(found))
			}
			seen = append(seen, looked)
			if before = next; next == "" {
				break
			}
		}
		sum := 0
		for i, looked := range seen {
			sum += looked
			if looked > 1000 || looked < 1000 && i < len(seen)-1 {
				t.Errorf("the pages look at %v", seen)
			}
		}
		if sum != all || len(seen) != 3 {
			t.Errorf("the pages look at %v", seen)
		}
	})
}
