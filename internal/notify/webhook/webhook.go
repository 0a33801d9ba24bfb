// Package webhook notifies receivers that tasks have ended: it signs, sends, and
// tries again until a receiver acknowledges or no tries are left.
//
// The store plans deliveries, in the transaction that ends the task. They are queued
// by receiver, and one node at a time works on a receiver, so one that hangs does not
// delay the deliveries of others.
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
	"github.com/prometheus/client_golang/prometheus/promauto"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/limits/share"
	"earshot/internal/notify/mail"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/telemetry/trace"
	"earshot/internal/track/alert"
	"earshot/internal/upstream/guard"
)

const (
	// receiversAtOnce is how many receivers a node works on, half of them of one
	// organization at most. Each may hang for the whole of answerTime.
	receiversAtOnce = 256
	// claimReceivers is how many receivers are claimed in one go, and so by how many
	// an organization may go past its share.
	claimReceivers = 8
	// deliveriesAtOnce is how many deliveries one receiver gets at the same time: a
	// batch of tasks that ends together must not look like an attack.
	deliveriesAtOnce = 16
	// answerTime is how long a receiver has to acknowledge.
	answerTime = 15 * time.Second
	// lease is how long no other node claims a receiver; longer than sending what was
	// claimed can take.
	lease = 40 * time.Second
	// pollEvery is how late a try can be.
	pollEvery = time.Second
)

// waits are the times between the tries of a delivery, by the contract.
var waits = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 8 * time.Hour,
}

// Config is what a Sender needs.
type Config struct {
	Store *tracking.Store
	// Client reaches receivers. It must refuse addresses that users may not reach.
	Client *http.Client
	// Body returns the body to send for a task.
	Body func(ctx context.Context, organization, task string) ([]byte, error)
	// Channel returns what a delivery tells a channel.
	Channel func(ctx context.Context, organization, delivery string) (*alert.Message, error)
	// Mail sends a mail and returns the code of the server's reply. Nil where there is no
	// server for that.
	Mail    func(ctx context.Context, m *alert.Mail) (status int, err error)
	Log     *slog.Logger
	Metrics prometheus.Registerer
	Tracer  *trace.Tracer // may be nil
	// Waits replaces the times between tries, for tests.
	Waits []time.Duration
}

// Sender sends webhooks from this node.
type Sender struct {
	Config
	// Places are for receivers that the node works on.
	Places *share.Pool
	wake   chan struct{}
	tries  *prometheus.CounterVec
	tests  tests
}

// New makes a sender. Run must follow.
func New(cfg Config) *Sender {
	if cfg.Waits == nil {
		cfg.Waits = waits
	}
	return &Sender{Config: cfg, Places: share.NewPool(receiversAtOnce), wake: make(chan struct{}, 1), tries: promauto.With(cfg.Metrics).NewCounterVec(prometheus.CounterOpts{
		Name: "earshot_webhook_tries_total",
		Help: "Tries to deliver a webhook, by outcome: delivered, retry or spent.",
	}, []string{"outcome"})}
}

// Wake makes the sender look for something to send.
func (s *Sender) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // one is enough
	}
}

// Run sends until ctx ends. Deliveries under way are canceled then, and sent again
// when their lease has ended.
func (s *Sender) Run(ctx context.Context) error {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	var active sync.WaitGroup
	defer active.Wait()
	for {
		s.claim(ctx, &active)
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-poll.C:
		}
	}
}

// claim starts to send to receivers that have something due, a few at a time: those
// of organizations that hold their share of the places already are left out.
func (s *Sender) claim(ctx context.Context, active *sync.WaitGroup) {
	for ctx.Err() == nil {
		n := min(claimReceivers, int(s.Places.Free()))
		if n == 0 {
			return
		}
		receivers, err := s.Store.ClaimReceivers(n, deliveriesAtOnce, s.Places.Full(), lease, s.Store.Now())
		if err != nil {
			s.Log.Error("looking for webhooks to send failed", "error", err)
			return
		}
		for _, r := range receivers {
			s.Places.Add(r.Organization, 1)
			active.Go(func() {
				s.serve(ctx, r)
				s.Places.Give(r.Organization, 1)
				s.Wake() // it may have more
			})
		}
		if len(receivers) < n {
			return
		}
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
		return // it is unknown what arrived
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
	ctx, span := s.Tracer.Begin(ctx, "webhook", started)
	defer span.End()
	span.String(trace.Task, d.Job)
	span.String(trace.Organization, d.Organization)
	span.Int(trace.Try, d.Series+1)
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
	span.Int(trace.Status, status) // 0 for no answer
	span.String(trace.Outcome, outcome)
	if !t.Delivered {
		span.Fail(outcome)
	}
	return t
}

// acknowledged tells whether the status means that the receiver has the message.
func acknowledged(status int) bool { return status/100 == 2 }

// send posts a delivery and returns the status of the answer, 0 for none.
func (s *Sender) send(ctx context.Context, r *store.Receiver, d *store.Delivery, now time.Time) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if tracking.IsChannelURL(d.URL) {
		m, err := s.Channel(ctx, d.Organization, d.Job)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", errNotMade, err)
		}
		return s.tell(ctx, d.Job, m, r.Secrets, now)
	}
	body, err := s.Body(ctx, d.Organization, d.Job)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNotMade, err)
	}
	return s.post(ctx, message{id: d.Job, url: d.URL, body: body, secrets: r.Secrets}, now)
}

// tell sends a message to a channel and returns the status of the answer, 0 for none.
func (s *Sender) tell(ctx context.Context, id string, m *alert.Message, secrets []string, now time.Time) (status int, err error) {
	if m.Mail != nil {
		if s.Mail == nil {
			return 0, errNoMail
		}
		return s.Mail(ctx, m.Mail)
	}
	if !m.Signed {
		secrets = nil
	}
	return s.post(ctx, message{id: id, url: m.URL, body: m.Body, secrets: secrets}, now)
}

// message is what is sent to a receiver.
type message struct {
	id      string
	url     string
	body    []byte
	secrets []string // none for a receiver that knows of no signatures
}

// post signs a message, sends it, and returns the status of the answer, 0 for none.
func (s *Sender) post(ctx context.Context, m message, now time.Time) (status int, err error) {
	signature, err := sign(m.secrets, m.id, now, m.body)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNotMade, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(m.body))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNotMade, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Earshot-Webhook/1")
	request.Header.Set(standardwebhooks.HeaderWebhookID, m.id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	if signature != "" {
		request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	// Some receivers do their work only while the answer is read. Its end is ignored.
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10)
	return response.StatusCode, nil
}

// sign makes a signature with each of the secrets.
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

var (
	errNotMade = errors.New("the webhook could not be made")
	errNoMail  = errors.New("this service has no SMTP server")
)

// class is what a user is told of a failure. With more detail the service could be
// used as a port scanner.
func class(err error) string {
	switch {
	case errors.Is(err, errNotMade):
		return errNotMade.Error()
	case errors.Is(err, errNoMail):
		return errNoMail.Error()
	case errors.Is(err, mail.ErrNoSTARTTLS):
		return mail.ErrNoSTARTTLS.Error()
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
