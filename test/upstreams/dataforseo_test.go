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
	"earshot/test/harness"
)

// queueStandIn plays DataForSEO's queue for ChatGPT. Words in the prompt tell it what to
// do: "slow" answers after the third poll, "fail" fails the task for its price.
type queueStandIn struct {
	*httptest.Server
	mu    sync.Mutex
	tasks []queuedTask
}

type queuedTask struct {
	Keyword, Tag string
	polls        int
}

func startQueue(t *testing.T) *queueStandIn {
	t.Helper()
	s := &queueStandIn{}
	mux := http.NewServeMux()
	const scraper = "/v3/ai_optimization/chat_gpt/llm_scraper"
	mux.HandleFunc("POST "+scraper+"/task_post", s.submit)
	mux.HandleFunc("GET "+scraper+"/task_get/advanced/{id}", s.poll)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *queueStandIn) submit(w http.ResponseWriter, r *http.Request) {
	user, key, _ := r.BasicAuth()
	var body []queuedTask
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body) != 1 || body[0].Tag == "" || user != "me@example.com" || key != vendorKey {
		http.Error(w, `{"status_code":40100,"status_message":"You are not authorized."}`, http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, body[0])
	fmt.Fprintf(w, `{"status_code":20000,"cost":0.0012,"tasks":[{"id":"%d","status_code":20100,"cost":0.0012,"result":null}]}`, len(s.tasks)-1)
}

func (s *queueStandIn) poll(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var i int
	if _, err := fmt.Sscan(r.PathValue("id"), &i); err != nil || i >= len(s.tasks) {
		http.NotFound(w, r)
		return
	}
	task := &s.tasks[i]
	task.polls++
	code, result := 20000, `[{"markdown":"**Ollaro** is often recommended for beginners. [[1]](https://ollaro.example/a)","model":"gpt-x"}]`
	switch {
	case strings.Contains(task.Keyword, "fail"):
		code, result = 40101, "null"
	case strings.Contains(task.Keyword, "slow") && task.polls < 3:
		code, result = 40602, "null"
	}
	fmt.Fprintf(w, `{"status_code":20000,"cost":0,"tasks":[{"id":"%d","status_code":%d,"status_message":"…","cost":0,"result":%s}]}`, i, code, result)
}

func (s *queueStandIn) submissions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tasks)
}

// settings make DataForSEO the only upstream of the chat assistant.
func (s *queueStandIn) settings(cfg *app.Config) {
	cfg.Getenv = func(name string) string {
		return map[string]string{"EARSHOT_DATAFORSEO_API_KEY": vendorKey, "EARSHOT_DATAFORSEO_USER": "me@example.com", "EARSHOT_DATAFORSEO_URL": s.URL + "/v3"}[name]
	}
	cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": {Upstreams: []string{"via:dataforseo"}}}
	cfg.Settings.Vendors = map[string]app.VendorSettings{"dataforseo": {Poll: 20 * time.Millisecond, Wait: time.Hour}}
	cfg.Backoff = []time.Duration{time.Millisecond, time.Millisecond}
}

// TestAQueuedTaskIsPaidOnce proves that a task is submitted once however often it is
// polled, and that the charge which the vendor reports at submission is the only one.
func TestAQueuedTaskIsPaidOnce(t *testing.T) {
	t.Parallel()
	queue := startQueue(t)
	n := harness.Start(t, queue.settings)
	a := n.Organization(t, "starter", 1000)
	record := n.Wait(t, a, n.Submit(t, a, harness.ChatTask("slow question")).ID)
	var result earshot.Answer
	if err := json.Unmarshal(record.Result, &result); err != nil {
		t.Fatalf("%v: %s", err, harness.JSON(t, record))
	}
	if result.Surface != earshot.SurfaceVendor || result.Via != "dataforseo" || result.Location == nil || result.Text != "Ollaro is often recommended for beginners." || len(result.CitationPills) != 1 {
		t.Errorf("the answer is %s", harness.JSON(t, result))
	}
	if got := queue.submissions(); got != 1 {
		t.Errorf("the question was submitted %d times", got)
	}
	checkSpent(t, n, a, 0.0012)
}

// TestAChargedFailureIsCounted proves that a failure which the vendor charges for counts.
func TestAChargedFailureIsCounted(t *testing.T) {
	t.Parallel()
	queue := startQueue(t)
	n := harness.Start(t, queue.settings)
	a := n.Organization(t, "starter", 1000)
	if record := n.Wait(t, a, n.Submit(t, a, harness.ChatTask("fail this")).ID); record.Task.Status != earshot.StatusFailed {
		t.Errorf("the task is %s", harness.JSON(t, record))
	}
	if got := queue.submissions(); got != 2 {
		t.Errorf("the question was submitted %d times, want no more after two charges in vain", got)
	}
	checkSpent(t, n, a, 0.0024)
}

func checkSpent(t *testing.T, n *harness.Node, a *app.Account, want float64) {
	t.Helper()
	var usage earshot.Usage
	n.Get(t, a, "/v1/usage").Into(t, &usage)
	if len(usage.Upstreams) != 1 || usage.Upstreams[0].Upstream != "via:dataforseo" || usage.Upstreams[0].USD != want || usage.Upstreams[0].EstimatedUSD != 0 {
		t.Errorf("the usage of upstreams is %+v, want %g USD", usage.Upstreams, want)
	}
}
