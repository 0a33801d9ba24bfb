// Package webhook tells receivers that tasks have ended: it signs, sends, and
// tries again until a receiver acknowledges or the tries are spent.
//
// Planning is the store's, in the transaction that ends the task. Deliveries wait
// in line behind their receiver, and one node at a time works on a receiver, so one
// that hangs delays nobody else's.
package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/guard"
	"earshot/internal/store"
)

const (
	// receiversAtOnce is how many receivers a node works on. Each may hang for the
	// whole of answerTime.
	receiversAtOnce = 128
	// deliveriesAtOnce is how many deliveries one receiver gets at the same time: a
	// batch of tasks that ends together must not look like an attack.
	deliveriesAtOnce = 16
	// answerTime is how long a receiver has to acknowledge.
	answerTime = 15 * time.Second
	// lease is how long nobody else takes up a receiver; longer than the sending of
	// what was claimed can take.
	lease = 40 * time.Second
	// pollEvery is how exactly tries are on time.
	pollEvery = time.Second
)

// waits are the times between the tries of a delivery, by the contract.
var waits = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 8 * time.Hour,
}

// Config is what a Sender needs.
type Config struct {
	Store *store.Store
	// Client reaches receivers, and nothing that they should not.
	Client *http.Client
	// Body is what is sent of a task.
	Body    func(ctx context.Context, organization, task string) ([]byte, error)
	Log     *slog.Logger
	Metrics prometheus.Registerer
	// Waits replaces the times between tries, for tests.
	Waits []time.Duration
}

// Sender sends webhooks from this node.
type Sender struct {
	Config
	wake  chan struct{}
	tries *prometheus.CounterVec
	tests tests
}

// New makes a sender. Run must follow.
func New(cfg Config) *Sender {
	if cfg.Waits == nil {
		cfg.Waits = waits
	}
	s := &Sender{Config: cfg, wake: make(chan struct{}, 1), tries: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "earshot_webhook_tries_total",
		Help: "Tries to deliver a webhook, by outcome: delivered, retry or spent.",
	}, []string{"outcome"})}
	cfg.Metrics.MustRegister(s.tries)
	return s
}

// Wake says that there may be something to send.
func (s *Sender) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // one is enough
	}
}

// Run sends until ctx ends. What is under way then is cut off, and sent again
// when its lease has ended.
func (s *Sender) Run(ctx context.Context) error {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	var under sync.WaitGroup
	defer under.Wait()
	places := make(chan struct{}, receiversAtOnce)
	for {
		s.takeUp(ctx, places, &under)
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-poll.C:
		}
	}
}

// takeUp starts on receivers that have something due, as far as there are places.
func (s *Sender) takeUp(ctx context.Context, places chan struct{}, under *sync.WaitGroup) {
	free := cap(places) - len(places)
	if free == 0 || ctx.Err() != nil {
		return
	}
	receivers, err := s.Store.ClaimReceivers(free, deliveriesAtOnce, lease, s.Store.Now())
	if err != nil {
		s.Log.Error("looking for webhooks to send failed", "error", err)
		return
	}
	for _, r := range receivers {
		places <- struct{}{}
		under.Go(func() {
			s.serve(ctx, r)
			<-places
			s.Wake() // it may have more
		})
	}
}

// serve sends what is due to one receiver.
func (s *Sender) serve(ctx context.Context, r *store.Receiver) {
	tried := make([]store.Tried, len(r.Due))
	var group errgroup.Group
	for i, d := range r.Due {
		group.Go(func() error {
			tried[i] = s.try(ctx, r, d)
			return nil
		})
	}
	_ = group.Wait() // none returns an error
	if ctx.Err() != nil {
		return // nobody knows what arrived
	}
	for {
		err := s.Store.Release(r, tried)
		if err == nil {
			return
		}
		s.Log.Error("the outcome of webhooks could not be noted", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollEvery):
		}
	}
}

// try makes one try of a delivery.
func (s *Sender) try(ctx context.Context, r *store.Receiver, d *store.Delivery) store.Tried {
	started := time.Now()
	status, err := s.send(ctx, r, d, started)
	t := store.Tried{Delivery: d, Try: earshot.DeliveryTry{At: earshot.Timestamp{Time: started}, Status: status, Ms: time.Since(started).Milliseconds()}}
	if err != nil {
		t.Try.Error = class(err)
		s.Log.Info("a webhook was not delivered", "task", d.Job, "try", d.Series+1, "error", t.Try.Error)
	}
	outcome := "spent"
	switch {
	case acknowledged(status):
		t.Delivered = true
		outcome = "delivered"
	case d.Series < len(s.Waits):
		t.Next = s.Store.Now().Add(jitter(s.Waits[d.Series]))
		outcome = "retry"
	}
	s.tries.WithLabelValues(outcome).Inc()
	return t
}

// acknowledged tells whether the receiver's answer means that it has the message.
func acknowledged(status int) bool { return status/100 == 2 }

// send posts a delivery and tells what the receiver answered, 0 for nothing.
func (s *Sender) send(ctx context.Context, r *store.Receiver, d *store.Delivery, now time.Time) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	body, err := s.Body(ctx, d.Organization, d.Job)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errOurs, err)
	}
	return s.post(ctx, message{id: d.Job, url: d.URL, body: body, secrets: r.Secrets}, now)
}

// message is what is sent to a receiver.
type message struct {
	id      string
	url     string
	body    []byte
	secrets []string
}

// post signs a message, sends it, and tells what the receiver answered, 0 for
// nothing.
func (s *Sender) post(ctx context.Context, m message, now time.Time) (status int, err error) {
	signature, err := sign(m.secrets, m.id, now, m.body)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errOurs, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(m.body))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errOurs, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Earshot-Webhook/1")
	request.Header.Set(standardwebhooks.HeaderWebhookID, m.id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	response, err := s.Client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	// Some receivers do their work only while somebody reads. The rest is not ours.
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10)
	return response.StatusCode, nil
}

// sign gives a signature by each of the secrets.
func sign(secrets []string, id string, at time.Time, body []byte) (string, error) {
	var all []string
	for _, secret := range secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return "", errors.New("the webhook secret cannot be read") // err might show it
		}
		signature, err := signer.Sign(id, at, body)
		if err != nil {
			return "", fmt.Errorf("sign a webhook: %w", err)
		}
		all = append(all, signature)
	}
	return strings.Join(all, " "), nil
}

var errOurs = errors.New("the webhook could not be made")

// class is what a user may know of a failure. More would make a port scanner of
// the service.
func class(err error) string {
	switch {
	case errors.Is(err, errOurs):
		return errOurs.Error()
	case errors.Is(err, guard.ErrRefused), errors.Is(err, guard.ErrUnresolved):
		return guard.ErrRefused.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer within %s", answerTime)
	default:
		return guard.ErrUnreachable.Error()
	}
}

// jitter spreads tries by a tenth either way, so that those that failed together do not come
// back together.
func jitter(wait time.Duration) time.Duration {
	return time.Duration(float64(wait) * (0.9 + 0.2*rand.Float64()))
}
