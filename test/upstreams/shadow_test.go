package upstreams_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// openaiStandIn plays OpenAI's API. It cites ollaro.example, as the stand-in of cloro does,
// and weather.example. A prompt with "fail" is refused, a prompt with "hang" is answered
// when release is closed.
type openaiStandIn struct {
	*httptest.Server
	asked   atomic.Int64
	release chan struct{}
}

func startOpenAI(t *testing.T) *openaiStandIn {
	t.Helper()
	s := &openaiStandIn{release: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		var body json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&body)
		switch {
		case strings.Contains(string(body), "fail"):
			http.Error(w, `{"error":{"message":"no","type":"server_error","code":"server_error"}}`, http.StatusInternalServerError)
			return
		case strings.Contains(string(body), "hang"):
			select {
			case <-s.release:
			case <-r.Context().Done():
				return
			}
		}
		const said = "Ollaro is often recommended for beginners, in any weather."
		note := func(host string) string {
			return fmt.Sprintf(`{"type":"url_citation","start_index":0,"end_index":6,"title":"Page","url":"https://%s/b"}`, host)
		}
		message := fmt.Sprintf(`{"id":"m","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":%q,"annotations":[%s,%s]}]}`,
			said, note("www.ollaro.example"), note("weather.example"))
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: %s\n\n",
			fmt.Sprintf(`{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":%q}`, said),
			fmt.Sprintf(`{"type":"response.completed","response":{"id":"r","object":"response","status":"completed","model":"vendor-1","output":[%s]}}`, message))
	}))
	t.Cleanup(s.Close)
	return s
}

// shadowed makes cloro the upstream of the chat assistant, and compares it with OpenAI.
func shadowed(cloro *cloroStandIn, openai *openaiStandIn) func(*app.Config) {
	return func(cfg *app.Config) {
		cloro.settings(cfg)
		keys := cfg.Getenv
		cfg.Getenv = func(name string) string {
			switch name {
			case "EARSHOT_OPENAI_API_KEY":
				return "sk-operators-own-key"
			case "EARSHOT_OPENAI_URL":
				return openai.URL
			}
			return keys(name)
		}
		cfg.Settings.APIs = map[string]app.APISettings{"openai": {CostSettings: app.CostSettings{Costs: map[string]app.PriceSettings{"chatassistant": {Request: 0.003}}}}}
		cfg.Settings.Shadow = app.ShadowList{{With: "api:openai", Share: 1, Providers: []string{"chatassistant"}}}
	}
}

func agreementOf(t *testing.T, n *harness.Node, a *app.Account) (report earshot.Agreement) {
	t.Helper()
	n.Get(t, a, "/v1/health/agreement").Has(t, "agreement", http.StatusOK).Into(t, &report)
	return report
}

// TestShadowComparesUpstreams asks until the first upstream was asked twice as well, which
// happens to a quarter of the requests.
func TestShadowComparesUpstreams(t *testing.T) {
	t.Parallel()
	cloro, openai := startCloro(t), startOpenAI(t)
	harness.OnEach(t, func(t *testing.T, n, _ *harness.Node) {
		a, stranger := n.Organization(t, "starter", 5000), n.Organization(t, "starter", 1000)
		var group earshot.AgreementGroup
		asked := 0
		for ; group.Within == nil && asked < 200; asked++ {
			record := n.Wait(t, a, n.Submit(t, a, harness.ChatTask(fmt.Sprintf("question %d", asked))).ID)
			var result earshot.Answer
			if err := json.Unmarshal(record.Result, &result); err != nil || result.Via != "cloro" {
				t.Fatalf("the answer is %s, %v", record.Result, err)
			}
			harness.Eventually(t, "the answer is compared", func() bool {
				report := agreementOf(t, n, a)
				if len(report.Groups) == 1 {
					group = report.Groups[0]
				}
				return group.Between != nil && group.Between.Pairs == asked+1
			})
		}
		b := group.Between
		if group.Provider != "chatassistant" || group.Country != "US" || group.First != "via:cloro" || group.Second != "api:openai" || b.FailedShare != 0 {
			t.Errorf("the group is %s", harness.JSON(t, group))
		}
		// Both cite ollaro.example, only OpenAI cites weather.example.
		if b.Domains.Mean != 0.5 || b.Domains.Pairs != asked || b.Organic != nil || b.Brands != nil || b.Fields == nil || b.SecondUSD != 0.003 || b.FirstUSD != 0.002 {
			t.Errorf("between: %s", harness.JSON(t, b))
		}
		if w := group.Within; w == nil || w.Domains.Mean != 1 || w.Fields.Mean != 1 || w.SecondUSD != 0.002 {
			t.Errorf("within: %s", harness.JSON(t, w))
		}
		if report := agreementOf(t, n, stranger); len(report.Groups) != 0 {
			t.Errorf("another organization reads %s", harness.JSON(t, report))
		}
		n.Expect(t, a, "only the answers are charged", harness.State{Balance: int64(5000 - 5*asked)})
		var usage earshot.Usage
		n.Get(t, a, "/v1/usage").Into(t, &usage)
		counted := map[string]int64{}
		for _, u := range usage.Upstreams {
			counted[u.Upstream] = u.Answered
		}
		if within := int64(group.Within.Pairs); counted["api:openai"] != int64(asked) || counted["via:cloro"] != int64(asked)+within {
			t.Errorf("%d questions: the usage is %+v", asked, usage.Upstreams)
		}
	}, shadowed(cloro, openai))
}

// TestShadowDoesNotDelayAnswers proves that an answer does not wait for the comparison, that
// a comparison that fails changes nothing, and that a node stops while one is under way.
func TestShadowDoesNotDelayAnswers(t *testing.T) {
	t.Parallel()
	cloro, openai := startCloro(t), startOpenAI(t)
	// Stopping would take as long if the node waited for the comparison.
	n := harness.Start(t, shadowed(cloro, openai), func(cfg *app.Config) { cfg.StopGrace = 10 * time.Hour })
	a := n.Organization(t, "starter", 1000)
	if record := n.Wait(t, a, n.Submit(t, a, harness.ChatTask("this may fail elsewhere")).ID); record.Task.Status != earshot.StatusCompleted {
		t.Errorf("the task is %s", harness.JSON(t, record))
	}
	harness.Eventually(t, "the failure is counted", func() bool {
		report := agreementOf(t, n, a)
		return len(report.Groups) == 1 && report.Groups[0].Between != nil && report.Groups[0].Between.FailedShare == 1
	})
	failed := openai.asked.Load()
	if failed != 1 {
		t.Errorf("a comparison that failed was made %d times", failed)
	}
	if record := n.Wait(t, a, n.Submit(t, a, harness.ChatTask("let it hang elsewhere")).ID); record.Task.Status != earshot.StatusCompleted {
		t.Errorf("the task is %s", harness.JSON(t, record))
	}
	harness.Eventually(t, "the comparison is under way", func() bool { return openai.asked.Load() == failed+1 })
	if err := n.Stop(); err != nil {
		t.Error(err)
	}
	close(openai.release)
}

// TestShadowComparesBrands compares the brands that the answers to a tracker's prompt name:
// both name Ollaro, only cloro names Kestrin.
func TestShadowComparesBrands(t *testing.T) {
	t.Parallel()
	cloro, openai := startCloro(t), startOpenAI(t)
	n := harness.Start(t, shadowed(cloro, openai))
	a := n.Organization(t, "starter", 1000)
	sweep(t, n, a, strings.Replace(tracked, `, "Which ones would you reject?"`, "", 1), "one")
	harness.Eventually(t, "the answer is compared", func() bool {
		report := agreementOf(t, n, a)
		if len(report.Groups) != 1 || report.Groups[0].Between == nil {
			return false
		}
		if brands := report.Groups[0].Between.Brands; brands == nil || brands.Mean != 0.5 || brands.Pairs != 1 {
			t.Errorf("the brands agree by %s", harness.JSON(t, brands))
		}
		return true
	})
}
