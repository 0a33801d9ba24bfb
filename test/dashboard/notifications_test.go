package dashboard_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/test/harness"
)

// testNotifications sets up Slack for a tracker without a terminal, within six clicks from
// the first page. Then it changes the sensitivity, and fails to change and delete the channel.
func testNotifications(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	slack := harness.Receive(t, http.StatusOK)
	n.Send(t, a, http.MethodPut, "/v1/trackers/hats", `{"prompts":["hats"],"targets":[{"provider":"chatassistant","country":"US"}],"alerts":{"falseAlarmsPerYear":3}}`).Has(t, "apply", http.StatusOK)
	clicks := 0
	click := func(selector, text string) {
		t.Helper()
		clicks++
		p.click(selector, text)
	}
	alerts := func() (d *earshot.AlertBudget) {
		t.Helper()
		var tracker earshot.Tracker
		n.Get(t, a, "/v1/trackers/hats").Into(t, &tracker)
		return tracker.Definition.Alerts
	}
	click("header nav a", "Trackers")
	click(hook("trackers")+" a", "hats")
	click("nav.views a", "Alerts")
	p.see(`[aria-label="Channels"] label`, "Custom: 3 a year")
	click("a", "New channel")
	p.see("form", "Apps → Incoming Webhooks")
	p.fill("input[name=url]", slack.URL+"/hidden")
	click(hook("save-channel"), "")
	p.see(hook("channel-test"), "Delivered")
	click(hook("channel-test")+" button", "Use for alerts of hats")
	p.see(`[aria-label="Channels"] label`, "slack")
	if got := alerts(); !slices.Equal(got.Channels, []string{"slack"}) || got.FalseAlarmsPerYear != 3 || clicks > 6 {
		t.Errorf("after %d clicks the tracker has %s", clicks, harness.JSON(t, got))
	}
	if told := slack.Webhooks(); len(told) != 1 || !strings.Contains(told[0].Body, "This is a test: the channel slack works") {
		t.Errorf("Slack got %q", told)
	}

	p.until("the channel is chosen", `document.querySelector("input[type=checkbox][value=slack]").checked`)
	p.click("label", "High: 12 a year")
	p.click(hook("save-notify"), "")
	p.gone(`[aria-label="Channels"] label`, "Custom")
	if got := alerts(); !slices.Equal(got.Channels, []string{"slack"}) || got.FalseAlarmsPerYear != 12 {
		t.Errorf("the tracker has %s", harness.JSON(t, got))
	}
	p.turnTo("notifications")
	p.see(hook("channels"), "127.0.0.1")
	p.gone("main", "hidden")
	p.click("button", "Send test")
	p.see(hook("channels"), "Delivered")
	p.expect("Failed to load resource")
	p.click("button", "Delete…")
	p.click(hook("confirm"), "")
	p.see("dialog .problem", "used by the trackers hats")
	p.escape()
	p.click("a", "Change")
	p.fill("input[name=url]", "hooks")
	p.phone()
	p.fits("a form of a channel")
	p.click(hook("save-channel"), "")
	p.see("form .wrong", "")
	p.gone(".problem", "")
}
