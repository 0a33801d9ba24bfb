package websearch_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/websearch"
	"earshot/test/captures"
)

// TestFidelity prints what was found on each captured page, and checks properties that every page
// must have. `make fidelity` prints its output.
func TestFidelity(t *testing.T) {
	t.Parallel()
	var all websearch.Score
	redirects := 0
	pages := captures.Find(t, "websearch/*.html")
	t.Logf("%-58s %s", "page", websearch.ScoreHead)
	for _, path := range pages {
		document := providertest.Stored(t, path)
		result, err := websearch.Parse(document, realEngine, "US")
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		score := websearch.ScoreOf(result, websearch.NotUnderstood(document, realEngine))
		t.Logf("%-58s %s", strings.TrimSuffix(filepath.Base(path), ".html"), score)
		all.Add(score)
		checkPage(t, filepath.Base(path), result)
		redirects += providertest.CheckRedirects(t, realEngine.NewLinks(nil).Read, result, document)
	}
	t.Logf("%-58s %s", "all", all)
	if redirects == 0 {
		t.Error("no link of any page was a redirect")
	}
}

// TestEveryRedirectOfLab compares the redirect links in results with the links on the lab's pages.
func TestEveryRedirectOfLab(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, engineOfLab)
	fields := map[string]int{}
	for _, body := range []string{
		`{"query":"desk lamps","country":"US","pages":3,"include":{"html":true,"searchoverview":{}}}`,
		`{"query":"garden chairs","country":"DE","device":"mobile","include":{"html":true,"searchoverview":{}}}`,
		`{"query":"rain jackets","country":"GB","include":{"html":true}}`,
		`{"query":"tents","country":"FR","include":{"html":true}}`,
	} {
		up := l.Session(1)
		outcome, err := providertest.Decode(t, engineOfLab, body).Ask(t.Context(), up)
		if err != nil {
			t.Fatal(err)
		}
		result, ok := outcome.Result.(*earshot.WebSearch)
		if !ok {
			t.Fatalf("result is a %T", outcome.Result)
		}
		hidden := engineOfLab.Engine.Hidden(bytes.Join(up.Kept(), nil))
		resolved, err := engineOfLab.Engine.Resolve(t.Context(), l.Session(1), geo.Locale{Country: "US"}, hidden)
		if err != nil {
			t.Fatal(err)
		}
		providertest.CheckRedirects(t, engineOfLab.Engine.NewLinks(resolved).Read, result, up.Kept()...)
		k := result.KnowledgeGraph
		for _, profile := range k.Profiles {
			fields["profiles"] += min(1, len(profile.RedirectLink))
		}
		for _, ad := range result.Ads {
			for _, link := range ad.Sitelinks {
				fields["sitelinks"] += min(1, len(link.RedirectLink))
			}
		}
		fields["website"] += min(1, len(k.RedirectLink))
		fields["source"] += min(1, len(k.SourceRedirectLink))
	}
	for _, name := range []string{"profiles", "sitelinks", "website", "source"} {
		if fields[name] == 0 {
			t.Errorf("no redirect among %s", name)
		}
	}
}

// checkPage checks properties that every page must have.
func checkPage(t *testing.T, page string, result *earshot.WebSearch) {
	t.Helper()
	providertest.Check(t, result)
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	checkClean(t, page, "", value)
	seen := map[string]bool{}
	for i, found := range result.OrganicResults {
		key := found.Link + " " + found.Title
		if found.Title == "" || found.Domain == "" || found.Position != i+1 || seen[key] {
			t.Errorf("%s: result %d is %+v", page, i+1, found)
		}
		seen[key] = true
	}
	for _, q := range result.PeopleAlsoAsk {
		if q.Question == "" || (q.Type == earshot.QuestionLink) != (q.Link != "") {
			t.Errorf("%s: question is %+v", page, q)
		}
	}
	for _, related := range result.RelatedSearches {
		if related.Query == "" {
			t.Errorf("%s: empty related search", page)
		}
	}
	if overview := result.SearchOverview; overview != nil && overview.Text == "" {
		t.Errorf("%s: empty overview", page)
	}
}

// linkNames are the fields that contain a destination.
var linkNames = []string{"link", "url", "website"}

// codeNames are the fields that may contain code, because overviews can be about programs.
var codeNames = []string{"text", "markdown"}

var (
	debris = regexp.MustCompile(`\x{200b}|\x{feff}|\x{fffd}|</?(?:a|b|br|div|em|g-img|i|img|li|p|script|span|style|svg|ul)\b[^<]*>|` +
		`&(?:amp|nbsp|lt|gt|quot|#39);|\\x3[ce]|window\.|google\.[a-z]+\(`)
	program = regexp.MustCompile(`function\s*\(|\{[^}]*[:;][^}]*\}|@media|@keyframes|var [a-z]+=`)
)

// checkClean checks that links are unwrapped, and that texts contain no remains of markup and
// scripts.
func checkClean(t *testing.T, page, name string, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			checkClean(t, page, key, inner)
		}
	case []any:
		for _, inner := range v {
			checkClean(t, page, name, inner)
		}
	case string:
		switch {
		case slices.Contains(linkNames, name):
			checkUnwrapped(t, page, name, v)
		case strings.HasSuffix(name, "Link"), strings.HasSuffix(name, "Url"), name == "images", name == "thumbnail":
		case debris.MatchString(v), program.MatchString(v) && !slices.Contains(codeNames, name):
			t.Errorf("%s: %s is %q", page, name, v)
		}
	}
}

// wrappers are the paths of the engine's redirect links. A link that counts a click on an ad may
// not contain its destination.
var wrappers = []string{"/url", "/aclk", "/goto", "/imgres", "/amp"}

func checkUnwrapped(t *testing.T, page, name, link string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		t.Errorf("%s: %s %q is not a web address", page, name, link)
		return
	}
	own := strings.HasPrefix(strings.TrimPrefix(u.Host, "www."), "google.")
	first, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	own = own && (first != "aclk" || u.Query().Get("adurl") != "")
	if own && slices.Contains(wrappers, "/"+first) || strings.Contains(u.Fragment, ":~:") || strings.HasSuffix(u.Hostname(), ".translate.goog") {
		t.Errorf("%s: %s %q is wrapped", page, name, link)
	}
}
