package dashboard_test

import (
	"fmt"
	"slices"
	"testing"

	"earshot"
)

// hold delays the responses of PUT requests until release.
func (p *tab) hold() {
	p.t.Helper()
	p.eval(`void (() => {
		const send = window.__send ??= window.fetch;
		const held = window.__held = [];
		window.fetch = async (to, options) => {
			const response = await send(to, options);
			if (options.method === "PUT" && window.__held === held) await new Promise((go) => held.push(go));
			return response;
		};
	})()`)
}

// held waits until a response is delayed.
func (p *tab) held() {
	p.t.Helper()
	p.until("an answer on its way", `window.__held?.length > 0`)
}

func (p *tab) release() {
	p.t.Helper()
	p.eval(`void (() => {
		const held = window.__held;
		window.fetch = window.__send;
		window.__held = undefined; // a response that comes later is not delayed
		held.forEach((go) => go());
	})()`)
	p.until("the dry run's end", `document.querySelector("[aria-label='Preview']").ariaBusy === "false"`)
}

// testTyping types into the settings form while responses arrive.
func testTyping(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	p.expect("400 (Bad Request)") // for incomplete input
	p.goTo("#/trackers?new=form")
	p.fill("textarea[name=prompts]", "best running shoes")
	p.fill("fieldset label:nth-of-type(1) input", "Ollaro")
	for i, field := range []struct{ selector, before, after string }{
		{"[placeholder='brand.example']", "oll", "aro.example, shop.ollaro.example"},
		{"fieldset label:nth-of-type(3) input", "Ollaro Sh", "oes, Olly"},
		{"fieldset:nth-last-of-type(2) label:nth-of-type(3) input", "Europe", "/Berlin"},
		{"[placeholder='4h']", "2", "h"},
		{"input[name=samples]", "", "2"},
		{"input[name=ceiling]", "0", "900"},
		{"input[name=keep]", "30", "0d"},
	} {
		p.hold()
		p.fill("input[name=name]", fmt.Sprintf("shoes-%d", i))
		p.held()
		p.fill(field.selector, "")
		p.press(field.before)
		p.release()
		p.press(field.after)
		if got := p.eval(`document.activeElement.value`); got != field.before+field.after {
			t.Errorf("%s has %q, and %q was typed", field.selector, got, field.before+field.after)
		}
	}
	p.click("label", "High: 12 a year")
	p.click(hook("apply"), "Create tracker")
	p.see("h1", "shoes-6")
	made := get[earshot.Tracker](t, n, a, "/v1/trackers/shoes-6")
	brand, schedule := made.Definition.Brands[0], made.Definition.Schedule
	if !slices.Equal(brand.Domains, []string{"ollaro.example", "shop.ollaro.example"}) || len(brand.Aliases) != 2 || schedule.Timezone != "Europe/Berlin" || schedule.Within != "2h" ||
		made.Definition.Samples != 2 || made.Definition.Alerts.FalseAlarmsPerYear != 12 || made.Definition.Keep != "300d" || made.Definition.Ceiling.CreditsPerMonth != 900 {
		t.Errorf("the definition is %+v, its schedule %+v", made.Definition, schedule)
	}

	p.goTo("#/trackers/shoes-6/definition")
	p.fill("input[name=samples]", "3")
	p.see(hook("dry-run"), "samples")
	p.hold()
	p.click(hook("apply"), "Save")
	p.held()
	p.fill("input[name=keep]", "31")
	p.release()
	p.see(hook("definition-problems"), "The retention period")
	p.press("0d")
	if got := p.eval(`document.activeElement.value`); got != "310d" {
		t.Errorf("the field has %q after another change was applied", got)
	}
}
