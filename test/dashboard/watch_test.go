package dashboard_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// watch handles events until their context ends.
func watch[E any](group *sync.WaitGroup, events iter.Seq2[E, error], handle func(E)) {
	group.Go(func() {
		for e, err := range events {
			if err != nil {
				return
			}
			handle(e)
		}
	})
}

// captureFrame is in the address of a page that was captured. It is shown without
// scripts, and its policy keeps what it wants to load from being loaded; what
// gets past that meets the browser's proxy.
const captureFrame = "/captures/"

// lastEvent is what a tab logs and asks for when its events are to be judged.
const lastEvent = "the-last-event"

func (p *tab) logged(m chromedp.ConsoleMessage) {
	switch {
	case m.Text == lastEvent:
		p.saw("log")
	case m.Source == "security" && strings.HasPrefix(m.URL, p.origin) && strings.Contains(m.URL, captureFrame):
	case m.Type == chromedp.ConsoleError, m.Type == chromedp.ConsoleWarning, m.IsException(), m.Source == "security":
		p.problem(fmt.Sprintf("%s %s: %s (%s:%d:%d)", m.Source, m.Type, m.Text, m.URL, m.Line+1, m.Column+1))
	}
}

func (p *tab) requested(e network.EventRequestWillBeSent) {
	switch to := e.Request.URL; {
	case strings.HasSuffix(to, lastEvent):
		p.saw("request")
	case strings.HasPrefix(e.DocumentURL, p.origin) && strings.Contains(e.DocumentURL, captureFrame):
	case !strings.HasPrefix(to, p.origin+"/") && !strings.HasPrefix(to, "data:") && !strings.HasPrefix(to, "blob:"):
		p.problem("request to " + to)
	}
}

func (p *tab) asked(e page.EventJavascriptDialogOpening) {
	p.problem("dialog: " + e.Message)
	_, _ = chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
}

func (p *tab) problem(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, text)
}

// noted are the problems so far.
func (p *tab) noted() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.problems)
}

func (p *tab) saw(event string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[event] = true
}

// expect lets problems pass that have the text in them: those that the test is
// there to bring about.
func (p *tab) expect(text string) { p.expected = append(p.expected, text) }

// judge reports all problems that have come up.
func (p *tab) judge() {
	p.t.Helper()
	p.eval(`void fetch("?` + lastEvent + `", { method: "HEAD" }), console.debug("` + lastEvent + `")`)
	p.wait("the last event of the page", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.seen) == 2
	})
	for _, problem := range p.noted() {
		if !slices.ContainsFunc(p.expected, func(part string) bool { return strings.Contains(problem, part) }) {
			p.t.Errorf("on the page: %s", problem)
		}
	}
	if got := p.eval(`typeof window.__xss`); got != "undefined" {
		p.t.Error("a script ran that was only a text")
	}
}
