package dashboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"earshot/internal/app"
	"earshot/internal/upstream/browser"
	"earshot/test/harness"
)

// patience is the timeout of each step; it is long because the machine may be busy.
const patience = time.Minute

// chromium is a running browser, and the node that it shows.
type chromium struct {
	ctx    context.Context
	node   *harness.Node
	reader *app.Account // the account with a demo, for tests that only read
}

// startChromium runs a browser until the test ends. A request to another host
// fails the test.
func startChromium(t *testing.T, n *harness.Node) *chromium {
	t.Helper()
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
		chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.ProxyServer(outside.URL), chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(patience))
	ctx, end := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return &chromium{ctx: ctx, node: n}
}

// tab is a browser tab in its own context, with its own storage.
type tab struct {
	t      *testing.T
	ctx    context.Context
	origin string

	mu       sync.Mutex
	seen     map[string]bool // the events that mark the end of the test
	problems []string        // detected errors
	expected []string        // parts of problems that the test expects
}

// open opens an address in a new tab. At its end, the test fails for every
// exception, error in the console, violation of the content security policy,
// dialog and request to another server.
func (c *chromium) open(t *testing.T, address string) *tab {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(c.ctx, chromedp.WithNewBrowserContext())
	return watched(ctx, t, end, u)
}

// another opens an address in a second tab of the same browser, which shares its
// cookies and storage.
func (p *tab) another(address string) *tab {
	p.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(p.ctx)
	return watched(ctx, p.t, end, u)
}

func watched(ctx context.Context, t *testing.T, end func(), u *url.URL) *tab {
	t.Helper()
	if err := chromedp.Do(ctx); err != nil {
		end()
		t.Fatal(err)
	}
	p := &tab{t: t, ctx: ctx, origin: u.Scheme + "://" + u.Host, seen: map[string]bool{}}
	var watching sync.WaitGroup
	watch(&watching, chromedp.Console(ctx), p.logged)
	watch(&watching, chromedp.Events(ctx, network.RequestWillBeSent), p.requested)
	watch(&watching, chromedp.Events(ctx, page.JavascriptDialogOpening), p.asked)
	t.Cleanup(func() {
		defer watching.Wait()
		defer end()
		p.judge()
	})
	p.visit(u.String())
	return p
}

// do runs the steps with the timeout patience.
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
	p.do("open "+address, chromedp.Navigate(address))
}

// eval returns the value of an expression on the page, decoded from JSON.
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
		return err == nil && value == true // evaluation fails while the page changes
	})
}

// wait waits for a condition. If it never becomes true, the test fails and logs
// the content of the page.
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

// find returns an expression for the first visible element that matches a selector
// and contains the text.
func find(selector, text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%s)].find((e) => e.checkVisibility() && (e.innerText ?? "").includes(%s))`, quote(selector), quote(text))
}

// quote returns a string literal of JavaScript.
func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(b)
}

// see waits until an element is visible.
func (p *tab) see(selector, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%s with %q", selector, text), find(selector, text))
}

// gone waits until no such element is visible.
func (p *tab) gone(selector, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("no %s with %q", selector, text), "!"+find(selector, text))
}

// click clicks on an element that is visible, enabled and not covered by another.
// If the page moves the element at the same time, click tries again.
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
		return err != nil || missed == false // the click may have opened another page
	})
}

// fill replaces the text of a field by typing.
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

// choose selects a value of a list.
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

// upload selects a file in a file input.
func (p *tab) upload(selector, file string) {
	p.t.Helper()
	p.do("upload", chromedp.SetUploadFiles(chromedp.CSS(selector), []string{file}, chromedp.NodeReady))
}

// escape closes the open dialog with the Escape key.
func (p *tab) escape() {
	p.t.Helper()
	p.do("press Escape", chromedp.KeyEvent(kb.Escape))
	// The dialog closes before the page removes its content.
	p.until("no dialog", `!document.querySelector("dialog > :not(h2)")`)
}

// phone makes the tab as wide as a small phone.
func (p *tab) phone() {
	p.t.Helper()
	p.do("be a phone", chromedp.EmulateViewport(375, 812, chromedp.EmulateMobile))
}

// prefers sets the color scheme of the system: light or dark.
func (p *tab) prefers(scheme string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}); err != nil {
		p.t.Fatal(err)
	}
}
