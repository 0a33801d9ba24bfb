package harness

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"earshot"
	"earshot/internal/app"
)

// LocalWebhooks allows a node to send webhooks to this machine, with short waits between
// tries.
func LocalWebhooks(cfg *app.Config) {
	cfg.AllowPrivateWebhooks = true
	cfg.WebhookWaits = []time.Duration{time.Millisecond, time.Millisecond}
}

// Receiver receives webhooks.
type Receiver struct {
	*httptest.Server
	mu    sync.Mutex
	calls []Webhook
}

// Webhook is a request that a Receiver got.
type Webhook struct {
	Header http.Header
	Body   string
	Path   string
}

// Receive starts a receiver that answers with these statuses in turn, and then always with
// the last one.
func Receive(tb testing.TB, answers ...int) *Receiver {
	tb.Helper()
	r, document := &Receiver{}, OpenAPI(tb)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil || req.Method != http.MethodPost {
			tb.Errorf("the receiver got a %s; reading its body: %v", req.Method, err)
		}
		if req.Header.Get("webhook-signature") != "" { // messages to a chat are not signed
			if err := document.Webhook(req.Header, string(body)); err != nil {
				tb.Errorf("a webhook is not as documented: %v\n%.500s", err, body)
			}
		}
		r.mu.Lock()
		answer := answers[min(len(r.calls), len(answers)-1)]
		r.calls = append(r.calls, Webhook{req.Header, string(body), req.URL.Path})
		r.mu.Unlock()
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(answer)
	}))
	tb.Cleanup(r.Close)
	return r
}

// Webhooks returns the webhooks received so far.
func (r *Receiver) Webhooks() []Webhook {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Field returns the field of a task with the URL of the receiver.
func (r *Receiver) Field() string { return fmt.Sprintf(`"webhook":{"url":%q}`, r.URL+"/hook?a=b") }

// Verify fails the test unless the signature is valid.
func (c Webhook) Verify(tb testing.TB, secret string) {
	tb.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		tb.Fatal(err)
	}
	if err := verifier.Verify([]byte(c.Body), c.Header); err != nil {
		tb.Errorf("%v: %v", c.Header, err)
	}
	if verifier.Verify([]byte(c.Body+" "), c.Header) == nil {
		tb.Error("another body has the same signature")
	}
}

// Delivery reads the state of a task's webhook.
func (n *Node) Delivery(tb testing.TB, a *app.Account, id string) earshot.Delivery {
	tb.Helper()
	var d earshot.Delivery
	n.Get(tb, a, DeliveriesPath+"/"+id).Into(tb, &d)
	return d
}

// WaitDelivery waits until the task has ended and no try of its webhook is planned.
func (n *Node) WaitDelivery(tb testing.TB, a *app.Account, id string) (d earshot.Delivery) {
	tb.Helper()
	n.Wait(tb, a, id)
	Eventually(tb, "the webhook is settled", func() bool {
		d = n.Delivery(tb, a, id)
		return d.NextTryAt == nil
	})
	return d
}
