package upstream_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/upstream"
)

// silent is a server that waits before its answer and before each piece of it.
type silent struct {
	wait   time.Duration
	pieces []string
}

func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := sleep(r.Context(), s.wait); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: &silentBody{r.Context(), *s}, ContentLength: -1}, nil
}

type silentBody struct {
	ctx context.Context
	silent
}

func (b *silentBody) Read(into []byte) (int, error) {
	if len(b.pieces) == 0 {
		return 0, io.EOF
	}
	if err := sleep(b.ctx, b.wait); err != nil {
		return 0, err
	}
	n := copy(into, b.pieces[0])
	b.pieces = b.pieces[1:]
	return n, nil
}

func (b *silentBody) Close() error { return nil }

func sleep(ctx context.Context, wait time.Duration) error {
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Official APIs and vendors may be silent for 300 s before and between pieces of an answer,
// pages for 30 s.
func TestSilenceEndsAFetch(t *testing.T) {
	t.Parallel()
	api := &upstream.API{Name: "site"}
	for name, test := range map[string]struct {
		cfg  upstream.Config
		wait time.Duration
		ends bool
	}{
		"an API within its time": {upstream.Config{Surface: earshot.SurfaceAPI, API: api}, 299 * time.Second, false},
		"an API":                 {upstream.Config{Surface: earshot.SurfaceAPI, API: api}, 301 * time.Second, true},
		"a vendor":               {upstream.Config{Surface: earshot.SurfaceVendor, API: api, Via: "site"}, 299 * time.Second, false},
		"a page within its time": {upstream.Config{Surface: earshot.SurfaceWeb}, 29 * time.Second, false},
		"a page":                 {upstream.Config{Surface: earshot.SurfaceWeb}, 31 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test.cfg.Transport, test.cfg.Sites = &silent{test.wait, []string{"one ", "two"}}, map[string]string{"site": "https://site.test"}
				client, err := upstream.NewClient(test.cfg)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				response, err := client.NewSession(1, "").Fetch(t.Context(), &upstream.Request{Site: "site"})
				if test.ends {
					if reason(t, err) != earshot.ReasonTimeout || !strings.Contains(err.Error(), "no data for") || time.Since(began) >= test.wait {
						t.Errorf("after %s: %v", time.Since(began), err)
					}
					return
				}
				if err != nil || string(response.Body) != "one two" || time.Since(began) != 3*test.wait {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
			})
		})
	}
}

// An attempt with an upstream that charges for it may take longer than one with a page.
func TestTimeOfAPaidAttempt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		api  *upstream.API
		want time.Duration
	}{{nil, time.Minute}, {&upstream.API{Name: "site"}, 600 * time.Second}} {
		client, err := upstream.NewClient(upstream.Config{API: test.api})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		if got := client.NewSession(1, "").Time(time.Minute); got != test.want {
			t.Errorf("an attempt has %s, want %s", got, test.want)
		}
	}
}
