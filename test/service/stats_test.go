package service_test

import (
	"net/http"
	"testing"
	"time"

	"earshot"
	"earshot/test/harness"
)

func TestStatsAddUpToWhatRan(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		began := time.Now().Truncate(time.Hour)
		for _, body := range []string{
			harness.ChatTask("one [[delay=300ms]]"), harness.ChatTask("two [[delay=300ms]]"), harness.ChatTask("lost [[block]]"),
			`{"taskType":"WEBSEARCH_NEWS","payload":{"query":"x"}}`,
		} {
			n.Wait(t, a, n.Submit(t, a, body).ID)
		}
		n.Post(t, a, harness.ChatPath, `{"prompt":"three [[delay=300ms]]","country":"US"}`).Has(t, "a call", http.StatusOK)
		hours, err := other.Client(a).Stats(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		sums := map[string][2]int64{} // the hour may have changed meanwhile
		for _, h := range hours {
			sum := sums[h.Provider]
			sums[h.Provider] = [2]int64{sum[0] + h.Jobs, sum[1] + h.Failed}
			if h.P50Ms == nil || h.P95Ms == nil || *h.P50Ms > *h.P95Ms || h.At.Before(began) || !h.At.Equal(h.At.Truncate(time.Hour)) {
				t.Errorf("an hour is %s", harness.JSON(t, h))
			}
			if h.Provider == "chatassistant" && h.Jobs == 4 && *h.P50Ms < 300 {
				t.Errorf("most took 300 ms, but the median is %d", *h.P50Ms)
			}
		}
		if len(sums) != 2 || sums["chatassistant"] != [2]int64{4, 1} || sums["websearch/news"] != [2]int64{1, 0} {
			t.Errorf("the hours are %s", harness.JSON(t, hours))
		}
		var usage earshot.Usage
		n.Get(t, a, harness.UsagePath).Into(t, &usage)
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
