package dashboard_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"earshot/test/harness"
	"earshot/test/harness/tool"
)

// pageGroups is the number of tests that the pages are distributed over. Each test takes as
// long as a journey, so that all cores are busy until the end.
const pageGroups = 6

// pagesOf returns every page of the shared account.
func pagesOf(t *testing.T, c *chromium) []view {
	t.Helper()
	n, a := c.node, c.reader
	answer := withNeighbour(t, n, a)
	batch := n.SubmitAll(t, a, harness.ChatTask("a kettle"))
	n.Wait(t, a, batch.Results[0].Task.ID)
	n.Send(t, a, http.MethodPut, "/v1/trackers/shoes", `{"prompts":["best shoes"],"targets":[{"provider":"chatassistant","country":"US"}]}`).Has(t, "apply", http.StatusOK)
	join(t, n, a, "grace@example.com")
	invite(t, n, a, "joan@example.com")
	return slices.Concat(trackerPages, []view{
		{"#/trackers/demo/answers/" + answer.ID, hook("answer-text"), ""},
		{"#/trackers/demo/answers/" + answer.ID + "?diff=" + answer.Cell.Previous[0].ID, hook("diff-words"), ""},
		{"#/trackers/shoes/definition", hook("dry-run"), ""},
		{"#/trackers/shoes/sweeps?run=ask", hook("quote"), ""},
		{"#/trackers/shoes/alerts", hook("save-notify"), ""},
		{"#/notifications?new=1", hook("save-channel"), ""},
		{"#/playground", "textarea[name=prompt]", ""},
		{"#/compare", hook("price"), ""},
		{"#/history", hook("requests"), ""},
		{"#/history?mode=async", hook("requests"), ""},
		{"#/history/batches", hook("requests"), ""},
		{"#/history/batches/" + batch.BatchID, hook("requests"), ""},
		{"#/history/" + batch.Results[0].Task.ID, hook("payload"), ""},
		{"#/history/deliveries", ".empty, " + hook("deliveries"), ""},
		{"#/history/queue", hook("queued"), ""},
		{"#/history/batch", "#batch-lines", ""},
		{"#/usage", "h2", "Ledger"},
		{"#/system", hook("upstreams-chatassistant"), ""},
		{"#/keys", "table", ""},
		{"#/people", hook("users"), ""},
		{"#/people/invitations", hook("invitations"), ""},
		{"#/people/sessions", hook("sessions"), ""},
		{"#/people/audit", hook("audit"), ""},
	})
}

// testPages runs axe on pages, and checks their width on a phone and on a small laptop. In
// the dark color scheme, it checks only contrasts, because everything else is the same.
func testPages(t *testing.T, c *chromium, pages []view) {
	source := axe(t)
	_, _, p := c.demo(t)
	p.eval("void (() => {" + source + "\n})()")
	for _, at := range pages {
		p.do("be a laptop", chromedp.EmulateViewport(1280, 900))
		p.prefers("light")
		p.goTo(at.address)
		p.see(at.selector, "")
		p.gone(".skeleton, .spinner", "")
		p.see(".as-call summary", "API request")
		p.accessible(at.address, `{}`)
		p.prefers("dark")
		p.accessible(at.address+" in the dark", `{ runOnly: ["color-contrast"] }`)
		p.do("be a small laptop", chromedp.EmulateViewport(1024, 768))
		p.until("all columns of "+at.address, `document.scrollingElement.scrollWidth <= 1024 && [...document.querySelectorAll(".scroll")].every((e) => e.scrollWidth <= e.clientWidth + 1)`)
		p.phone()
		p.fits(at.address)
		p.accessible(at.address+" on a phone", `{ runOnly: ["target-size"] }`)
		p.do("be a small phone", chromedp.EmulateViewport(320, 568, chromedp.EmulateMobile))
		p.fits(at.address)
	}
}

// axe returns the source of axe-core, which make web-test and make test install.
func axe(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", "internal", "api", "dashboard", "web", "node_modules", "axe-core", "axe.min.js"))
	tool.Need(t, err)
	return string(source)
}

// barriers lists the violations that axe finds; null until axe is done.
const barriers = `window.__axe === undefined ? (window.__axe = null, axe.run(document, { resultTypes: ["violations"], ...window.__options }).then(
	({ violations, passes }) => { window.__axe = passes.length === 0 && violations.length === 0 ? ["nothing was checked"] : violations
		.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary).join("; ")); },
	(problem) => { window.__axe = [String(problem)]; }), false) : window.__axe !== null`

// accessible fails the test if axe finds violations.
func (p *tab) accessible(what, options string) {
	p.t.Helper()
	p.eval(`void (delete window.__axe, window.__options = ` + options + `)`)
	p.until("a verdict on "+what, barriers)
	if found, _ := p.eval(`window.__axe`).([]any); len(found) > 0 {
		p.t.Errorf("%s: %q", what, found)
	}
}

// tooWide returns the elements that make a page wider than the screen.
const tooWide = `(() => {
	const page = document.scrollingElement;
	if (page.scrollWidth <= screen.width) return [];
	return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > screen.width + 0.5 && !e.parentElement.closest(".scroll, pre"))
		.map((e) => e.outerHTML.slice(0, 150) + " to " + e.getBoundingClientRect().right).concat("the page has " + page.scrollWidth).slice(-6);
})()`

// cutOff returns the tables with hidden columns that do not have a hint.
const cutOff = `[...document.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth + 1 && !e.matches("[role=region][tabindex='0'][aria-label]"))
	.map((e) => e.outerHTML.slice(0, 150))`

// covered returns the controls that other elements cover.
const covered = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((e) => {
	if (!e.checkVisibility({ visibilityProperty: true }) || e.closest(".skip, thead")) return false;
	e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
	const { left, top, width, height } = e.getClientRects()[0] ?? {};
	const there = document.elementFromPoint(left + width / 2, top + height / 2);
	return width > 0 && !e.contains(there) && !e.closest("label")?.contains(there);
}).map((e) => e.outerHTML.slice(0, 150))`

// painted waits until the page has painted three frames, so that charts fit their new size.
func (p *tab) painted() {
	p.t.Helper()
	p.eval(`void (() => {
		let frames = 0;
		const paint = () => (++frames > 3 ? (window.__painted = true) : requestAnimationFrame(paint));
		delete window.__painted;
		paint();
	})()`)
	p.until("a painted page", `window.__painted`)
}

// fits fails the test if a page scrolls sideways, cuts off content or covers controls.
func (p *tab) fits(what string) {
	p.t.Helper()
	p.gone(".spinner:not([aria-label=Waiting])", "")
	p.painted()
	if wide, _ := p.eval(tooWide).([]any); len(wide) > 0 {
		p.t.Errorf("%s is wider than a phone: %q", what, wide)
	}
	p.until("labels of axes apart on "+what, `[...document.querySelectorAll(".axis-x")].every((axis) => {
		const boxes = [...axis.children].map((e) => e.getBoundingClientRect()).filter(({ width }) => width > 0);
		return boxes.every((box, i) => i === 0 || boxes[i - 1].right < box.left);
	})`)
	p.until("only tables that tell what they hide on "+what, cutOff+`.length === 0`)
	if found, _ := p.eval(covered).([]any); len(found) > 0 {
		p.t.Errorf("%s covers %q", what, found)
	}
}
