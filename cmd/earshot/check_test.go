package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/app"
)

func TestCheckPrintsWhichUpstreamsWork(t *testing.T) {
	out, err := earshotCommand(t, "check")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 1+len(app.Providers()) || !strings.HasPrefix(lines[0], "PROVIDER") {
		t.Errorf("printed\n%s", out)
	}
	for _, line := range lines[1:] {
		if !strings.Contains(line, "  lab ") || !strings.Contains(line, "  works ") || !strings.Contains(line, "for US") {
			t.Errorf("got %q", line)
		}
	}

	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error": {"code": "invalid_api_key", "message": "Incorrect API key provided: sk-nobodys"}}`))
	}))
	t.Cleanup(refusing.Close)
	t.Setenv("EARSHOT_OPENAI_API_KEY", "sk-nobodys")
	t.Setenv("EARSHOT_OPENAI_URL", refusing.URL)
	out, err = earshotCommand(t, "check", "chatassistant", "officeassistant")
	if !errors.Is(err, errCheck) || !strings.Contains(out, "api:openai  blocked") || !strings.Contains(out, "lab         works") || strings.Contains(out, "sk-nobodys") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = earshotCommand(t, "check", "chatassistant", "--upstream", "lab", "--json"); err != nil || !strings.HasPrefix(out, `{"provider":"chatassistant","upstream":"lab","works":true`) {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err = earshotCommand(t, "check", "nobody"); err == nil || !strings.Contains(err.Error(), "there is no provider") {
		t.Errorf("got %v", err)
	}
}

// vendorServer plays cloro, which answers a task when it is polled for the third time, and
// official APIs, which refuse the model or the key.
func vendorServer(t *testing.T) (address string, submitted func() int) {
	t.Helper()
	var polls, tasks atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/async/task", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"idempotencyKey":"check-`) || strings.Contains(string(body), "shopping") {
			t.Errorf("submitted %s", body)
		}
		tasks.Add(1)
		fmt.Fprint(w, `{"task":{"id":"t1","status":"QUEUED"}}`)
	})
	mux.HandleFunc("GET /v1/async/task/t1", func(w http.ResponseWriter, _ *http.Request) {
		if polls.Add(1) < 3 {
			fmt.Fprint(w, `{"task":{"id":"t1","status":"PROCESSING"}}`)
			return
		}
		fmt.Fprint(w, `{"task":{"id":"t1","status":"COMPLETED"},"credits":{"creditsCharged":5},"response":{"text":"The tallest building in the world is in Dubai.","model":"m-1","sources":[{"position":1,"url":"https://towers.example/","label":"Towers"}]}}`)
	})
	mux.HandleFunc("POST /responses", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"message":"The model chat-latest does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}}`)
	})
	mux.HandleFunc("POST /models/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`)
	})
	mux.HandleFunc("POST /v1/agent", func(w http.ResponseWriter, r *http.Request) {
		usage := ""
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), `"model":"priced"`) {
			usage = `,"usage":{"cost":{"currency":"USD","total_cost":0.00465}}`
		}
		fmt.Fprint(w, `{"model":"perplexity/sonar","object":"response","status":"completed","output":[{"type":"search_results","results":[{"id":1,"url":"https://towers.example/"}]},`+
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"It is in Dubai.[1]"}]}]`+usage+`}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, func() int { return int(tasks.Load()) }
}

func TestCheckAsksVendorsAndPrintsTheCost(t *testing.T) {
	address, submitted := vendorServer(t)
	for _, name := range []string{"CLORO", "OPENAI", "GEMINI", "PERPLEXITY"} {
		t.Setenv("EARSHOT_"+name+"_API_KEY", "secret")
		t.Setenv("EARSHOT_"+name+"_URL", address)
	}
	t.Setenv("EARSHOT_XAI_API_KEY", "secret")
	t.Setenv("EARSHOT_XAI_URL", "http://127.0.0.1:1")
	t.Setenv("EARSHOT_CONFIG", writeFile(t, "earshot.yaml", `
providers:
  chatassistant: {upstreams: [via:cloro, api:openai]}
vendors:
  cloro: {poll: 1ms, unit: 0.001}
apis:
  perplexity: {stream: false}
`))
	out, err := earshotCommand(t, "check", "chatassistant", "genassistant", "socialassistant", "answerengine", "officeassistant")
	if !errors.Is(err, errCheck) || submitted() != 1 {
		t.Errorf("%v after %d submissions", err, submitted())
	}
	lines := strings.Split(out, "\n")
	for i, parts := range [][]string{
		{"PROVIDER", "USD"},
		{"chatassistant", "via:cloro", "works", " 0.005 ", "model m-1", "for US", "1 sources"},
		{"chatassistant", "api:openai", "unavailable", " 0 ", "does not exist or you do not have access", "EARSHOT_OPENAI_MODEL"},
		{"genassistant", "api:gemini", "blocked", " 0 ", "API key not valid"},
		{"socialassistant", "api:xai", "unavailable", "refused"},
		{"officeassistant", "lab", "works", " - "},
		{"answerengine", "api:perplexity", "works", " ? ", "model perplexity/sonar"},
		{},
		{"This check cost 0.005 USD, and an unknown amount for api:perplexity"},
		{},
		{"Settings to change:"},
		{"EARSHOT_OPENAI_MODEL or apis.openai.model: a model"},
		{"EARSHOT_GEMINI_API_KEY or apis.gemini.key-file: a valid key"},
		{"EARSHOT_XAI_URL or apis.xai.url: an address"},
	} {
		for _, part := range parts {
			if i >= len(lines) || !strings.Contains(lines[i], part) {
				t.Errorf("line %d lacks %q:\n%s", i+1, part, out)
			}
		}
	}
	if out, err = earshotCommand(t, "check", "answerengine", "--json"); err != nil || !strings.Contains(out, `"paid":true`) || strings.Contains(out, "usd") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Setenv("EARSHOT_PERPLEXITY_MODEL", "priced")
	if out, err = earshotCommand(t, "check", "answerengine"); err != nil || !strings.Contains(out, "This check cost 0.00465 USD.") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Setenv("EARSHOT_PERPLEXITY_MODEL", "")
	t.Setenv("EARSHOT_CONFIG", writeFile(t, "priced.yaml", "apis:\n  perplexity:\n    costs: {answerengine: 0.006}\n"))
	if out, err = earshotCommand(t, "check", "answerengine"); err != nil || !strings.Contains(out, " ~0.006 ") || !strings.Contains(out, "cost 0.006 USD, partly estimated") {
		t.Errorf("%v\n%s", err, out)
	}
}

// An official API with the model list of OpenAI, whose dates are relative to today.
func TestCheckTellsWhenAModelEnds(t *testing.T) {
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	mux := http.NewServeMux()
	mux.HandleFunc("POST /responses", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"object":"response","status":"completed","model":"m-2026-01-01","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Dubai","annotations":[]}]}]}`)
	})
	mux.HandleFunc("GET /models", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"object":"list","data":[{"id":"ended","object":"model","shutdown_date":%q},{"id":"ending","shutdown_date":%q},{"id":"current","shutdown_date":%q},{"id":"other","shutdown_date":null}]}`,
			day(0), day(59), day(62))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Setenv("EARSHOT_OPENAI_API_KEY", "secret")
	t.Setenv("EARSHOT_OPENAI_URL", server.URL)
	for model, want := range map[string]struct {
		words  []string
		failed bool
	}{
		"ended":   {[]string{"api:openai  unavailable", "ended the model ended on " + day(0), "Settings to change:", "EARSHOT_OPENAI_MODEL or apis.openai.model: a model"}, true},
		"ending":  {[]string{"api:openai  works", "model m-2026-01-01 (asked for ending)", "Warnings:", "ends the model ending on " + day(59) + ". Set EARSHOT_OPENAI_MODEL"}, false},
		"current": {[]string{"api:openai  works", "model m-2026-01-01 (asked for current)"}, false},
		"other":   {[]string{"api:openai  works"}, false},
		"o3-mini": {[]string{"ended the model o3-mini on 2026-10-23", "apis.openai.model: gpt-6-luna"}, true}, // not in the list
	} {
		t.Setenv("EARSHOT_OPENAI_MODEL", model)
		out, err := earshotCommand(t, "check", "chatassistant")
		if errors.Is(err, errCheck) != want.failed {
			t.Errorf("%s: %v", model, err)
		}
		for _, words := range want.words {
			if !strings.Contains(out, words) {
				t.Errorf("%s: %q is not in\n%s", model, words, out)
			}
		}
		if strings.Contains(out, "Warnings:") != (model == "ending") {
			t.Errorf("%s: warnings in\n%s", model, out)
		}
	}
}

func TestUnreadableKeyFileIsAnError(t *testing.T) {
	empty, missing := writeFile(t, "empty", " \n"), filepath.Join(t.TempDir(), "missing")
	inFile := func(path string) string {
		return writeFile(t, "earshot.yaml", "apis: {openai: {key-file: "+path+"}}\n")
	}
	for _, test := range []struct{ variable, config, setting, file, reason string }{
		{variable: missing, setting: "EARSHOT_OPENAI_API_KEY_FILE", file: missing, reason: "no such file"},
		{variable: empty, setting: "EARSHOT_OPENAI_API_KEY_FILE", file: empty, reason: "is empty"},
		{variable: filepath.Dir(empty), setting: "EARSHOT_OPENAI_API_KEY_FILE", file: filepath.Dir(empty), reason: "is a directory"},
		{config: inFile(missing), setting: "apis.openai.key-file", file: missing, reason: "no such file"},
		{config: inFile(empty), setting: "apis.openai.key-file", file: empty, reason: "is empty"},
	} {
		t.Setenv("EARSHOT_OPENAI_API_KEY_FILE", test.variable)
		t.Setenv("EARSHOT_CONFIG", test.config)
		// config --check starts a server as serve does.
		for _, command := range [][]string{{"check", "chatassistant"}, {"config", "--check"}} {
			out, err := earshotCommand(t, command...)
			if err == nil || !strings.Contains(err.Error(), test.setting) || !strings.Contains(err.Error(), test.file) || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("%v: %v\n%s", test, err, out)
			}
		}
	}
}
