package trace

import (
	"context"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// answers stands for the network, which has no place in a bubble with a clock of its
// own: it gives one answer after the other.
type answers []func() (*http.Response, error)

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	next := (*a)[0]
	*a = (*a)[1:]
	return next()
}

func status(code int, after string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: http.Header{"Retry-After": {after}}, Body: io.NopCloser(strings.NewReader("why"))}, nil
	}
}

func TestABatchIsSentAgain(t *testing.T) {
	t.Parallel()
	inTwentySeconds := func() (*http.Response, error) {
		return status(http.StatusServiceUnavailable, time.Now().Add(20*time.Second).UTC().Format(http.TimeFormat))()
	}
	silent := func() (*http.Response, error) { return nil, syscall.ETIMEDOUT }
	refused := func() (*http.Response, error) { return nil, syscall.ECONNREFUSED }
	for name, c := range map[string]struct {
		answers  answers
		fails    string
		from, to time.Duration // how long it takes
	}{
		"taken":                {answers: answers{status(200, "")}},
		"a bad gateway":        {answers: answers{status(502, ""), status(200, "")}, from: 2500 * time.Millisecond, to: 7500 * time.Millisecond},
		"twice":                {answers: answers{status(504, ""), status(429, ""), status(200, "")}, from: 6250 * time.Millisecond, to: 18750 * time.Millisecond},
		"in seconds":           {answers: answers{status(429, "12"), status(200, "")}, from: 12 * time.Second, to: 12 * time.Second},
		"at a time":            {answers: answers{inTwentySeconds, status(200, "")}, from: 19 * time.Second, to: 20 * time.Second},
		"too late":             {answers: answers{status(503, "61")}, fails: "for too long"},
		"a connection is dead": {answers: answers{silent, status(200, "")}, from: 2500 * time.Millisecond, to: 7500 * time.Millisecond},
		"nobody listens":       {answers: answers{refused}, fails: "refused"},
		"refused":              {answers: answers{status(400, "1")}, fails: "Bad Request: why"},
		"no time is left":      {answers: answers{status(503, "50")}, fails: "no time", from: 30 * time.Second, to: 30 * time.Second},
		"an error of its own":  {answers: answers{status(500, "")}, fails: "Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				spans := tracetest.SpanStubs{{Name: "span"}}.Snapshots()
				to := &collector{url: "http://collector", header: http.Header{}, client: &http.Client{Transport: &c.answers}}
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // as the SDK has it
				defer cancel()
				began := time.Now()
				err := to.ExportSpans(ctx, spans)
				if took := time.Since(began); took < c.from || took > c.to {
					t.Errorf("it took %s, want %s to %s", took, c.from, c.to)
				}
				if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
					t.Errorf("%v, want %q", err, c.fails)
				}
				if len(c.answers) > 0 {
					t.Errorf("%d answers were not asked for", len(c.answers))
				}
			})
		})
	}
}
