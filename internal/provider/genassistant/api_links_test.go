package genassistant_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider/genassistant"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream"
)

// redirecting returns a session in which the handler serves the redirect links.
func redirecting(t *testing.T, links http.HandlerFunc) *upstream.Session {
	t.Helper()
	server := httptest.NewServer(links)
	t.Cleanup(server.Close)
	client, err := upstream.NewClient(upstream.Config{Surface: earshot.SurfaceAPI, Sites: map[string]string{"gemini-redirects": server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client.NewSession(1, "")
}

func finish(ctx context.Context, up *upstream.Session, a *earshot.Answer) error {
	return genassistant.New().API.Finish(ctx, up, a, geo.Locale{Country: "CH"})
}

// TestResolvedLinks resolves two links to one page, and one that leads nowhere.
func TestResolvedLinks(t *testing.T) {
	t.Parallel()
	const base = "https://redirects.test/grounding-api-redirect/"
	chunk := func(id, title string) string { return `{"web":{"uri":"` + base + id + `","title":"` + title + `"}}` }
	support := func(end, chunks string) string {
		return `{"segment":{"endIndex":` + end + `},"groundingChunkIndices":[` + chunks + `]}`
	}
	a := providertest.Yields(t, parse, []byte(`{"candidates":[{"content":{"parts":[{"text":"One. Two. Three."}]},"finishReason":"STOP","groundingMetadata":{"groundingChunks":[`+
		strings.Join([]string{chunk("a==", "one.example"), chunk("gone", "www.Gone.example"), chunk("b", "one.example"), chunk("ftp", "A file"), chunk("c", "Three: a title"), chunk("d", "")}, ",")+
		`],"groundingSupports":[`+strings.Join([]string{support("4", "0,2"), support("9", "1,2"), support("16", "3,4,5")}, ",")+`]}}]}`))
	up := redirecting(t, func(w http.ResponseWriter, r *http.Request) {
		to, ok := map[string]string{
			"a==": "https://www.one.example/page(1)", "b": "https://www.one.example/page(1)#:~:text=x", "c": "https://three.example/?q=1&b=2",
			"ftp": "ftp://files.example/x", "d": "https://www.untitled.example/",
		}[strings.TrimPrefix(r.URL.Path, "/grounding-api-redirect/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	if err := finish(t.Context(), up, a); err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, a)
	var got strings.Builder
	for _, s := range a.Sources {
		got.WriteString(strings.Join([]string{s.URL, s.Label, s.Domain, strings.TrimPrefix(s.RedirectLink, base)}, " | ") + "\n")
	}
	for _, p := range a.CitationPills {
		got.WriteString(strings.Join([]string{p.CitationPillID, a.Sources[p.Position-1].URL, p.Label, p.Domain, strings.TrimPrefix(p.RedirectLink, base)}, " | ") + "\n")
	}
	want := strings.ReplaceAll(`https://www.one.example/page(1) | one.example | one.example | a==
@gone | www.Gone.example | gone.example | gone
@ftp | A file | redirects.test | ftp
https://three.example/?q=1&b=2 | Three: a title | three.example | c
https://www.untitled.example/ | untitled.example | untitled.example | d
pill-1 | https://www.one.example/page(1) | one.example | one.example | a==
pill-2 | @gone | www.Gone.example | gone.example | gone
pill-2 | https://www.one.example/page(1) | one.example | one.example | a==
pill-3 | @ftp | A file | redirects.test | ftp
pill-3 | https://three.example/?q=1&b=2 | Three: a title | three.example | c
pill-3 | https://www.untitled.example/ | untitled.example | untitled.example | d
`, "@", base)
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	for _, part := range []string{"[one.example](https://www.one.example/page%281%29)", "[Three: a title](https://three.example/?q=1&b=2)", "(" + base + "gone)"} {
		if !strings.Contains(a.Markdown, part) {
			t.Errorf("the Markdown has no %s:\n%s", part, a.Markdown)
		}
	}
}

func TestNoRequestsWithoutRedirectLinks(t *testing.T) {
	t.Parallel()
	var asked atomic.Bool
	up := redirecting(t, func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	a := &earshot.Answer{Text: "x", Sources: []earshot.Source{{Position: 1, URL: "https://a.example/", Domain: "a.example"}}}
	if err := finish(t.Context(), up, a); err != nil || asked.Load() || a.Sources[0].URL != "https://a.example/" {
		t.Errorf("%v, asked %t, %+v", err, asked.Load(), a)
	}
}

func TestResolvingStopsOnCancellation(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	up := redirecting(t, func(_ http.ResponseWriter, r *http.Request) {
		leave()
		<-r.Context().Done()
	})
	if err := finish(ctx, up, providertest.Yields(t, parse, providertest.Stored(t, "testdata/api_plain.json"))); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}

// TestAskingTheAPI asks over HTTP. The key must go to the API only, and links must be resolved.
func TestAskingTheAPI(t *testing.T) {
	t.Parallel()
	stream := streams["event stream"](chunksOf(t, providertest.Stored(t, "testdata/api_plain.json")))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("X-Goog-Api-Key")
		switch {
		case r.Method == http.MethodPost && r.URL.String() == "/v1beta/models/m-1:streamGenerateContent?alt=sse" && key == "secret":
			_, _ = w.Write([]byte(stream))
		case strings.HasPrefix(r.URL.Path, "/grounding-api-redirect/") && key == "":
			http.Redirect(w, r, "https://found.example"+r.URL.Path, http.StatusFound)
		default:
			t.Errorf("asked %s %s with key %q", r.Method, r.URL, key)
		}
	}))
	t.Cleanup(server.Close)
	about := genassistant.New().About.APIs[0]
	client, err := upstream.NewClient(upstream.Config{
		Surface: earshot.SurfaceAPI,
		Sites:   map[string]string{"gemini": server.URL + "/v1beta", "gemini-redirects": server.URL},
		API:     &upstream.API{Name: about.Name, Model: "m-1", KeyHeader: about.KeyHeader, KeyPrefix: about.KeyPrefix, Key: "secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	outcome, err := providertest.Decode(t, genassistant.New(), `{"prompt":"a","country":"CH"}`).Ask(t.Context(), client.NewSession(1, ""))
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, outcome.Result)
	a := providertest.Answer(t, outcome.Result)
	if a.Surface != earshot.SurfaceAPI || a.Location != nil || a.Sources[0].URL != "https://found.example/grounding-api-redirect/AAA1==" || a.Sources[0].Domain != "found.example" {
		t.Errorf("surface %s, location %v, first source %+v", a.Surface, a.Location, a.Sources[0])
	}
}
