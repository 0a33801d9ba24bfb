package service_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

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

func TestAQuoteIsWhatIsThenCharged(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
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
		n.Post(t, a, harness.QuotePath, body).Into(t, &q)
		if q.CreditsToCharge != credits[0] || len(q.Items) != 1 || *q.Items[0].CreditsToCharge != credits[0] {
			t.Errorf("%s: %+v, want %d", body, q, credits[0])
		}
		bodies = append(bodies, body)
		sum += credits[0]
	}
	var whole quote
	n.Post(t, a, harness.QuotePath, "["+strings.Join(append(bodies, "{}"), ",")+"]").Into(t, &whole)
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
	storetest.Audited(t, n.Store)
}
