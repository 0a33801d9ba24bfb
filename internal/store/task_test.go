package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/history"
)

// readEvents reads a page of events and checks the returned last number.
func readEvents(t *testing.T, s *store.Store, organization string, after int64, limit int) (events []*store.Task) {
	t.Helper()
	page, err := history.New(s).Events(t.Context(), organization, after, limit)
	if err != nil {
		t.Fatal(err)
	}
	number := after
	for task, err := range page.Tasks {
		if err != nil {
			t.Fatal(err)
		}
		if task.Event <= number {
			t.Errorf("event %d comes after %d", task.Event, number)
		}
		events, number = append(events, task), task.Event
	}
	if last := strconv.FormatInt(number, 10); page.Next != last && (page.Next != "" || number != after) {
		t.Errorf("the last event is %s, but said to be %q", last, page.Next)
	}
	return events
}

// largeResult returns JSON that can hardly be compressed.
func largeResult(random *rand.Rand, size int) []byte {
	result := []byte(`{"text":"`)
	for len(result) < size {
		result = fmt.Appendf(result, "%016x", random.Uint64())
	}
	return append(result, `"}`...)
}

func TestEventsAreReadInChunksWithoutGapsOrDuplicates(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		if events := readEvents(t, s, o.ID, 0, 10); len(events) != 0 {
			t.Errorf("at the beginning there are %d events", len(events))
		}
		// Some fit into a chunk together, others are larger than a chunk.
		random := rand.New(rand.NewPCG(1, 2))
		results := map[string][]byte{}
		var order []string
		submit(t, s, o, someTasks(o, 15)...)
		for i, job := range claimed(t, s, node, 15) {
			end := completed(job, 5)
			if end.Result = largeResult(random, []int{20, 100_000, 700_000}[i%3]); i%7 == 6 {
				end = failed(job)
			}
			settle(t, s, end, time.Now())
			results[job.ID], order = end.Result, append(order, job.ID)
		}
		for _, limit := range []int{1, 7, 15, 100} {
			var got []string
			for after := int64(0); ; after += int64(limit) {
				page := readEvents(t, s, o.ID, after, limit)
				for _, task := range page {
					got = append(got, task.ID)
					if !bytes.Equal(task.Result, results[task.ID]) || (task.Error != nil) != (task.Status == earshot.StatusFailed) {
						t.Errorf("by %d: %s has a result of %d bytes, want %d; its error is %s", limit, task.ID, len(task.Result), len(results[task.ID]), task.Error)
					}
				}
				if len(page) < limit {
					break
				}
			}
			if !slices.Equal(got, order) {
				t.Errorf("by %d: %q, want %q", limit, got, order)
			}
		}
		// A caller may stop.
		page, err := history.New(s).Events(t.Context(), o.ID, 0, 30)
		if err != nil {
			t.Fatal(err)
		}
		for task, err := range page.Tasks {
			if err != nil || task.ID != order[0] {
				t.Errorf("the first is %+v, %v", task, err)
			}
			break
		}
	})
}

func TestEventsDeletedMeanwhileAreOmitted(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		submit(t, s, o, someTasks(o, 3)...)
		for _, job := range claimed(t, s, node, 3) {
			settle(t, s, completed(job, 5), time.Now())
		}
		page, err := history.New(s).Events(t.Context(), o.ID, 0, 10)
		if err != nil || page.Next != "3" {
			t.Fatalf("the page is %+v, %v", page, err)
		}
		if err := s.Exec(`DELETE FROM finished WHERE event = 2`); err != nil {
			t.Fatal(err)
		}
		var left []int64
		for task, err := range page.Tasks {
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, task.Event)
		}
		if !slices.Equal(left, []int64{1, 3}) {
			t.Errorf("left are %d", left)
		}
	})
}

// Results that cannot be unpacked make every read of a result fail.
func TestTheListOfTasksReadsNoResults(t *testing.T) {
	t.Parallel()
	onEach(t, 100, 1000, func(t *testing.T, s *store.Store, o *account.Organization, node string) {
		submit(t, s, o, someTasks(o, 3)...)
		for _, job := range claimed(t, s, node, 3) {
			end := completed(job, 5)
			end.Result = []byte(`{"text":"x"}`)
			settle(t, s, end, time.Now())
		}
		if err := s.Exec(`UPDATE finished SET result = $1`, []byte("broken")); err != nil {
			t.Fatal(err)
		}
		tasks, _ := requests(t, s, o.ID, history.RequestFilter{Limit: 10, Match: func(*store.Task) bool { return true }})
		if len(tasks) != 3 {
			t.Fatalf("%d tasks", len(tasks))
		}
		if _, err := s.Task(t.Context(), o.ID, tasks[0].ID); err == nil {
			t.Error("a broken result was read")
		}
		if page, err := history.New(s).Events(t.Context(), o.ID, 0, 10); err != nil || page.Next != "3" {
			t.Errorf("the events are %+v, %v", page, err)
		} else {
			for task, err := range page.Tasks {
				if err == nil {
					t.Errorf("a broken result was read as %+v", task)
				}
			}
		}
	})
}
