package lab

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"earshot/internal/lab/redirect"
	"earshot/internal/lab/searchsite"
)

// search asks the engine for a page.
func search(t *testing.T, agent, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+searchsite.Host+path, nil)
	r.Header.Set("User-Agent", agent)
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w
}

func searchFor(t *testing.T, query, more string) string {
	t.Helper()
	w := search(t, "", "/search?q="+url.QueryEscape(query)+more)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != typeHTML {
		t.Fatalf("%s: %d %s", query, w.Code, w.Header().Get("Content-Type"))
	}
	return w.Body.String()
}

var results = regexp.MustCompile(`<a href="[^"]*" data-ved="[^"]*"><h3>`)

func TestResultPagesAsSteered(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]int{"": 10, "&start=10": 10, "&start=30": 7, "&start=40": 0, "&start=-5": 10, "&start=x": 10} {
		if got := len(results.FindAllString(searchFor(t, "tea [[results=37]]", page), -1)); got != want {
			t.Errorf("page %q has %d results, want %d", page, got, want)
		}
	}
	plain := searchFor(t, "tea", "")
	for query, part := range map[string]string{
		"tea [[overview=none]]": "aimc",
		"tea [[results=0]]":     "<h3>",
		"tea [[empty]]":         "<div",
		"tea [[garbage]]":       "</html>",
		"tea [[block]]":         `id="rso"`,
	} {
		if !strings.Contains(plain, part) || strings.Contains(searchFor(t, query, ""), part) {
			t.Errorf("%s: %s is there, or never was", query, part)
		}
	}
	if searchFor(t, "tea [[drip=1us]]", "") != plain {
		t.Error("the words change the page")
	}
	if strings.Contains(plain, "ZgotmplZ") || strings.Contains(plain, "{{") || strings.Contains(plain, "{brand}") {
		t.Error("the page has remains of its templates")
	}
}

func TestPagesDifferByPlaceAndDevice(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, more := range []string{"", "&gl=de", "&gl=de&hl=fr", "&gl=de&hl=de-AT&uule=w+CAIQ", "&start=10", "&tbm=nws", "&tbm=nws&gl=jp&hl=ja"} {
		page := searchFor(t, "tea", more)
		if twin, known := seen[page]; known {
			t.Errorf("%q shows the same as %q", more, twin)
		}
		seen[page] = more
		if page != searchFor(t, "tea", more) {
			t.Errorf("%q shows something else the second time", more)
		}
	}
	phone := search(t, "Mozilla/5.0 (iPhone) Mobile Safari", "/search?q=tea").Body.String()
	if strings.Contains(phone, "data-rpos") || !strings.Contains(phone, `role="presentation"`) {
		t.Error("a phone gets the desktop's page")
	}
}

func TestRedirectsOnBothHosts(t *testing.T) {
	t.Parallel()
	const destination = "https://www.testbench.us.example/a?b=c&d=%20[[block]]"
	for _, host := range []string{searchsite.Host, "www." + searchsite.Host} {
		for _, link := range []string{redirect.Wrap(destination), redirect.Hide(destination)} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+link, nil)
			w := httptest.NewRecorder()
			Handler().ServeHTTP(w, r)
			if w.Code != http.StatusFound || w.Header().Get("Location") != destination {
				t.Errorf("%s%s: %d %s", host, link, w.Code, w.Header().Get("Location"))
			}
		}
	}
}

func TestOverviewsOnDemand(t *testing.T) {
	t.Parallel()
	path := regexp.MustCompile(`data-async-path="([^"]*)"`).FindStringSubmatch(searchFor(t, "tea", "&gl=fr&hl=fr"))
	if path == nil {
		t.Fatal("no question is answered by an overview")
	}
	w := search(t, "", strings.ReplaceAll(path[1], "&amp;", "&"))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `data-rl="fr"`) {
		t.Errorf("%s: %d\n%.300s", path[1], w.Code, w.Body)
	}
}
