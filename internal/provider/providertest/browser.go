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

// checkInBrowser asks on the site's app page in a browser.
func (s LabSite) checkInBrowser(t *testing.T) {
	v := newVisitor(t, s)
	t.Run("same answer as without", func(t *testing.T) { v.sameAnswer(t) })
	t.Run("script", func(t *testing.T) { v.script(t) })
	t.Run("steered", func(t *testing.T) { v.steered(t) })
	t.Run("slow answer", func(t *testing.T) { v.slowAnswer(t) })
}

// visitor is a browser that reaches only the lab, and clients of the lab with and without that
// browser.
type visitor struct {
	LabSite

	browser         *browser.Browser
	plain, browsing *Lab
}

func newVisitor(t *testing.T, s LabSite) *visitor {
	t.Helper()
	plain := StartLab(t, s.Provider)
	browsing, b := plain.Browse(t, s.Provider)
	return &visitor{s, b, plain, browsing}
}

// Browse starts a browser that reaches only the lab. It returns a lab whose client uses this
// browser. Without Chromium it skips the test, except in CI.
func (l *Lab) Browse(t *testing.T, p provider.Provider) (*Lab, *browser.Browser) {
	t.Helper()
	path, err := browser.Find()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	// The lab's server ignores the scheme and host of a request, so it can serve as a proxy to
	// itself.
	b := browser.New(browser.Config{Path: path, Proxy: func(string) (string, error) { return l.server.Addr(), nil }})
	t.Cleanup(b.Close)
	return &Lab{l.server, newClient(t, l.server, p, b)}, b
}

// visit asks on the app page, from Germany.
func (v *visitor) visit(t *testing.T, prompt string, take browser.Step) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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

// inGermany returns a request from Germany.
func inGermany(prompt string) string { return fmt.Sprintf(`{"prompt":%q,"country":"DE"}`, prompt) }

// sameAnswer asks with a prompt full of markup. Every document must give the answer that a plain
// client gets.
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
		got, err := v.Read(document, answer.Options{Country: "DE"})
		if err != nil {
			t.Errorf("the %s: %v\n%.500s", name, err, document)
			continue
		}
		compareAnswers(t, "the "+name, want, got, v.Complete || name == "stream")
	}
}

// compareAnswers checks that two answers have the same text and sources. Unless complete, some of
// the sources are enough.
func compareAnswers(t *testing.T, name string, want, got *earshot.Answer, complete bool) {
	t.Helper()
	if diff := cmp.Diff(want.Text, got.Text); diff != "" {
		t.Errorf("%s: the text differs:\n%s", name, diff)
	}
	if complete {
		if diff := cmp.Diff(want.Sources, got.Sources) + cmp.Diff(want.CitationPills, got.CitationPills); diff != "" {
			t.Errorf("%s: the sources differ:\n%s", name, diff)
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

// script asks with the provider's own script, also with a prompt of several lines.
func (v *visitor) script(t *testing.T) {
	t.Helper()
	body := inGermany("tea pots\nfor two\n\n  - </script>")
	want := v.plain.Answer(t, v.Provider, body)
	outcome, err := v.browsing.Ask(t, v.Provider, body)
	if err != nil {
		t.Fatal(err)
	}
	compareAnswers(t, "by script", want, Answer(t, outcome.Result), v.Complete) // either document may come first
	_, err = v.browsing.Ask(t, v.Provider, inGermany("tea [[block]]"))
	if err == nil || Reason(t, err) != string(earshot.ReasonBlocked) {
		t.Errorf("blocked: %v", err)
	}
}

// steered checks that what fails for a plain client also fails for a browser.
func (v *visitor) steered(t *testing.T) {
	t.Helper()
	type steered struct {
		words string
		take  browser.Step
		want  earshot.Reason // "" for an answer
	}
	const cut = "[[cut]] [[drip=5ms]]" // a slow browser may not have the first part any more: then it is unreadable
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
			steered{cut, take, earshot.ReasonUnavailable},
			steered{"[[garbage]]", take, earshot.ReasonUnreadable})
	}
	for _, test := range tests {
		_, err := v.Read(v.visit(t, "tea "+test.words, test.take), answer.Options{Country: "DE"})
		var failure *upstream.Failure
		failed := errors.As(err, &failure)
		if failed && test.words == cut && failure.Reason == earshot.ReasonUnreadable {
			continue
		}
		if failed != (test.want != "") || failed && failure.Reason != test.want {
			t.Errorf("%s by %s: %v", test.words, test.take.Verb, err)
		}
	}
}

// slowAnswer takes the page while a slow answer is still incomplete.
func (v *visitor) slowAnswer(t *testing.T) {
	t.Helper()
	pause := "5m" // the first piece of a page already shows something
	if v.Stream != nil {
		pause = "100ms"
	}
	document := v.visit(t, "tea [[drip="+pause+"]]", browser.TakePage(v.Thread+":not(:empty)"))
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	if page.Find(v.Thread).Text() == "" || page.Find(v.Done).Length() != 0 {
		t.Errorf("want a part of the answer, got:\n%s", document)
	}
}
