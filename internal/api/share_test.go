package api_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/limits/share"
	"earshot/internal/store/sharing"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track"
)

// shareOn starts the API on a database, with a tracker and a link to it.
func shareOn(t *testing.T, address, password string, change ...func(*api.Config)) (*server, *sharing.Link, string) {
	t.Helper()
	s := serveOn(t, address, append(change, func(cfg *api.Config) {
		cfg.Trackers = track.New(track.Config{Store: tracking.New(cfg.Store.Store), Catalogue: cfg.Catalogue, Log: cfg.Log})
		cfg.Reports = cfg.Trackers
		cfg.Log = slog.New(slog.DiscardHandler)
		cfg.Turns = share.NewTurns(5 * time.Minute) // a slow machine must not refuse requests
	})...)
	now := time.Now()
	tracker := &tracking.Tracker{
		Organization: s.org.ID, ID: uuid.Must(uuid.NewV7()).String(), Name: "shoes", State: earshot.TrackerPaused, Definition: []byte(`{}`), CreatedAt: now, UpdatedAt: now,
	}
	if err := tracking.New(s.store).ApplyTracker(tracker, 0, nil, nil, nil, nil, account.System(), now); err != nil {
		t.Fatal(err)
	}
	id, token := account.NewSecret(account.ShareSecret)
	l := &sharing.Link{
		ID: id, Hash: account.HashKey(token), Organization: s.org.ID, Tracker: tracker.ID, TrackerName: tracker.Name, Days: 28, Password: password,
		CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}
	if err := sharing.New(s.store).Create(l, account.Operator()); err != nil {
		t.Fatal(err)
	}
	return s, l, token
}

// open requests the page of a link from an address, without a network.
func (s *server) open(token, address string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/share/"+token, nil)
	r.RemoteAddr = address + ":1"
	for _, c := range cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	return w
}

// guess returns a token that is not the token of a link and has a wrong checksum.
func guess(token string, n int) string {
	switch random := fmt.Sprintf("%08x", rand.Uint32()); n % 4 {
	case 0:
		return token[:len(token)-8] + random // of the right link
	case 1:
		return token[:30] + random + token[38:]
	case 2:
		_, other := account.NewSecret(account.ShareSecret)
		return other[:len(other)-1]
	default:
		return random
	}
}

func TestGuessedLinksCostNoQuery(t *testing.T) {
	t.Parallel()
	const workers, each = 4, 250
	storetest.OnEach(t, func(t *testing.T, address string) {
		s, _, token := shareOn(t, address, "")
		queries := s.api.CountLinkQueries()
		var group sync.WaitGroup
		for worker := range workers {
			group.Go(func() {
				for i := range each {
					// Few guesses come from each address, so no limit per address refuses them.
					w := s.open(guess(token, i), fmt.Sprintf("10.%d.%d.%d", worker, i/5000, i/20%250))
					if w.Code != http.StatusNotFound {
						t.Errorf("guess %d: %d", i, w.Code)
						return
					}
				}
			})
		}
		const reads = 5
		for range reads {
			if w := s.open(token, "192.0.2.1"); w.Code != http.StatusOK {
				t.Errorf("the link during the guesses: %d %s", w.Code, w.Body)
			}
		}
		group.Wait()
		// Each read is one query, and making the page is another.
		if n := queries.Load(); n != reads+1 {
			t.Errorf("%d queries, want %d", n, reads+1)
		}
	})
}

func TestGuessesWithAChecksumAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	s, _, token := shareOn(t, storetest.SQLite(t), "")
	queries := s.api.CountLinkQueries()
	s.open(token, "192.0.2.1")
	refused := false // without a query
	for i := 0; i < 100_000 && !refused; i++ {
		_, forged := account.NewSecret(account.ShareSecret)
		before := queries.Load()
		w := s.open(forged, "192.0.2.2")
		refused = w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "1" && queries.Load() == before
		if !refused && w.Code != http.StatusNotFound && w.Code != http.StatusTooManyRequests {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if !refused {
		t.Error("every guess causes a query")
	}
	if w := s.open(token, "192.0.2.2"); w.Code != http.StatusOK {
		t.Errorf("a link that was read before, from the same address: %d", w.Code)
	}
}

func TestRequestsAreLimitedPerLink(t *testing.T) {
	t.Parallel()
	s, l, token := shareOn(t, storetest.SQLite(t), "")
	queries := s.api.CountLinkQueries()
	eventually(t, "the link is refused without a query", func() bool {
		before := queries.Load()
		w := s.open(token, "192.0.2.1")
		if w.Code == http.StatusOK {
			return false
		}
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "Too many requests") {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		return queries.Load() == before
	})
	if _, err := sharing.New(s.store).Revoke(t.Context(), s.org.ID, l.ID, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page in memory is no longer sent", func() bool { return s.open(token, "192.0.2.1").Code == http.StatusNotFound })
}

func TestCookieOfALink(t *testing.T) {
	t.Parallel()
	s, l, token := shareOn(t, storetest.SQLite(t), "hash of the password")
	now := time.Now()
	other, changed := *l, *l
	other.ID, changed.Password = "aaaaaaaaaaaaaaaa", "hash of another password"
	tampered := api.LinkPass(l, now.Add(-time.Second))
	tampered.Value = "9" + tampered.Value
	for name, c := range map[string]struct {
		cookie *http.Cookie
		opens  bool
	}{
		"valid":                       {api.LinkPass(l, now.Add(time.Hour)), true},
		"expired":                     {api.LinkPass(l, now.Add(-time.Second)), false},
		"with another time":           {tampered, false},
		"of another link":             {api.LinkPass(&other, now.Add(time.Hour)), false},
		"from before the change":      {api.LinkPass(&changed, now.Add(time.Hour)), false},
		"the token":                   {&http.Cookie{Name: "earshot-link", Value: token}, false},
		"empty, which is no password": {&http.Cookie{Name: "earshot-link", Value: ""}, false},
	} {
		w := s.open(token, "192.0.2.1", c.cookie)
		if opened := !strings.Contains(w.Body.String(), "<form"); w.Code != http.StatusOK || opened != c.opens {
			t.Errorf("a cookie %s: %d, opens the page: %t", name, w.Code, opened)
		}
	}
}

func TestWrongPasswordsAreSlowedDown(t *testing.T) {
	t.Parallel()
	s, _, token := shareOn(t, storetest.SQLite(t), "invalid hash") // an attempt costs no CPU time
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var refused atomic.Bool
	var group sync.WaitGroup
	for range 9 { // each attempt waits for the others
		group.Go(func() {
			for i := 0; i < 200 && ctx.Err() == nil; i++ {
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/share/"+token, strings.NewReader("password=x"))
				if err != nil {
					t.Error(err)
					return
				}
				req.Close = true
				response, err := http.DefaultTransport.RoundTrip(req)
				if err != nil {
					continue // canceled
				}
				page, _ := io.ReadAll(response.Body)
				response.Body.Close()
				if strings.Contains(string(page), "Too many wrong passwords") {
					if after, err := strconv.Atoi(response.Header.Get("Retry-After")); err != nil || after < 10 || response.StatusCode != http.StatusTooManyRequests {
						t.Errorf("%d %v", response.StatusCode, response.Header)
					}
					refused.Store(true)
					cancel()
				}
			}
		})
	}
	group.Wait()
	if !refused.Load() {
		t.Error("no attempt was refused")
	}
}

func TestCookieOfALinkBelowAPath(t *testing.T) {
	t.Parallel()
	hash, err := account.NewPasswords().Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	s, _, token := shareOn(t, storetest.SQLite(t), hash, func(cfg *api.Config) { cfg.BaseURL = "https://example.com/earshot" })
	r := s.send(t, request{method: "POST", path: "/share/" + token, body: "password=correct+horse", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}})
	cookie := r.header.Get("Set-Cookie")
	if r.status != http.StatusSeeOther || !strings.Contains(cookie, "; Path=/earshot/share/"+token+"; ") || !strings.Contains(cookie, "; Secure") || r.header.Get("Location") != token+"?" {
		t.Errorf("%d %v", r.status, r.header)
	}
}

func TestCrawlersSeeThatSharePagesMustNotBeIndexed(t *testing.T) {
	t.Parallel()
	r := serve(t).get(t, "/robots.txt")
	if r.status != http.StatusOK || !strings.Contains(r.body, "Disallow: /v1/\n") || strings.Contains(r.body, "/share") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestWorkerHasNoSharePages(t *testing.T) {
	t.Parallel()
	s, _, token := shareOn(t, storetest.SQLite(t), "", func(cfg *api.Config) { cfg.WorkerOnly = true })
	if w := s.open(token, "192.0.2.1"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
