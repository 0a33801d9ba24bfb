package service_test

import (
	"net/http"
	"testing"
	"time"

	"earshot"
)

func TestStatsAddUpToWhatRan(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a := n.plan(t, plans, "many", 1000)
		began := time.Now().Truncate(time.Hour)
		for _, body := range []string{
			chatTask("one [[delay=300ms]]"), chatTask("two [[delay=300ms]]"), chatTask("lost [[block]]"),
			`{"taskType":"WEBSEARCH_NEWS","payload":{"query":"x"}}`,
		} {
			n.ended(t, a, n.submit(t, a, body).ID)
		}
		if r := n.post(t, a, chat, `{"prompt":"three [[delay=300ms]]","country":"US"}`); r.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
		hours, err := other.client(a).Stats(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		sums := map[string][2]int64{} // the hour may have changed meanwhile
		for _, h := range hours {
			sum := sums[h.Provider]
			sums[h.Provider] = [2]int64{sum[0] + h.Jobs, sum[1] + h.Failed}
			if h.P50Ms == nil || h.P95Ms == nil || *h.P50Ms > *h.P95Ms || h.At.Before(began) || !h.At.Equal(h.At.Truncate(time.Hour)) {
				t.Errorf("an hour is %s", asJSON(t, h))
			}
			if h.Provider == "chatassistant" && h.Jobs == 4 && *h.P50Ms < 300 {
				t.Errorf("most took 300 ms, but the median is %d", *h.P50Ms)
			}
		}
		if len(sums) != 2 || sums["chatassistant"] != [2]int64{4, 1} || sums["websearch/news"] != [2]int64{1, 0} {
			t.Errorf("the hours are %s", asJSON(t, hours))
		}
		var usage earshot.Usage
		n.get(t, a, usagePath).into(t, &usage)
		for _, u := range usage.Usage {
			sum := sums[u.Provider]
			sums[u.Provider] = [2]int64{sum[0] - u.Completed - u.Failed, sum[1] - u.Failed}
		}
		for provider, rest := range sums {
			if rest != [2]int64{} {
				t.Errorf("%s: %v more than the usage", provider, rest)
			}
		}
	})
}
