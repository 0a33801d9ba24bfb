package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"earshot/internal/browser"
)

// patience is how long a page may take for anything, on a busy machine.
const patience = 30 * time.Second

// chromium is a running browser.
type chromium struct{ ctx context.Context }

// startChromium runs a browser until the test ends. Whatever it asks of another
// host than this one fails the test.
func startChromium(t *testing.T) *chromium {
	t.Helper()
	needBrowser(t)
	path, err := browser.Find()
	if err != nil {
		t.Fatal(err)
	}
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the browser went out: %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(outside.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.ProxyServer(outside.URL), chromedp.WindowSize(1280, 900))
	ctx, end := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return &chromium{ctx}
}

// tab is a page in a context of its own, with its own storage.
type tab struct {
	t      *testing.T
	ctx    context.Context
	origin string

	mu       sync.Mutex
	seen     map[string]bool // what marks the end of its events
	problems []string        // what no page may do
	expected []string        // parts of problems that are part of the test
}

// open opens an address in a new tab. When the test ends, it fails for every
// exception, error in the console, violation of the content security policy,
// dialog and request to another server.
func (c *chromium) open(t *testing.T, address string) *tab {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &tab{t: t, origin: u.Scheme + "://" + u.Host, seen: map[string]bool{}}
	ctx, end := chromedp.NewContext(c.ctx, chromedp.WithNewBrowserContext())
	p.ctx = ctx
	var watching sync.WaitGroup
	watch(&watching, chromedp.Console(ctx), p.logged)
	watch(&watching, chromedp.Events(ctx, network.RequestWillBeSent), p.requested)
	watch(&watching, chromedp.Events(ctx, page.JavascriptDialogOpening), p.asked)
	t.Cleanup(func() {
		defer watching.Wait()
		defer end()
		p.judge()
	})
	p.visit(address)
	return p
}

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

// do makes the steps, within patience.
func (p *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// visit opens an address in the tab.
func (p *tab) visit(address string) {
	p.t.Helper()
	// The tab itself must outlive the first step.
	if err := chromedp.Do(p.ctx); err != nil {
		p.t.Fatal(err)
	}
	p.do("open "+address, chromedp.Navigate(address))
}

// eval is the value of an expression on the page, as JSON decodes it.
func (p *tab) eval(expression string) any {
	p.t.Helper()
	value, err := p.try(expression)
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (p *tab) try(expression string) (any, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	raw, err := chromedp.Run(ctx, chromedp.Evaluate[[]byte]("JSON.stringify((() => { const v = ("+expression+"); return v === undefined ? null : v; })())"))
	if err != nil {
		return nil, err
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, err
	}
	var value any
	err = json.Unmarshal([]byte(text), &value)
	return value, err
}

// until waits until an expression is true.
func (p *tab) until(what, expression string) {
	p.t.Helper()
	p.wait(what, func() bool {
		value, err := p.try("!!(" + expression + ")")
		return err == nil && value == true // a page that is being left has no values
	})
}

// wait waits for a condition and, where it never comes true, tells what the page
// shows instead.
func (p *tab) wait(what string, condition func() bool) {
	p.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline.C:
			shown, err := p.try(`location.href + "\n" + document.body.innerText`)
			p.t.Fatalf("there never was %s on the page\n%v (%v)\n%q", what, shown, err, p.noted())
		case <-tick.C:
		}
	}
}

// find is an expression for the first visible element that matches a selector
// and, where there is a text, contains it.
func find(selector, text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%s)].find((e) => e.checkVisibility() && (e.innerText ?? "").includes(%s))`, quote(selector), quote(text))
}

// quote writes a text as one of JavaScript.
func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // it is a text
	}
	return string(b)
}

// see waits for an element.
func (p *tab) see(selector, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%s with %q", selector, text), find(selector, text))
}

// gone waits until there is no such element.
func (p *tab) gone(selector, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("no %s with %q", selector, text), "!"+find(selector, text))
}

// click presses the mouse on an element that is there, enabled and not covered by
// another. Where the page moved it away just then, it does so again.
func (p *tab) click(selector, text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("%s with %q to click on", selector, text), func() bool {
		value, err := p.try(`(() => {
			const e = ` + find(selector, text) + `;
			if (!e || e.disabled) return null;
			e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
			const box = e.getClientRects()[0], x = box.left + box.width / 2, y = box.top + box.height / 2;
			if (!e.contains(document.elementFromPoint(x, y))) return null;
			window.__missed = true;
			e.addEventListener("click", () => delete window.__missed, { once: true, capture: true });
			return [x, y];
		})()`)
		at, _ := value.([]any)
		if err != nil || at == nil {
			return false
		}
		x, _ := at[0].(float64)
		y, _ := at[1].(float64)
		p.do("click", chromedp.MouseClickXY(x, y))
		missed, err := p.try(`!!window.__missed`)
		return err != nil || missed == false // a click may have led to another page
	})
}

// fill replaces the text of a field, as typing does.
func (p *tab) fill(selector, text string) {
	p.t.Helper()
	p.until(selector+" to type into", `(() => {
		const e = `+find(selector, "")+`;
		if (!e || e.disabled) return false;
		e.focus();
		e.select();
		return document.activeElement === e;
	})()`)
	p.do("type", func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		if text == "" {
			return chromedp.KeyEvent("\b")(ctx, t)
		}
		_, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text})
		return chromedp.Void{}, err
	})
}

// choose sets the value of a list of choices.
func (p *tab) choose(selector, value string) {
	p.t.Helper()
	p.until(fmt.Sprintf("the choice %q in %s", value, selector), `(() => {
		const e = `+find(selector, "")+`;
		if (![...(e?.options ?? [])].some((o) => o.value === `+quote(value)+`)) return false;
		e.value = `+quote(value)+`;
		e.dispatchEvent(new Event("input", { bubbles: true }));
		e.dispatchEvent(new Event("change", { bubbles: true }));
		return true;
	})()`)
}

// upload puts a file into a field for files.
func (p *tab) upload(selector, file string) {
	p.t.Helper()
	p.do("upload", chromedp.SetUploadFiles(chromedp.CSS(selector), []string{file}, chromedp.NodeReady))
}

// press presses keys, such as kb.Escape.
func (p *tab) press(keys string) {
	p.t.Helper()
	p.do("press", chromedp.KeyEvent(keys))
}

// phone makes the tab as wide as a small phone.
func (p *tab) phone() {
	p.t.Helper()
	p.do("be a phone", chromedp.EmulateViewport(375, 812, chromedp.EmulateMobile))
}

// prefers sets the colours that the user's system asks for.
func (p *tab) prefers(scheme string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		p.t.Fatal(err)
	}
}
