package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"earshot"
)

// testWhy asks why the headline of a demo fell, within three clicks from any page.
func testWhy(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	var made earshot.DemoMade
	n.Post(t, a, "/v1/trackers/demo/demo", `{"days":60,"prompts":10}`).Has(t, "make a demo", http.StatusOK).Into(t, &made)
	day := made.Shift.Day // the last 20 of the 60 days
	var compared earshot.CompareReport
	n.Get(t, a, "/v1/trackers/demo/compare?having=brand:Ollaro&sort=change&from="+day).Has(t, "compare", http.StatusOK).Into(t, &compared)
	to := compared.Period.To
	p.click("header nav a", "Trackers")
	p.click(hook("trackers")+" a", "demo")
	p.see(hook("why-link"), "")
	p.goTo("#/trackers/demo/overview?" + url.Values{"from": {day}, "to": {to}}.Encode())
	p.click(hook("why-link"), "Why did it change?")
	p.see(hook("why"), "Ollaro’s visibility fell from")
	names := map[string]string{"chatassistant/US": "ChatGPT · US", "genassistant/DE": "Gemini · DE", "websearch/US": "Google Search · US"}
	moved := 0
	for _, row := range compared.Rows {
		if row.Verdict != earshot.VerdictMoved || row.Target == "*" {
			continue
		}
		if moved++; moved == 1 {
			p.see(hook("why"), names[row.Target]) // the target that changed most
		}
		p.see(hook("why-targets")+" tr", names[row.Target])
	}
	if moved == 0 {
		t.Fatalf("no target moved: %+v", compared.Rows)
	}
	p.see(hook("before")+" mark[data-brand=Ollaro]", "")
	p.see(hook("after")+" "+hook("answer-text"), "")
	p.gone(hook("after")+" mark[data-brand=Ollaro]:not(.absent)", "")
	p.see(hook("diff-words")+" del", "")
	p.see(hook("events"), "skipped")

	p.click(hook("why-targets")+" a", "ChatGPT · US")
	p.see(hook("why"), "on ChatGPT · US fell from")
	if address, _ := p.eval("location.hash").(string); !strings.Contains(address, "from="+day) || !strings.Contains(address, "brand=Ollaro") {
		t.Errorf("the address is %s", address)
	}
}
