package dashboard_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"go.uber.org/goleak"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestDashboard tests the dashboard in one browser, which all subtests share.
func TestDashboard(t *testing.T) {
	t.Parallel()
	harness.NeedBrowser(t)
	c := startChromium(t, newDashboard(t))
	c.reader = owner(t, c.node)
	makeDemo(t, c.node, c.reader)
	tests := map[string]func(*testing.T, *chromium){
		"detection of errors":  testWatch,
		"a key signs in":       testSignIn,
		"a link signs in once": testLink,
		"colours":              testColours,
		"pages have addresses": testRouting,
		"below a path":         testBelowAPath,
		"phones":               testPhones,
		"get started":          testStart,
		"clicks":               testClicks,
		"playground":           testPlayground,
		"validation":           testValidation,
		"cancel":               testCancel,
		"compare":              testCompare,
		"keys":                 testKeys,
		"people":               testPeople,
		"notifications":        testNotifications,
		"webhook settings":     testWebhookSettings,
		"no admin":             testNoAdmin,
		"usage":                testUsage,
		"system":               testSystem,
		"docs":                 testDocs,
		"batch":                testBatch,
		"task":                 testTask,
		"history":              testHistory,
		"deliveries":           testDeliveries,
		"clear the queue":      testClear,
		"tracker numbers":      testTrackerNumbers,
		"why it changed":       testWhy,
		"tracker journey":      testTrackerJourney,
		"plots":                testPlots,
		"typing":               testTyping,
		"ten tabs":             testTenTabs,
		"a server comes back":  testComesBack,
		"jumps":                testJumps,
		"a key that reads":     testReadOnly,
		"hostile trackers":     testHostileTrackers,
		"hostile tasks":        testHostileTasks,
		"hostile forms":        testHostileForms,
		"hostile answers":      testHostileAnswers,
		"answers":              testAnswers,
		"sources and brands":   testSourcesAndBrands,
		"contents of answers":  testContents,
		"nothing requested":    testNothingRequested,
		"source details":       testSourceDetails,
		"keep a name":          testKeepName,
		"reviews":              testReviews,
		"besides the text":     testBesidesTheText,
		"hostile findings":     testHostileFindings,
		"hostile addresses":    testHostileAddresses,
		"share link":           testShareLink,
	}
	pages := pagesOf(t, c)
	for group := range slices.Chunk(pages, len(pages)/pageGroups+1) {
		tests["pages from "+group[0].address] = func(t *testing.T, c *chromium) { testPages(t, c, group) }
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// dashboardPages maps the names of the pages in the address to their titles.
var dashboardPages = map[string]string{
	"trackers":      "Trackers",
	"playground":    "Playground",
	"compare":       "Compare",
	"history":       "History",
	"notifications": "Notifications",
	"usage":         "Usage",
	"system":        "System",
	"keys":          "Keys and webhooks",
	"people":        "People",
}

// newDashboard starts a node that stops without waiting for running tasks.
func newDashboard(t *testing.T) *harness.Node {
	t.Helper()
	return harness.Start(t, harness.LocalWebhooks, harness.AllNamed(t), func(cfg *app.Config) { cfg.StopGrace = time.Millisecond })
}

// owner creates an account with a key that has all scopes.
func owner(t *testing.T, n *harness.Node) *app.Account {
	t.Helper()
	return n.Admin(t, n.Organization(t, "business", 10_000))
}

// newAccount creates an account on the shared node.
func (c *chromium) newAccount(t *testing.T) (*harness.Node, *app.Account) {
	t.Helper()
	return c.node, owner(t, c.node)
}

// session creates an account on the shared node and signs in.
func (c *chromium) session(t *testing.T) (*harness.Node, *app.Account, *tab) {
	t.Helper()
	n, a := c.newAccount(t)
	return n, a, c.signIn(t, n.BaseURL, a.Key.Text)
}

// demo signs in to the shared account with a demo, which tests only read.
func (c *chromium) demo(t *testing.T) (*harness.Node, *app.Account, *tab) {
	t.Helper()
	return c.node, c.reader, c.signIn(t, c.node.BaseURL, c.reader.Key.Text)
}

// signIn signs in with a key, on a page that needs few requests.
func (c *chromium) signIn(t *testing.T, base, key string) *tab {
	t.Helper()
	p := c.open(t, base+"/#/system")
	p.typeKey(key)
	p.signedIn()
	return p
}

func (p *tab) typeKey(key string) {
	p.t.Helper()
	p.until("the form of a key", `(() => {
		const e = document.querySelector(".signin-key");
		return e && (e.open = true);
	})()`)
	p.fill("input[name=key]", key)
	p.click(".signin-key button", "Sign in")
}

// signOut signs out with the menu in the header.
func (p *tab) signOut() {
	p.t.Helper()
	p.click(hook("account"), "")
	p.click("button", "Sign out")
}

// signedIn waits until the header shows the live connection.
func (p *tab) signedIn() {
	p.t.Helper()
	p.see("header .brand", "Earshot")
	p.see("header .dot.on", "")
}

// turnTo opens a page by its link in the header.
func (p *tab) turnTo(name string) {
	p.t.Helper()
	if p.eval(find(hook("menu"), "")+" !== undefined") == true { // on a phone
		p.click(hook("menu"), "")
	}
	p.click("header nav a", dashboardPages[name])
	p.until("the page "+name, fmt.Sprintf(`location.hash.startsWith("#/%s") && document.title.includes(%q)`, name, dashboardPages[name]))
}

// testWatch does forbidden things on a page, and checks that each is detected.
func testWatch(t *testing.T, c *chromium) {
	_, _, p := c.session(t)
	for script, problem := range map[string]string{
		`document.body.append(Object.assign(document.createElement("script"), { textContent: "window.__xss = 1" }))`: "Executing inline script violates",
		`document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=window.__xss=1>")`:                        "Executing inline event handler violates",
		`document.body.insertAdjacentHTML("beforeend", "<b style=color:red>")`:                                       "Applying inline style violates",
		`new Image().src = "http://elsewhere.test/i.png"`:                                                            "request to http://elsewhere.test/i.png",
		`fetch("http://elsewhere.test/f").catch(() => undefined)`:                                                    "Connecting to 'http://elsewhere.test/f' violates",
		`setTimeout(() => { throw new Error("thrown") })`:                                                            "thrown",
		`Promise.reject(new Error("rejected"))`:                                                                      "rejected",
		`console.error("complained")`:                                                                                "complained",
		`setTimeout(() => alert("asked"))`:                                                                           "dialog: asked",
	} {
		p.eval(`void (` + script + `)`)
		p.wait("a note of "+script, func() bool {
			return slices.ContainsFunc(p.noted(), func(noted string) bool { return strings.Contains(noted, problem) })
		})
	}
	if p.expect(""); p.eval(`"__xss" in window`) != false {
		t.Error("the policy lets scripts run")
	}
}

func testSignIn(t *testing.T, c *chromium) {
	n, a := c.newAccount(t)
	p := c.open(t, n.BaseURL)
	p.expect("401 (Unauthorized)")
	p.typeKey("ear_live_wrong")
	p.see("[role=alert]", "INVALID_API_KEY")
	p.see("[role=alert]", "The key is mistyped, revoked or expired")
	p.until("a request's id", find("[role=alert] code", "")+`?.innerText.length > 20`)
	p.typeKey(a.Key.Text)
	p.signedIn()
	p.see("header", "10,000 credits")
	p.do("reload", chromedp.Reload())
	p.signedIn()
	p.see(hook("account"), a.Organization.Name)
	p.until("what the key may do", find(hook("account"), "")+`?.title.endsWith("permissions: read, monitor, tasks, track, admin")`)
	if kept := p.eval(`JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])`); strings.Contains(fmt.Sprint(kept), "ear_live_"+a.Key.ID) {
		t.Errorf("scripts can read the key: %s", kept)
	}

	// A second tab shares the session of the first.
	second := p.another(n.BaseURL + "/#/history")
	second.signedIn()
	second.see(hook("account"), a.Organization.Name)
	p.signOut()
	p.see("input[name=email]", "")
	second.see("input[name=email]", "")
	p.do("reload", chromedp.Reload())
	p.see("input[name=email]", "")

	p.typeKey(a.Key.Text)
	p.signedIn()
	second.signedIn()
	second.expect("401 (Unauthorized)") // when the key is revoked
	if _, err := n.Orgs.RevokeKey(t.Context(), a.Key.ID, account.Operator(), time.Now()); err != nil {
		t.Fatal(err)
	}
	p.goTo("#/history/queue") // no click: the live connection may have ended the session already
	p.see(".notice", "You were signed out")
	p.typeKey(owner(t, n).Key.Text)
	p.signedIn()
	p.see(hook("queued"), "") // the same page
}

func testLink(t *testing.T, c *chromium) {
	n := newDashboard(t)
	link := n.DashboardURL()
	p := c.open(t, link)
	p.signedIn()
	if at := p.eval(`location.href`); at != n.BaseURL+"/#/start" {
		t.Errorf("the token stays in the address: %v", at)
	}
	p.visit(n.BaseURL + "/docs")
	p.expect("401 (Unauthorized)")
	p.visit(link)
	p.signedIn() // the token is used, but the session still exists
	again := c.open(t, link)
	again.expect("401 (Unauthorized)")
	again.see("[role=alert]", "token is not valid")
	again.see("input[name=email]", "")
}

func testColours(t *testing.T, c *chromium) {
	_, _, p := c.session(t)
	ground := func(what, colour string) {
		t.Helper()
		p.until(what, fmt.Sprintf(`getComputedStyle(document.body).backgroundColor === %q`, colour))
	}
	const light, dark = "rgb(247, 247, 245)", "rgb(20, 22, 26)"
	p.prefers("dark")
	ground("the system's dark", dark)
	p.prefers("light")
	ground("the system's light", light)
	p.click(hook("account"), "")
	p.click("header button", "Auto")
	p.prefers("dark")
	ground("light although the system is dark", light)
	p.click("header button", "Light")
	p.prefers("light")
	ground("dark although the system is light", dark)
	p.do("reload", chromedp.Reload())
	p.signedIn()
	ground("dark after loading again", dark)
	p.click(hook("account"), "")
	p.click("header button", "Dark")
	ground("the system's light again", light)
}

func testRouting(t *testing.T, c *chromium) {
	n, _, p := c.session(t)
	for name := range dashboardPages {
		p.turnTo(name)
		p.see("header nav a[aria-current=page]", dashboardPages[name])
		p.see("main h1, main h2", "")
	}
	p.turnTo("usage")
	p.turnTo("keys")
	p.do("back", chromedp.Evaluate[chromedp.Void](`history.back()`))
	p.until("the page before", `location.hash === "#/usage" && document.title.includes("Usage")`)
	p.visit(n.BaseURL + "/#/nonsense")
	p.see("main", "")
	p.click("header nav a", "API reference")
	p.until("the reference", `location.pathname === "/docs" && document.title.includes("API reference")`)
	p.click("header nav a", "History")
	p.until("the way back", `location.pathname === "/" && location.hash === "#/history"`)
	p.signedIn()
	stranger := c.open(t, n.BaseURL+"/docs")
	stranger.see("main h1, main h2", "")
}

// proxyOf returns a reverse proxy in front of a node.
func proxyOf(t *testing.T, n *harness.Node) *httputil.ReverseProxy {
	t.Helper()
	to, err := url.Parse(n.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Header.Del("Accept-Encoding") // tests change responses
		},
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		ErrorLog:  log.New(io.Discard, "", 0), // pages abort requests that they no longer need
	}
}

// below serves a node below the path /earshot, like a reverse proxy.
func below(t *testing.T, n *harness.Node) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/earshot/", http.StripPrefix("/earshot", proxyOf(t, n)))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("a request beside the path: %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusNotFound)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/earshot"
}

func testBelowAPath(t *testing.T, c *chromium) {
	n := newDashboard(t)
	a := owner(t, n)
	base := below(t, n)
	_, token, _ := strings.Cut(n.DashboardURL(), "#")
	c.open(t, base+"/#"+token).signedIn()
	p := c.signIn(t, base, a.Key.Text)
	p.turnTo("playground")
	p.click(hook("run"), "")
	p.see(hook("answer"), "")
	p.click("[role=tab]", "Stored page")
	p.see(hook("capture"), "")
	for name := range dashboardPages {
		p.turnTo(name)
		p.see("main h1, main h2", "")
	}
	p.click("header nav a", "API reference")
	p.until("the reference", `location.pathname === "/earshot/docs"`)
	p.see("main h1, main h2", "")
	p.click("header nav a", "History")
	p.until("the way back", `location.pathname === "/earshot/" && location.hash === "#/history"`)
	p.signedIn()
}
