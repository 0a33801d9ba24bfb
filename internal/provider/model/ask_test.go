package model_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/model"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream"
)

const key = "sk-or-test-key"

// ask asks a stand-in of an endpoint through routes with two models. It returns the answer, the body
// of the call and what was bought.
func ask(t *testing.T, body string, respond http.HandlerFunc) (a *earshot.Answer, sent map[string]any, bought []providertest.Purchase, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if r.Method+r.URL.Path != "POST/api/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		if err := json.Unmarshal(text, &sent); err != nil {
			t.Error(err)
		}
		respond(w, r)
	}))
	defer server.Close()
	clients := map[string]*upstream.Client{}
	for _, name := range []string{"plain", "router"} {
		client, err := upstream.NewClient(upstream.Config{
			Name: "model:" + name, Surface: earshot.SurfaceAPI, Sites: map[string]string{"model": server.URL + "/api/v1"}, Entry: name,
			API:    &upstream.API{Name: "model", Model: "vendor/" + name, KeyHeader: "Authorization", KeyPrefix: "Bearer ", Key: key},
			Prices: map[string]upstream.Price{"model": {Request: 5}},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		clients[name] = client
	}
	request := providertest.Decode(t, model.New(model.Model{Name: "plain"}, model.Model{Name: "router", Search: model.SearchOpenRouter}), body)
	ledger := &providertest.Ledger{}
	up := clients[provider.ModelOf(request)].Open(upstream.Visit{Provider: "model", Attempt: 1, CaptureURL: providertest.CaptureURL, Buyer: ledger})
	outcome, err := request.Ask(t.Context(), up)
	if err == nil {
		a = providertest.Answer(t, outcome.Result)
	}
	return a, sent, ledger.Purchases, err
}

func write(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func TestAskOpenRouter(t *testing.T) {
	t.Parallel()
	document := "\n         \n\n         \n" + string(providertest.Stored(t, "testdata/ranges.json"))
	a, sent, bought, err := ask(t, `{"model":"router","prompt":"tents","country":"US","state":"CA","include":{"rawResponse":true}}`, write(document))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"model": "vendor/router", "stream": false, "messages": []any{map[string]any{"role": "user", "content": "tents"}},
		"tools": []any{map[string]any{"type": "openrouter:web_search", "parameters": map[string]any{
			"engine": "native", "user_location": map[string]any{"type": "approximate", "country": "US", "region": "California"},
		}}},
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("call (-want +got):\n%s", diff)
	}
	providertest.Check(t, a)
	if a.Surface != earshot.SurfaceAPI || a.Via != "router" || *a.Model != "vendor/model-1" || len(a.Sources) != 3 || len(a.RawResponse) != 1 || a.Location != nil {
		t.Errorf("%+v", a)
	}
	if len(bought) != 1 || bought[0].USD != 12_300_000 || bought[0].Estimated {
		t.Errorf("bought %+v", bought)
	}
}

func TestAskPlainModel(t *testing.T) {
	t.Parallel()
	a, sent, bought, err := ask(t, `{"model":"plain","prompt":"tents","country":"DE"}`, write(string(providertest.Stored(t, "testdata/plain.json"))))
	if err != nil || a.Via != "plain" || sent["tools"] != nil || sent["model"] != "vendor/plain" {
		t.Errorf("%+v, %v, sent %v", a, err, sent)
	}
	if len(bought) != 1 || bought[0].USD != 5 || !bought[0].Estimated {
		t.Errorf("bought %+v", bought)
	}
}

// TestAskChargesUnusableAnswers checks that the reported cost counts also if the answer is cut off.
func TestAskChargesUnusableAnswers(t *testing.T) {
	t.Parallel()
	_, _, bought, err := ask(t, `{"model":"router","prompt":"x","country":"DE"}`,
		write(`{"choices":[{"finish_reason":"length","message":{"content":"It"}}],"usage":{"cost":0.02}}`))
	if err == nil || len(bought) != 1 || bought[0].USD != 20_000_000 || bought[0].Reason != earshot.ReasonUnavailable {
		t.Errorf("%v, bought %+v", err, bought)
	}
}

func TestAskReportsErrors(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]upstream.Failure{
		400: {Reason: earshot.ReasonUnavailable, Final: true},
		401: {Reason: earshot.ReasonBlocked, Final: true},
		402: {Reason: earshot.ReasonBlocked, Final: true},
		408: {Reason: earshot.ReasonUnavailable},
		429: {Reason: earshot.ReasonBlocked},
		502: {Reason: earshot.ReasonUnavailable},
		200: {Reason: earshot.ReasonUnavailable},
	} {
		_, _, bought, err := ask(t, `{"model":"router","prompt":"x","country":"DE"}`, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"code":`+map[bool]string{true: "502", false: "0"}[status == 200]+`,"message":"No, and your key was `+key+`"}}`)
		})
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || failure.Reason != want.Reason || failure.Final != want.Final || strings.Contains(err.Error(), key) {
			t.Errorf("%d: %+v", status, err)
		}
		if len(bought) != 1 {
			t.Errorf("%d: bought %+v", status, bought)
		}
	}
}
