package service_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

func TestAWebhookTellsHowATaskEnded(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, harness.LocalWebhooks)
	a, r := n.Organization(t, "one", 9), harness.Receive(t, http.StatusNoContent)
	leave := n.Hang(t, a)
	var ids []string
	for _, prompt := range []string{"lost [[block]]", "<done> & paid", "unpaid"} {
		ids = append(ids, n.Submit(t, a, harness.ChatTask(prompt, r.Field())).ID)
	}
	if record := n.Task(t, a, ids[0]); record.Webhook == nil || *record.Webhook != (earshot.TaskWebhook{URL: r.URL + "/hook?a=b"}) {
		t.Errorf("the webhook of a queued task is %+v", record.Webhook)
	}
	n.Get(t, a, harness.DeliveriesPath+"/"+ids[0]).Fails(t, "the delivery of a queued task", http.StatusNotFound, earshot.CodeNotFound)
	leave()
	want := map[string]string{}
	for i, status := range []earshot.Status{earshot.StatusFailed, earshot.StatusCompleted, earshot.StatusFailed} {
		d := n.WaitDelivery(t, a, ids[i])
		if !d.Delivered || d.DeliveredAt == nil || d.Attempts != 1 || d.ID != ids[i] || d.TaskID != ids[i] || len(d.Tries) != 1 || d.Tries[0].Status != http.StatusNoContent {
			t.Errorf("the delivery is %+v", d)
		}
		record := n.Task(t, a, ids[i])
		if w := record.Webhook; record.Task.Status != status || !w.Delivered || w.DeliveredAt == nil || w.Attempts != 1 {
			t.Errorf("the task is %+v, its webhook %+v", record.Task, w)
		}
		record.Webhook = nil
		want[ids[i]] = harness.JSON(t, record)
	}
	events, _ := n.Events(t, a, "", 2)
	for i, e := range events { // with one slot, tasks end in their order
		if e.Task.ID != ids[i] || harness.JSON(t, e) != want[ids[i]] {
			t.Errorf("event %d is %s, want %s", i, harness.JSON(t, e), want[ids[i]])
		}
	}
	calls := r.Webhooks()
	for _, c := range calls {
		c.Verify(t, a.WebhookSecret)
		id := c.Header.Get("webhook-id")
		if c.Body != want[id] || c.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s, want %s", id, c.Body, want[id])
		}
		delete(want, id)
	}
	if len(calls) != 3 || len(want) != 0 {
		t.Errorf("%d calls came, and these are missing: %v", len(calls), want)
	}
	storetest.Audited(t, n.Store)
}

func TestTasksThatEndTogetherAreAnnouncedOnceEach(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a, r := n.Organization(t, "many", 1000), harness.Receive(t, http.StatusOK)
		want := map[string]bool{}
		for _, node := range []*harness.Node{n, other} {
			for _, item := range node.SubmitAll(t, a, slices.Repeat([]string{harness.ChatTask("x", r.Field())}, 15)...).Results {
				want[item.Task.ID] = true
			}
		}
		// Listed newest first, page by page.
		var listed []string
		harness.Eventually(t, "all are delivered", func() bool {
			listed = nil
			for cursor := ""; ; {
				var page earshot.DeliveryPage
				n.Get(t, a, harness.DeliveriesPath+"?state=delivered&limit=9"+cursor).Into(t, &page)
				for _, d := range page.Deliveries {
					listed = append(listed, d.ID)
				}
				if page.NextCursor == nil {
					return len(listed) >= len(want)
				}
				cursor = "&cursor=" + *page.NextCursor
			}
		})
		newestFirst := slices.IsSortedFunc(listed, func(a, b string) int { return strings.Compare(b, a) })
		if len(listed) != len(want) || !newestFirst {
			t.Errorf("%d are listed, newest first is %t", len(listed), newestFirst)
		}
		calls := r.Webhooks()
		for _, c := range calls {
			delete(want, c.Header.Get("webhook-id"))
		}
		if len(calls) != 30 || len(want) != 0 {
			t.Errorf("%d calls came, and %d are missing", len(calls), len(want))
		}
	}, harness.LocalWebhooks)
}

// With EARSHOT_SOAK_CYCLES, a tenth of the tries get no answer; each of them takes 15 s.
func TestFaultyReceiversGetEveryWebhook(t *testing.T) {
	t.Parallel()
	receivers, tasks, hangs := 5, 25, 0
	if os.Getenv("EARSHOT_SOAK_CYCLES") != "" {
		receivers, tasks, hangs = 25, 1000, 10
	}
	harness.OnEach(t, func(t *testing.T, n, _ *harness.Node) {
		faulty, sound := n.Organization(t, "many", 5000), n.Organization(t, "many", 1000)
		var tries atomic.Int64
		var delivered sync.Map
		receive := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the sender leaves
			tries.Add(1)
			switch turn := rand.IntN(100); {
			case turn < 50:
				w.WriteHeader(http.StatusServiceUnavailable)
			case turn < 50+hangs:
				<-r.Context().Done()
			default:
				delivered.Store(r.Header.Get("webhook-id"), true)
			}
		})
		var ids []string
		for range receivers {
			server := httptest.NewServer(receive)
			t.Cleanup(server.Close)
			for _, item := range n.SubmitAll(t, faulty, slices.Repeat([]string{harness.ChatTask("x", fmt.Sprintf(`"webhook":{"url":%q}`, server.URL))}, tasks/receivers)...).Results {
				ids = append(ids, item.Task.ID)
			}
		}
		good, slowest := harness.Receive(t, http.StatusOK), time.Duration(0)
		for range 20 {
			d := n.WaitDelivery(t, sound, n.Submit(t, sound, harness.ChatTask("y", good.Field())).ID)
			slowest = max(slowest, d.Tries[0].At.Sub(n.Task(t, sound, d.ID).Task.FinishedAt.Time))
		}
		for _, id := range ids {
			if d := n.WaitDelivery(t, faulty, id); !d.Delivered {
				t.Errorf("after %d tries, the delivery is %+v", d.Attempts, d)
			} else if _, arrived := delivered.Load(id); !arrived {
				t.Errorf("the receiver did not accept delivery %s", id)
			}
		}
		t.Logf("%d of %d delivered in %d tries; a sound receiver waited %s at most", len(ids), tasks, tries.Load(), slowest)
	}, harness.LocalWebhooks, func(cfg *app.Config) { cfg.WebhookWaits = slices.Repeat(cfg.WebhookWaits, 20) })
}

func TestAWebhookToAnInnerAddressIsRefused(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	// internal/upstream/guard has the list of addresses.
	for _, url := range []string{
		"http://127.0.0.1:8080/hook", "http://[::ffff:127.0.0.1]/", "http://2130706433/", "http://user@example.com/", "https://example.com/#x", "//example.com/", "",
		"https://example.com/" + strings.Repeat("a", 2048),
	} {
		task := harness.ChatTask("x", fmt.Sprintf(`"webhook":{"url":%q}`, url))
		for path, status := range map[string]int{harness.TaskPath: http.StatusUnprocessableEntity, harness.QuotePath: http.StatusBadRequest} {
			r := n.Post(t, a, path, task)
			r.Invalid(t, url, status, "webhook.url")
		}
		if batch := n.SubmitAll(t, a, task); batch.Summary.Failed != 1 || !strings.Contains(string(batch.Results[0].Error.Details), `"field":"webhook.url"`) {
			t.Errorf("%s in a batch: %+v", url, batch)
		}
	}
}
