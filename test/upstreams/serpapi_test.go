package upstreams_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// pagesStandIn plays SerpApi's Google search. It keeps a ledger of the pages that it charged for.
type pagesStandIn struct {
	*httptest.Server
	mu      sync.Mutex
	faults  map[string][]string // query/start -> what happens next
	charged map[string]int      // by query/start
	hold    chan struct{}       // closed to answer requests that hang
}

const searchPrice = 0.0150000010 // no multiple of a millionth

func startPages(t *testing.T) *pagesStandIn {
	t.Helper()
	s := &pagesStandIn{faults: map[string][]string{}, charged: map[string]int{}, hold: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.search))
	t.Cleanup(s.Close)
	return s
}

func (s *pagesStandIn) search(w http.ResponseWriter, r *http.Request) {
	page := r.FormValue("q") + "/" + r.FormValue("start")
	s.mu.Lock()
	fault := ""
	if list := s.faults[page]; len(list) > 0 {
		fault, s.faults[page] = list[0], list[1:]
	}
	if fault != "refuse" && fault != "forbid" {
		s.charged[page]++
	}
	s.mu.Unlock()
	switch fault {
	case "refuse":
		http.Error(w, `{"error":"try again"}`, http.StatusServiceUnavailable)
		return
	case "forbid":
		http.Error(w, `{"error":"Invalid API key."}`, http.StatusUnauthorized)
		return
	case "drop":
		panic(http.ErrAbortHandler)
	case "hang":
		<-s.hold
	}
	fmt.Fprintf(w, `{"search_metadata":{"status":"Success"},"search_information":{"organic_results_state":"Results for exact spelling"},
		"organic_results":[{"position":1,"title":"Page","link":"https://shop.example/%s"}]}`, strings.ReplaceAll(page, " ", "-"))
}

func (s *pagesStandIn) plan(page string, faults ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[page] = faults
}

// total returns how many pages of a query were charged, of all queries for "".
func (s *pagesStandIn) total(query string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for page, times := range s.charged {
		if strings.HasPrefix(page, query+"/") || query == "" {
			n += times
		}
	}
	return n
}

// settings make SerpApi the only upstream of searches.
func (s *pagesStandIn) settings(cfg *app.Config) {
	cfg.Getenv = func(name string) string {
		return map[string]string{"EARSHOT_SERPAPI_API_KEY": vendorKey, "EARSHOT_SERPAPI_URL": s.URL}[name]
	}
	cfg.Settings.Providers = map[string]app.ProviderSettings{"websearch": {Upstreams: []string{"via:serpapi"}}}
	cfg.Settings.Vendors = map[string]app.VendorSettings{"serpapi": {CostSettings: app.CostSettings{
		Costs: map[string]app.PriceSettings{"websearch": {Request: searchPrice, Page: new(searchPrice)}},
	}}}
	cfg.Backoff = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond}
}

// checkBooked waits until the usage has what the stand-in charged.
func (s *pagesStandIn) checkBooked(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	var usage earshot.Usage
	harness.Eventually(t, "all charges are booked", func() bool {
		usage = earshot.Usage{}
		n.Get(t, a, "/v1/usage").Into(t, &usage)
		booked := 0.0
		for _, u := range usage.Upstreams {
			booked += u.USD
		}
		return math.Abs(booked-float64(s.total(""))*searchPrice) < 1e-9
	})
}

func searchBody(query string, pages int) string {
	return fmt.Sprintf(`{"query":%q,"country":"US","pages":%d}`, query, pages)
}

// TestPagesArePaidOnce asks for ten pages, of which one fails in every way.
func TestPagesArePaidOnce(t *testing.T) {
	t.Parallel()
	pages := startPages(t)
	n := harness.Start(t, pages.settings)
	a := n.Organization(t, "business", 1000)
	pages.plan("flaky/60", "refuse", "drop", "refuse")
	if r := n.Post(t, a, "/v1/monitor/websearch", searchBody("flaky", 10)); r.StatusCode != http.StatusOK || pages.total("flaky") != 11 {
		t.Errorf("%s, %d pages were charged: %.300s", r.Status, pages.total("flaky"), r.Body)
	}
	// The retry of a call that failed buys only what is missing, whether the call had a key or not.
	for _, query := range []string{"plain", "keyed"} {
		pages.plan(query+"/20", "forbid")
		header := map[string]string{}
		if query == "keyed" {
			header[earshot.IdempotencyKeyHeader] = "key"
		}
		r := n.SendWith(t, a, http.MethodPost, "/v1/monitor/websearch", searchBody(query, 3), header)
		if r.StatusCode != http.StatusBadGateway || pages.total(query) != 2 {
			t.Fatalf("%s, %d pages were charged", r.Status, pages.total(query))
		}
		var retried earshot.RetryItem
		n.Post(t, a, "/v1/requests/"+r.Header.Get("X-Request-Id")+"/retry", "").Has(t, query, http.StatusOK).Into(t, &retried)
		if record := n.Wait(t, a, retried.Task.ID); record.Task.Status != earshot.StatusCompleted || pages.total(query) != 3 {
			t.Errorf("%s: the retry is %s, %d pages were charged", query, record.Task.Status, pages.total(query))
		}
	}
	pages.checkBooked(t, n, a)
}

// TestClientsLeave has clients leave while their page is under way.
func TestClientsLeave(t *testing.T) {
	t.Parallel()
	pages := startPages(t)
	n := harness.Start(t, pages.settings, func(cfg *app.Config) { cfg.LateEvery = 100 * time.Millisecond })
	a := n.Organization(t, "business", 1000)
	var group sync.WaitGroup
	for i := range 8 {
		query := fmt.Sprintf("left %d", i)
		pages.plan(query+"/", "hang")
		ctx, leave := context.WithCancel(t.Context())
		req := n.Request(ctx, t, a, http.MethodPost, "/v1/monitor/websearch", searchBody(query, 1))
		group.Go(func() {
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		})
		harness.Eventually(t, "it is charged", func() bool { return pages.total(query) == 1 })
		leave()
	}
	group.Wait()
	close(pages.hold)
	pages.checkBooked(t, n, a)
	var list earshot.RequestPage
	n.Get(t, a, "/v1/requests").Into(t, &list)
	if len(list.Requests) != 8 {
		t.Errorf("%d requests are listed", len(list.Requests))
	}
	for _, r := range list.Requests {
		harness.Eventually(t, "the answer is kept", func() bool {
			var record earshot.RequestRecord
			n.Get(t, a, "/v1/requests/"+r.ID).Into(t, &record)
			return len(record.Result) > 0
		})
	}
}

// TestCeilingHolds makes a hundred calls against a ceiling of five pages.
func TestCeilingHolds(t *testing.T) {
	t.Parallel()
	pages := startPages(t)
	n := harness.Start(t, pages.settings, func(cfg *app.Config) {
		settings := cfg.Settings.Vendors["serpapi"]
		settings.Ceiling, settings.CallsPerMinute = 5*searchPrice, 1000
		cfg.Settings.Vendors["serpapi"] = settings
	})
	a := n.Organization(t, "business", 10_000)
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() { n.Post(t, a, "/v1/monitor/websearch", searchBody(fmt.Sprint("call ", i), 1)) })
	}
	group.Wait()
	if pages.total("") != 5 {
		t.Errorf("%d pages were charged", pages.total(""))
	}
	pages.checkBooked(t, n, a)
}
