package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/client"
)

// task returns the service's JSON of a task in the given state.
func task(id string, status earshot.Status) string {
	switch status {
	case earshot.StatusCompleted:
		return fmt.Sprintf(`{"task":{"id":%q,"status":"COMPLETED","finishedAt":"2026-09-08T09:30:28.700Z"},"result":{"text":"shoes"}}`, id)
	case earshot.StatusFailed:
		return fmt.Sprintf(`{"task":{"id":%q,"status":"FAILED","finishedAt":"2026-09-08T09:30:28.700Z"},
			"error":{"code":"EXTERNAL_SERVICE_ERROR","message":"no","details":{"service":"websearch","reason":"blocked"}}}`, id)
	default:
		return fmt.Sprintf(`{"task":{"id":%q,"status":%q,"finishedAt":null}}`, id, status)
	}
}

func TestWaitPollsUntilTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var answers []answer
		for range 9 {
			answers = append(answers, says(200, task("7", earshot.StatusProcessing)))
		}
		c, service := answering(append(answers, rateLimit, says(200, task("7", earshot.StatusCompleted)))...)
		record, err := c.Wait(t.Context(), "7")
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := client.Result[earshot.Answer](record); err != nil || answer.Text != "shoes" {
			t.Errorf("the result is %+v, %v", answer, err)
		}
		first, last := service.sent[1].at.Sub(service.sent[0].at), service.sent[9].at.Sub(service.sent[8].at)
		if first > 100*time.Millisecond || last < 2500*time.Millisecond || last > 5*time.Second {
			t.Errorf("it waited %s first and %s last", first, last)
		}
	})
}

func TestWaitForFailedTask(t *testing.T) {
	t.Parallel()
	c, _ := answering(says(200, task("7", earshot.StatusFailed)))
	record, err := c.Wait(t.Context(), "7")
	var failed *client.TaskError
	if !errors.As(err, &failed) || failed.TaskID != "7" || record == nil || record.Task.Status != earshot.StatusFailed {
		t.Fatalf("got %+v, %v", record, err)
	}
	if details, ok := client.Details[earshot.UpstreamDetails](err); !ok || details.Reason != earshot.ReasonBlocked {
		t.Errorf("the details are %+v", details)
	}
	if _, again := client.Result[earshot.Answer](record); again == nil || again.Error() != err.Error() {
		t.Errorf("its result is %v", again)
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := answering(says(200, task("7", earshot.StatusQueued)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		record, err := c.Wait(ctx, "7")
		if !errors.Is(err, context.DeadlineExceeded) || record == nil {
			t.Fatalf("got %+v, %v", record, err)
		}
		if _, err := client.Result[earshot.Answer](record); err == nil {
			t.Error("an unfinished task has a result")
		}
	})
}

// service is a fake queue: tasks by id, and the ids of finished tasks in order. The cursor
// latest is always 0, so all finished tasks are events after it.
type service struct {
	tasks  map[string]earshot.Status
	ended  []string
	cancel time.Time // when the queue is cleared; never if zero
}

func (s *service) answer(r *http.Request) (*http.Response, error) {
	if !s.cancel.IsZero() && time.Now().After(s.cancel) {
		clear(s.tasks)
	}
	cursor := r.URL.Query().Get("cursor")
	switch {
	case r.URL.Path == "/v1/events" && cursor == client.Latest:
		return says(200, `{"events":[],"nextCursor":"0"}`)(r)
	case r.URL.Path == "/v1/events":
		from, err := strconv.Atoi(cursor)
		if err != nil {
			return nil, err
		}
		page := s.ended[from:min(from+100, len(s.ended))]
		return says(200, fmt.Sprintf(`{"events":[%s],"nextCursor":"%d"}`, s.list(page), from+len(page)))(r)
	case r.URL.Path == "/v1/async/tasks":
		ids := s.ids()
		slices.Reverse(ids)
		from := 0
		if cursor != "" {
			from = slices.Index(ids, cursor) + 1
		}
		page := ids[from:min(from+100, len(ids))]
		next := "null"
		if from+len(page) < len(ids) {
			next = encoded(page[len(page)-1])
		}
		return says(200, fmt.Sprintf(`{"tasks":[%s],"nextCursor":%s}`, s.list(page), next))(r)
	}
	id := strings.TrimPrefix(r.URL.Path, "/v1/async/task/")
	status, known := s.tasks[id]
	if !known {
		return fails(404, "RESOURCE_NOT_FOUND", encoded(earshot.ResourceDetails{ID: id}))(r)
	}
	return says(200, task(id, status))(r)
}

func (s *service) ids() (ids []string) {
	for id := range s.tasks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (s *service) list(ids []string) string {
	var texts []string
	for _, id := range ids {
		status := s.tasks[id]
		if slices.Contains(s.ended, id) {
			status = earshot.StatusCompleted
		}
		texts = append(texts, task(id, status))
	}
	return strings.Join(texts, ",")
}

func TestWaitAllNeedsFewRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{tasks: map[string]earshot.Status{}}
		for i := range 450 {
			s.tasks[fmt.Sprintf("t-%04d", i)] = earshot.StatusQueued
		}
		ids := s.ids()
		f := &fake{answers: []answer{func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Get("cursor") == "0" {
				s.ended = ids // all at once, after they were looked up
			}
			return s.answer(r)
		}}}
		var got []string
		for record, err := range f.client().WaitAll(t.Context(), slices.Concat(ids, ids)...) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, record.Task.ID)
		}
		if !slices.Equal(got, ids) {
			t.Errorf("%d tasks ended", len(got))
		}
		if len(f.sent) > 1+5+5 { // the start cursor, the list of tasks and the events
			t.Errorf("it took %d requests: %q", len(f.sent), f.lines())
		}
	})
}

func TestWaitAllYieldsEachTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &service{cancel: time.Now().Add(time.Minute), tasks: map[string]earshot.Status{
			"a": earshot.StatusCompleted, "b": earshot.StatusFailed, "d": earshot.StatusQueued,
		}}
		f := &fake{answers: []answer{s.answer}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		got := map[string]string{}
		for record, err := range f.client().WaitAll(ctx, "a", "B", "c", "d") {
			var about *client.TaskError
			switch {
			case err == nil:
				got[record.Task.ID] = string(record.Task.Status)
			case !errors.As(err, &about):
				t.Fatal(err)
			case record != nil:
				got[about.TaskID] = string(record.Task.Status) + " " + string(about.Err.Code)
			default:
				got[about.TaskID] = string(about.Err.Code)
			}
		}
		want := map[string]string{"a": "COMPLETED", "b": "FAILED EXTERNAL_SERVICE_ERROR", "c": "RESOURCE_NOT_FOUND", "d": "RESOURCE_NOT_FOUND"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestWaitAllEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, f := answering(ok)
		for range c.WaitAll(t.Context()) {
			t.Error("WaitAll without ids yields something")
		}
		if len(f.sent) != 0 {
			t.Errorf("it sent %q", f.lines())
		}

		c, _ = answering(fails(401, "INVALID_API_KEY", ""))
		var errs []error
		for _, err := range c.WaitAll(t.Context(), "a", "b") {
			errs = append(errs, err)
		}
		if len(errs) != 1 || !client.IsCode(errs[0], earshot.CodeInvalidKey) {
			t.Errorf("with a wrong key: %v", errs)
		}

		s := &service{tasks: map[string]earshot.Status{"a": earshot.StatusCompleted, "b": earshot.StatusCompleted}}
		f = &fake{answers: []answer{s.answer}}
		for range f.client().WaitAll(t.Context(), "a", "b") {
			break
		}
		if len(f.sent) != 2 {
			t.Errorf("after the loop was left it sent %q", f.lines())
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s.tasks["a"] = earshot.StatusQueued
		for _, err := range f.client().WaitAll(ctx, "a") {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("out of time: %v", err)
			}
		}
	})
}
