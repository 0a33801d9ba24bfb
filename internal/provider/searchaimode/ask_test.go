package searchaimode_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// everything is a request with all flags on.
func everything(prompt, country string) string {
	return fmt.Sprintf(`{"prompt":%q,"country":%q,"include":{"html":true,"markdown":true,"expandProducts":true}}`, prompt, country)
}

func TestAgainstLab(t *testing.T) {
	t.Parallel()
	providertest.AgainstLab(t, aimode, everything)
}

func TestFlags(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, aimode)
	for set := range 8 {
		html, markdown, expand := set&1 != 0, set&2 != 0, set&4 != 0
		a := l.Answer(t, aimode, fmt.Sprintf(`{"prompt":"desk lamp","gl":"gb","include":{"html":%t,"markdown":%t,"expandProducts":%t}}`, html, markdown, expand))
		if (a.HTML != "") != html || (a.Markdown != "") != markdown || (a.ProductResults != nil) != expand {
			t.Errorf("html %t, markdown %t, expandProducts %t: %+v", html, markdown, expand, a)
		}
	}
}

func TestAnswersAreRich(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, aimode)
	redirects := 0
	for _, country := range []string{"US", "DE", "FR", "JP", "BR"} {
		a := l.Answer(t, aimode, everything("garden chairs", country))
		providertest.CheckNoMarkup(t, a.Text)
		if a.Model == nil || *a.Model != "lab-1" || a.Surface != earshot.SurfaceLab || a.HTML != providertest.CaptureURL+"/page-1.html" {
			t.Errorf("%s: model %v, surface %s, html %s", country, a.Model, a.Surface, a.HTML)
		}
		for part, n := range map[string][3]int{
			"sources":         {len(a.Sources), 4, 8},
			"pills":           {len(a.CitationPills), 3, 15},
			"entities":        {len(a.Entities), 1, 5},
			"related":         {len(a.RelatedQueries), 2, 4},
			"paragraphs":      {strings.Count(a.Text, "\n\n") + 1, 5, 9},
			"shopping cards":  {len(a.ShoppingCards), 1, 2},
			"inline products": {len(a.InlineProducts), 2, 2},
			"product results": {len(a.ProductResults), 4, 4},
		} {
			if n[0] < n[1] || n[0] > n[2] {
				t.Errorf("%s: %d %s, want %d to %d", country, n[0], part, n[1], n[2])
			}
		}
		for _, pill := range a.CitationPills {
			if pill.Label == pill.Domain || !strings.Contains(a.Markdown, "]("+pill.URL+")") {
				t.Errorf("%s: pill %+v is not in the Markdown", country, pill)
			}
		}
		for _, source := range a.Sources {
			if source.Label == source.Domain || source.Description == "" {
				t.Errorf("%s: incomplete source %+v", country, source)
			}
			if source.RedirectLink != "" {
				redirects++
			}
		}
	}
	if redirects < 5 {
		t.Errorf("only %d redirects among the sources", redirects)
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, aimode)
	german := l.Answer(t, aimode, `{"prompt":"tents","country":"US","hl":"DE"}`)
	if english := l.Answer(t, aimode, `{"prompt":"tents"}`); english.Text == german.Text || !strings.Contains(german.Text, " und ") {
		t.Errorf("in German:\n%s", german.Text)
	}
	for _, language := range []string{"en US", "日本語", `a&b=c#"%`} { // unknown languages are passed on to the engine
		l.Answer(t, aimode, `{"prompt":"tents","hl":`+strconv.Quote(language)+`}`)
	}
}

func TestExpandedClusters(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, aimode)
	for clusters, want := range map[int]int{0: 0, 1: 1, 2: 2, 3: 3, 6: 6, 8: 6, 30: 6} {
		body := fmt.Sprintf(`{"prompt":"rain jackets [[clusters=%d]]","country":"DE","include":{"expandProducts":true}}`, clusters)
		outcome, err := l.Ask(t, aimode, body)
		if err != nil {
			t.Fatal(err)
		}
		providertest.Check(t, outcome.Result)
		bill := provider.Bill{"base": 1, "cluster": want}
		if want == 0 {
			bill = provider.Bill{"base": 1}
		}
		if diff := cmp.Diff(bill, outcome.Bill); diff != "" {
			t.Errorf("%d clusters: bill (-want +got):\n%s", clusters, diff)
		}
		a := providertest.Answer(t, outcome.Result)
		ids := map[string]bool{}
		for _, p := range a.ProductResults {
			ids[p.ID] = true
			if len(p.Offers) == 0 || len(p.Specifications) == 0 || p.Price == nil || p.Offers[0].Price.Currency != "EUR" || p.Offers[0].URL == "" {
				t.Errorf("%d clusters: incomplete product %+v", clusters, p)
			}
		}
		if text, err := json.Marshal(a); err != nil || want == 0 && !strings.Contains(string(text), `"productResults":[]`) {
			t.Errorf("result without clusters is %s, %v", text, err)
		}
		if len(a.ProductResults) != want || len(ids) != want {
			t.Errorf("%d clusters: %d returned, %d different, want %d", clusters, len(a.ProductResults), len(ids), want)
		}
		if clusters > 1 && len(a.InlineProducts) != 2 {
			t.Errorf("%d clusters: %d in the text", clusters, len(a.InlineProducts))
		}
	}
}

// TestRedirectLinks resolves every redirect link of a result and compares it with the link in the
// same object.
func TestRedirectLinks(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, aimode)
	outcome, err := l.Ask(t, aimode, everything("hiking boots", "US"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(outcome.Result)
	if err != nil {
		t.Fatal(err)
	}
	var result any
	if err := json.Unmarshal(data, &result); err != nil {
		t.Fatal(err)
	}
	beside := map[string]string{}
	redirectsIn(result, beside)
	if len(beside) < 5 {
		t.Errorf("only %d redirect links", len(beside))
	}
	for link, destination := range beside {
		resolved, err := aimode.Engine.Resolve(t.Context(), l.Session(1), geo.Locale{Country: "US"}, []string{link})
		if err != nil || resolved[link] != destination {
			t.Errorf("%s leads to %q, not to %q (%v)", link, resolved[link], destination, err)
		}
	}
}

// redirectsIn collects the redirect links of a result with the links in the same objects.
func redirectsIn(value any, beside map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		if link, ok := v["redirectLink"].(string); ok {
			for _, field := range []string{"url", "link"} {
				if destination, ok := v[field].(string); ok {
					beside[link] = destination
				}
			}
		}
		for _, inner := range v {
			redirectsIn(inner, beside)
		}
	case []any:
		for _, inner := range v {
			redirectsIn(inner, beside)
		}
	}
}

// TestHostilePrompt checks that a prompt with markup is returned as text.
func TestHostilePrompt(t *testing.T) {
	t.Parallel()
	const prompt = `</div><script>alert(1)</script><a href="javascript:alert(2)">x</a> --> [l](javascript:alert(3)) &lt; {{.}}`
	body, err := json.Marshal(map[string]any{"prompt": prompt, "include": map[string]bool{"markdown": true, "expandProducts": true}})
	if err != nil {
		t.Fatal(err)
	}
	a := providertest.StartLab(t, aimode).Answer(t, aimode, string(body))
	if !strings.Contains(a.Text, prompt[:70]) || len(a.ProductResults) != 4 {
		t.Errorf("%d products, text:\n%s", len(a.ProductResults), a.Text)
	}
	if strings.Contains(a.Markdown, "<script") {
		t.Errorf("a script in the Markdown:\n%s", a.Markdown)
	}
}
