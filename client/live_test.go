package client_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"earshot"
	"earshot/client"
)

func TestLiveSkipsUnknownEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, service := answering(draining, says(200, strings.Join([]string{
			":", "",
			"event: weather", `data: {"rain":true}`, "",
			"event: status", `data: {"credits":{"remaining":7},"queue":{}}`, "",
			"event: tasks", `data: {"ids":["a","b"]}`, "", "",
		}, "\n")))
		var got []client.LiveEvent
		for event, err := range c.Live(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, event)
		}
		if len(got) != 2 || got[0].Status.Credits.Remaining != 7 || !slices.Equal(got[1].Tasks.IDs, []string{"a", "b"}) {
			t.Errorf("the events are %+v", got)
		}
		if len(service.sent) != 2 {
			t.Errorf("it was opened %d times", len(service.sent))
		}
	})
}

func TestLiveStopsAtTheFirstError(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]answer{
		"refused":         fails(429, "CONCURRENT_LIMIT_EXCEEDED", `{"limit":8}`),
		"no JSON":         says(200, "event: tasks\ndata: {\n\nevent: tasks\ndata: {\"ids\":[]}\n\n"),
		"an endless line": says(200, "event: tasks\ndata: "+strings.Repeat("x", 2<<20)),
		"cut":             cut,
	} {
		c, _ := answering(stream)
		var events, errs int
		var last error
		for _, err := range c.Live(t.Context()) {
			events++
			if err != nil {
				errs, last = errs+1, err
			}
		}
		if events != 1 || errs != 1 || name == "refused" && !client.IsCode(last, earshot.CodeConcurrencyLimit) {
			t.Errorf("%s: %d events, %d errors, the last %v", name, events, errs, last)
		}
	}
}
