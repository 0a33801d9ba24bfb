// Package newprovider shows that a provider is one folder and one line: it adds one
// to the service and finds it wherever providers are.
package newprovider

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
	"earshot/test/harness"
	"earshot/test/newprovider/riddle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// withRiddles is the one line.
func withRiddles(cfg *app.Config) { cfg.Providers = []provider.Provider{riddle.New()} }

// TestEveryCheckHolds runs what every assistant must pass.
func TestEveryCheckHolds(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, riddle.New())
	providertest.LabSite{Provider: riddle.New(), Read: riddle.New().Read, Pages: []string{"/ask?q="}}.Check(t)
}

func TestItIsAsked(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, withRiddles)
	a := n.Organization(t, "lite", 100)
	call := n.Post(t, a, "/v1/monitor/riddle", `{"prompt":"shoes","country":"US"}`).Has(t, "a call", http.StatusOK)
	var answer struct{ Result earshot.Answer }
	call.Into(t, &answer)
	if answer.Result.Text == "" || len(answer.Result.Sources) == 0 || answer.Result.Surface != earshot.SurfaceLab || call.Number(t, "X-Credits-Charged") != 9 {
		t.Errorf("it answers %s", call.Body)
	}
	n.Post(t, a, "/v1/monitor/riddle", `{"promt":"shoes","country":"AQ"}`).Invalid(t, "a request that is wrong", http.StatusBadRequest, "country", "prompt", "promt")

	record := n.Wait(t, a, n.Submit(t, a, `{"taskType":"RIDDLE","payload":{"prompt":"shoes","country":"US"}}`).ID)
	if record.Task.TaskType != "RIDDLE" || record.Task.Status != earshot.StatusCompleted || *record.Credits.CreditsCharged != 9 {
		t.Errorf("the task ended as %+v", record)
	}
	n.Post(t, a, "/v1/async/task", `{"taskType":"RIDDLE","payload":{"prompt":"","country":"US"}}`).Invalid(t, "a task that is wrong", http.StatusUnprocessableEntity, "payload.prompt")
	var page earshot.TaskPage
	n.Get(t, a, "/v1/async/tasks?taskType=RIDDLE").Has(t, "the list of tasks", http.StatusOK).Into(t, &page)
	if len(page.Tasks) != 1 {
		t.Errorf("the list has %d tasks", len(page.Tasks))
	}
	var quote earshot.Quote
	n.Post(t, a, "/v1/quote", `{"taskType":"RIDDLE","payload":{"prompt":"shoes","country":"US"}}`).Has(t, "a quote", http.StatusOK).Into(t, &quote)
	if quote.CreditsToCharge != 9 {
		t.Errorf("it is quoted at %d", quote.CreditsToCharge)
	}
	var usage earshot.Usage
	n.Get(t, a, "/v1/usage").Has(t, "the usage", http.StatusOK).Into(t, &usage)
	if len(usage.Usage) != 1 || usage.Usage[0].Provider != "riddle" || usage.Usage[0].CreditsCharged != 18 {
		t.Errorf("the usage is %+v", usage)
	}
	var countries []string
	n.Get(t, a, "/v1/countries?model=riddle").Has(t, "its countries", http.StatusOK).Into(t, &countries)
	if slices.Contains(countries, "AQ") || !slices.Contains(countries, "US") {
		t.Errorf("its countries are %v", countries)
	}
	tools := n.SendWith(t, a, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`,
		map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
	if !strings.Contains(string(tools.Body), "riddle") {
		t.Errorf("the tools are %.300s", tools.Body)
	}
}

// TestItIsDescribed looks into what is made of the definitions: the document that
// clients, forms, tools and docs come from.
func TestItIsDescribed(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, withRiddles)
	var document struct {
		Paths map[string]struct {
			Post map[string]any
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}
	n.Get(t, nil, "/openapi.json").Has(t, "the document", http.StatusOK).Into(t, &document)
	operation := document.Paths["/v1/monitor/riddle"].Post
	if operation["operationId"] != "monitorRiddle" || operation["x-task-type"] != "RIDDLE" || operation["x-text-field"] != "prompt" || operation["summary"] != "Ask for a riddle" {
		t.Errorf("the operation is %v", operation)
	}
	for name, want := range map[string]string{
		"RiddleRequest": `"prompt"`, "Provider": `"riddle"`, "TaskType": `"RIDDLE"`, "CountryModel": `"riddle"`,
		"TaskRequest": `RiddleRequest`, "TaskRecord": `"RIDDLE"`,
	} {
		if !strings.Contains(string(document.Components.Schemas[name]), want) {
			t.Errorf("%s lacks %s: %.300s", name, want, document.Components.Schemas[name])
		}
	}
}

// TestItIsSet gives it settings of its own.
func TestItIsSet(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, withRiddles, func(cfg *app.Config) { cfg.Settings.Prices = provider.Prices{"riddle.base": 1} })
	call := n.Post(t, n.Organization(t, "lite", 100), "/v1/monitor/riddle", `{"prompt":"shoes","country":"US"}`)
	if call.StatusCode != http.StatusOK || call.Number(t, "X-Credits-Charged") != 1 {
		t.Errorf("at another price it answers %d %s", call.StatusCode, call.Body)
	}
	hidden := harness.Start(t, withRiddles, func(cfg *app.Config) {
		cfg.Settings.Providers = map[string]app.ProviderSettings{"riddle": {Released: new(false)}}
	})
	hidden.Post(t, hidden.Organization(t, "lite", 100), "/v1/monitor/riddle", `{}`).Fails(t, "a hidden provider", http.StatusNotFound, earshot.CodeNotFound)

	cfg := app.Config{Listen: "127.0.0.1:0", Data: t.TempDir(), Getenv: func(string) string { return "" }}
	withRiddles(&cfg)
	cfg.Settings.Providers = map[string]app.ProviderSettings{"riddle": {Upstreams: []string{"api:sphinx"}}}
	if a, err := app.New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "EARSHOT_SPHINX_API_KEY") {
		t.Errorf("without a key for its API the service is %v, %v", a, err)
	}
	var checked []string
	cfg.Settings.Providers = nil
	err := app.Check(t.Context(), cfg, "US", nil, func(c app.Checked) error {
		checked = append(checked, c.Provider)
		return nil
	})
	if err != nil || !slices.Contains(checked, "riddle") {
		t.Errorf("checked were %v, %v", checked, err)
	}
}
