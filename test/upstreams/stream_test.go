package upstreams_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// assistants are the providers whose official APIs can stream.
var assistants = []string{"chatassistant", "genassistant", "socialassistant", "officeassistant", "answerengine"}

// streamed reports how often the stand-in was asked for a stream and for a whole answer.
func (s *standIn) streamed(word string) (streams, wholes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for asked, times := range s.calls {
		switch {
		case !strings.Contains(asked, word):
		case strings.Contains(asked, `"stream":true`):
			streams += times
		default:
			wholes += times
		}
	}
	return streams, wholes
}

func TestStreamingCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	vendors := startStandIn(t)
	whole, streamed := harness.Start(t, vendors.settings, func(cfg *app.Config) {
		for _, name := range []string{"openai", "gemini", "xai", "responses", "perplexity"} {
			s := cfg.Settings.APIs[name]
			s.Stream = new(bool)
			cfg.Settings.APIs[name] = s
		}
	}), harness.Start(t, vendors.settings)
	first, second := whole.Organization(t, "business", 1000), streamed.Organization(t, "business", 1000)
	for _, provider := range assistants {
		const body = `{"prompt":"Do I need an umbrella?","country":"DE"}`
		got, want := whole.Result(t, first, provider, body), streamed.Result(t, second, provider, body)
		for _, field := range []string{"text", "model", "location", "searchQueries", "citationPills"} {
			if fmt.Sprint(got[field]) != fmt.Sprint(want[field]) {
				t.Errorf("%s: %s is %v, streamed %v", provider, field, got[field], want[field])
			}
		}
	}
	if streams, wholes := vendors.streamed(`"stream"`); streams != 4 || wholes != 4 { // Gemini says it in the path
		t.Errorf("%d streams and %d whole answers, want 4 and 4", streams, wholes)
	}
}

// An organization that may not stream gets its answer in the same attempt, and is not
// asked to stream again.
func TestRefusedStreamingIsSwitchedOff(t *testing.T) {
	t.Parallel()
	vendors := startStandIn(t)
	dir := filepath.Join(t.TempDir(), "recorded")
	questions := []string{`{"prompt":"fail=unverified. one","country":"US"}`, `{"prompt":"fail=unverified. two","country":"US"}`}
	ask := func(change ...func(*app.Config)) (said []string) {
		n := harness.Start(t, change...)
		account := n.Organization(t, "business", 1000)
		for _, question := range questions {
			r := n.Post(t, account, "/v1/monitor/chatassistant", question)
			var answer struct{ Result json.RawMessage }
			if err := json.Unmarshal(r.Body, &answer); err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(r.Body), "Take an umbrella.") {
				t.Fatalf("%s %s", r.Status, r.Body)
			}
			said = append(said, string(answer.Result))
		}
		return said
	}
	live := ask(vendors.one("OPENAI"), func(cfg *app.Config) { cfg.Record = dir })
	if streams, wholes := vendors.streamed("unverified"); streams != 1 || wholes != 2 {
		t.Errorf("%d streams and %d whole answers, want 1 and 2", streams, wholes)
	}
	vendors.Close()
	again := ask(func(cfg *app.Config) {
		cfg.Getenv = func(string) string { return "" }
		cfg.Upstreams = []string{"replay:" + dir}
	})
	if fmt.Sprint(live) != fmt.Sprint(again) {
		t.Errorf("replayed\n%s\nwas\n%s", again, live)
	}
}

func TestAModelThatIsGoneIsNamed(t *testing.T) {
	t.Parallel()
	vendors := startStandIn(t)
	n := harness.Start(t, vendors.one("OPENAI"))
	account := n.Organization(t, "business", 1000)
	r := n.Post(t, account, "/v1/monitor/chatassistant", `{"prompt":"fail=gone. x","country":"US"}`)
	if r.StatusCode != http.StatusBadGateway || vendors.count("fail=gone") != 1 {
		t.Errorf("%s after %d calls", r.Status, vendors.count("fail=gone"))
	}
	for _, words := range []string{"does not exist or you do not have access", "gpt-6.1-sol", "EARSHOT_OPENAI_MODEL", "apis.openai.model"} {
		if !strings.Contains(string(r.Body), words) || !strings.Contains(n.Logs.String(), words) {
			t.Errorf("%q is missing in %s\nor in the log\n%s", words, r.Body, n.Logs.String())
		}
	}
	n.Post(t, account, "/v1/monitor/chatassistant", `{"prompt":"fail=text. x","country":"CA"}`)
	if logs := n.Logs.String(); !strings.Contains(logs, "status 502: upstream connect error, key …") || strings.Contains(logs, vendorKey) {
		t.Errorf("the body of a text error is not in the log, or the key is:\n%s", logs)
	}
}

func TestUpstreamsShowTheEndOfAModel(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, startStandIn(t).one("OPENAI", "GEMINI"), func(cfg *app.Config) {
		cfg.Settings.APIs = map[string]app.APISettings{"openai": {Model: "o3-mini"}}
	})
	var list earshot.Upstreams
	n.Get(t, n.Organization(t, "business", 1000), "/v1/upstreams").Into(t, &list)
	want := map[string]earshot.Upstream{
		"chatassistant": {Name: "api:openai", Model: "o3-mini", ModelState: earshot.ModelEnded, ModelEndsOn: "2026-10-23"},
		"genassistant":  {Name: "api:gemini", Model: "gemini-3.8-flash", ModelState: earshot.ModelCurrent},
		"websearch":     {Name: "lab"},
	}
	for _, p := range list.Providers {
		if u, tested := want[p.Provider]; tested {
			got := p.Upstreams[0]
			if (earshot.Upstream{Name: got.Name, Model: got.Model, ModelState: got.ModelState, ModelEndsOn: got.ModelEndsOn}) != u {
				t.Errorf("%s: %+v, want %+v", p.Provider, got, u)
			}
		}
	}
}
