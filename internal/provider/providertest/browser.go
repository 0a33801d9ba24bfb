package providertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/upstream"
	"earshot/internal/upstream/browser"
)

// checkInBrowser lets a browser ask on the site's app page.
func (s LabSite) checkInBrowser(t *testing.T) {
	v := newVisitor(t, s)
	t.Run("same answer as without", func(t *testing.T) { v.sameAnswer(t) })
	t.Run("script", func(t *testing.T) { v.script(t) })
	t.Run("steered", func(t *testing.T) { v.steered(t) })
	t.Run("slow answer", func(t *testing.T) { v.slowAnswer(t) })
}

// visitor is a browser that reaches the lab and nothing else, and the lab as it is
// asked with and without it.
type visitor struct {
	LabSite

	browser         *browser.Browser
	plain, browsing *Lab
}

// newVisitor starts one.
func newVisitor(t *testing.T, s LabSite) *visitor {
	t.Helper()
	plain := StartLab(t, s.Provider)
	browsing, b := plain.Browse(t, s.Provider)
	return &visitor{s, b, plain, browsing}
}

// Browse starts a browser that reaches the lab and nothing else, and is the lab as it is
// asked with it. Without a Chromium it skips the test, but not where tests must run.
func (l *Lab) Browse(t *testing.T, p provider.Provider) (*Lab, *browser.Browser) {
	t.Helper()
	path, err := browser.Find()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	// A server that takes no notice of the scheme and host before a path serves
	// as the proxy to itself.
	b := browser.New(browser.Config{Path: path, Proxy: func(string) (string, error) { return l.server.Addr(), nil }})
	t.Cleanup(b.Close)
	return &Lab{l.server, newClient(t, l.server, p, b)}, b
}

// visit asks on the app page, in Germany.
func (v *visitor) visit(t *testing.T, prompt string, take browser.Step) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	document, err := v.browser.Visit(ctx, browser.Visit{
		URL:      v.app(),
		Language: geo.AcceptLanguage(geo.Locale{Country: "DE"}),
		Steps:    []browser.Step{browser.Type(v.Box, prompt), browser.Submit(v.Button), take},
	})
	if err != nil {
		t.Fatal(err)
	}
	return document.Body
}

// inGermany is a request from Germany.
func inGermany(prompt string) string { return fmt.Sprintf(`{"prompt":%q,"country":"DE"}`, prompt) }

// sameAnswer asks something that is markup in most languages and wants the answer
// that a plain client gets, from every document.
func (v *visitor) sameAnswer(t *testing.T) {
	t.Helper()
	const prompt = `tea  pots </script></textarea><img src=x onerror=document.body.remove()> "quoted" & 'so' {{.}} [[odd]]`
	want := v.plain.Answer(t, v.Provider, inGermany(prompt))
	takes := map[string]browser.Step{"page": browser.TakePage(v.Done)}
	if v.Stream != nil {
		takes["stream"] = browser.TakeStream(v.Stream.Path)
	}
	for name, take := range takes {
		document := v.visit(t, prompt, take)
		got, err := v.Read(document, answer.Want{Country: "DE"})
		if err != nil {
			t.Errorf("the %s: %v\n%.500s", name, err, document)
			continue
		}
		compareAnswers(t, "the "+name, want, got, v.Complete || name == "stream")
	}
}

// compareAnswers wants two answers that say the same and cite the same sources;
// unless all are there, some of them.
func compareAnswers(t *testing.T, name string, want, got *earshot.Answer, complete bool) {
	t.Helper()
	if diff := cmp.Diff(want.Text, got.Text); diff != "" {
		t.Errorf("%s: another text:\n%s", name, diff)
	}
	if complete {
		if diff := cmp.Diff(want.Sources, got.Sources) + cmp.Diff(want.CitationPills, got.CitationPills); diff != "" {
			t.Errorf("%s: other sources:\n%s", name, diff)
		}
		return
	}
	unknown := func(s earshot.Source) bool {
		return !slices.ContainsFunc(want.Sources, func(known earshot.Source) bool { return known.URL == s.URL })
	}
	if len(got.Sources) == 0 || slices.ContainsFunc(got.Sources, unknown) {
		t.Errorf("%s: cites %v of %v", name, got.Sources, want.Sources)
	}
}

// script asks by the provider's own script, a prompt of several lines among
// others.
func (v *visitor) script(t *testing.T) {
	t.Helper()
	body := inGermany("tea pots\nfor two\n\n  - </script>")
	want := v.plain.Answer(t, v.Provider, body)
	outcome, err := v.browsing.Ask(t, v.Provider, body)
	if err != nil {
		t.Fatal(err)
	}
	compareAnswers(t, "by script", want, Answer(t, outcome.Result), v.Complete) // whichever document came first
	_, err = v.browsing.Ask(t, v.Provider, inGermany("tea [[block]]"))
	if err == nil || Reason(t, err) != string(earshot.ReasonBlocked) {
		t.Errorf("blocked: %v", err)
	}
}

// steered wants what goes wrong for a plain client to go wrong for a browser too.
func (v *visitor) steered(t *testing.T) {
	t.Helper()
	type steered struct {
		words string
		take  browser.Step
		want  earshot.Reason // "" for an answer
	}
	tests := []steered{
		{"[[drip=100us]] [[delay=1ms]]", browser.TakePage(v.Done), ""},
		{"[[empty]]", browser.TakePage(v.Done), earshot.ReasonEmpty},
		{"[[block]]", browser.TakePage("form#challenge-form"), earshot.ReasonBlocked},
		{"[[status=503]]", browser.TakePage("[role=alert]"), earshot.ReasonUnreadable},
	}
	if v.Stream != nil {
		take := browser.TakeStream(v.Stream.Path)
		tests = append(tests,
			steered{"[[block]]", take, earshot.ReasonBlocked},
			steered{"[[cut]] [[drip=5ms]]", take, earshot.ReasonUnavailable},
			steered{"[[garbage]]", take, earshot.ReasonUnreadable})
	}
	for _, test := range tests {
		_, err := v.Read(v.visit(t, "tea "+test.words, test.take), answer.Want{Country: "DE"})
		var failure *upstream.Failure
		if errors.As(err, &failure) != (test.want != "") || failure != nil && failure.Reason != test.want {
			t.Errorf("%s by %s: %v", test.words, test.take.Verb, err)
		}
	}
}

// slowAnswer looks at the first that there is of a slow answer.
func (v *visitor) slowAnswer(t *testing.T) {
	t.Helper()
	pause := "5m" // the first piece of a page has something to show
	if v.Stream != nil {
		pause = "100ms"
	}
	document := v.visit(t, "tea [[drip="+pause+"]]", browser.TakePage(v.Thread+":not(:empty)"))
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	if page.Find(v.Thread).Text() == "" || page.Find(v.Done).Length() != 0 {
		t.Errorf("not a part of the answer:\n%s", document)
	}
}
