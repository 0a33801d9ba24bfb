package upstreams_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// cloroStandIn plays cloro. Words in the prompt tell it what to do: "slow" answers after
// the third poll, "never" never, "reject" fails the task.
type cloroStandIn struct {
	*httptest.Server
	mu        sync.Mutex
	submitted map[string]int    // by prompt
	prompts   map[string]string // by task id
	polls     map[string]int    // by task id
}

func startCloro(t *testing.T) *cloroStandIn {
	t.Helper()
	s := &cloroStandIn{submitted: map[string]int{}, prompts: map[string]string{}, polls: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/async/task", s.submit)
	mux.HandleFunc("GET /v1/async/task/{id}", s.poll)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *cloroStandIn) submit(w http.ResponseWriter, r *http.Request) {
	var body struct {
		TaskType       string
		IdempotencyKey string
		Payload        struct{ Prompt string }
	}
	if r.Header.Get("Authorization") != "Bearer "+vendorKey {
		http.Error(w, `{"success":false,"error":{"code":"MISSING_API_KEY","message":"no key"}}`, http.StatusUnauthorized)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.TaskType == "" || body.IdempotencyKey == "" {
		http.Error(w, `{"success":false,"error":{"code":"VALIDATION_ERROR","message":"incomplete"}}`, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submitted[body.Payload.Prompt]++
	id := fmt.Sprintf("task-%d", len(s.prompts)+1)
	s.prompts[id] = body.Payload.Prompt
	fmt.Fprintf(w, `{"task":{"id":%q,"status":"QUEUED"}}`, id)
}

func (s *cloroStandIn) poll(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	s.mu.Lock()
	s.polls[id]++
	prompt, polls := s.prompts[id], s.polls[id]
	s.mu.Unlock()
	switch {
	case strings.Contains(prompt, "reject"):
		fmt.Fprintf(w, `{"task":{"id":%q,"status":"FAILED"},"response":{"error":{"code":"INTERNAL","message":"gave up"}}}`, id)
	case strings.Contains(prompt, "never"), strings.Contains(prompt, "slow") && polls < 3:
		fmt.Fprintf(w, `{"task":{"id":%q,"status":"PROCESSING"}}`, id)
	default:
		fmt.Fprintf(w, `{"task":{"id":%q,"status":"COMPLETED"},"credits":{"creditsCharged":5},"response":{
			"text":"Ollaro and Kestrin are often recommended for beginners.","markdown":"**Ollaro** and Kestrin are often recommended for beginners.",
			"sources":[{"position":1,"url":"https://ollaro.example/a?utm_source=chatgpt.com","label":"Ollaro","description":"Shoes"}],
			"citationPills":[{"citationPillId":0,"position":1,"label":"Ollaro","url":"https://ollaro.example/a"}],"searchQueries":["best shoes"]}}`, id)
	}
}

func (s *cloroStandIn) submissions(prompt string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submitted[prompt]
}

// settings make cloro the only upstream of the chat assistant.
func (s *cloroStandIn) settings(cfg *app.Config) {
	cfg.Getenv = func(name string) string {
		return map[string]string{"EARSHOT_CLORO_API_KEY": vendorKey, "EARSHOT_CLORO_URL": s.URL}[name]
	}
	cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": {Upstreams: []string{"via:cloro"}}}
	cfg.Settings.Vendors = map[string]app.VendorSettings{"cloro": {Poll: 20 * time.Millisecond, Wait: time.Hour}}
	cfg.Backoff = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond}
}

func TestATaskWaitsForItsTicket(t *testing.T) {
	t.Parallel()
	cloro := startCloro(t)
	n := harness.Start(t, cloro.settings)
	a := n.Organization(t, "starter", 1000)
	prompt := "slow question " + t.Name()
	task := n.Submit(t, a, harness.ChatTask(prompt))
	record := n.Wait(t, a, task.ID)
	var result earshot.Answer
	if err := json.Unmarshal(record.Result, &result); err != nil {
		t.Fatalf("%v: %+v", err, record)
	}
	if result.Surface != earshot.SurfaceVendor || result.Via != "cloro" || result.Location == nil {
		t.Errorf("the answer is from %s via %q for %v", result.Surface, result.Via, result.Location)
	}
	if len(result.Sources) != 1 || result.Sources[0].URL != "https://ollaro.example/a" || len(result.CitationPills) != 1 {
		t.Errorf("sources %v, pills %v", result.Sources, result.CitationPills)
	}
	if got := cloro.submissions(prompt); got != 1 {
		t.Errorf("the question was submitted %d times", got)
	}
	var usage earshot.Usage
	n.Get(t, a, "/v1/usage").Into(t, &usage)
	if len(usage.Upstreams) != 1 || usage.Upstreams[0].Upstream != "via:cloro" || usage.Upstreams[0].USD != 0.002 || usage.Upstreams[0].EstimatedUSD != 0 {
		t.Errorf("the usage of upstreams is %+v", usage.Upstreams)
	}
	storetest.Audited(t, n.Store)
}

func TestATicketIsAbandonedAtItsDeadline(t *testing.T) {
	t.Parallel()
	cloro := startCloro(t)
	n := harness.Start(t, cloro.settings, func(cfg *app.Config) {
		cfg.Settings.Providers["chatassistant"] = app.ProviderSettings{Upstreams: []string{"via:cloro", "lab"}}
		cfg.Settings.Vendors["cloro"] = app.VendorSettings{Poll: 20 * time.Millisecond, Wait: 2 * time.Second}
	})
	a := n.Organization(t, "starter", 1000)
	fallback := n.Wait(t, a, n.Submit(t, a, harness.ChatTask("never one")).ID)
	var result earshot.Answer
	if err := json.Unmarshal(fallback.Result, &result); err != nil || result.Surface != earshot.SurfaceLab {
		t.Errorf("after the deadline the answer is from %q: %v, %s", result.Surface, err, fallback.Error)
	}
	refused := n.Wait(t, a, n.Submit(t, a, `{"taskType":"CHATASSISTANT","payload":{"prompt":"never two","country":"US","fallback":false}}`).ID)
	if refused.Task.Status != earshot.StatusFailed || refused.Credits.CreditsCharged == nil || *refused.Credits.CreditsCharged != 0 {
		t.Errorf("without a fallback the task is %s", harness.JSON(t, refused))
	}
	for _, prompt := range []string{"never one", "never two"} {
		if got := cloro.submissions(prompt); got != 1 {
			t.Errorf("%q was submitted %d times", prompt, got)
		}
	}
}

func TestUpstreamsAreListedWithStateAndCost(t *testing.T) {
	t.Parallel()
	cloro := startCloro(t)
	n := harness.Start(t, cloro.settings, func(cfg *app.Config) {
		cfg.Settings.Providers["chatassistant"] = app.ProviderSettings{Upstreams: []string{"via:cloro", "lab"}}
		settings := cfg.Settings.Vendors["cloro"]
		settings.Ceiling = 0.005
		cfg.Settings.Vendors["cloro"] = settings
	})
	a := n.Organization(t, "starter", 1000)
	surface := func(prompt string) earshot.Surface {
		t.Helper()
		var result earshot.Answer
		if err := json.Unmarshal(n.Wait(t, a, n.Submit(t, a, harness.ChatTask(prompt)).ID).Result, &result); err != nil {
			t.Fatal(err)
		}
		return result.Surface
	}
	// The ceiling of 0.005 USD allows two answers for 0.002 USD each.
	for i, want := range []earshot.Surface{earshot.SurfaceVendor, earshot.SurfaceVendor, earshot.SurfaceLab} {
		if got := surface(fmt.Sprintf("question %d", i)); got != want {
			t.Errorf("answer %d is from %s, want %s", i, got, want)
		}
	}
	var list earshot.Upstreams
	n.Get(t, a, "/v1/upstreams").Has(t, "upstreams", http.StatusOK).Into(t, &list)
	for _, p := range list.Providers {
		if p.Provider != "chatassistant" {
			continue
		}
		got := p.Upstreams[0]
		if got.Name != "via:cloro" || got.State != earshot.UpstreamCeiling || got.Requests != 2 || got.SpentTodayUSD != 0.004 || *got.CeilingUSD != 0.005 || *got.AnsweredShare != 1 {
			t.Errorf("cloro is listed as %s", harness.JSON(t, got))
		}
		if last := p.Upstreams[len(p.Upstreams)-1]; last.State != earshot.UpstreamNotConfigured {
			t.Errorf("the last upstream is %s", harness.JSON(t, last))
		}
	}
	var quote earshot.Quote
	n.Post(t, a, "/v1/quote", harness.ChatTask("what does it cost")).Into(t, &quote)
	if quote.USD != 0.002 || quote.Items[0].Upstream.Name != "via:cloro" {
		t.Errorf("the quote is %s", harness.JSON(t, quote))
	}
}
