package dashboard_test

import (
	"fmt"
	"iter"
	"net/http"
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

// captureFrame is part of the URL of a stored page. A stored page is shown without
// scripts, and its policy blocks what it tries to load. The browser's proxy rejects
// everything else.
const captureFrame = "/captures/"

// lastEvent is the last message that a tab logs. Its last request is a HEAD.
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
	case e.Request.Method == http.MethodHead: // the dashboard itself sends none
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

// noted returns the problems so far.
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

// expect allows problems that contain the text, because the test causes them.
func (p *tab) expect(text string) { p.expected = append(p.expected, text) }

// judge fails the test for all unexpected problems.
func (p *tab) judge() {
	p.t.Helper()
	p.eval(`void fetch(location.pathname, { method: "HEAD" }), console.debug("` + lastEvent + `")`)
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
