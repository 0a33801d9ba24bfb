package tasks_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// walk reads a list page by page until its end, and gives the ids in their order.
func walk(t *testing.T, n *harness.Node, a *app.Account, path string, limit int, between func()) (ids []string) {
	t.Helper()
	for cursor := ""; ; {
		query := fmt.Sprintf("%slimit=%d", path, limit)
		if cursor != "" {
			query += "&cursor=" + cursor
		}
		var page earshot.TaskPage
		n.Get(t, a, query).Into(t, &page)
		for _, item := range page.Tasks {
			ids = append(ids, item.Task.ID)
			if item.Result != nil || item.Webhook != nil {
				t.Errorf("the list has more of %s than it should", item.Task.ID)
			}
		}
		if cursor != "" && len(page.Tasks) == 0 {
			t.Errorf("%s: the next page is empty", query)
		}
		if page.NextCursor == nil {
			return ids
		}
		if len(page.Tasks) != limit {
			t.Errorf("a page of %d is followed by another", len(page.Tasks))
		}
		cursor = *page.NextCursor
		between()
	}
}

func TestTasksAreListedNewestFirstWithoutGapsOrDuplicates(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, b := n.Organization(t, "one", 1000), n.Organization(t, "one", 1000)
		n.Submit(t, b, harness.ChatTask("theirs"))
		tasks := map[string][]string{} // ids by what they should be found under
		add := func(id string, under ...string) {
			for _, name := range append(under, "") {
				tasks[name] = slices.Insert(tasks[name], 0, id)
			}
		}
		for i := range 6 {
			id := n.Submit(t, a, harness.ChatTask([]string{"done", "lost [[block]]"}[i%2])).ID
			add(id, "taskType=CHATASSISTANT&", []string{"status=COMPLETED&", "status=FAILED&"}[i%2])
			n.Wait(t, a, id)
		}
		leave := n.Hang(t, a)
		for _, item := range n.SubmitAll(t, a, slices.Repeat([]string{`{"taskType":"WEBSEARCH","payload":{"query":"x","country":"US"}}`}, 6)...).Results {
			add(item.Task.ID, "taskType=WEBSEARCH&", "status=QUEUED&", "status=QUEUED&taskType=WEBSEARCH&")
		}
		tasks["status=PROCESSING&"], tasks["taskType=GENASSISTANT&"], tasks["status=FAILED&taskType=WEBSEARCH&"] = nil, nil, nil
		for filter, want := range tasks {
			for _, limit := range []int{1, 2, 4, 6, 12, 100} {
				if got := walk(t, other, a, harness.TasksPath+"?"+filter, limit, func() {}); !slices.Equal(got, want) {
					t.Errorf("%q by %d: %q, want %q", filter, limit, got, want)
				}
			}
		}
		// What is added or ends meanwhile shifts nothing.
		moved := false
		got := walk(t, n, a, harness.TasksPath+"?", 5, func() {
			if !moved {
				moved = true
				leave()
				n.Wait(t, a, n.Submit(t, a, harness.ChatTask("later")).ID)
			}
		})
		if !slices.Equal(got, tasks[""]) {
			t.Errorf("during changes: %q, want %q", got, tasks[""])
		}
	})
}

func TestEventsComeInTheOrderInWhichTasksEnd(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "one", 1000)
		if events, cursor := n.Events(t, a, "", 10); len(events) != 0 || cursor != "" {
			t.Errorf("before anything there are %v, %q", events, cursor)
		}
		var want []string
		for i := range 5 {
			want = append(want, n.Submit(t, a, harness.ChatTask([]string{"done", "lost [[block]]"}[i%2])).ID)
			n.Wait(t, a, want[i])
		}
		for _, limit := range []int{1, 2, 5, 100} {
			events, cursor := other.Events(t, a, "", limit)
			if cursor != "5" || len(events) != len(want) {
				t.Errorf("by %d: %d events and the cursor %q", limit, len(events), cursor)
			}
			for i, e := range events {
				polled := n.Task(t, a, e.Task.ID)
				polled.Webhook = nil
				if e.Task.ID != want[i] || harness.JSON(t, e) != harness.JSON(t, polled) {
					t.Errorf("by %d: event %d is %s, want %s", limit, i, harness.JSON(t, e), harness.JSON(t, polled))
				}
			}
		}
		var page earshot.EventPage
		n.Get(t, a, harness.EventsPath+"?cursor=latest").Into(t, &page)
		if len(page.Events) != 0 || page.NextCursor == nil || *page.NextCursor != "5" {
			t.Errorf("the latest page is %+v", page)
		}
		next := n.Submit(t, a, harness.ChatTask("next")).ID
		n.Wait(t, a, next)
		if events, _ := other.Events(t, a, *page.NextCursor, 10); len(events) != 1 || events[0].Task.ID != next {
			t.Errorf("after the latest page there are %+v", events)
		}
	})
}

func TestAReaderOfEventsMissesNoneOfThoseThatEndTogether(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		for i, node := range []*harness.Node{n, other} {
			node.SubmitAll(t, a, slices.Repeat([]string{harness.ChatTask(fmt.Sprint("together ", i))}, 40)...)
		}
		seen, cursor := map[string]bool{}, ""
		harness.Eventually(t, "all events are seen", func() bool {
			var events []earshot.TaskRecord
			events, cursor = n.Events(t, a, cursor, 3)
			for _, e := range events {
				if seen[e.Task.ID] {
					t.Errorf("%s came twice", e.Task.ID)
				}
				seen[e.Task.ID] = true
			}
			return len(seen) == 80
		})
		if cursor != "80" {
			t.Errorf("the last cursor is %q", cursor)
		}
	})
}

func TestUsageCountsCallsAndTasks(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		for _, body := range []string{
			harness.ChatTask("one"), harness.ChatTask("two"), harness.ChatTask("lost [[block]]"),
			`{"taskType":"WEBSEARCH_NEWS","payload":{"query":"x","pages":3}}`,
		} {
			n.Wait(t, a, other.Submit(t, a, body).ID)
		}
		n.Post(t, a, harness.ChatPath, harness.GoodCall).Has(t, "a call", http.StatusOK)
		var usage earshot.Usage
		n.Get(t, a, harness.UsagePath).Into(t, &usage)
		sums := map[string]earshot.DayUsage{} // the day may have changed meanwhile
		for _, u := range usage.Usage {
			sum := sums[u.Provider]
			sum.Completed, sum.Failed, sum.CreditsCharged = sum.Completed+u.Completed, sum.Failed+u.Failed, sum.CreditsCharged+u.CreditsCharged
			sums[u.Provider] = sum
			if u.Date < usage.From || u.Date > usage.To {
				t.Errorf("%s is not between %s and %s", u.Date, usage.From, usage.To)
			}
		}
		if len(sums) != 2 || sums["chatassistant"] != (earshot.DayUsage{Completed: 3, Failed: 1, CreditsCharged: 15}) ||
			sums["websearch/news"] != (earshot.DayUsage{Completed: 1, CreditsCharged: 7}) {
			t.Errorf("the usage is %+v", usage)
		}
		n.Expect(t, a, "afterwards", harness.State{Balance: 1000 - 15 - 7})
		tomorrow := time.Now().Add(24 * time.Hour).UTC().Format(time.DateOnly)
		n.Get(t, a, fmt.Sprintf("%s?from=%s&to=%s", harness.UsagePath, tomorrow, tomorrow)).Into(t, &usage)
		if len(usage.Usage) > 1 { // of a test across midnight
			t.Errorf("tomorrow's usage is %+v", usage)
		}
	})
}

func TestAQuoteIsWhatIsThenCharged(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		var bodies []string
		want := map[string][2]int64{ // quoted and charged
			`{"taskType":"CHATASSISTANT","payload":` + harness.EveryFlag + `}`:                                                                       {7, 7},
			`{"taskType":"SEARCHAIMODE","payload":{"prompt":"x [[clusters=8]]","include":{"expandProducts":true}}}`:                                  {10, 10},
			`{"taskType":"SEARCHAIMODE","payload":{"prompt":"x [[clusters=3]]","include":{"expandProducts":true}}}`:                                  {10, 7},
			`{"taskType":"WEBSEARCH","payload":{"query":"x [[results=100]]","country":"US","pages":10,"include":{"searchoverview":{}}}}`:             {23, 23},
			`{"taskType":"WEBSEARCH","payload":{"url":"https://www.search.lab.test/search?q=hats&gl=us&num=21","include":{"searchGoto":"ignored"}}}`: {7, 7},
			`{"taskType":"WEBSEARCH_NEWS","payload":{"query":"x","pages":2},"priority":3,"idempotencyKey":"quoted"}`:                                 {5, 5},
			`{"taskType":"OFFICEASSISTANT","payload":{"prompt":"x","country":"US"}}`:                                                                 {5, 5},
			`{"taskType":"ANSWERENGINE","payload":{"prompt":"x [[block]]","country":"US"}}`:                                                          {4, 0},
		}
		type quote struct {
			CreditsToCharge int64
			Items           []earshot.QuoteItem
		}
		var sum int64
		for body, credits := range want {
			var q quote
			other.Post(t, a, harness.QuotePath, body).Into(t, &q)
			if q.CreditsToCharge != credits[0] || len(q.Items) != 1 || *q.Items[0].CreditsToCharge != credits[0] {
				t.Errorf("%s: %+v, want %d", body, q, credits[0])
			}
			bodies = append(bodies, body)
			sum += credits[0]
		}
		var whole quote
		other.Post(t, a, harness.QuotePath, "["+strings.Join(append(bodies, "{}"), ",")+"]").Into(t, &whole)
		if whole.CreditsToCharge != sum || len(whole.Items) != len(bodies)+1 || whole.Items[len(bodies)].Success {
			t.Errorf("the batch is quoted %+v, want %d", whole, sum)
		}
		n.Expect(t, a, "after quoting", harness.State{Balance: 1000})
		for _, body := range bodies {
			record := n.Wait(t, a, n.Submit(t, a, body).ID)
			if record.Credits.CreditsToCharge != want[body][0] || *record.Credits.CreditsCharged != want[body][1] {
				t.Errorf("%s: %d of at most %d were charged, want %d: %s", body, *record.Credits.CreditsCharged, record.Credits.CreditsToCharge, want[body], record.Error)
			}
		}
	})
}
