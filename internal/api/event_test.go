package api_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/api"
	"earshot/internal/store"
)

// endTasks ends tasks with results of the given size that compress to about half of it.
func (s *server) endTasks(t *testing.T, n, size int) {
	t.Helper()
	s.endRequests(t, n, size, echoCall)
}

// endRequests is endTasks with a given request.
func (s *server) endRequests(t *testing.T, n, size int, request string) {
	t.Helper()
	node, err := s.store.RegisterNode("test", 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		task := store.Job{
			ID: uuid.Must(uuid.NewV7()).String(), Organization: s.org.ID, KeyID: "key", Provider: "echo", Request: []byte(request), MaxCost: 5, Priority: 1, CreatedAt: time.Now(),
		}
		if _, err := s.store.Submit(s.org.ID, []store.Job{task}, 1, time.Now()); err != nil {
			t.Fatal(err)
		}
		started, _, err := s.store.Claim(t.Context(), node, store.ClaimLimits{Tasks: 1}, time.Now())
		if err != nil || len(started) != 1 {
			t.Fatalf("started %d, %v", len(started), err)
		}
		result := []byte(`{"text":"<&> `)
		for len(result) < size {
			result = fmt.Appendf(result, "%016x", random.Uint64())
		}
		result = append(result, `"}`...)
		_, err = s.store.Settle(store.Settlement{Job: started[0], Status: earshot.StatusCompleted, Charge: 5, Attempts: 1, Result: result}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestStreamedEventsEqualOneDocument(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.endTasks(t, 5, 100_000)
	for path, want := range map[string]struct {
		events int
		cursor string
	}{
		"?limit=100":        {5, "5"},
		"?limit=2":          {2, "2"},
		"?limit=2&cursor=3": {2, "5"},
		"?cursor=4":         {1, "5"},
		"?cursor=5":         {0, "5"},
		"?cursor=latest":    {0, "5"},
	} {
		r := s.get(t, "/v1/events"+path)
		var page earshot.EventPage
		if err := json.Unmarshal([]byte(r.body), &page); err != nil || len(page.Events) != want.events || page.NextCursor == nil || *page.NextCursor != want.cursor {
			t.Errorf("%s: %d events, the cursor is %v, %v", path, len(page.Events), page.NextCursor, err)
		}
		if whole, err := json.Marshal(page); err != nil || string(whole) != r.body {
			t.Errorf("%s: the body is not %.200s, %v", path, whole, err)
		}
		if r.header.Get("Content-Type") != "application/json" || r.header.Get("X-Content-Type-Options") != "nosniff" ||
			(want.events > 0 && r.header.Get("Content-Length") != "") {
			t.Errorf("%s: the headers are %v", path, r.header)
		}
	}
	s.unharmed(t)
}

// stuck is a client that reads only the header, until it disconnects or its deadline ends.
type stuck struct {
	http.ResponseWriter
	waits    func()
	released <-chan struct{}

	mu       sync.Mutex
	deadline time.Time
}

func (w *stuck) Write([]byte) (int, error) {
	w.waits()
	<-w.released
	return 0, os.ErrDeadlineExceeded
}

func (w *stuck) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = at
	return nil
}

func liveHeap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func TestStuckReadersHoldFewItemsEach(t *testing.T) { // it measures the memory of the process
	const (
		tasks = 20
		size  = 1 << 20 // of a result and of a request
		// Each reader needs about 4 MiB: an item as stored, unpacked, as JSON, and its part of
		// the page. A whole page would be more than 20 MiB.
		bound = 8 * size
	)
	s := serve(t)
	s.endRequests(t, tasks, size, `{"text":"`+strings.Repeat("long ", size/5)+`","country":"US"}`)
	for _, path := range []string{"/v1/events", "/v1/async/tasks", "/v1/requests"} {
		for _, accepts := range []string{"", "gzip"} {
			t.Run(path+" "+accepts, func(t *testing.T) { s.stuckReaders(t, path, accepts, bound) })
		}
	}
	s.unharmed(t)
}

// stuckReaders checks the memory that clients hold which do not read a page.
func (s *server) stuckReaders(t *testing.T, path, accepts string, bound int64) {
	t.Helper()
	const readers = 4
	before := liveHeap()
	var waiting, ended sync.WaitGroup
	released := make(chan struct{})
	writers := make([]*stuck, readers)
	waiting.Add(readers)
	for i := range writers {
		writers[i] = &stuck{ResponseWriter: httptest.NewRecorder(), waits: sync.OnceFunc(waiting.Done), released: released}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"?limit=100", nil)
		req.Header.Set("Authorization", "Bearer "+s.key)
		req.Header.Set("Accept-Encoding", accepts)
		ended.Go(func() { s.api.ServeHTTP(writers[i], req) })
	}
	waiting.Wait()
	if grown := liveHeap() - before; grown > readers*bound {
		t.Errorf("%d readers hold %d MiB", readers, grown>>20)
	}
	for _, w := range writers {
		if left := time.Until(w.deadline); left <= 0 || left > time.Minute {
			t.Errorf("a reader has %s to read", left)
		}
	}
	// After their deadline, they free their memory.
	close(released)
	ended.Wait()
	if grown := liveHeap() - before; grown > bound {
		t.Errorf("after them %d MiB are held", grown>>20)
	}
}

// A client that does not read large responses gets no more of them, but other responses.
func TestUnreadResponsesCountAgainstTheShare(t *testing.T) {
	t.Parallel()
	s := serve(t, func(cfg *api.Config) { cfg.BodyBytes = 1 << 20 })
	s.endTasks(t, 1, 300_000)
	page := s.succeeds(t, request{method: "GET", path: "/v1/requests", key: s.key})
	var listed earshot.RequestPage
	if err := json.Unmarshal([]byte(page.body), &listed); err != nil || len(listed.Requests) != 1 {
		t.Fatalf("%s, %v", page.body, err)
	}
	large := request{method: "GET", path: "/v1/requests/" + listed.Requests[0].ID, key: s.key}
	waiting, released := make(chan struct{}), make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		req := httptest.NewRequestWithContext(t.Context(), large.method, large.path, nil)
		req.Header.Set("Authorization", "Bearer "+s.key)
		s.api.ServeHTTP(&stuck{ResponseWriter: httptest.NewRecorder(), waits: func() { close(waiting) }, released: released}, req)
	})
	<-waiting
	s.fails(t, large, http.StatusServiceUnavailable, earshot.CodeServerUnavailable)
	s.succeeds(t, request{method: "GET", path: "/v1/credits", key: s.key})
	close(released)
	ended.Wait()
	s.succeeds(t, large)
}

func TestIncompletePageOfEventsBreaksTheConnection(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.endTasks(t, 3, 600_000) // each is read on its own
	db, err := sql.Open("sqlite", s.file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE finished SET result = $1 WHERE event = 2`, []byte("broken")); err != nil {
		t.Fatal(err)
	}
	s.fails(t, request{method: "GET", path: "/v1/events?cursor=1", key: s.key}, http.StatusInternalServerError, earshot.CodeInternal)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Close = true
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it ended with %v", err)
	}
	eventually(t, "the failure is logged", func() bool { return s.logs.contain("unpack a result") })
}
