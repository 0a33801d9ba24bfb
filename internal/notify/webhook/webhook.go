// Package webhook notifies receivers that tasks have ended. It signs and sends messages,
// and retries until a receiver acknowledges or the maximum number of tries is reached.
//
// The store inserts a delivery in the transaction that ends the task. Deliveries are
// queued by receiver, and one node at a time serves a receiver, so a receiver that hangs
// does not delay the deliveries of others.
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
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"earshot"
	"earshot/internal/limits/share"
	"earshot/internal/notify/mail"
	"earshot/internal/store"
	"earshot/internal/store/alerting"
	"earshot/internal/telemetry/trace"
	"earshot/internal/track/alert"
	"earshot/internal/upstream/guard"
)

const (
	// receiversAtOnce is the maximum number of receivers that a node serves at the same
	// time. Half of them may belong to one organization. Each may hang for answerTime.
	receiversAtOnce = 256
	// claimReceivers is the number of receivers that are claimed at once. An organization
	// may exceed its share by this number.
	claimReceivers = 8
	// deliveriesAtOnce is the maximum number of concurrent deliveries to one receiver. If
	// a batch of tasks ends at once, the deliveries must not look like an attack.
	deliveriesAtOnce = 16
	// answerTime is how long a receiver has to acknowledge.
	answerTime = 15 * time.Second
	// answerLength is how much of an answer is kept, in bytes.
	answerLength = 4 << 10
	// lease is how long no other node claims a receiver. It is longer than sending the
	// claimed deliveries can take.
	lease = 40 * time.Second
	// pollEvery is the maximum delay of a try.
	pollEvery = time.Second
)

// waits are the times between the tries of a delivery. They are part of the API contract.
var waits = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 8 * time.Hour,
}

// Config configures a Sender.
type Config struct {
	Store *store.Store
	// Client reaches receivers. It must refuse addresses that users may not reach.
	Client *http.Client
	// Body returns the body to send for a task.
	Body func(ctx context.Context, organization, task string) ([]byte, error)
	// Channel returns the message of a delivery to a channel.
	Channel func(ctx context.Context, organization, delivery string) (*alert.Message, error)
	// Mail sends a mail and returns the code of the server's reply. Nil if no SMTP server
	// is configured.
	Mail    func(ctx context.Context, m *alert.Mail) (status int, err error)
	Log     *slog.Logger
	Metrics prometheus.Registerer
	Tracer  *trace.Tracer // may be nil
	// Waits are the times between tries; only tests set it.
	Waits []time.Duration
}

// Sender sends webhooks from this node.
type Sender struct {
	Config
	// Places limits the receivers that the node serves at the same time.
	Places *share.Pool
	wake   chan struct{}
	tries  *prometheus.CounterVec
	tests  tests
}

// New returns a sender. Call Run to start it.
func New(cfg Config) *Sender {
	if cfg.Waits == nil {
		cfg.Waits = waits
	}
	return &Sender{Config: cfg, Places: share.NewPool(receiversAtOnce), wake: make(chan struct{}, 1), tries: promauto.With(cfg.Metrics).NewCounterVec(prometheus.CounterOpts{
		Name: "earshot_webhook_tries_total",
		Help: "Tries to deliver a webhook, by outcome: delivered, retry or spent.",
	}, []string{"outcome"})}
}

// Wake makes the sender look for deliveries at once.
func (s *Sender) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// Run sends until ctx ends. Then it cancels running deliveries, which another node sends again.
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

// claim claims receivers with due deliveries, a few at a time, and starts to send to
// them. It skips organizations that already use their share of the places.
func (s *Sender) claim(ctx context.Context, active *sync.WaitGroup) {
	for ctx.Err() == nil {
		n := min(claimReceivers, int(s.Places.Free()))
		if n == 0 {
			return
		}
		receivers, err := s.Store.ClaimReceivers(n, deliveriesAtOnce, s.Places.Full(), lease, s.Store.Now())
		if err != nil {
			s.Log.Error("claim webhook receivers", "error", err)
			return
		}
		for _, r := range receivers {
			s.Places.ForceTake(r.Organization, 1)
			active.Go(func() {
				s.serve(ctx, r)
				s.Places.Release(r.Organization, 1)
				s.Wake() // the receiver may have more due deliveries
			})
		}
		if len(receivers) < n {
			return
		}
	}
}

// serve sends the due deliveries of one receiver and stores the outcomes.
func (s *Sender) serve(ctx context.Context, r *store.Receiver) {
	tried := make([]store.Tried, len(r.Due))
	var sending sync.WaitGroup
	for i, d := range r.Due {
		sending.Go(func() { tried[i] = s.try(ctx, r, d) })
	}
	sending.Wait()
	if ctx.Err() != nil { // of those without an answer, it is unknown which have arrived
		tried = slices.DeleteFunc(tried, func(t store.Tried) bool { return t.Try.Status == 0 })
	}
	for {
		err := s.Store.Release(r, tried)
		if err == nil {
			return
		}
		s.Log.Error("store the outcome of webhooks", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollEvery):
		}
	}
}

// try tries to send a delivery once.
func (s *Sender) try(ctx context.Context, r *store.Receiver, d *store.Delivery) store.Tried {
	started := time.Now()
	ctx, span := s.Tracer.Begin(ctx, "webhook", started)
	defer span.End()
	span.String(trace.Task, d.Job)
	span.String(trace.Organization, d.Organization)
	span.Int(trace.Try, d.Series+1)
	got, err := s.send(ctx, r, d, started)
	t := store.Tried{Delivery: d, Try: earshot.DeliveryTry{At: earshot.Timestamp{Time: started}, Status: got.status, Ms: time.Since(started).Milliseconds()}}
	if err != nil {
		t.Try.Error = class(err)
		s.Log.Info("a webhook was not delivered", "task", d.Job, "try", d.Series+1, "error", t.Try.Error)
	}
	outcome := "spent"
	switch {
	case acknowledged(got.status):
		t.Delivered = true
		outcome = "delivered"
	case d.Series < len(s.Waits):
		t.Next = s.Store.Now().Add(jitter(s.Waits[d.Series]))
		outcome = "retry"
	}
	s.tries.WithLabelValues(outcome).Inc()
	span.Int(trace.Status, got.status) // 0 if there was no answer
	span.String(trace.Outcome, outcome)
	if !t.Delivered {
		span.Fail(outcome)
	}
	return t
}

// acknowledged reports whether the status means that the receiver has the message.
func acknowledged(status int) bool { return status/100 == 2 }

// answer is a receiver's answer. Its status is 0 without an answer.
type answer struct {
	status int
	text   string // the beginning of the body
}

// send sends a delivery.
func (s *Sender) send(ctx context.Context, r *store.Receiver, d *store.Delivery, now time.Time) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	m := &alert.Message{URL: d.URL, Signed: true}
	var err error
	if alerting.IsChannelURL(d.URL) {
		m, err = s.Channel(ctx, d.Organization, d.Job)
	} else {
		m.Body, err = s.Body(ctx, d.Organization, d.Job)
	}
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", errNotMade, err)
	}
	return s.tell(ctx, d.Job, m, r.Secrets, now)
}

// tell sends a message to a receiver or by mail.
func (s *Sender) tell(ctx context.Context, id string, m *alert.Message, secrets []string, now time.Time) (answer, error) {
	if m.Mail != nil {
		if s.Mail == nil {
			return answer{}, errNoMail
		}
		status, err := s.Mail(ctx, m.Mail)
		return answer{status: status}, err
	}
	if !m.Signed {
		secrets = nil
	}
	return s.post(ctx, id, m, secrets, now)
}

// post signs and sends a message. Without secrets, it sends the message without a signature.
func (s *Sender) post(ctx context.Context, id string, m *alert.Message, secrets []string, now time.Time) (answer, error) {
	signature, err := sign(secrets, id, now, m.Body)
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", errNotMade, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return answer{}, fmt.Errorf("%w: %w", errNotMade, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Earshot-Webhook/1")
	request.Header.Set(standardwebhooks.HeaderWebhookID, id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	if signature != "" {
		request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	// Some receivers do their work only while the answer is read. Only tests show its content.
	text, _ := io.ReadAll(io.LimitReader(response.Body, answerLength))
	_, _ = io.CopyN(io.Discard, response.Body, 60<<10)
	return answer{response.StatusCode, string(text)}, nil
}

// sign returns the signatures with each of the secrets, separated by spaces.
func sign(secrets []string, id string, at time.Time, body []byte) (string, error) {
	var all []string
	for _, secret := range secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return "", errors.New("invalid webhook secret") // err might contain the secret
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
	errNotMade = errors.New("the message could not be created")
	errNoMail  = errors.New("this service has no SMTP server")
)

// class returns the description of an error for users. With more detail, the service
// could be used as a port scanner.
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

// jitter changes a wait by up to 10 %, so that deliveries that failed together are not
// retried together.
func jitter(wait time.Duration) time.Duration {
	return time.Duration(float64(wait) * (0.9 + 0.2*rand.Float64()))
}
