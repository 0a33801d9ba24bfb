package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// press types keys on the page.
func (p *tab) press(key string) {
	p.t.Helper()
	p.do("press "+key, chromedp.KeyEvent(key))
}

// shown returns the exact value of a data element.
func (p *tab) shown(selector string) float64 {
	p.t.Helper()
	p.see(selector+" data", "")
	value, _ := p.eval(`Number(document.querySelector(` + quote(selector+" data") + `).value)`).(float64)
	return value
}

// get reads a response of the API.
func get[T any](t *testing.T, n *harness.Node, a *app.Account, path string) (value T) {
	t.Helper()
	n.Get(t, a, path).Has(t, path, http.StatusOK).Into(t, &value)
	return value
}

// withNeighbour returns the newest answer of the demo whose prompt was also answered in
// the previous sweep. Each sweep of the demo lacks some answers.
func withNeighbour(t *testing.T, n *harness.Node, a *app.Account) earshot.TrackedAnswer {
	t.Helper()
	for _, one := range get[earshot.AnswerPage](t, n, a, "/v1/trackers/demo/answers?outcome=answered&target=chatassistant/US").Answers {
		answer := get[earshot.TrackedAnswer](t, n, a, "/v1/trackers/demo/answers/"+one.ID)
		if before := answer.Cell.Previous; len(before) > 0 && before[0].Outcome == earshot.OutcomeAnswered {
			return answer
		}
	}
	t.Fatal("no answer has one before it")
	return earshot.TrackedAnswer{}
}

// testAnswers opens an answer from the list, moves to its neighbors, and compares two.
func testAnswers(t *testing.T, c *chromium) {
	n, a, p := c.demo(t)
	p.goTo("#/trackers/demo/answers")
	p.see(hook("answers"), "ChatGPT · US")
	p.see(".lab-note", "Sample data")
	p.choose("#filter-outcome", "missing")
	p.until("the filter in the address", `location.hash.includes("outcome=missing")`)
	p.gone(hook("answers")+" .badge", "Answered")

	answer := withNeighbour(t, n, a)
	p.goTo("#/trackers/demo/answers/" + answer.ID)
	p.see("h2", answer.Prompt)
	p.until("every mention marked", fmt.Sprintf(`document.querySelectorAll("[data-testid=answer-text] mark").length === %d`, len(answer.Found.Mentions)))
	for i, m := range answer.Found.Mentions {
		text := answer.Found.Texts[m.Text].Text[m.Start:m.End]
		p.until("a mention of "+m.Brand, fmt.Sprintf(`((e) => e.dataset.brand === %s && e.textContent.includes(%s))(document.querySelectorAll("[data-testid=answer-text] mark")[%d])`, quote(m.Brand), quote(text), i))
	}
	p.until("every source", fmt.Sprintf(`document.querySelectorAll("[data-testid=answer-sources] li").length === %d`, len(answer.Found.Citations)))

	at := func(what string, cell []earshot.CellAnswer) {
		t.Helper()
		p.until(what, fmt.Sprintf(`location.hash.startsWith("#/trackers/demo/answers/%s")`, cell[0].ID))
		p.see(".answer-facts", cell[0].ID) // shortcuts work only once the answer is loaded
	}
	p.see(hook("cell-answers"), "Previous sweep")
	p.press("j")
	at("the sweep before", answer.Cell.Previous)
	p.see(hook("cell-answers"), "Next sweep")
	p.press("k")
	p.until("the way back", `location.hash.includes("`+answer.ID+`")`)
	p.see(".answer-facts", answer.ID)
	p.press("?")
	p.see("dialog", "Previous sweep")
	p.press("j") // shortcuts are off while a dialog is open
	p.escape()
	p.until("the same answer", `location.hash.includes("`+answer.ID+`")`)
	p.see(".answer-ways a", "Target →")
	p.press("d")
	diff := get[earshot.AnswerDiff](t, n, a, "/v1/trackers/demo/diff?a="+answer.Cell.Previous[0].ID+"&b="+answer.ID)
	p.see(hook("answer-diff"), "Order of brands")
	for _, run := range diff.Words {
		element := map[string]string{"same": "span", "removed": "del", "added": "ins"}[run.Kind]
		p.shows(hook("diff-words")+" "+element, run.Text)
	}
	if diff.Distance.Domains != nil {
		if got := p.shown(hook("noise") + " tbody td:nth-of-type(1)"); got != *diff.Distance.Domains {
			t.Errorf("the distance is %v, want %v", got, *diff.Distance.Domains)
		}
	}
	p.see(hook("noise"), "Average")
	p.fill("[aria-label='Answer ID']", "jkd") // shortcuts are off while typing
	p.until("the same difference", `location.hash.includes("`+answer.ID+`") && location.hash.includes("diff=`+answer.Cell.Previous[0].ID+`")`)
	p.press("l")
	p.until("still the same answer", `document.querySelector("[aria-label='Answer ID']").value === "jkdl"`)
}

// testSourcesAndBrands compares the numbers of both pages with the API's, and tests a name.
func testSourcesAndBrands(t *testing.T, c *chromium) {
	n, a, p := c.demo(t)
	p.goTo("#/trackers/demo/sources?days=4")
	p.see(hook("sources"), "ollaro.example")
	p.until("the period", `!document.querySelector(".skeleton")`)
	var sent string
	p.until("the request", `(window.__sources = performance.getEntriesByType("resource").map(({ name }) => name).find((name) => /sources\?.*by=domain/.test(name)))`)
	sent, _ = p.eval(`new URL(window.__sources).search`).(string)
	for i, row := range get[earshot.SourceReport](t, n, a, "/v1/trackers/demo/sources"+sent).Rows {
		p.see(fmt.Sprintf("%s tbody tr:nth-child(%d)", hook("sources"), i+1), row.Domain)
		if got := p.shown(fmt.Sprintf("%s tbody tr:nth-child(%d) [data-label=Share]", hook("sources"), i+1)); got != *row.Share {
			t.Errorf("%s has the share %v, want %v", row.Domain, got, *row.Share)
		}
		backed := "No brand"
		if len(row.Backs) > 0 {
			backed = slices.MaxFunc(row.Backs, func(a, b earshot.BackedBrand) int { return a.Mentions - b.Mentions }).Brand
		}
		p.see(fmt.Sprintf("%s tbody tr:nth-child(%d) [data-label='Cited for']", hook("sources"), i+1), backed)
	}
	p.click(hook("sources")+" .row-opener", "ollaro.example")
	p.see(hook("sources")+" .opened a", "https://ollaro.example/")
	p.click(hook("sources")+" button", "Pages")
	p.see(hook("sources")+" tbody a", "https://")
	p.see(hook("support"), "Mentions with a source")
	p.see(hook("sites"), "Kestrin")

	p.goTo("#/trackers/demo/brands")
	p.see(hook("panel"), "Kestrin")
	p.fill(hook("trial-name"), "running shoes")
	p.click(hook("try-name"), "")
	p.see(hook("trial"), "running shoes")
	reply := n.Post(t, a, "/v1/trackers/demo/names/try", `{"brand":"Ollaro","names":["running shoes"]}`)
	var tried earshot.NameTried
	reply.Has(t, "try", http.StatusOK).Into(t, &tried)
	p.see(hook("trial-hits"), fmt.Sprint(tried.Hits))
	if got := p.shown(hook("trial-named")); got != tried.Share {
		t.Errorf("the share is %v, want %v", got, tried.Share)
	}
}

// testKeepName adds a frequent name to the settings, and analyses the answers again.
func testKeepName(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	makeTracker(t, n, a, earshot.TrackerDefinition{
		Brands:  earshot.List[earshot.Brand]{{Name: "Nobody", Own: true}},
		Prompts: earshot.List[earshot.TrackedPrompt]{{Text: "best running shoes"}, {Text: "best trail shoes"}},
		Targets: earshot.List[earshot.Target]{{Provider: "chatassistant", Country: "US"}},
	})
	found := get[earshot.DiscoverReport](t, n, a, "/v1/trackers/seen/discover").Names[0].Name
	p.goTo("#/trackers/seen/brands")
	p.click(hook("reanalyse"), "")
	p.click(hook("reanalyse-confirm"), "")
	p.see(hook("rules")+" tbody tr", "r2")
	p.until("rules that are done", find(hook("rules")+" .badge", "Current"))
	p.see(hook("discovery")+" tr", found)
	p.click(hook("discovery")+" a", "Test and add…")
	p.see(hook("trial"), "nothing has changed yet")
	p.click(hook("keep-name"), "Add brand…")
	p.see(hook("dry-run"), found)
	p.click(hook("apply"), "Save")
	p.see(".dry-run button", "No changes")
	if brands := get[earshot.Tracker](t, n, a, "/v1/trackers/seen").Definition.Brands; len(brands) != 2 || brands[1].Name != found {
		t.Errorf("the panel is %+v, want %s in it", brands, found)
	}
}

// makeTracker creates the tracker seen and runs one sweep.
func makeTracker(t *testing.T, n *harness.Node, a *app.Account, definition earshot.TrackerDefinition) {
	t.Helper()
	body, err := json.Marshal(definition)
	if err != nil {
		t.Fatal(err)
	}
	n.Send(t, a, http.MethodPut, "/v1/trackers/seen", string(body)).Has(t, "apply", http.StatusOK)
	var started earshot.SweepStarted
	n.Post(t, a, "/v1/trackers/seen/sweeps", `{}`).Has(t, "run", http.StatusOK).Into(t, &started)
	harness.Eventually(t, "the sweep is closed", func() bool {
		return get[earshot.Sweep](t, n, a, "/v1/trackers/seen/sweeps/"+started.Sweep.ID).State == earshot.SweepClosed
	})
}

// testHostileFindings shows hostile texts of upstreams and users on the pages about answers.
func testHostileFindings(t *testing.T, c *chromium) {
	n, a := c.newAccount(t)
	definition := earshot.TrackerDefinition{Targets: earshot.List[earshot.Target]{{Provider: "chatassistant", Country: "US"}, {Provider: "websearch", Country: "US"}}}
	for i, text := range hostileTexts {
		if i%4 == 0 {
			definition.Prompts = append(definition.Prompts, earshot.TrackedPrompt{Text: text})
		}
		if i%12 == 0 && len(text) <= 200 && !strings.ContainsAny(text, "\n\r\t") {
			definition.Brands = append(definition.Brands, earshot.Brand{Name: text, Own: i == 0})
		}
	}
	makeTracker(t, n, a, definition)
	all := strings.Join(hostileTexts, "\n\n")
	address := "javascript:window.__xss=1//" + hostileQuery
	base := poisoned(t, n, []string{all}, map[string]string{
		"url": address, "domain": hostileTexts[0], "text": all, "label": all, "sentence": all, "prompt": all, "model": hostileTexts[1], "query": all,
		"search": all, "title": all, "currency": all, "advertiser": hostileTexts[0],
	})
	p := c.signIn(t, base, a.Key.Text)
	for _, answer := range get[earshot.AnswerPage](t, n, a, "/v1/trackers/seen/answers?limit=4").Answers {
		p.goTo("#/trackers/seen/answers/" + answer.ID)
		p.click("[role=tab]", "Mentions")             // the chosen tab stays when the answer changes
		p.see(hook("answer-text"), "onerror=window.") // __ is Markdown syntax
		p.see("section h2", "Sources")
		p.clean("an answer")
		p.click("[role=tab]", "Original")
		p.see(hook("result"), "")
		p.clean("an answer as it came")
		p.goTo("#/trackers/seen/answers/" + answer.ID + "?diff=" + answer.ID)
		p.see(hook("diff-words"), "window.__xss")
		p.clean("a difference")
	}
	for _, at := range []struct{ address, selector, text string }{
		{"#/trackers/seen/answers", hook("answers"), "window.__xss"},
		{"#/trackers/seen/answers?q=" + hostileQuery + "&sweep=" + hostileQuery, "[role=alert]", "must be a UUID"},
		{"#/trackers/seen/sources", hook("sources"), hostileTexts[0]},
		{"#/trackers/seen/sources?by=url", hook("sources"), address},
		{"#/trackers/seen/brands", hook("panel"), definition.Brands[0].Name},
		{"#/trackers/seen/brands/" + hostileQuery, "[role=alert], " + hook("trial"), ""},
		{"#/trackers/seen/definition?add=" + hostileQuery, hook("dry-run"), ""},
		{"#/trackers/seen/definition?add=%7B%22name%22:%22__proto__%22%7D&brand=__proto__", hook("dry-run"), ""},
		{"#/history", hook("requests"), ""},
		{"#/history?q=" + hostileQuery + "&status=" + hostileQuery, "[role=alert]", "Status"},
		{"#/history/sweeps", hook("requests"), "seen"},
		{"#/compare?answers=" + hostileQuery + "&brands=" + hostileQuery, "[role=alert]", "RESOURCE_NOT_FOUND"},
	} {
		p.goTo(at.address)
		p.shows(at.selector, at.text)
		p.gone(".skeleton", "")
		p.clean(at.address)
	}
	p.expect("400 (Bad Request)")
	p.expect("404 (Not Found)")
	demo := c.signIn(t, base, c.reader.Key.Text)
	for _, list := range []string{"searches", "products", "ads"} {
		demo.goTo("#/trackers/demo/" + list)
		demo.shows(hook(list), hostileTexts[0])
		demo.gone(".skeleton", "")
		demo.clean(list)
	}
}
