package dashboard_test

import "testing"

// slow delivers the responses of a page one by one, each after the page has painted the one
// before, and adds up how far content moves (cumulative layout shift).
const slow = `void (() => {
	const send = window.fetch;
	let last = Promise.resolve();
	window.fetch = async (...request) => {
		const response = await send(...request);
		await (last = last.then(() => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 30)))));
		return response;
	};
	window.__moves = [];
	new PerformanceObserver((list) => {
		for (const { value, hadRecentInput, sources } of list.getEntries())
			if (!hadRecentInput) window.__moves.push([value, ...sources.map(({ node }) => (node?.outerHTML ?? "").slice(0, 120))]);
	}).observe({ type: "layout-shift" });
})()`

// testJumps loads pages slowly, and checks that content does not move away from its reader.
func testJumps(t *testing.T, c *chromium) {
	_, _, p := c.demo(t)
	p.eval(slow)
	for _, at := range trackerPages {
		p.goTo("#/upstreams")
		p.see(hook("upstreams-chatassistant"), "")
		p.gone(".skeleton", "")
		p.painted()
		p.eval(`void (window.__moves = [])`)
		p.goTo(at.address)
		p.see(at.selector, "")
		p.gone(".skeleton, .spinner", "")
		shift, _ := p.eval(`window.__moves.reduce((sum, [value]) => sum + value, 0)`).(float64)
		if shift > 0.1 { // the limit of a good page
			t.Errorf("%s moves by %.2f: %v", at.address, shift, p.eval(`window.__moves`))
		}
	}
}
