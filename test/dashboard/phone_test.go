package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"earshot/test/harness"
)

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
