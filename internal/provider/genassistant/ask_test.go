package genassistant_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/genassistant"
)

func TestAPIQuestion(t *testing.T) {
	t.Parallel()
	question := genassistant.New().API.Question
	request, err := question(chat.Question{Prompt: `a "b"`, Model: "gemini-9.1/x", Locale: geo.Locale{Country: "CH"}})
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"contents":[{"parts":[{"text":"a \"b\""}],"role":"user"}],"store":false,"toolConfig":{"retrievalConfig":{"languageCode":"de"}},"tools":[{"googleSearch":{}}]}`
	if request.Site != "gemini" || request.Path != "/models/gemini-9.1%2Fx:streamGenerateContent" || request.Query.Encode() != "alt=sse" || string(request.Body) != body {
		t.Errorf("%s%s?%s\n%s", request.Site, request.Path, request.Query.Encode(), request.Body)
	}
	whole, err := question(chat.Question{Prompt: `a "b"`, Model: "m", Locale: geo.Locale{Country: "CH"}, NoStream: true})
	if err != nil || whole.Path != "/models/m:generateContent" || whole.Query.Encode() != "" || string(whole.Body) != body || whole.Header.Get("Accept") != "application/json" {
		t.Errorf("not streamed: %v %+v", err, whole)
	}
}

func TestVertexGetsNoUnknownField(t *testing.T) {
	t.Parallel()
	for host, stored := range map[string]bool{"": true, "generativelanguage.googleapis.com": true, "europe-west4-aiplatform.googleapis.com": false, "aiplatform.googleapis.com": false} {
		request, err := genassistant.New().API.Question(chat.Question{Prompt: "a", Model: "m", Host: host})
		if err != nil || strings.Contains(string(request.Body), `"store":false`) != stored {
			t.Errorf("%s: %v, %s", host, err, request.Body)
		}
	}
}

func TestAPIRefusal(t *testing.T) {
	t.Parallel()
	request, err := genassistant.New().API.Question(chat.Question{Prompt: "a", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		status     int
		body       string
		reason     earshot.Reason
		final      bool
		retryAfter time.Duration
	}{
		"wrong key": {400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`, earshot.ReasonBlocked, true, 0},
		"limit": {
			429, `[{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"30s"}]}}]`,
			earshot.ReasonBlocked, false, 30 * time.Second,
		},
		"overloaded": {503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, earshot.ReasonUnavailable, false, 0},
		"no model":   {404, `{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}`, earshot.ReasonUnavailable, true, 0},
		"no JSON":    {502, `<html>`, earshot.ReasonUnavailable, false, 0},
	} {
		failure := request.Refusal(tt.status, http.Header{}, []byte(tt.body))
		if failure.Reason != tt.reason || failure.Final != tt.final || failure.RetryAfter != tt.retryAfter {
			t.Errorf("%s: %+v", name, failure)
		}
	}
}
