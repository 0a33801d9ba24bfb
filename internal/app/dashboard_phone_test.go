package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// tooWide are the elements that make a page wider than the screen.
const tooWide = `(() => {
	const page = document.scrollingElement;
	if (page.scrollWidth <= 375) return [];
	return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > 375.5 && !e.parentElement.closest(".scroll, pre"))
		.map((e) => e.outerHTML.slice(0, 150) + " to " + e.getBoundingClientRect().right).concat("the page has " + page.scrollWidth).slice(-6);
})()`

// fits fails the test if a page scrolls sideways.
func (p *tab) fits(what string) {
	p.t.Helper()
	p.gone(".spinner", "")
	if wide, _ := p.eval(tooWide).([]any); len(wide) > 0 {
		p.t.Errorf("%s is wider than a phone: %q", what, wide)
	}
}

func testPhones(t *testing.T, c *chromium) {
	n := newDashboard(t) // failures make a node careful with a provider
	a := n.admin(t, n.organization(t, "business", 10_000))
	r := receive(t, http.StatusInternalServerError)
	unbroken := strings.Repeat("unbroken", 40)
	id := n.submit(t, a, chatTask(unbroken, fmt.Sprintf(`"webhook":{"url":%q}`, r.URL+"/"+unbroken))).ID
	failed := n.submit(t, a, chatTask(unbroken+" [[block]]")).ID
	n.ended(t, a, failed)
	n.settled(t, a, id)
	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.phone()
	for _, scheme := range []string{"light", "dark"} {
		p.prefers(scheme)
		for _, address := range []string{
			"#/playground", "#/playground/websearch", "#/compare", "#/tasks", "#/tasks/" + id, "#/tasks/" + failed, "#/tasks/batch",
			"#/tasks/deliveries", "#/usage", "#/keys", "docs", "docs#monitorWebSearch", "docs#createKey",
		} {
			p.visit(n.BaseURL + "/" + address)
			p.see("main h1", "")
			p.fits(address + " in " + scheme)
		}
	}
	p.visit(n.BaseURL + "/#/playground/websearch")
	p.fill("[name=query]", unbroken)
	p.click(hook("run"), "")
	p.see(hook("search-results"), "")
	p.fits("a search")
	for _, tab := range []string{"JSON", "Capture", "Code"} {
		p.click("[role=tab]", tab)
		p.see("[role=tab][aria-selected=true]", tab)
		p.fits("a search's " + tab)
	}
	p.turnTo("compare")
	p.fill(hook("prompt"), unbroken)
	p.click(hook("run"), "")
	p.see(hook("progress"), "4 of 4 ended")
	p.fits("a comparison")
	p.goTo("#/tasks/batch")
	p.fill("#batch-lines", unbroken+"\n"+unbroken)
	p.see(hook("row-count"), "2")
	p.fits("a batch")
}
