package dashboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/test/harness"
)

// enter fills in a field, which takes a click into the field.
func (c *clicks) enter(selector, text string) {
	c.t.Helper()
	c.done = append(c.done, "fill "+selector)
	c.fill(selector, text)
}

// testClicks does tasks of a new user, each within six clicks from the page after signing in.
// testStart creates a tracker from nothing, testWhy asks why a number fell, and
// testNotifications sets up Slack.
func testClicks(t *testing.T, c *chromium) {
	n, a := c.node, c.reader
	p := &clicks{tab: c.open(t, n.BaseURL)}
	task := func(name string, do func()) {
		t.Helper()
		p.done = nil
		do()
		if len(p.done) > 6 {
			t.Errorf("%s takes %d clicks: %s", name, len(p.done), strings.Join(p.done, "; "))
		}
		t.Logf("%s: %d", name, len(p.done))
		p.goTo("#/playground")
		p.see("h1", "Playground")
	}
	task("sign in", func() {
		p.click("summary", "Sign in with an API key")
		p.enter("input[name=key]", a.Key.Text)
		p.click(".signin-key button", "Sign in")
		p.signedIn()
	})
	task("ask", func() {
		p.enter("textarea[name=prompt]", "best running shoes")
		p.click(hook("run"), "")
		p.see(hook("answer"), "")
	})
	task("compare two countries", func() {
		p.click("header nav a", "Compare")
		p.enter(hook("prompt"), "best running shoes")
		p.click(hook("run"), "")
		p.see(hook("progress"), "4 of 4 finished")
		p.see(hook("cell")+" h3", "Germany")
	})
	task("sources that cite a rival", func() {
		p.click("header nav a", "Trackers")
		p.click(hook("trackers")+" a", "demo")
		p.click(".views a", "Sources")
		p.choose("#filter-brand", "Kestrin")
		p.until("sources of Kestrin only", fmt.Sprintf(`[...document.querySelectorAll(%s)].every((e) => e.innerText.includes("Kestrin")) && location.hash.includes("brand=Kestrin")`,
			quote(hook("sources")+" [data-label='Cited for']")))
	})
	task("the cost of this month", func() {
		p.click("header nav a", "Usage")
		p.see(hook("cycle-used"), " of ")
	})
	task("a key that only reads", func() {
		p.click("header nav a", "Keys")
		for _, scope := range []string{"monitor", "tasks", "track"} {
			p.click("label:has([value="+scope+"])", "")
		}
		p.click(hook("create-key"), "")
		id, _ := account.KeyID(p.secret())
		keys := get[earshot.KeyList](t, n, a, "/v1/keys").Keys
		if i := slices.IndexFunc(keys, func(k *earshot.Key) bool { return k.ID == id }); i < 0 || fmt.Sprint(keys[i].Scopes) != "[read]" {
			t.Errorf("%s is not in %s, or does more than read", id, harness.JSON(t, keys))
		}
		p.tab.click(hook("secret-done"), "")
	})
	task("the answers of a filter as CSV", func() {
		p.click("header nav a", "Trackers")
		p.click(hook("trackers")+" a", "demo")
		p.click(".views a", "Answers")
		p.choose("#filter-outcome", "missing")
		p.until("the filter in the link", find(hook("export"), "")+`.href.includes("outcome=missing")`)
		p.done = append(p.done, "click Export")
		if lines := p.exported(n, a); len(lines) < 2 || strings.Contains(strings.Join(lines[1:], ""), ",answered,") {
			t.Errorf("the file has %q", lines)
		}
	})
	failing := newDashboard(t) // failures make a node slow down requests to a provider
	b := owner(t, failing)
	failing.Wait(t, b, failing.Submit(t, b, harness.ChatTask("no kettle [[block]]")).ID)
	p = &clicks{tab: c.signIn(t, failing.BaseURL, b.Key.Text)}
	task("retry a failure", func() {
		p.click("header nav a", "History")
		p.click(hook("retry"), "")
		p.click(hook("retry-confirm"), "")
		p.see(hook("requests")+" td a", "Retried")
	})
}
