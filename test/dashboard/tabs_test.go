package dashboard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"earshot/internal/account"
	"earshot/test/harness"
)

// counted serves a node over HTTP/1.1 and counts the open live streams.
func counted(t *testing.T, n *harness.Node) (base string, streams *atomic.Int64) {
	t.Helper()
	streams = &atomic.Int64{}
	proxy := proxyOf(t, n)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/v1/live") {
			streams.Add(1)
			defer streams.Add(-1)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, streams
}

// testTenTabs opens more tabs than a browser has connections to a server.
func testTenTabs(t *testing.T, c *chromium) {
	n, a := c.newAccount(t)
	base, streams := counted(t, n)
	p := c.signIn(t, base, a.Key.Text)
	one := func(when string) {
		t.Helper()
		p.wait("one stream "+when, func() bool { return streams.Load() == 1 })
	}
	tabs := make([]*tab, 9)
	for i := range tabs {
		tabs[i] = p.another(base + "/#/usage")
		tabs[i].signedIn()
	}
	one("for ten tabs")

	// Each document that the tab leaves stays in the back/forward cache.
	for range 7 {
		p.visit(base + "/docs")
		p.see("main h1, main h2", "")
		p.visit(base + "/#/history")
		p.signedIn()
	}
	one("after seven turns between two documents")

	p.expect("favicon.ico") // the browser requests it for documents without a link to an icon
	// The tab that opened the stream leaves and comes back.
	p.visit(base + "/openapi.json")
	n.Post(t, a, "/v1/monitor/chatassistant", `{"prompt":"a kettle","country":"US"}`).Has(t, "ask", http.StatusOK)
	for _, other := range tabs {
		other.gone("header", "10,000 credits")
		other.see("header .dot.on", "")
	}
	one("without the first tab")
	// Leaving the document within the evaluation would end it with an error.
	p.do("back", chromedp.Evaluate[chromedp.Void](`void setTimeout(() => history.back())`))
	p.signedIn()
	for _, one := range append(tabs, p) {
		one.expect("401 (Unauthorized)") // requests during the sign-out of another tab
	}
	p.signOut()
	p.wait("no stream when nobody is signed in", func() bool { return streams.Load() == 0 })

	// A browser without shared workers has a stream in each tab.
	if _, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `delete window.SharedWorker`}); err != nil {
		t.Fatal(err)
	}
	p.visit(base + "/docs")
	p.visit(base)
	p.typeKey(a.Key.Text)
	p.signedIn()
	p.wait("a stream of its own", func() bool { return streams.Load() == 2 })
	p.visit(base + "/openapi.json")
	one("of the others, once it is left")
}

// testComesBack checks that pages recover without a reload: each panel that failed loads
// once the server is back, also if the live stream stayed open, and typed text is kept.
func testComesBack(t *testing.T, c *chromium) {
	n, a := c.node, c.reader
	var down atomic.Pointer[string] // the start of the paths that fail
	down.Store(new("none"))
	proxy := proxyOf(t, n)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, *down.Load()) {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	p := c.signIn(t, s.URL, a.Key.Text)
	p.expect("Failed to load resource")
	p.goTo("#/trackers/shoes/definition")
	p.see(hook("dry-run"), "")
	p.fill("input[name=samples]", "3")
	down.Store(new("/v1/"))
	s.CloseClientConnections()
	p.see("header .dot:not(.on)", "")
	p.fill("input[name=keep]", "300d")
	p.see("[role=alert]", "HTTP_ERROR")
	down.Store(new("none"))
	p.see(hook("dry-run"), "samples")
	p.gone("[role=alert]", "")
	if got := p.eval(`document.querySelector("[name=samples]").value + document.querySelector("[name=keep]").value`); got != "3300d" {
		t.Errorf("the typed texts are %q after a restart", got)
	}

	down.Store(new("/v1/trackers/demo/"))
	p.goTo("#/trackers/demo/overview")
	p.see("[role=alert]", "HTTP_ERROR")
	p.see("header .dot.on", "")
	down.Store(new("none"))
	p.see("section[aria-label='Top sources'] table", "")
	p.see(hook("trend"), "")
	p.gone("[role=alert]", "")

	down.Store(new("/v1/session"))
	p.do("reload", chromedp.Reload())
	p.see("[role=alert]", "HTTP_ERROR")
	down.Store(new("none"))
	p.see(hook("headline"), "%")
}

// testReadOnly checks that no page offers actions that the key may not take.
func testReadOnly(t *testing.T, c *chromium) {
	n, a := c.node, c.reader
	r := harness.Receive(t, http.StatusOK)
	task := n.Submit(t, a, harness.ChatTask("a kettle", fmt.Sprintf(`"webhook":{"url":%q}`, r.URL))).ID
	n.WaitDelivery(t, a, task)
	p := c.signIn(t, n.BaseURL, n.Key(t, a, time.Time{}, account.ScopeRead).Key.Text)
	for _, at := range []struct{ address, selector, text string }{
		{"#/playground", hook("needs"), "monitor"},
		{"#/compare", hook("needs"), "monitor"},
		{"#/history", hook("requests"), "a kettle"},
		{"#/history/" + task, hook("payload"), ""},
		{"#/history/batch", hook("needs"), "tasks"},
		{"#/history/batches", hook("requests"), ""},
		{"#/history/queue", ".gauge", ""},
		{"#/history/deliveries", "td a", "…"},
		{"#/usage", hook("needs-admin"), "The ledger"},
		{"#/keys", hook("needs-admin"), "This page"},
		{"#/notifications?new=1", hook("needs"), "change channels"},
		{"#/trackers?new=form", hook("trackers"), "demo"},
		{"#/trackers/demo/sweeps?run=ask", hook("sweeps"), "Complete"},
		{"#/trackers/demo/alerts", "main", ""},
		{"#/trackers/demo/brands", hook("rules"), "Current"},
		{"#/trackers/demo/definition", "pre", "name: demo"},
	} {
		p.goTo(at.address)
		p.see(at.selector, at.text)
		p.gone(".skeleton, .spinner", "")
		for _, action := range []string{"run", "retry", "cancel", "resend", "clear-queue", "submit-batch", "rotate", "test-send", "demo", "apply", "pause", "delete-tracker", "run-ask", "run-now", "reanalyse", "choose-failed", "share"} {
			if p.eval("!!"+find(hook(action), "")) == true {
				t.Errorf("%s offers %s", at.address, action)
			}
		}
		if p.eval("!!"+find("main a[href='#/history/batch'], main a[href*='new=']", "")) == true {
			t.Errorf("%s leads to a form", at.address)
		}
	}
}
