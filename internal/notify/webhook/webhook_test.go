package webhook_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/notify/webhook"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
	"earshot/internal/upstream/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const body = `{"task": {"status": "COMPLETED"}}`

// house is a store with an organization and a node.
type house struct {
	*store.Store
	owner  string
	secret string
	node   string
}

func open(t *testing.T, address string) house {
	t.Helper()
	h := house{Store: storetest.Open(t, address), secret: account.NewWebhookSecret()}
	o, err := orgs.New(h.Store).CreateOrganization(orgs.NewOrganization{
		Name: "acme", Plan: account.Plan{Name: "x", Slots: 100, CreditsPerCycle: 1, RequestsPerSecond: 1, QueueCapacity: 100},
		FirstGrant: 1000, WebhookSecret: h.secret, Key: account.NewKey(),
	}, account.Operator(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if h.node, err = h.RegisterNode("test", 1, time.Now()); err != nil {
		t.Fatal(err)
	}
	h.owner = o.ID
	return h
}

// finish ends a task whose webhook goes to url, and returns the task's id.
func (h house) finish(t *testing.T, url string) string {
	t.Helper()
	job := store.Job{
		ID: uuid.Must(uuid.NewV7()).String(), Organization: h.owner, KeyID: "key", Provider: "chatassistant",
		Request: []byte(`{}`), MaxCost: 1, Priority: 1, CreatedAt: time.Now(), WebhookURL: &url,
	}
	if _, err := h.Submit(h.owner, []store.Job{job}, 1, time.Now()); err != nil {
		t.Fatal(err)
	}
	started, _, err := h.Claim(t.Context(), h.node, store.ClaimLimits{Tasks: 1}, time.Now())
	if err != nil || len(started) != 1 {
		t.Fatalf("started %d, %v", len(started), err)
	}
	if _, err := h.Settle(store.Settlement{Job: started[0], Status: earshot.StatusCompleted, Charge: 1, Attempts: 1}, time.Now()); err != nil {
		t.Fatal(err)
	}
	return job.ID
}

// send runs a sender until the test ends.
func (h house) send(t *testing.T, g guard.Guard) *webhook.Sender {
	t.Helper()
	sender := webhook.New(webhook.Config{
		Store: h.Store, Client: g.Client(), Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
		Body:  func(context.Context, string, string) ([]byte, error) { return []byte(body), nil },
		Waits: []time.Duration{time.Millisecond, time.Millisecond},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- sender.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return sender
}

// await waits until a delivery satisfies the condition.
func (h house) await(t *testing.T, id string, done func(*store.Delivery) bool) *store.Delivery {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		d, err := h.Delivery(ctx, h.owner, id)
		if err != nil {
			t.Fatalf("waiting for delivery %s: %v", id, err)
		}
		if done(d) {
			return d
		}
		select {
		case <-ctx.Done():
			t.Fatalf("delivery %s stays %+v", id, d)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func delivered(d *store.Delivery) bool { return !d.DeliveredAt.IsZero() }

func TestDeliveriesAreSignedAndRetriedUntilAcknowledged(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		h := open(t, address)
		verifier, err := standardwebhooks.NewWebhook(h.secret)
		if err != nil {
			t.Fatal(err)
		}
		var tries atomic.Int64
		ids := make(chan string, 10)
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got, err := io.ReadAll(r.Body)
			if err == nil {
				err = verifier.Verify(got, r.Header)
			}
			if err != nil || string(got) != body || r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("got %s with %v: %v", got, r.Header, err)
			}
			ids <- r.Header.Get("webhook-id")
			switch tries.Add(1) {
			case 1:
				w.WriteHeader(http.StatusInternalServerError)
			case 2:
				http.Redirect(w, r, "/elsewhere", http.StatusFound) // must not be followed
			default:
				w.WriteHeader(http.StatusNoContent)
			}
		}))
		defer receiver.Close()
		id := h.finish(t, receiver.URL+"/hook")
		h.send(t, guard.Guard{AllowPrivate: true})
		d := h.await(t, id, delivered)
		if d.Attempts != 3 || len(d.Tries) != 3 || d.Tries[0].Status != 500 || d.Tries[1].Status != 302 || d.Tries[2].Status != 204 || !d.DueAt.IsZero() {
			t.Errorf("it went %+v", d)
		}
		for range 3 {
			if got := <-ids; got != id {
				t.Errorf("a try had the id %s, want %s", got, id)
			}
		}
		storetest.Audited(t, h.Store)
	})
}

func TestDeliveryFailsAfterItsLastTry(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		h := open(t, address)
		receiver := httptest.NewServer(http.NotFoundHandler())
		defer receiver.Close()
		id := h.finish(t, receiver.URL)
		h.send(t, guard.Guard{AllowPrivate: true})
		d := h.await(t, id, func(d *store.Delivery) bool { return d.DueAt.IsZero() })
		if d.Attempts != 3 || delivered(d) {
			t.Errorf("the delivery is %+v", d)
		}
	})
}

func TestHangingReceiverDelaysNoOtherReceiver(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		h := open(t, address)
		hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // otherwise the server does not notice that the sender has left
			<-r.Context().Done()
		}))
		defer hanging.Close()
		quick := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		defer quick.Close()
		var stuck []string
		for range 20 {
			stuck = append(stuck, h.finish(t, hanging.URL))
		}
		h.send(t, guard.Guard{AllowPrivate: true})
		for range 5 {
			h.await(t, h.finish(t, quick.URL), delivered)
		}
		for _, id := range stuck {
			if d, err := h.Delivery(t.Context(), h.owner, id); err != nil || delivered(d) {
				t.Errorf("a delivery to the hanging receiver is %+v, %v", d, err)
			}
		}
	})
}

func TestAPrivateAddressIsNeverCalled(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		h := open(t, address)
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was called") }))
		defer receiver.Close()
		id := h.finish(t, receiver.URL)
		sender := h.send(t, guard.Guard{})
		d := h.await(t, id, func(d *store.Delivery) bool { return d.DueAt.IsZero() })
		if len(d.Tries) == 0 || d.Tries[0].Error != guard.ErrRefused.Error() {
			t.Errorf("it went %+v", d)
		}
		test, err := sender.Test(t.Context(), h.owner, receiver.URL)
		if err != nil || test.Delivered || test.Status != nil || test.Error == nil || *test.Error != guard.ErrRefused.Error() {
			t.Errorf("the test went %+v, %v", test, err)
		}
	})
}

func TestTestEndsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		h := open(t, address)
		ctx, leave := context.WithCancel(t.Context())
		hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // otherwise the server does not notice that the sender has left
			leave()
			<-r.Context().Done()
		}))
		defer hanging.Close()
		if test, err := h.send(t, guard.Guard{AllowPrivate: true}).Test(ctx, h.owner, hanging.URL); !errors.Is(err, context.Canceled) {
			t.Errorf("the test went %+v, %v", test, err)
		}
	})
}
