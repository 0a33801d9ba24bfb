// Package upstreams_test tests official APIs, vendors and the web as upstreams of the whole service,
// against stand-ins that play them.
package upstreams_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOneKeyMakesAProviderLive(t *testing.T) {
	t.Parallel()
	vendors := startStandIn(t)
	address := filepath.Join(t.TempDir(), "earshot.db")
	const question = `{"prompt":"Do I need an umbrella?","country":"US","state":"CA","include":{"searchQueries":true}}`

	before := harness.StartOn(t, address)
	account := before.Organization(t, "business", 1000)
	if got := before.Result(t, account, "chatassistant", question)["surface"]; got != "lab" {
		t.Errorf("without a key it came from %v", got)
	}
	if err := before.Stop(); err != nil {
		t.Fatal(err)
	}
	live := harness.StartOn(t, address, vendors.one("OPENAI"))
	got := live.Result(t, account, "chatassistant", question)
	if got["surface"] != "api" || got["text"] != "Take an umbrella." || got["model"] != "vendor-1" {
		t.Errorf("with a key: %v", got)
	}
	if want := map[string]any{"country": "US", "state": "CA"}; fmt.Sprint(got["location"]) != fmt.Sprint(want) {
		t.Errorf("for %v, want %v", got["location"], want)
	}
	for field, want := range map[string]int{"sources": 2, "citationPills": 1, "searchQueries": 1} {
		if list, _ := got[field].([]any); len(list) != want {
			t.Errorf("%d %s, want %d: %v", len(list), field, want, list)
		}
	}
	if other := live.Result(t, account, "genassistant", `{"prompt":"x","country":"US"}`)["surface"]; other != "lab" {
		t.Errorf("a provider without a key answers from %v", other)
	}
	if vendors.count(`"region":"California"`) != 1 {
		t.Error("the vendor was not told the place")
	}
}

func TestEveryOfficialAPI(t *testing.T) {
	t.Parallel()
	vendors := startStandIn(t)
	n := harness.Start(t, vendors.settings)
	account := n.Organization(t, "business", 10_000)
	placeless := []string{"genassistant"} // its API knows no countries
	for _, p := range app.Providers() {
		about := p.Definition()
		if about.APIs == nil {
			continue
		}
		provider := about.Name
		got := n.Result(t, account, provider, fmt.Sprintf(`{%q:"Do I need an umbrella?","country":"DE"}`, about.TextField()))
		if got["surface"] != "api" {
			t.Errorf("%s answers from %v", provider, got["surface"])
		}
		if located := got["location"] != nil; located == slices.Contains(placeless, provider) {
			t.Errorf("%s answers for %v", provider, got["location"])
		}
		text, _ := json.Marshal(got)
		for _, want := range []string{"umbrella", "https://weather.example/today"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q in %s", provider, want, text)
			}
		}
		if provider == "genassistant" && !strings.Contains(string(text), `"redirectLink":"https://vertexaisearch.cloud.google.com/grounding-api-redirect/today"`) {
			t.Errorf("the redirect link is lost: %s", text)
		}
	}
}

func TestErrorsOfAnAPI(t *testing.T) {
	t.Parallel()
	vendors := startStandIn(t)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(vendorKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := harness.Start(t, func(cfg *app.Config) {
		cfg.Getenv = func(string) string { return "" }
		cfg.Settings.APIs = map[string]app.APISettings{"openai": {URL: vendors.URL, KeyFile: file}}
	})
	account := n.Organization(t, "business", 1000)
	const most = 5
	// Each from a country of its own, since failures in one open its circuit.
	for country, test := range map[string]struct {
		order  string
		calls  int
		reason earshot.Reason
	}{
		"AT": {"401-invalid_api_key", 1, earshot.ReasonBlocked},
		"BE": {"429-insufficient_quota", 1, earshot.ReasonBlocked},
		"CH": {"400-context_length_exceeded", 1, earshot.ReasonBlocked},
		"CZ": {"400-content_policy_violation", 1, earshot.ReasonBlocked},
		"DE": {"404-model_not_found", 1, earshot.ReasonUnavailable},
		"DK": {"429-rate_limit_exceeded", most, earshot.ReasonBlocked},
		"ES": {"500-server_error", most, earshot.ReasonUnavailable},
		"FI": {"529-overloaded_error", most, earshot.ReasonUnavailable},
		"FR": {"cut", 2, earshot.ReasonUnavailable}, // each may have been charged
		"GB": {"garbage", most, earshot.ReasonUnreadable},
		"IE": {"late", 3, ""},
	} {
		r := n.Post(t, account, "/v1/monitor/chatassistant", fmt.Sprintf(`{"prompt":"fail=%s. from %s","country":%q}`, test.order, country, country))
		if calls := vendors.count("from " + country); calls != test.calls {
			t.Errorf("%s: %d calls, want %d", test.order, calls, test.calls)
		}
		if test.reason == "" {
			if r.StatusCode != http.StatusOK {
				t.Errorf("%s: %s %s", test.order, r.Status, r.Body)
			}
			continue
		}
		if want := fmt.Sprintf(`"reason":%q`, test.reason); r.StatusCode != http.StatusBadGateway || !strings.Contains(string(r.Body), want) || r.Number(t, "X-Credits-Charged") != 0 {
			t.Errorf("%s: %s %s, want %s", test.order, r.Status, r.Body, want)
		}
		if strings.Contains(string(r.Body), vendorKey) {
			t.Errorf("%s: the key is in %s", test.order, r.Body)
		}
	}
	if strings.Contains(n.Logs.String(), vendorKey) {
		t.Error("the key is in the log")
	}
}

func TestARecordingAnswersWithoutTheVendor(t *testing.T) {
	t.Parallel()
	vendors := startStandIn(t)
	dir := filepath.Join(t.TempDir(), "recorded")
	questions := map[string]string{
		"chatassistant": `{"prompt":"fail=late. umbrella?","country":"US","include":{"rawResponse":true}}`,
		"genassistant":  `{"prompt":"umbrella?","country":"DE"}`,
		"websearch":     `{"query":"umbrella","country":"FR"}`,
		"answerengine":  `{"prompt":"umbrella?","country":"JP"}`,
	}
	answers := func(change ...func(*app.Config)) map[string]string {
		n := harness.Start(t, change...)
		account := n.Organization(t, "business", 1000)
		said := map[string]string{}
		for provider, body := range questions {
			text, err := json.Marshal(n.Result(t, account, provider, body))
			if err != nil {
				t.Fatal(err)
			}
			said[provider] = string(text)
		}
		return said
	}
	live := answers(vendors.settings, func(cfg *app.Config) { cfg.Record = dir })
	vendors.Close()
	again := answers(func(cfg *app.Config) {
		cfg.Getenv = func(string) string { return "" }
		cfg.Upstreams = []string{"replay:" + dir}
	})
	for provider := range questions {
		if live[provider] != again[provider] {
			t.Errorf("%s: replayed\n%s\nwas\n%s", provider, again[provider], live[provider])
		}
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*app.Config){
		`there is no API "nobody"`:    func(cfg *app.Config) { cfg.Settings.APIs = map[string]app.APISettings{"nobody": {}} },
		`there is no upstream "moon"`: func(cfg *app.Config) { cfg.Upstreams = []string{"moon"} },
		"EARSHOT_OPENAI_API_KEY": func(cfg *app.Config) {
			cfg.Settings.Providers = map[string]app.ProviderSettings{"chatassistant": {Upstreams: []string{"api:openai"}}}
		},
		"EARSHOT_RESPONSES_URL": func(cfg *app.Config) {
			cfg.Getenv = func(name string) string { return map[string]string{"EARSHOT_RESPONSES_API_KEY": "k"}[name] }
		},
		"genassistant: api:openai does not serve this provider": func(cfg *app.Config) {
			cfg.Settings.Providers = map[string]app.ProviderSettings{"genassistant": {Upstreams: []string{"api:openai"}}}
		},
		"not through both": func(cfg *app.Config) {
			cfg.Settings.Providers = map[string]app.ProviderSettings{"websearch": {Upstreams: []string{"web"}}}
		},
		"there are no exchanges": func(cfg *app.Config) { cfg.Upstreams = []string{"replay:" + t.TempDir()} },
		`there is no site "moon"`: func(cfg *app.Config) {
			cfg.Upstreams, cfg.Settings.Web.Sites = []string{"web"}, map[string]string{"moon": "https://moon.example"}
		},
	} {
		cfg := app.Config{Listen: "127.0.0.1:0", Data: t.TempDir(), Getenv: func(string) string { return "" }, Log: slog.New(slog.DiscardHandler)}
		change(&cfg)
		_, err := app.New(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
