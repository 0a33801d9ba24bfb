package news_test

import (
	"net/url"
	"testing"

	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider/news"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/serp"
	"earshot/internal/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var lab = news.Provider{Engine: serp.Engine{Host: "search.lab.test"}}

func body(prompt, country string) string {
	return `{"query":"` + prompt + `","country":"` + country + `"}`
}

func TestAgainstLab(t *testing.T) {
	t.Parallel()
	providertest.AgainstLab(t, lab, body)
}

func ask(t *testing.T, l *providertest.Lab, body string) *earshot.NewsSearch {
	t.Helper()
	outcome, err := l.Ask(t, lab, body)
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, outcome.Result)
	result, ok := outcome.Result.(*earshot.NewsSearch)
	if !ok {
		t.Fatalf("result is a %T", outcome.Result)
	}
	return result
}

func TestOnlyPagesWithResultsAreBilled(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, lab)
	for body, want := range map[string]int{
		`{"query":"desk lamps [[results=37]]","pages":3}`: 2,
		`{"query":"desk lamps [[results=37]]","pages":9}`: 3,
		`{"query":"desk lamps [[results=10]]","pages":2}`: 0,
		`{"query":"desk lamps [[results=0]]","pages":2}`:  0,
	} {
		outcome, err := l.Ask(t, lab, body)
		if err != nil {
			t.Fatal(err)
		}
		if got := outcome.Bill["page"]; got != want {
			t.Errorf("%s: bill has %d more pages, want %d", body, got, want)
		}
	}
}

func TestPositionsContinueOnTheNextPage(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, lab)
	result := ask(t, l, `{"query":"harbour [[results=23]]","pages":4,"include":{"html":true}}`)
	if len(result.NewsResults) != 23 || len(result.HTML) != 4 || result.Surface != earshot.SurfaceLab {
		t.Fatalf("%d articles, stored pages %v", len(result.NewsResults), result.HTML)
	}
	for i, a := range result.NewsResults {
		if a.Position != i+1 || a.Page != i/10+1 {
			t.Errorf("article %d is %+v", i, a)
		}
	}
	if none := ask(t, l, `{"query":"harbour [[results=0]]"}`); none.NewsResults != nil || none.HTML != nil {
		t.Errorf("a search without articles returned %+v", none)
	}
}

func TestArticlesAreComplete(t *testing.T) {
	t.Parallel()
	l := providertest.StartLab(t, lab)
	for _, country := range []string{"US", "DE", "FR", "ES", "PT", "IT", "NL", "JP"} {
		redirects, thumbnails := 0, 0
		for _, a := range ask(t, l, `{"query":"trains","gl":"`+country+`","device":"mobile","pages":3}`).NewsResults {
			if a.Snippet == "" || a.Source == "" || a.Date == "" || a.Domain == "" || a.Domain == "search.lab.test" {
				t.Errorf("%s: article is %+v", country, a)
			}
			if a.Thumbnail != "" {
				thumbnails++
			}
			if a.RedirectLink == "" {
				continue
			}
			redirects++
			u, err := url.Parse(a.RedirectLink)
			if err != nil {
				t.Fatal(err)
			}
			to, err := l.Session(1).Redirect(t.Context(), &upstream.Request{Site: serp.Site, Path: u.Path, Query: u.Query(), Locale: geo.Locale{Country: "US"}})
			if err != nil || to != a.Link {
				t.Errorf("redirect link %s leads to %s (%v), want %s", a.RedirectLink, to, err, a.Link)
			}
		}
		if redirects == 0 || thumbnails == 0 || thumbnails == 30 {
			t.Errorf("%s: %d redirects, %d thumbnails", country, redirects, thumbnails)
		}
	}
}

// newsPage is a page with %s in an article.
const newsPage = `<!DOCTYPE html><html><body><div id="search"><div id="rso"><div><a href="https://a.example/">` +
	`<div>Paper</div><div role="heading" aria-level="3">Title</div><div>%s</div></a></div></div></div></body></html>`

func parse(document []byte) (any, error) { return news.Parse(document, lab.Engine) }

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
	providertest.Unanswered(t, parse, "desktop.html")
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, newsPage, parse)
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, newsPage, parse) }
