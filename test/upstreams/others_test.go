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

// TestAVendorWithAUserAnswersLater asks DataForSEO, which reports its charge and authenticates a user
// with a key. The packages below internal/provider/via test how each vendor is asked.
func TestAVendorWithAUserAnswersLater(t *testing.T) {
	t.Parallel()
	const (
		user    = "operator"
		scraper = "/v3/ai_optimization/chat_gpt/llm_scraper/"
		text    = "Ollaro and Kestrin are often recommended for beginners."
	)
	var submitted, polled atomic.Int32
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch route := r.Method + " " + r.URL.Path; {
		case r.Header.Get("Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(user+":"+vendorKey)):
			http.Error(w, `{"message":"who are you?"}`, http.StatusUnauthorized)
		case route == "POST "+scraper+"task_post":
			submitted.Add(1)
			fmt.Fprint(w, `{"status_code":20000,"cost":0.0012,"tasks":[{"id":"1","status_code":20100,"cost":0.0012,"result":null}]}`)
		case route != "GET "+scraper+"task_get/advanced/1":
			http.NotFound(w, r)
		case polled.Add(1) < 3:
			fmt.Fprint(w, `{"status_code":20000,"tasks":[{"id":"1","status_code":40602,"result":null}]}`)
		default:
			fmt.Fprint(w, `{"status_code":20000,"tasks":[{"id":"1","status_code":20000,"result":[{"markdown":"`+text+`","model":"x",
				"sources":[{"title":"Ollaro","url":"https://ollaro.example/a"}]}]}]}`)
		}
	}))
	t.Cleanup(api.Close)
	n := harness.Start(t, func(cfg *app.Config) {
		cfg.Getenv = func(name string) string {
			return map[string]string{
				"EARSHOT_DATAFORSEO_API_KEY": vendorKey, "EARSHOT_DATAFORSEO_URL": api.URL + "/v3", "EARSHOT_DATAFORSEO_USER": user,
			}[name]
		}
		cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": {Upstreams: []string{"via:dataforseo"}}}
		cfg.Settings.Vendors = map[string]app.VendorSettings{"dataforseo": {Poll: 20 * time.Millisecond, Wait: time.Hour}}
	})
	a := n.Organization(t, "starter", 1000)
	record := n.Wait(t, a, n.Submit(t, a, harness.ChatTask("Which shoes?")).ID)
	var result earshot.Answer
	if err := json.Unmarshal(record.Result, &result); err != nil {
		t.Fatalf("%v: %s", err, harness.JSON(t, record))
	}
	if result.Text != text || result.Surface != earshot.SurfaceVendor || result.Via != "dataforseo" || len(result.Sources) != 1 {
		t.Errorf("the answer is %s", record.Result)
	}
	if submitted.Load() != 1 || polled.Load() != 3 {
		t.Errorf("submitted %d times, polled %d times", submitted.Load(), polled.Load())
	}
	var usage earshot.Usage
	n.Get(t, a, "/v1/usage").Into(t, &usage)
	if len(usage.Upstreams) != 1 || usage.Upstreams[0].Upstream != "via:dataforseo" || usage.Upstreams[0].USD != 0.0012 || usage.Upstreams[0].EstimatedUSD != 0 {
		t.Errorf("the usage of upstreams is %+v", usage.Upstreams)
	}
}
