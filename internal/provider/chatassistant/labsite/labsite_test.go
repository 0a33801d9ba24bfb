package labsite

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)> '</textarea>{{.}}`

func compose(prompt string) *world.Answer {
	return world.Compose(world.Question{Prompt: prompt, Country: "US", Language: "en", Search: true})
}

// TestPromptSelectsForm checks that the answer has the form that a word in the prompt asks for,
// whatever the request is.
func TestPromptSelectsForm(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]struct{ kind, part string }{
		"tea [[shape=legacy]]": {lab.TypeEvents, "[DONE]"},
		"tea [[shape=mobile]]": {lab.TypeHTML, "</html>"},
	} {
		for _, r := range []*http.Request{
			httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+"/?q="+url.QueryEscape(prompt), nil),
			httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+"/backend-api/conversation",
				strings.NewReader(`{"messages":[{"content":{"parts":["`+prompt+`"]}}]}`)),
		} {
			w := httptest.NewRecorder()
			lab.Handler(Site()).ServeHTTP(w, r)
			if w.Header().Get("Content-Type") != want.kind || !strings.Contains(w.Body.String(), want.part) {
				t.Errorf("%s by %s: %s\n%.300s", prompt, r.Method, w.Header().Get("Content-Type"), w.Body)
			}
		}
	}
}

// TestStreamIsDeltaEncoded checks that every event except the last is one line of JSON, whatever
// the prompt is.
func TestStreamIsDeltaEncoded(t *testing.T) {
	t.Parallel()
	prompt := hostile + "\n\ndata: [DONE]\n\n"
	events := stream(prompt, compose(prompt))
	if string(events[0]) != "event: delta_encoding\ndata: \"v1\"\n\n" || string(events[len(events)-1]) != "data: [DONE]\n\n" {
		t.Errorf("begins with %q and ends with %q", events[0], events[len(events)-1])
	}
	for _, event := range events[:len(events)-1] {
		_, data, _ := strings.Cut(string(event), "data: ")
		if strings.Count(data, "\n") != 2 || !json.Valid([]byte(data)) {
			t.Errorf("event %q", event)
		}
	}
}

func TestDocumentsAreDeterministic(t *testing.T) {
	t.Parallel()
	for range 3 {
		first, err1 := Page("x", compose("x"))
		second, err2 := Page("x", compose("x"))
		if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
			t.Error("the same question gave two pages")
		}
		one, two := stream("x", compose("x")), stream("x", compose("x"))
		if !bytes.Equal(bytes.Join(one, nil), bytes.Join(two, nil)) {
			t.Error("the same question gave two streams")
		}
	}
}

func BenchmarkPage(b *testing.B) {
	for b.Loop() {
		if _, err := Page("x", compose("x")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	for b.Loop() {
		stream("x", compose("x"))
	}
}
