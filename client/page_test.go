package client_test

import (
	"slices"
	"testing"

	"earshot"
	"earshot/client"
)

// listing collects the tasks and errors of a list.
func listing(t *testing.T, c *client.Client, q earshot.TaskQuery) (ids []string, errs []error) {
	t.Helper()
	for record, err := range c.Tasks(t.Context(), q) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ids = append(ids, record.Task.ID)
	}
	return ids, errs
}

func TestListFetchesAllPages(t *testing.T) {
	t.Parallel()
	c, service := answering(
		says(200, `{"tasks":[`+task("d", earshot.StatusQueued)+`,`+task("c", earshot.StatusQueued)+`],"nextCursor":"c"}`),
		says(200, `{"tasks":[],"nextCursor":"b"}`),
		says(200, `{"tasks":[`+task("a", earshot.StatusQueued)+`],"nextCursor":null}`),
	)
	ids, errs := listing(t, c, earshot.TaskQuery{Status: earshot.StatusQueued, PageQuery: earshot.PageQuery{Limit: 2}})
	if len(errs) > 0 || !slices.Equal(ids, []string{"d", "c", "a"}) {
		t.Errorf("the list is %q, %v", ids, errs)
	}
	want := []string{
		"GET /v1/async/tasks?limit=2&status=QUEUED", "GET /v1/async/tasks?cursor=c&limit=2&status=QUEUED", "GET /v1/async/tasks?cursor=b&limit=2&status=QUEUED",
	}
	if got := service.lines(); !slices.Equal(got, want) {
		t.Errorf("it sent %q", got)
	}
}

func TestListEnds(t *testing.T) {
	t.Parallel()
	page := says(200, `{"tasks":[`+task("a", earshot.StatusQueued)+`],"nextCursor":"a"}`)
	c, _ := answering(page, fails(500, "INTERNAL_SERVER_ERROR", ""))
	if ids, errs := listing(t, c, earshot.TaskQuery{}); len(ids) != 1 || len(errs) != 1 || !client.IsCode(errs[0], earshot.CodeInternal) {
		t.Errorf("with an error on the second page: %q, %v", ids, errs)
	}
	c, _ = answering(page) // for every request
	if ids, errs := listing(t, c, earshot.TaskQuery{}); len(ids) != 2 || len(errs) != 0 {
		t.Errorf("with a cursor that repeats: %q, %v", ids, errs)
	}
}
