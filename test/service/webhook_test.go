package service_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
)

// hooked lets webhooks come to this machine, and tries them again soon.
func hooked(cfg *app.Config) {
	cfg.AllowPrivateWebhooks = true
	cfg.WebhookWaits = []time.Duration{time.Millisecond, time.Millisecond}
}

// receiver takes webhooks.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	calls []hookCall
}

type hookCall struct {
	header http.Header
	body   string
}

// receive starts a receiver that answers its calls in turn, and the last answer
// from then on.
func receive(t *testing.T, answers ...int) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil || req.Method != http.MethodPost {
			t.Errorf("%s with a body that ends with %v", req.Method, err)
		}
		r.mu.Lock()
		answer := answers[min(len(r.calls), len(answers)-1)]
		r.calls = append(r.calls, hookCall{req.Header, string(body)})
		r.mu.Unlock()
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(answer)
	}))
	t.Cleanup(r.Close)
	return r
}

// called is what has arrived.
func (r *receiver) called() []hookCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// hook is the field of a task that names the receiver.
func (r *receiver) hook() string { return fmt.Sprintf(`"webhook":{"url":%q}`, r.URL+"/hook?a=b") }

// verify checks the signature of a call.
func (c hookCall) verify(t *testing.T, secret string) {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify([]byte(c.body), c.header); err != nil {
		t.Errorf("%v: %v", c.header, err)
	}
	if verifier.Verify([]byte(c.body+" "), c.header) == nil {
		t.Error("another body has the same signature")
	}
}

// delivery reads how a webhook stands.
func (n *node) delivery(t *testing.T, a *app.Account, id string) earshot.Delivery {
	t.Helper()
	var d earshot.Delivery
	n.get(t, a, deliveriesPath+"/"+id).into(t, &d)
	return d
}

// settled waits until the webhook of a task that ends has no try planned.
func (n *node) settled(t *testing.T, a *app.Account, id string) (d earshot.Delivery) {
	t.Helper()
	n.ended(t, a, id)
	eventually(t, "the webhook is settled", func() bool {
		d = n.delivery(t, a, id)
		return d.NextTryAt == nil
	})
	return d
}

func TestAWebhookTellsHowATaskEnded(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a, r := n.plan(t, plans, "one", 9), receive(t, http.StatusNoContent)
		leave := n.hang(t, a)
		var ids []string
		for _, prompt := range []string{"lost [[block]]", "<done> & paid", "unpaid"} {
			ids = append(ids, n.submit(t, a, chatTask(prompt, r.hook())).ID)
		}
		if record := n.task(t, a, ids[0]); record.Webhook == nil || *record.Webhook != (earshot.TaskWebhook{URL: r.URL + "/hook?a=b"}) {
			t.Errorf("the webhook of a queued task is %+v", record.Webhook)
		}
		n.get(t, a, deliveriesPath+"/"+ids[0]).fails(t, "the delivery of a queued task", http.StatusNotFound, earshot.CodeNotFound)
		leave()
		want := map[string]string{}
		for i, status := range []earshot.Status{earshot.StatusFailed, earshot.StatusCompleted, earshot.StatusFailed} {
			d := other.settled(t, a, ids[i])
			if !d.Delivered || d.DeliveredAt == nil || d.Attempts != 1 || d.ID != ids[i] || d.TaskID != ids[i] || len(d.Tries) != 1 || d.Tries[0].Status != http.StatusNoContent {
				t.Errorf("the delivery is %+v", d)
			}
			record := n.task(t, a, ids[i])
			if w := record.Webhook; record.Task.Status != status || !w.Delivered || w.DeliveredAt == nil || w.Attempts != 1 {
				t.Errorf("the task is %+v, its webhook %+v", record.Task, w)
			}
			record.Webhook = nil
			want[ids[i]] = asJSON(t, record)
		}
		calls := r.called()
		for _, c := range calls {
			c.verify(t, a.WebhookSecret)
			id := c.header.Get("webhook-id")
			if c.body != want[id] || c.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %s, want %s", id, c.body, want[id])
			}
			delete(want, id)
		}
		if len(calls) != 3 || len(want) != 0 {
			t.Errorf("%d calls came, and these are missing: %v", len(calls), want)
		}
	}, hooked)
}

func TestAWebhookIsTriedUntilItIsAcknowledged(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, _ *node) {
		a, r := n.plan(t, plans, "many", 1000), receive(t, 500, 302, 200)
		id := n.submit(t, a, chatTask("x", r.hook())).ID
		d := n.settled(t, a, id)
		calls := r.called()
		if !d.Delivered || d.Attempts != 3 || len(d.Tries) != 3 || d.Tries[0].Status != 500 || d.Tries[1].Status != 302 || d.Tries[2].Status != 200 || len(calls) != 3 {
			t.Errorf("the delivery is %+v after %d calls", d, len(calls))
		}
		for i, c := range calls {
			c.verify(t, a.WebhookSecret)
			if c.header.Get("webhook-id") != id || c.body != calls[0].body {
				t.Errorf("call %d is another one", i)
			}
		}
		if w := n.task(t, a, id).Webhook; !w.Delivered || w.Attempts != 3 {
			t.Errorf("the task says %+v", w)
		}
	}, hooked)
}

func TestAWebhookIsGivenUpAndCanBeSentAgain(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a, r := n.plan(t, plans, "many", 1000), receive(t, 500, 503, 404, 200)
		id := n.submit(t, a, chatTask("x", r.hook())).ID
		if d := n.settled(t, a, id); d.Delivered || d.DeliveredAt != nil || d.Attempts != 3 {
			t.Errorf("the delivery is %+v", d)
		}
		states := func(pending, delivered, failed int) {
			t.Helper()
			for state, want := range map[string]int{"state=pending": pending, "state=delivered": delivered, "state=failed": failed, "": 1} {
				var page earshot.DeliveryPage
				if n.get(t, a, deliveriesPath+"?"+state).into(t, &page); len(page.Deliveries) != want {
					t.Errorf("%q: %+v, want %d", state, page, want)
				}
			}
		}
		states(0, 0, 1)
		resend := func() (answer struct {
			Success  bool
			Delivery earshot.Delivery
		},
		) {
			t.Helper()
			other.post(t, a, deliveriesPath+"/"+strings.ToUpper(id)+"/resend", "").into(t, &answer)
			if !answer.Success || answer.Delivery.ID != id {
				t.Errorf("resent: %+v", answer)
			}
			return answer
		}
		resend()
		d := n.settled(t, a, id)
		if !d.Delivered || d.DeliveredAt == nil || d.Attempts != 4 || len(d.Tries) != 4 {
			t.Errorf("resent, the delivery is %+v", d)
		}
		states(0, 1, 0)
		resend() // also one that was acknowledged
		eventually(t, "it comes again", func() bool { return len(r.called()) == 5 })
		if d := n.settled(t, a, id); !d.Delivered || d.Attempts != 5 {
			t.Errorf("resent twice, the delivery is %+v", d)
		}
		for _, c := range r.called() {
			c.verify(t, a.WebhookSecret)
			if c.header.Get("webhook-id") != id {
				t.Errorf("a call has the id %s", c.header.Get("webhook-id"))
			}
		}
	}, hooked)
}

func TestBothSecretsSignAfterARotation(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, _ *node) {
		a, r := n.plan(t, plans, "many", 1000), receive(t, http.StatusOK)
		rotate := func(at time.Time) (secret string) {
			t.Helper()
			secret = account.NewWebhookSecret()
			if err := n.store.RotateSecret(a.Organization.ID, secret, at); err != nil {
				t.Fatal(err)
			}
			return secret
		}
		signatures := func() (last hookCall, all []string) {
			t.Helper()
			before := len(r.called())
			n.settled(t, a, n.submit(t, a, chatTask("x", r.hook())).ID)
			last = r.called()[before]
			return last, strings.Fields(last.header.Get("webhook-signature"))
		}
		next := rotate(time.Now())
		call, all := signatures()
		if len(all) != 2 {
			t.Errorf("the signatures are %q", all)
		}
		for i, secret := range []string{next, a.WebhookSecret} {
			call.verify(t, secret)
			alone := hookCall{call.header.Clone(), call.body}
			alone.header.Set("webhook-signature", all[i])
			alone.verify(t, secret)
		}
		last := rotate(time.Now().Add(-25 * time.Hour)) // more than a day ago
		call, all = signatures()
		if len(all) != 1 {
			t.Errorf("a day later the signatures are %q", all)
		}
		call.verify(t, last)
	}, hooked)
}

func TestAReceiverThatHangsDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, _ *node) {
		a, b := n.plan(t, plans, "many", 1000), n.plan(t, plans, "many", 1000)
		release := make(chan struct{})
		var hanging sync.WaitGroup
		hanging.Add(1)
		first := sync.OnceFunc(hanging.Done)
		hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			first()
			<-release
		}))
		t.Cleanup(hangs.Close)
		t.Cleanup(func() { close(release) })
		stuck := n.submitAll(t, a, slices.Repeat([]string{chatTask("x", fmt.Sprintf(`"webhook":{"url":%q}`, hangs.URL))}, 40)...)
		hanging.Wait()
		r := receive(t, http.StatusOK)
		for _, account := range []*app.Account{a, b} {
			if d := n.settled(t, account, n.submit(t, account, chatTask("y", r.hook())).ID); !d.Delivered {
				t.Errorf("the delivery is %+v", d)
			}
		}
		for _, item := range stuck.Results {
			if w := n.ended(t, a, item.Task.ID).Webhook; w.Delivered || w.Attempts != 0 {
				t.Errorf("the webhook that hangs is %+v", w)
			}
		}
	}, hooked)
}

func TestTasksThatEndTogetherAreAnnouncedOnceEach(t *testing.T) {
	t.Parallel()
	onTwo(t, func(t *testing.T, n, other *node) {
		a, r := n.plan(t, plans, "many", 1000), receive(t, http.StatusOK)
		want := map[string]bool{}
		for _, node := range []*node{n, other} {
			for _, item := range node.submitAll(t, a, slices.Repeat([]string{chatTask("x", r.hook())}, 50)...).Results {
				want[item.Task.ID] = true
			}
		}
		// Listed newest first, page by page.
		var listed []string
		eventually(t, "all are delivered", func() bool {
			listed = nil
			for cursor := ""; ; {
				var page earshot.DeliveryPage
				n.get(t, a, deliveriesPath+"?state=delivered&limit=30"+cursor).into(t, &page)
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
		calls := r.called()
		for _, c := range calls {
			delete(want, c.header.Get("webhook-id"))
		}
		if len(calls) != 100 || len(want) != 0 {
			t.Errorf("%d calls came, and %d are missing", len(calls), len(want))
		}
	}, hooked)
}

func TestAWebhookToAnInnerAddressIsRefused(t *testing.T) {
	t.Parallel()
	n := simple(t)
	a := n.plan(t, plans, "many", 1000)
	for _, url := range []string{
		"http://127.0.0.1/", "http://127.0.0.1:8080/hook", "http://localhost/", "http://LOCALHOST:9000/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
		"http://0.0.0.0/", "http://10.1.2.3/", "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://[fe80::1]/", "http://[64:ff9b::7f00:1]/",
		"http://2130706433/", "http://0x7f.1/", "http://user@example.com/", "https://example.com/#x", "//example.com/", "example.com", "", "file:///etc/passwd",
		"https://example.com/" + strings.Repeat("a", 2048),
	} {
		task := chatTask("x", fmt.Sprintf(`"webhook":{"url":%q}`, url))
		for path, status := range map[string]int{taskPath: http.StatusUnprocessableEntity, quotePath: http.StatusBadRequest} {
			r := n.post(t, a, path, task)
			r.fails(t, url, status, earshot.CodeValidation)
			if r.StatusCode == status && !slices.Equal(r.fields(t), []string{"webhook.url"}) {
				t.Errorf("%s: %s", url, r.body)
			}
		}
		if batch := n.submitAll(t, a, task); batch.Summary.Failed != 1 || !strings.Contains(string(batch.Results[0].Error.Details), `"field":"webhook.url"`) {
			t.Errorf("%s in a batch: %+v", url, batch)
		}
	}
}
