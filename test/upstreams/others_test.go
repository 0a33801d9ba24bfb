package upstreams_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// vendorUser is the operator's user name, for vendors with HTTP basic authentication.
const vendorUser = "operator"

// vendorCase is a vendor that answers later: its settings and how it is played.
type vendorCase struct {
	name          string
	authorization string
	submit        string // the route that accepts a question
	accepted      string // what it answers
	ready         map[string]string
	pending       string  // what the first route of a poll answers before the answer is there
	poll          string  // that route
	charge        float64 // that the vendor reports, or 0 for an estimate
}

func basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(vendorUser+":"+vendorKey))
}

const scraper = "/v3/ai_optimization/chat_gpt/llm_scraper/"

const soldText = "Ollaro and Kestrin are often recommended for beginners."

func vendorCases() []vendorCase {
	document, _ := json.Marshal(`{"url":"https://chatgpt.com/","answer_markdown":"` + soldText + `","sources":[{"url":"https://ollaro.example/a","title":"Ollaro"}]}`)
	return []vendorCase{
		{
			name: "brightdata", authorization: "Bearer " + vendorKey, submit: "POST /datasets/v3/trigger", accepted: `{"snapshot_id":"1"}`,
			poll: "GET /datasets/v3/progress/1", pending: `{"status":"running"}`,
			ready: map[string]string{
				"GET /datasets/v3/progress/1": `{"status":"ready"}`,
				"GET /datasets/v3/snapshot/1": `[{"answer_text_markdown":"` + soldText + `","citations":[{"url":"https://ollaro.example/a","title":"Ollaro","cited":true}],"country":"US"}]`,
			},
		},
		{
			name: "oxylabs", authorization: basic(), submit: "POST /v1/queries", accepted: `{"id":"1","status":"pending"}`,
			poll: "GET /v1/queries/1", pending: `{"id":"1","status":"pending"}`,
			ready: map[string]string{
				"GET /v1/queries/1":         `{"id":"1","status":"done"}`,
				"GET /v1/queries/1/results": `{"results":[{"status_code":200,"content":{"markdown_text":"` + soldText + `","links":[{"url":"https://ollaro.example/a","text":"Ollaro"}],"parse_status_code":12000}}]}`,
			},
		},
		{
			name: "olostep", authorization: "Bearer " + vendorKey, submit: "POST /v1/batches", accepted: `{"id":"1","status":"in_progress"}`,
			poll: "GET /v1/batches/1", pending: `{"id":"1","status":"in_progress"}`,
			ready: map[string]string{
				"GET /v1/batches/1":       `{"id":"1","status":"completed"}`,
				"GET /v1/batches/1/items": `{"items":[{"custom_id":"x","retrieve_id":"r"}]}`,
				"GET /v1/retrieve":        `{"json_content":` + string(document) + `}`,
			},
		},
		{
			name: "dataforseo", authorization: basic(), submit: "POST " + scraper + "task_post", charge: 0.0012,
			accepted: `{"status_code":20000,"cost":0.0012,"tasks":[{"id":"1","status_code":20100,"cost":0.0012,"result":null}]}`,
			poll:     "GET " + scraper + "task_get/advanced/1", pending: `{"status_code":20000,"tasks":[{"id":"1","status_code":40602,"result":null}]}`,
			ready: map[string]string{
				"GET " + scraper + "task_get/advanced/1": `{"status_code":20000,"tasks":[{"id":"1","status_code":20000,"result":[{"markdown":"` + soldText + `","model":"x","sources":[{"title":"Ollaro","url":"https://ollaro.example/a"}]}]}]}`,
			},
		},
	}
}

// settings make the vendor at an address the only upstream of the chat assistant.
func (v *vendorCase) settings(address string) func(*app.Config) {
	return func(cfg *app.Config) {
		prefix := map[string]string{"brightdata": "EARSHOT_BRIGHTDATA_", "oxylabs": "EARSHOT_OXYLABS_", "olostep": "EARSHOT_OLOSTEP_", "dataforseo": "EARSHOT_DATAFORSEO_"}[v.name]
		if v.name == "dataforseo" {
			address += "/v3"
		}
		cfg.Getenv = func(name string) string {
			return map[string]string{prefix + "API_KEY": vendorKey, prefix + "URL": address, prefix + "USER": vendorUser}[name]
		}
		cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": {Upstreams: []string{"via:" + v.name}}}
		cfg.Settings.Vendors = map[string]app.VendorSettings{v.name: {Poll: 20 * time.Millisecond, Wait: time.Hour}}
		cfg.Backoff = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond}
	}
}

func TestVendorsThatAnswerLater(t *testing.T) {
	t.Parallel()
	for _, v := range vendorCases() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			var submitted, polled atomic.Int32
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != v.authorization {
					http.Error(w, `{"message":"who are you?"}`, http.StatusUnauthorized)
					return
				}
				route := r.Method + " " + r.URL.Path
				answer, known := v.ready[route]
				switch {
				case route == v.submit:
					submitted.Add(1)
					answer = v.accepted
				case route == v.poll && polled.Add(1) < 3:
					answer = v.pending
				case !known:
					http.NotFound(w, r)
					return
				}
				fmt.Fprint(w, answer)
			}))
			t.Cleanup(api.Close)
			n := harness.Start(t, v.settings(api.URL))
			a := n.Organization(t, "starter", 1000)
			record := n.Wait(t, a, n.Submit(t, a, harness.ChatTask("Which shoes?")).ID)
			var result earshot.Answer
			if err := json.Unmarshal(record.Result, &result); err != nil {
				t.Fatalf("%v: %s", err, harness.JSON(t, record))
			}
			if result.Text != soldText || result.Surface != earshot.SurfaceVendor || result.Via != v.name || result.Location == nil || result.Location.Country != "US" {
				t.Errorf("the answer is %s", record.Result)
			}
			if len(result.Sources) != 1 || result.Sources[0].Label != "Ollaro" || submitted.Load() != 1 || polled.Load() != 3 {
				t.Errorf("sources %v, submitted %d times, polled %d times", result.Sources, submitted.Load(), polled.Load())
			}
			var usage earshot.Usage
			n.Get(t, a, "/v1/usage").Into(t, &usage)
			if len(usage.Upstreams) != 1 || usage.Upstreams[0].Upstream != "via:"+v.name || v.charge == 0 && usage.Upstreams[0].EstimatedUSD <= 0 || v.charge > 0 && (usage.Upstreams[0].USD != v.charge || usage.Upstreams[0].EstimatedUSD != 0) {
				t.Errorf("the usage of upstreams is %+v", usage.Upstreams)
			}
		})
	}
}

// TestBrightDataIsLeftAloneAfterTooManyRequests proves that one answer with 429 stops
// the requests of all providers. Bright Data blocks the address of a node that goes on.
func TestBrightDataIsLeftAloneAfterTooManyRequests(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		http.Error(w, "too many running jobs", http.StatusTooManyRequests)
	}))
	t.Cleanup(api.Close)
	v := vendorCases()[0]
	n := harness.Start(t, v.settings(api.URL), func(cfg *app.Config) {
		both := app.ProviderSettings{Upstreams: []string{"via:brightdata", "lab"}}
		cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": both, "genassistant": both}
	})
	a := n.Organization(t, "starter", 1000)
	for _, task := range []string{
		harness.ChatTask("one"), harness.ChatTask("two"), `{"taskType":"GENASSISTANT","payload":{"prompt":"three","country":"US"}}`,
	} {
		var result earshot.Answer
		if err := json.Unmarshal(n.Wait(t, a, n.Submit(t, a, task).ID).Result, &result); err != nil || result.Surface != earshot.SurfaceLab {
			t.Errorf("%s is answered by %q, %v", task, result.Surface, err)
		}
	}
	if got := requests.Load(); got != 1 {
		t.Errorf("Bright Data got %d requests", got)
	}
	var list earshot.Upstreams
	n.Get(t, a, "/v1/upstreams").Into(t, &list)
	for _, p := range list.Providers {
		if (p.Provider == "chatassistant" || p.Provider == "genassistant") && p.Upstreams[0].State != earshot.UpstreamCircuitOpen {
			t.Errorf("%s: the upstream is listed as %s", p.Provider, harness.JSON(t, p.Upstreams[0]))
		}
	}
}
