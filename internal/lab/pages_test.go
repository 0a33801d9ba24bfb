package lab

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"earshot/internal/lab/enginesite"
	"earshot/internal/lab/gensite"
	"earshot/internal/lab/officesite"
	"earshot/internal/lab/socialsite"
)

// pageSites are the pages that servePage serves.
var pageSites = []string{gensite.Host + gensite.Path, officesite.Host + officesite.Path, socialsite.Host + "/", enginesite.Host + "/"}

// ask gives what the site answers to the prompt in Germany.
func ask(t *testing.T, site, prompt string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+site+"?q="+url.QueryEscape(prompt), nil)
	r.Header.Set("Lab-Country", "DE")
	r.Header.Set("Accept-Language", "de-DE,de;q=0.9")
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w
}

func TestPagesAsSteered(t *testing.T) {
	t.Parallel()
	for _, site := range pageSites {
		for prompt, want := range map[string]struct {
			status int
			part   string
		}{
			"tea":                {200, "Vergleich"},
			"tea [[block]]":      {200, "challenge-form"},
			"tea [[garbage]]":    {200, "nothing in here makes sense"},
			"tea [[status=503]]": {503, "as it was told"},
			"tea [[fail=1]]":     {500, "fails"},
			"tea [[odd]]":        {200, "[[odd]]"},
		} {
			w := ask(t, site, prompt)
			if w.Code != want.status || !strings.Contains(w.Body.String(), want.part) {
				t.Errorf("%s %s: %d\n%.300s", site, prompt, w.Code, w.Body)
			}
		}
		if page := ask(t, site, "tea [[empty]]").Body.String(); strings.Contains(page, ".example") || !strings.Contains(page, "</html>") {
			t.Errorf("%s: an empty answer is\n%s", site, page)
		}
		first := ask(t, site, "tea pots").Body.String()
		if again := ask(t, site, "tea [[results=3]] pots").Body.String(); first != again {
			t.Errorf("%s: two pages for one question", site)
		}
	}
}

// TestPagesEscapeThePrompt looks for elements and attributes that only the
// prompt can have brought.
func TestPagesEscapeThePrompt(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)> '</textarea></title>{{.}}`
	for _, site := range pageSites {
		page := ask(t, site, hostile).Body.Bytes()
		root, err := html.Parse(bytes.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Data == "script" {
				t.Errorf("%s: the prompt's script is in the page", site)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: the prompt's %s is in the page", site, a.Key)
				}
			}
		}
		if !bytes.Contains(page, []byte("&lt;script&gt;")) {
			t.Errorf("%s: the prompt is not in the page", site)
		}
	}
}

// TestAssistantsDiffer wants each assistant to have views of its own.
func TestAssistantsDiffer(t *testing.T) {
	t.Parallel()
	brand := func(site string) string {
		page := ask(t, site, "tea").Body.String()
		_, after, _ := strings.Cut(page, `data-entity-type="brand">`)
		name, _, _ := strings.Cut(after, "<")
		return name
	}
	if one, other := brand(pageSites[0]), brand(pageSites[1]); one == "" || one == other {
		t.Errorf("both speak of %q", one)
	}
}
