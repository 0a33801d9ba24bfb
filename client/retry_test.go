package client_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/client"
)

var (
	ok         = says(200, `{}`)
	rateLimit  = fails(429, "RATE_LIMIT_EXCEEDED", "")
	draining   = fails(503, "SERVICE_UNAVAILABLE", "", "Retry-After", "1")
	proxyError = says(502, "<html>Bad Gateway</html>")
)

// One call of each kind.
func reading(ctx context.Context, c *client.Client) error { _, err := c.Credits(ctx); return err }

func canceling(ctx context.Context, c *client.Client) error { return c.Cancel(ctx, "1") }

func resolving(ctx context.Context, c *client.Client) error { _, err := c.Goto(ctx, "x"); return err }

func asking(ctx context.Context, c *client.Client) error {
	_, _, err := c.Monitor(ctx, "chatassistant", earshot.ChatAssistantRequest{})
	return err
}

func askingWithAKey(ctx context.Context, c *client.Client) error {
	_, _, err := c.Monitor(ctx, "chatassistant", earshot.ChatAssistantRequest{}, client.IdempotencyKey("a"))
	return err
}

func keyMaking(ctx context.Context, c *client.Client) error {
	_, err := c.CreateKey(ctx, earshot.KeyRequest{})
	return err
}

func submitting(keys ...string) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error {
		var tasks []earshot.TaskRequest
		for _, key := range keys {
			tasks = append(tasks, earshot.TaskRequest{TaskType: "WEBSEARCH", IdempotencyKey: key})
		}
		if len(tasks) == 1 {
			_, err := c.Submit(ctx, tasks[0])
			return err
		}
		_, err := c.SubmitBatch(ctx, tasks)
		return err
	}
}

// Each call fails once and would succeed the second time.
func TestWhichCallsAreRetried(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, *client.Client) error{
		"reading": reading, "canceling": canceling, "resolving": resolving,
		"asking": asking, "asking with a key": askingWithAKey, "key making": keyMaking,
		"submitting": submitting(""), "submitting with a key": submitting("a"),
		"a batch": submitting("a", ""), "a batch with keys": submitting("a", "b"),
	}
	all := []string{"reading", "canceling", "resolving", "asking", "asking with a key", "key making", "submitting", "submitting with a key", "a batch", "a batch with keys"}
	idempotent := []string{"reading", "canceling", "resolving", "asking with a key", "key making", "submitting with a key", "a batch with keys"}
	for _, test := range []struct {
		name   string
		answer answer
		again  []string
	}{
		{"the rate limit is exceeded", rateLimit, all},
		{"the node drains", draining, all},
		{"there is no connection", breaks("dial"), all},
		{"the connection breaks", breaks("read"), idempotent},
		{"the answer is cut off", cut, idempotent},
		{"a proxy fails", proxyError, idempotent},
		{"a proxy refuses", says(403, "<html>"), nil},
		{"all slots are taken", fails(429, "CONCURRENT_LIMIT_EXCEEDED", `{"limit":1}`), nil},
		{"the queue is full", fails(429, "QUEUE_LIMIT_EXCEEDED", `{}`), nil},
		{"the provider failed", fails(502, "EXTERNAL_SERVICE_ERROR", `{}`), nil},
		{"an internal error", fails(500, "INTERNAL_SERVER_ERROR", ""), nil},
		{"a call with the key runs", fails(409, "RESOURCE_CONFLICT", `{"requestId":"7"}`), nil},
		{"a wrong key", fails(401, "INVALID_API_KEY", ""), nil},
		{"a response that is not JSON", says(200, "<html>"), nil},
		{"Retry-After is one hour", fails(503, "SERVICE_UNAVAILABLE", "", "Retry-After", "3600"), nil},
	} {
		expected := map[string]int{}
		for _, name := range test.again {
			expected[name] = 1
		}
		for name, call := range calls {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c, service := answering(test.answer, ok)
					err := call(t.Context(), c)
					if want := 1 + expected[name]; len(service.sent) != want || (err == nil) != (want == 2) {
						t.Errorf("it was sent %d times, want %d, and ended with %v", len(service.sent), want, err)
					}
				})
			})
		}
	}
}

func TestCallWithKeyWaitsForLostAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs := fails(409, "RESOURCE_CONFLICT", `{"id":"7","status":"PROCESSING","requestId":"7"}`)
		c, service := answering(breaks("read"), runs, says(200, `{"success":true,"result":{"text":"x"}}`, "Idempotency-Replayed", "true", "X-Credits-Charged", "0"))
		answer, usage, err := c.ChatAssistant(t.Context(), earshot.ChatAssistantRequest{Prompt: "hats"}, client.IdempotencyKey("a"))
		if err != nil || answer.Text != "x" || !usage.Replayed || usage.CreditsCharged != 0 || len(service.sent) != 3 {
			t.Errorf("after %d tries: %+v, %+v, %v", len(service.sent), answer, usage, err)
		}
		for _, s := range service.sent {
			if s.header.Get("Idempotency-Key") != "a" || s.body != service.sent[0].body {
				t.Errorf("it sent %+v", s)
			}
		}
	})
}

func TestWaitsGrowAndRetriesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, service := answering(rateLimit)
		if err := reading(t.Context(), c); !client.IsCode(err, earshot.CodeRateLimit) {
			t.Errorf("it ended with %v", err)
		}
		if len(service.sent) != 5 {
			t.Fatalf("it was sent %d times", len(service.sent))
		}
		for i, most := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second} {
			if wait := service.sent[i+1].at.Sub(service.sent[i].at); wait < most/2 || wait > most {
				t.Errorf("wait %d is %s, want %s at most and half of it at least", i, wait, most)
			}
		}
	})
}

func TestRetryAfterIsRespected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		date := time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat)
		for _, header := range []string{"20", date} {
			c, service := answering(fails(503, "SERVICE_UNAVAILABLE", "", "Retry-After", header), ok)
			if err := reading(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if wait := service.sent[1].at.Sub(service.sent[0].at); header == "20" && wait != 20*time.Second || wait > 20*time.Second {
				t.Errorf("it waited %s for Retry-After: %s", wait, header)
			}
		}
	})
}

func TestRetriesCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	service := &fake{answers: []answer{rateLimit, ok}}
	if err := reading(t.Context(), service.client(client.WithRetries(0))); err == nil || len(service.sent) != 1 {
		t.Errorf("it was sent %d times and ended with %v", len(service.sent), err)
	}
}

// When the context ends, the error contains the context's error and the service's last one.
func TestContextEndsRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, service := answering(rateLimit)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := reading(ctx, c)
		if !errors.Is(err, context.DeadlineExceeded) || !client.IsCode(err, earshot.CodeRateLimit) || len(service.sent) > 4 {
			t.Errorf("after %d tries it ended with %v", len(service.sent), err)
		}
	})
}

// The same over a real connection that breaks after the request.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		call func(context.Context, *client.Client) error
		want int64
	}{
		"a read is sent again":              {reading, 2},
		"a keyed submission is sent again":  {submitting("a"), 2},
		"a call that may be charged is not": {asking, 1},
		"a submission without a key is not": {submitting(""), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if requests.Add(1) == 1 {
					panic(http.ErrAbortHandler) // closes the connection
				}
				_, _ = w.Write([]byte(`{}`))
			}))
			defer service.Close()
			err := test.call(t.Context(), client.New(service.URL, "key"))
			if got := requests.Load(); got != test.want || (err == nil) != (test.want == 2) {
				t.Errorf("it was sent %d times, want %d, and ended with %v", got, test.want, err)
			}
		})
	}
}

// elsewhere dials a closed port the first time.
type elsewhere struct{ tried bool }

func (e *elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	if !e.tried {
		e.tried = true
		closed := httptest.NewServer(nil)
		closed.Close()
		r = r.Clone(r.Context())
		r.URL.Host = closed.Listener.Addr().String()
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestRetryUntilTheServiceIsUp(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) }))
	defer service.Close()
	c := client.New(service.URL, "key", client.WithHTTPClient(&http.Client{Transport: &elsewhere{}}))
	if err := asking(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func TestUntrustedCertificateIsNotRetried(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	service := httptest.NewUnstartedServer(http.NotFoundHandler())
	service.Config.ErrorLog = log.New(io.Discard, "", 0)
	service.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	service.StartTLS()
	defer service.Close()
	if err := reading(t.Context(), client.New(service.URL, "key")); err == nil || connections.Load() != 1 {
		t.Errorf("after %d connections it ended with %v", connections.Load(), err)
	}
}
