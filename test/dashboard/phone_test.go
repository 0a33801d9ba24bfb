package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"earshot/test/harness"
)

// tooWide returns the elements that make a page wider than the screen.
const tooWide = `(() => {
	const page = document.scrollingElement;
	if (page.scrollWidth <= 375) return [];
	return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > 375.5 && !e.parentElement.closest(".scroll, pre"))
		.map((e) => e.outerHTML.slice(0, 150) + " to " + e.getBoundingClientRect().right).concat("the page has " + page.scrollWidth).slice(-6);
})()`

// cutOff returns the tables with hidden columns that do not have a hint.
const cutOff = `[...document.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth + 1 && !e.matches("[role=region][tabindex='0'][aria-label]"))
	.map((e) => e.outerHTML.slice(0, 150))`

// fits fails the test if a page scrolls sideways or cuts off content.
func (p *tab) fits(what string) {
	p.t.Helper()
	p.gone(".spinner:not([aria-label=Waiting])", "")
	if wide, _ := p.eval(tooWide).([]any); len(wide) > 0 {
		p.t.Errorf("%s is wider than a phone: %q", what, wide)
	}
	p.until("labels of axes apart on "+what, `[...document.querySelectorAll(".axis-x")].every((axis) => {
		const boxes = [...axis.children].map((e) => e.getBoundingClientRect()).filter(({ width }) => width > 0);
		return boxes.every((box, i) => i === 0 || boxes[i - 1].right < box.left);
	})`)
	p.until("only tables that tell what they hide on "+what, cutOff+`.length === 0`)
}

func testPhones(t *testing.T, c *chromium) {
	n := newDashboard(t) // failures make a node slow down requests to a provider
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
	p.expect("404 (Not Found)") // a delivery exists only after the task has ended
	p.phone()
	for _, at := range []struct{ address, selector, text string }{
		{"#/playground/chatassistant", "textarea[name=prompt]", ""},
		{"#/playground/websearch", "[name=query]", ""},
		{"#/compare", hook("price"), "credits"},
		{"#/history", hook("requests"), unbroken},
		{"#/history/" + running, ".card", "Sent when the task has finished"},
		{"#/history/" + done, hook("tries"), "Status 500"},
		{"#/history/" + failed, hook("task-error"), "blocked"},
		{"#/history/batch", "#batch-lines", ""},
		{"#/history/deliveries", hook("deliveries"), "Status 500"},
		{"#/usage", ".plot .drawing", ""},
		{"#/keys", "table", a.Key.ID},
		{"docs", hook("overview"), "Authentication"},
		{"docs#monitorWebSearch", hook("path"), "/v1/monitor/websearch"},
		{"docs#createKey", hook("path"), "/v1/keys"},
	} {
		p.visit(n.BaseURL + "/" + at.address)
		p.see(at.selector, at.text)
		p.fits(at.address)
	}
	if height, _ := p.eval(`document.querySelector("header").offsetHeight`).(float64); height > 64 {
		t.Errorf("the header is %v pixels high on a phone", height)
	}
	p.visit(n.BaseURL + "/#/playground/websearch")
	p.fill("[name=query]", unbroken)
	p.click(hook("run"), "")
	p.see(hook("search-results"), "")
	p.fits("a search")
	for _, tab := range []string{"JSON", "Stored page", "Code"} {
		p.click("[role=tab]", tab)
		p.see("[role=tab][aria-selected=true]", tab)
		p.fits("a search's " + tab)
	}
	p.turnTo("compare")
	p.fill(hook("prompt"), unbroken)
	p.click(hook("run"), "")
	p.see(hook("progress"), "4 of 4 finished")
	p.fits("a comparison")
	p.goTo("#/history/batch")
	p.fill("#batch-lines", unbroken+"\n"+unbroken)
	p.see(hook("row-count"), "2")
	p.fits("a batch")

	p.do("be a small laptop", chromedp.EmulateViewport(1024, 768))
	for address, shown := range map[string]string{"history": hook("requests"), "history/deliveries": hook("deliveries"), "usage": "table[aria-label=Ledger]", "keys": "table[aria-label=Keys]"} {
		p.goTo("#/" + address)
		p.see(shown, "")
		p.until("all columns of "+address, `[...document.querySelectorAll(".scroll")].every((e) => e.scrollWidth <= e.clientWidth + 1)`)
	}
}
