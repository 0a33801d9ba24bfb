package labsite

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"earshot/internal/upstream/lab"
	"earshot/internal/upstream/lab/world"
)

// get asks the engine for a page.
func get(t *testing.T, agent, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+path, nil)
	r.Header.Set("User-Agent", agent)
	w := httptest.NewRecorder()
	lab.Handler(Site()).ServeHTTP(w, r)
	return w
}

func searchFor(t *testing.T, query, more string) string {
	t.Helper()
	w := get(t, "", "/search?q="+url.QueryEscape(query)+more)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != lab.TypeHTML {
		t.Fatalf("%s: %d %s", query, w.Code, w.Header().Get("Content-Type"))
	}
	return w.Body.String()
}

var resultLinks = regexp.MustCompile(`<a href="[^"]*" data-ved="[^"]*"><h3>`)

func TestResultPagesAsSteered(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]int{"": 10, "&start=10": 10, "&start=30": 7, "&start=40": 0, "&start=-5": 10, "&start=x": 10} {
		if got := len(resultLinks.FindAllString(searchFor(t, "tea [[results=37]]", page), -1)); got != want {
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
			t.Errorf("%s: the page has %s, or the page of a plain query does not", query, part)
		}
	}
	if searchFor(t, "tea [[drip=1us]]", "") != plain {
		t.Error("steering words changed the page")
	}
	if strings.Contains(plain, "ZgotmplZ") || strings.Contains(plain, "{{") || strings.Contains(plain, "{brand}") {
		t.Error("the page contains template code")
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
			t.Errorf("%q shows another page the second time", more)
		}
	}
	phone := get(t, "Mozilla/5.0 (iPhone) Mobile Safari", "/search?q=tea").Body.String()
	if strings.Contains(phone, "data-rpos") || !strings.Contains(phone, `role="presentation"`) {
		t.Error("a phone got the desktop page")
	}
}

func TestRedirectsOnBothHosts(t *testing.T) {
	t.Parallel()
	const destination = "https://www.testbench.us.example/a?b=c&d=%20[[block]]"
	for _, host := range []string{host, "www." + host} {
		for _, link := range []string{Wrap(destination), Hide(destination)} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+link, nil)
			w := httptest.NewRecorder()
			lab.Handler(Site()).ServeHTTP(w, r)
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
		t.Fatal("no question has an overview")
	}
	w := get(t, "", strings.ReplaceAll(path[1], "&amp;", "&"))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `data-rl="fr"`) {
		t.Errorf("%s: %d\n%.300s", path[1], w.Code, w.Body)
	}
}

func TestLinksLeadToTheirDestination(t *testing.T) {
	t.Parallel()
	const destination = "https://shop.example/a?b=c&d=e#f"
	for _, link := range []string{Wrap(destination), Hide(destination)} {
		w := httptest.NewRecorder()
		Redirect(w, httptest.NewRequest(http.MethodGet, link, http.NoBody))
		if w.Code != http.StatusFound || w.Header().Get("Location") != destination {
			t.Errorf("%s: status %d, location %q", link, w.Code, w.Header().Get("Location"))
		}
	}
	if strings.Contains(Hide(destination), "shop") {
		t.Error("a hidden link contains its destination")
	}
	for _, link := range []string{"/goto", "/goto?url=x", "/goto?url=CAES", "/goto?url=CAES!", "/url", "/url?q="} {
		w := httptest.NewRecorder()
		Redirect(w, httptest.NewRequest(http.MethodGet, link, http.NoBody))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", link, w.Code)
		}
	}
}

func ask(prompt string) world.Question {
	return world.Question{Prompt: prompt, Country: "US", Language: "en", Search: true}
}

func TestPageHasEveryKindOfLink(t *testing.T) {
	t.Parallel()
	q := ask("tents")
	page, err := aiPage(q, 8, world.ComposeClusters(q, 8))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{`href="/goto?url=CAES`, `href="/url?q=https`, `href="https://`, `data-icl-uuid="`, "<!--Lab1|", world.Model} {
		if !strings.Contains(string(page), kind) {
			t.Errorf("no %s on the page", kind)
		}
	}
}

var attribute = regexp.MustCompile(`data-offers-url="([^"]*)"`)

// TestHostilePrompt checks that a prompt is escaped everywhere on the page.
func TestHostilePrompt(t *testing.T) {
	t.Parallel()
	const prompt = `--><script>alert(1)</script>"><b onclick=x>&<!--`
	q := ask(prompt)
	page, err := aiPage(q, 3, world.ComposeClusters(q, 3))
	if err != nil {
		t.Fatal(err)
	}
	for _, markup := range []string{"<script", "<b onclick", `--><s`} {
		if strings.Contains(string(page), markup) {
			t.Errorf("%s is on the page", markup)
		}
	}
	found := attribute.FindSubmatch(page)
	if found == nil {
		t.Fatal("the page has no address of offers")
	}
	u, err := url.Parse(html.UnescapeString(string(found[1])))
	if err != nil || u.Path != offersPath || u.Query().Get("q") != prompt || u.Query().Get(paramClusters) != "3" {
		t.Errorf("address of offers is %v (%v)", u, err)
	}
}

func TestOffers(t *testing.T) {
	t.Parallel()
	a := world.ComposeClusters(ask("tents"), 2)
	product, found := a.Cluster(a.Inline[0].ID)
	if !found {
		t.Fatal("a product of the answer is not one of its clusters")
	}
	piece, err := fill("offers", product)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(piece), `"product-offer"`); got != len(product.Offers) || got == 0 {
		t.Errorf("%d offers of %d:\n%s", got, len(product.Offers), piece)
	}
	if _, found := a.Cluster("none"); found {
		t.Error("found a cluster that does not exist")
	}
}
