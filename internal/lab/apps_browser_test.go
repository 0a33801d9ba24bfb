package lab

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
	"earshot/internal/browser"
	"earshot/internal/geo"
	"earshot/internal/lab/chatsite"
	"earshot/internal/lab/enginesite"
	"earshot/internal/lab/socialsite"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/answerengine"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/provider/genassistant"
	"earshot/internal/provider/officeassistant"
	"earshot/internal/provider/socialassistant"
	"earshot/internal/schema"
	"earshot/internal/upstream"
)

// visitors are the providers that ask on the app pages.
var visitors = []struct {
	appSite

	provider provider.Provider
	read     func([]byte, answer.Want) (*earshot.Answer, error)
	stream   string // what the path of the stream contains, "" where there is none
	complete bool   // the page has all sources, not only those that are cited
}{
	{chatApp, chatassistant.Provider{}, chatassistant.Read, chatsite.StreamPath, true},
	{genApp, genassistant.New(), genassistant.New().Read, "", true},
	{officeApp, officeassistant.New(), officeassistant.New().Read, "", true},
	{socialApp, socialassistant.New(), socialassistant.New().Read, socialsite.Path, false},
	{engineApp, answerengine.New(), answerengine.New().Read, enginesite.Path, false},
}

// desk is a running lab, and a browser and clients that reach it and nothing
// else.
type desk struct {
	browser         *browser.Browser
	plain, browsing *upstream.Client
}

// newDesk starts one. Without a Chromium it skips the test, but not where tests
// must run.
func newDesk(t *testing.T) desk {
	t.Helper()
	path, err := browser.Find()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	server, err := Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A server that takes no notice of the scheme and host before a path serves
	// as the proxy to itself.
	proxy := func(string) (string, error) { return server.listener.Addr().String(), nil }
	d := desk{browser: browser.New(browser.Config{Path: path, Proxy: proxy})}
	config := upstream.Config{Surface: earshot.SurfaceLab, Sites: server.Sites(), Dial: server.Dial}
	if d.plain, err = upstream.NewClient(config); err != nil {
		t.Fatal(err)
	}
	config.Browser = d.browser
	if d.browsing, err = upstream.NewClient(config); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(t.Context()) }() // ends before the cleanup begins
	t.Cleanup(func() {
		d.browser.Close()
		d.plain.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return d
}

// visit asks on the app page of a site, in Germany.
func (d desk) visit(t *testing.T, s appSite, prompt string, take browser.Step) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	doc, err := d.browser.Visit(ctx, browser.Visit{
		URL:      "http://" + s.site,
		Language: geo.AcceptLanguage(geo.Locale{Country: "DE"}),
		Steps:    []browser.Step{browser.Type(s.box, prompt), browser.Submit(s.button), take},
	})
	if err != nil {
		t.Fatalf("%s: %v", s.site, err)
	}
	return doc.Body
}

// askProvider asks as the provider does, in Germany.
func askProvider(t *testing.T, client *upstream.Client, p provider.Provider, prompt string) (*earshot.Answer, error) {
	t.Helper()
	in, err := schema.Parse(fmt.Appendf(nil, `{"prompt":%q,"country":"DE"}`, prompt))
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := p.Decode(in).Ask(t.Context(), client.NewSession(1, ""))
	if err != nil {
		return nil, err
	}
	found, ok := outcome.Result.(*earshot.Answer)
	if !ok {
		t.Fatalf("a result of type %T", outcome.Result)
	}
	return found, nil
}

// plainAnswer is what the provider gets without a browser, which must be an
// answer.
func (d desk) plainAnswer(t *testing.T, p provider.Provider, prompt string) *earshot.Answer {
	t.Helper()
	found, err := askProvider(t, d.plain, p, prompt)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// takes are the ways to bring an answer home.
func takes(stream, whole string) map[string]browser.Step {
	steps := map[string]browser.Step{"page": browser.TakePage(whole)}
	if stream != "" {
		steps["stream"] = browser.TakeStream(stream)
	}
	return steps
}

// TestAppsTellWhatPlainClientsGet asks something that is markup in most languages
// and wants the answer that a plain client gets, from every document.
func TestAppsTellWhatPlainClientsGet(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const prompt = `tea  pots </script></textarea><img src=x onerror=document.body.remove()> "quoted" & 'so' {{.}} [[odd]]`
	for _, v := range visitors {
		want := d.plainAnswer(t, v.provider, prompt)
		for name, take := range takes(v.stream, v.whole) {
			document := d.visit(t, v.appSite, prompt, take)
			got, err := v.read(document, answer.Want{Country: "DE"})
			if err != nil {
				t.Errorf("%s: the %s: %v\n%.500s", v.site, name, err, document)
				continue
			}
			same(t, v.site+": the "+name, want, got, v.complete || name == "stream")
		}
	}
}

// same wants two answers that say the same by the same sources; where not all are
// there, by some of them.
func same(t *testing.T, name string, want, got *earshot.Answer, complete bool) {
	t.Helper()
	if diff := cmp.Diff(want.Text, got.Text); diff != "" {
		t.Errorf("%s: another text:\n%s", name, diff)
	}
	if !complete {
		if len(got.Sources) == 0 || !subset(urls(got.Sources), urls(want.Sources)) {
			t.Errorf("%s: cites %v of %v", name, urls(got.Sources), urls(want.Sources))
		}
		return
	}
	if diff := cmp.Diff(want.Sources, got.Sources) + cmp.Diff(want.CitationPills, got.CitationPills); diff != "" {
		t.Errorf("%s: other sources:\n%s", name, diff)
	}
}

// TestScriptsFindTheirWay asks by the providers' own scripts, a prompt of several
// lines among others.
func TestScriptsFindTheirWay(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, v := range visitors {
		const prompt = "tea pots\nfor two\n\n  - </script>"
		want := d.plainAnswer(t, v.provider, prompt)
		got, err := askProvider(t, d.browsing, v.provider, prompt)
		if err != nil {
			t.Errorf("%s: %v", v.site, err)
			continue
		}
		same(t, v.site, want, got, v.complete) // whichever document came first
		_, err = askProvider(t, d.browsing, v.provider, "tea [[block]]")
		var failure *upstream.Failure
		if !errors.As(err, &failure) || failure.Reason != earshot.ReasonBlocked {
			t.Errorf("%s: blocked: %v", v.site, err)
		}
	}
}

func urls(sources []earshot.Source) []string {
	list := make([]string, len(sources))
	for i, source := range sources {
		list[i] = source.URL
	}
	return list
}

func subset(part, all []string) bool {
	return !slices.ContainsFunc(part, func(item string) bool { return !slices.Contains(all, item) })
}

// TestAppsAsSteered wants what goes wrong for a plain client to go wrong for a
// browser too.
func TestAppsAsSteered(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, v := range visitors {
		for _, test := range []struct {
			words string
			take  browser.Step
			want  earshot.Reason // "" for an answer
		}{
			{"[[drip=100us]] [[delay=1ms]]", browser.TakePage(v.whole), ""},
			{"[[empty]]", browser.TakePage(v.whole), earshot.ReasonEmpty},
			{"[[block]]", browser.TakePage("form#challenge-form"), earshot.ReasonBlocked},
			{"[[block]]", browser.TakeStream(v.stream), earshot.ReasonBlocked},
			{"[[cut]] [[drip=5ms]]", browser.TakeStream(v.stream), earshot.ReasonUnavailable},
			{"[[garbage]]", browser.TakeStream(v.stream), earshot.ReasonUnreadable},
			{"[[status=503]]", browser.TakePage("[role=alert]"), earshot.ReasonUnreadable},
		} {
			if test.take.At == "" {
				continue
			}
			_, err := v.read(d.visit(t, v.appSite, "tea "+test.words, test.take), answer.Want{Country: "DE"})
			var failure *upstream.Failure
			if errors.As(err, &failure) != (test.want != "") || failure != nil && failure.Reason != test.want {
				t.Errorf("%s: %s by %s: %v", v.site, test.words, test.take.Verb, err)
			}
		}
	}
}

// TestAppsShowAnswersAsTheyCome looks at the first that there is of a slow answer.
func TestAppsShowAnswersAsTheyCome(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, v := range visitors {
		pause := "5m" // the first piece of a page has something to show
		if v.stream != "" {
			pause = "100ms"
		}
		document := d.visit(t, v.appSite, "tea [[drip="+pause+"]]", browser.TakePage("main:not(:empty), chat-window:not(:empty)"))
		page, err := goquery.NewDocumentFromReader(bytes.NewReader(document))
		if err != nil {
			t.Fatal(err)
		}
		if page.Find("main, chat-window").Text() == "" || page.Find(v.whole).Length() != 0 {
			t.Errorf("%s: not a part of the answer:\n%s", v.site, document)
		}
	}
}
