package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"earshot/test/harness"
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
	p.gone(".spinner:not([aria-label=Waiting])", "")
	if wide, _ := p.eval(tooWide).([]any); len(wide) > 0 {
		p.t.Errorf("%s is wider than a phone: %q", what, wide)
	}
}

func testPhones(t *testing.T, c *chromium) {
	n := newDashboard(t) // failures make a node careful with a provider
	a := owner(t, n)
	r := harness.Receive(t, http.StatusInternalServerError)
	unbroken := strings.Repeat("unbroken", 40)
	webhook := fmt.Sprintf(`"webhook":{"url":%q}`, r.URL+"/"+unbroken)
	running := n.Submit(t, a, harness.ChatTask(unbroken+" [[delay=4m]]", webhook)).ID
	done := n.Submit(t, a, harness.ChatTask(unbroken, webhook)).ID
	failed := n.Submit(t, a, harness.ChatTask(unbroken+" [[block]]", webhook)).ID
	n.WaitDelivery(t, a, done)
	n.WaitDelivery(t, a, failed)
	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.expect("404 (Not Found)") // nothing is delivered before the task has ended
	p.phone()
	for _, scheme := range []string{"light", "dark"} {
		p.prefers(scheme)
		for _, at := range []struct{ address, selector, text string }{
			{"#/playground/chatassistant", "textarea[name=prompt]", ""},
			{"#/playground/websearch", "[name=query]", ""},
			{"#/compare", hook("price"), "credits"},
			{"#/tasks", hook("tasks"), unbroken},
			{"#/tasks/" + running, ".card", "Sent when the task has finished"},
			{"#/tasks/" + done, hook("tries"), "Status 500"},
			{"#/tasks/" + failed, hook("task-error"), "blocked"},
			{"#/tasks/batch", "#batch-lines", ""},
			{"#/tasks/deliveries", hook("deliveries"), "Status 500"},
			{"#/usage", "canvas", ""},
			{"#/keys", "table", a.Key.ID},
			{"docs", hook("overview"), "Authentication"},
			{"docs#monitorWebSearch", hook("path"), "/v1/monitor/websearch"},
			{"docs#createKey", hook("path"), "/v1/keys"},
		} {
			p.visit(n.BaseURL + "/" + at.address)
			p.see(at.selector, at.text)
			p.fits(at.address + " in " + scheme)
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
