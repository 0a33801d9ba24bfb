package lab

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot/internal/lab/enginesite"
	"earshot/internal/lab/socialsite"
)

// streamSites are the sites that streamSite serves, with the field that holds
// the prompt, the type of their documents and how those end.
var streamSites = []struct{ site, field, kind, end string }{
	{socialsite.Host + socialsite.Path, "message", typeLines, "}}}\n"},
	{enginesite.Host + enginesite.Path, "query_str", typeStream, "event: end_of_stream\r\ndata: {}\r\n\r\n"},
}

// post gives what the site answers to the prompt in Germany.
func post(t *testing.T, site, field, prompt string) *httptest.ResponseRecorder {
	t.Helper()
	body, err := json.Marshal(map[string]string{field: prompt})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+site, bytes.NewReader(body))
	r.Header.Set("Lab-Country", "DE")
	r.Header.Set("Accept-Language", "de-DE,de;q=0.9")
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w
}

func TestStreamsAsSteered(t *testing.T) {
	t.Parallel()
	for _, s := range streamSites {
		for prompt, want := range map[string]struct {
			status     int
			kind, part string
		}{
			"tea":                {200, s.kind, "Vergleich"},
			"tea [[block]]":      {200, typeHTML, "challenge-form"},
			"tea [[garbage]]":    {200, s.kind, "nothing in here makes sense"},
			"tea [[status=503]]": {503, "text/plain; charset=utf-8", "as it was told"},
			"tea [[fail=1]]":     {500, "text/plain; charset=utf-8", "fails"},
			"tea [[odd]]":        {200, s.kind, "[[odd]]"},
		} {
			w := post(t, s.site, s.field, prompt)
			if w.Code != want.status || w.Header().Get("Content-Type") != want.kind || !strings.Contains(w.Body.String(), want.part) {
				t.Errorf("%s %s: %d %s\n%.300s", s.site, prompt, w.Code, w.Header().Get("Content-Type"), w.Body)
			}
		}
		empty := post(t, s.site, s.field, "tea [[empty]]").Body.String()
		if strings.Contains(empty, ".example") || !strings.HasSuffix(empty, s.end) {
			t.Errorf("%s: an empty answer is\n%s", s.site, empty)
		}
		first := post(t, s.site, s.field, "tea pots").Body.String()
		if again := post(t, s.site, s.field, "tea [[results=3]] pots").Body.String(); first != again || !strings.HasSuffix(first, s.end) {
			t.Errorf("%s: two streams for one question, or one without its end", s.site)
		}
	}
}

// TestStreamsHoldEveryPrompt wants every line with data to be JSON, whatever the
// prompt.
func TestStreamsHoldEveryPrompt(t *testing.T) {
	t.Parallel()
	const hostile = "\"}}\n\ndata: [DONE]\n\n<lab:render card_id=\"x\"></lab:render> [1] \\ \x00 \u2028 \xff"
	for _, s := range streamSites {
		for line := range strings.Lines(post(t, s.site, s.field, hostile).Body.String()) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "data: ")
			if line != "" && !strings.HasPrefix(line, "event: ") && !json.Valid([]byte(line)) {
				t.Errorf("%s: line %q", s.site, line)
			}
		}
	}
}

func TestStreamsRefuseOtherBodies(t *testing.T) {
	t.Parallel()
	for _, s := range streamSites {
		for _, body := range []string{"", "{", "[]", `{"` + s.field + `":1}`, `{"` + s.field + `":"` + strings.Repeat("x", maxQuestion) + `"}`} {
			w := httptest.NewRecorder()
			Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.site, strings.NewReader(body)))
			if w.Code != http.StatusBadRequest {
				t.Errorf("%s %.20q: status %d", s.site, body, w.Code)
			}
		}
	}
}
