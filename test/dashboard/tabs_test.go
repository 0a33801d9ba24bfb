package dashboard_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"earshot/test/harness"
)

// counted serves a node over HTTP/1.1 and counts the live streams that are open.
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

// testTenTabs opens more tabs than a browser opens connections.
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

	// Each document that is left stays in the back/forward cache.
	for range 7 {
		p.visit(base + "/docs")
		p.see("main h1, main h2", "")
		p.visit(base + "/#/history")
		p.signedIn()
	}
	one("after seven turns between two documents")

	p.expect("favicon.ico") // which a document without the page's head asks for
	// The tab that opened the stream goes, and comes back.
	p.visit(base + "/openapi.json")
	n.Post(t, a, "/v1/monitor/chatassistant", `{"prompt":"a kettle","country":"US"}`).Has(t, "ask", http.StatusOK)
	for _, other := range tabs {
		other.gone("header", "10,000 credits")
		other.see("header .dot.on", "")
	}
	one("without the first tab")
	p.do("back", chromedp.Evaluate[chromedp.Void](`history.back()`))
	p.signedIn()
	for _, one := range append(tabs, p) {
		one.expect("401 (Unauthorized)") // for what was asked while another tab signed out
	}
	p.click("button", "Sign out")
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
