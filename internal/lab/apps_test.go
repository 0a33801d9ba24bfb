package lab

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"earshot/internal/lab/chatsite"
	"earshot/internal/lab/enginesite"
	"earshot/internal/lab/gensite"
	"earshot/internal/lab/officesite"
	"earshot/internal/lab/socialsite"
	"earshot/internal/lab/world"
)

// appSite is a site that a browser can open, with the selectors of what it needs
// there: where to type, what to press, and what is in the conversation once the
// answer is whole.
type appSite struct{ site, box, button, whole string }

var (
	chatApp = appSite{
		chatsite.Host + "/", "div#prompt-textarea[contenteditable]", `button[data-testid="send-button"]`,
		`#thread [data-turn="assistant"] [data-testid="copy-turn-action-button"]`,
	}
	genApp = appSite{
		gensite.Host + "/app", "rich-textarea .ql-editor[contenteditable]", "button.send-button",
		`infinite-scroller model-response message-actions [data-test-id="copy-button"]`,
	}
	officeApp = appSite{
		officesite.Host + "/", "textarea#userInput", `button[data-testid="submit-button"]`,
		`[role="feed"] [data-testid="copy-ai-message-button"]`,
	}
	socialApp = appSite{
		socialsite.Host + "/", "form textarea", `form button[type="submit"]`,
		`.conversation .message-bubble ~ .action-buttons button:nth-of-type(3)`,
	}
	engineApp = appSite{
		enginesite.Host + "/", "textarea#ask-input", `button[data-testid="submit-button"]`,
		`.conversation [id^="markdown-content-"] ~ * button[aria-label="Copy"]`,
	}
	appSites = []appSite{chatApp, genApp, officeApp, socialApp, engineApp}
)

// open gives what the site shows a browser at the address.
func open(t *testing.T, address string) *goquery.Document {
	t.Helper()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, nil))
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != typeHTML {
		t.Fatalf("%s: %d %s", address, w.Code, w.Header().Get("Content-Type"))
	}
	page, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestAppsNeedScripts(t *testing.T) {
	t.Parallel()
	for _, s := range appSites {
		page := open(t, s.site)
		app := page.Find("template")
		if app.Find(s.box).Length() != 1 || app.Find(s.button+"[disabled]").Length() != 1 {
			t.Errorf("%s: no box or no button that is disabled", s.site)
		}
		if page.Find("body > script").Length() != 2 {
			t.Errorf("%s: %d scripts", s.site, page.Find("script").Length())
		}
		page.Find("template, script").Remove()
		if text := strings.TrimSpace(page.Find("body").Text()); text != "" {
			t.Errorf("%s: shows %q without scripts", s.site, text)
		}
	}
}

// TestAppsHaveAnswerPages wants the pages that the apps show in the end.
func TestAppsHaveAnswerPages(t *testing.T) {
	t.Parallel()
	for _, s := range appSites {
		page := open(t, s.site+"?q=tea")
		if page.Find(s.whole).Length() != 1 || page.Find("template").Length() != 0 {
			t.Errorf("%s: no whole answer, or an app", s.site)
		}
	}
}

func TestSpinIsForAppsOnly(t *testing.T) {
	t.Parallel()
	plain, spun := serve(t.Context(), "tea", true), serve(t.Context(), "tea [[spin]]", true)
	if plain.Header().Get("Lab-Spin") != "" || spun.Header().Get("Lab-Spin") == "" {
		t.Error("an app is told to spin without the word, or not with it")
	}
	if plain.Body.String() != spun.Body.String() {
		t.Error("the word changes the answer")
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		country, language string
		want              world.Question
	}{
		{"", "", world.Question{Country: "US"}},
		{"", "de-DE,de;q=0.9,en-GB;q=0.8", world.Question{Country: "DE", Language: "de"}},
		{"", "fr-ch;q=0.9", world.Question{Country: "CH", Language: "fr"}},
		{"", "zh-Hant-TW", world.Question{Country: "TW", Language: "zh"}},
		{"", "DE", world.Question{Country: "US", Language: "de"}},
		{"", "es-419, es-MX", world.Question{Country: "US", Language: "es"}},
		{"", "*", world.Question{Country: "US", Language: "*"}},
		{"JP", "en-GB", world.Question{Country: "JP", Language: "en"}},
		{"nowhere", "en-GB", world.Question{Country: "GB", Language: "en"}},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+chatsite.Host, nil)
		r.Header.Set("Lab-Country", test.country)
		r.Header.Set("Accept-Language", test.language)
		if got := locate(r); got != test.want {
			t.Errorf("country %q, language %q: %+v, want %+v", test.country, test.language, got, test.want)
		}
	}
}
