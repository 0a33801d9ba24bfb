package dashboard_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

// makeDemo creates a demo with a short history.
func makeDemo(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	n.Post(t, a, "/v1/trackers/demo/demo", `{"days":14,"prompts":5}`).Has(t, "make a demo", http.StatusOK)
}

// metricsOf reads metrics of the demo.
func metricsOf(t *testing.T, n *harness.Node, a *app.Account, query string) (report earshot.MetricReport) {
	t.Helper()
	n.Get(t, a, "/v1/trackers/demo/metrics?"+query).Has(t, query, http.StatusOK).Into(t, &report)
	return report
}

// values returns the exact values of data elements.
func (p *tab) values(selector string) (found []float64) {
	p.t.Helper()
	text, _ := p.eval(fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%s)].map((e) => Number(e.value)))`, quote(selector+" data"))).(string)
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		p.t.Fatal(err)
	}
	return found
}

// testTrackerNumbers compares all numbers of a page with the API's exact values.
func testTrackerNumbers(t *testing.T, c *chromium) {
	n, a, p := c.demo(t)
	p.goTo("#/trackers/demo/overview")
	p.see(hook("headline"), "%")
	p.see(hook("league"), "Tamarek")
	want := map[string]map[string]float64{}
	for _, row := range metricsOf(t, n, a, "metric=visibility,shareOfVoice,firstNamed,citationRate&by=brand").Rows {
		if want[row.Brand] == nil {
			want[row.Brand] = map[string]float64{}
		}
		name, _, _ := strings.Cut(row.Metric, "@")
		want[row.Brand][name] = *row.Value
		if name == "visibility" && row.Brand == "Ollaro" {
			if got := p.values(hook("headline")); len(got) != 1 || got[0] != *row.Value {
				t.Errorf("the headline is %v, want %v", got, *row.Value)
			}
			p.see(hook("basis"), fmt.Sprintf("%.0f of %.0f answers", row.Numerator, row.Denominator))
		}
	}
	for _, brand := range []string{"Ollaro", "Kestrin", "Nordvale", "Velquist", "Tamarek"} {
		script := fmt.Sprintf(`[...document.querySelectorAll(%s)].find((e) => e.innerText.includes(%s)).dataset.row = %s`, quote(hook("league")+" tbody tr"), quote(brand), quote(brand))
		p.eval(script)
		for label, name := range map[string]string{"Visibility": "visibility", "Share of voice": "shareOfVoice", "Mentioned first": "firstNamed", "Cited": "citationRate"} {
			if got := p.values(fmt.Sprintf(`[data-row=%q] [data-label=%q]`, brand, label)); len(got) != 1 || got[0] != want[brand][name] {
				t.Errorf("%s of %s is %v, want %v", label, brand, got, want[brand][name])
			}
		}
	}
	p.see(hook("trend"), "")
	newest, _ := p.eval(`document.querySelector("[role=slider]").ariaValueText`).(string)
	p.eval(`document.querySelector("[role=slider]").focus()`)
	p.do("press ←", chromedp.KeyEvent(kb.ArrowLeft))
	p.until("the sweep before", `document.querySelector("[role=slider]").ariaValueText !== `+quote(newest))
	p.see(".readout a", "")

	p.goTo("#/trackers/demo/prompts?sort=asked")
	cells := map[string][]float64{}
	for _, row := range metricsOf(t, n, a, "metric=visibility&by=prompt,target&having=brand:Ollaro").Rows {
		cells[row.Prompt] = append(cells[row.Prompt], *row.Value)
	}
	p.until("all cells", fmt.Sprintf(`document.querySelectorAll("[data-testid=matrix] a.cell").length === %d`, 3*len(cells)))
	for prompt, wanted := range cells {
		p.eval(fmt.Sprintf(`[...document.querySelectorAll(%s)].find((e) => e.innerText.includes(%s)).dataset.row = "found"`, quote(hook("matrix")+" tbody tr"), quote(prompt)))
		if got := p.values(`[data-row=found] .cell`); fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("%q has %v, want %v", prompt, got, wanted)
		}
		p.eval(`delete document.querySelector("[data-row=found]").dataset.row`)
	}
	testCell(t, n, a, p)
	p.goTo("#/trackers/demo/prompts?sort=asked")
	p.click(hook("matrix")+" th a", "trail running shoes")
	p.see("h2", "Which trail running shoes last longest?")
	p.see(hook("headline"), "%")
}

// testCell opens a cell of the prompts page, and checks that the list has the answers to
// its prompt on its target that name the brand; without the brand filter, all answers.
func testCell(t *testing.T, n *harness.Node, a *app.Account, p *tab) {
	t.Helper()
	rows := metricsOf(t, n, a, "metric=visibility&by=prompt,target&having=brand:Ollaro").Rows
	i := slices.IndexFunc(rows, func(row earshot.MetricRow) bool { return 0 < row.Numerator && row.Numerator < row.Denominator })
	row := rows[i]
	p.eval(fmt.Sprintf(`[...document.querySelectorAll(%s)].find((e) => e.innerText.includes(%s)).querySelector(%s).click()`,
		quote(hook("matrix")+" tbody tr"), quote(row.Prompt), quote(fmt.Sprintf("[data-target=%q] a.cell", row.Target))))
	listed := func(what string, count int) {
		t.Helper()
		p.until(what, fmt.Sprintf(`(() => {
			const rows = [...document.querySelectorAll(%s)];
			return rows.length === %d && rows.every((row) => row.innerText.includes(%s) && row.innerText.includes(%s));
		})()`, quote(hook("answers")+" tbody tr"), count, quote(row.Prompt), quote(targetLabel(row.Target))))
	}
	listed("the answers that name Ollaro", int(row.Numerator))
	p.choose("#filter-brand", "")
	listed("all answers of the cell", row.Answers+row.Missing)
	if got := p.exported(n, a); len(got) != row.Answers+row.Missing+1 {
		t.Errorf("the export of the page has %d lines, want a head and %d answers", len(got), row.Answers+row.Missing)
	}
	p.goTo("#/trackers/demo/overview?days=4&target=" + row.Target)
	p.see(hook("headline"), "%")
	got := p.exported(n, a)
	others := slices.DeleteFunc(slices.Clone(got[1:]), func(line string) bool { return strings.Contains(line, row.Target) })
	if len(others) > 0 || len(got) != 4*5+1 && len(got) != 3*5+1 { // today's sweep may not be due yet
		t.Errorf("the export of 4 sweeps of 5 questions on %s has %d lines, and %q in it", row.Target, len(got), others)
	}
	p.goTo("#/trackers/demo/overview")
	p.until("a way to the answers of each brand", `(() => {
		const ways = [...document.querySelectorAll("[data-testid=league] [data-label=Visibility] a")].map((a) => a.href);
		return ways.length === 5 && new Set(ways).size === 5;
	})()`)
}

// targetLabel returns a target as the pages show it: chatassistant/US as ChatGPT · US.
func targetLabel(target string) string {
	return strings.NewReplacer("chatassistant", "ChatGPT", "genassistant", "Gemini", "answerengine", "Perplexity", "/", " · ").Replace(target)
}

// exported returns the lines of the file that the export button downloads.
func (p *tab) exported(n *harness.Node, a *app.Account) []string {
	p.t.Helper()
	path, _ := p.eval(find(hook("export"), "") + `.getAttribute("href")`).(string)
	return strings.Split(strings.TrimSpace(string(n.Get(p.t, a, path).Has(p.t, path, http.StatusOK).Body)), "\r\n")
}

const shoes = `name: shoes
brands:
  - {name: Ollaro, own: true, domains: [ollaro.example]}
  - {name: Kestrin}
prompts: [best running shoes for beginners, Which trail running shoes last longest]
targets: [{provider: chatassistant, country: US}]
schedule: {every: day, at: "06:00"}
`

// testTrackerJourney creates, runs, changes and deletes a tracker.
func testTrackerJourney(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	p.turnTo("trackers")
	p.see("h2", "See how AI assistants talk about your brand")
	p.click("button", "Import YAML")
	p.expect("400 (Bad Request)")
	p.fill(hook("definition-text"), strings.Replace(shoes, "country: US", "country: Mars", 1))
	p.see(hook("definition-problems"), "Line 6")
	p.see(hook("definition-problems"), "The country of target 1")
	p.fill(hook("definition-text"), shoes)
	p.see(hook("dry-run"), "Maximum cost per sweep")
	if trackers := trackersOf(t, n, a); len(trackers) != 0 {
		t.Errorf("a dry run made %+v", trackers)
	}
	p.click(hook("apply"), "Create tracker")
	p.see("h1", "shoes")
	p.see(".badge", "Active")
	p.see(".empty", "No answers")

	p.click("a", "Run now…")
	p.see(hook("quote"), "Maximum cost")
	p.click(hook("run-now"), "Run (max.")
	p.see(hook("sweeps"), "Complete")
	if at := p.eval(`document.activeElement.id`); at != "content" { // the focused button was removed
		t.Errorf("the focus is at %q", at)
	}
	p.click(hook("sweeps")+" button", "")
	p.see("h3", "Missing answers")

	p.click(".views a", "Overview")
	p.see(".criteria", "1 of ")
	p.click(".views a", "Settings")
	p.see(".dry-run button", "No changes")
	p.fill("input[name=samples]", "2")
	p.see(hook("dry-run"), "samples")
	p.click("button", "YAML")
	p.shows(hook("definition-text"), "samples: 2")
	p.click(hook("apply"), "Save")
	p.see(".dry-run button", "No changes")
	if trackers := trackersOf(t, n, a); len(trackers) != 1 || trackers[0].Version != 2 || trackers[0].LastSweep == nil {
		t.Errorf("the trackers are %+v", trackers)
	}
	p.click(hook("pause"), "Pause")
	p.see(".badge", "Paused")
	p.click(hook("pause"), "Resume")
	p.see(".badge", "Active")
	p.click(hook("delete-tracker"), "Delete…")
	p.click(hook("confirm-delete"), "")
	p.see("h2", "See how AI assistants talk about your brand")
}

func trackersOf(t *testing.T, n *harness.Node, a *app.Account) []earshot.Tracker {
	t.Helper()
	var list earshot.TrackerList
	n.Get(t, a, "/v1/trackers").Has(t, "the trackers", http.StatusOK).Into(t, &list)
	return list.Trackers
}

// view is the address of a page, and the selector and text of an element that it shows last.
type view struct{ address, selector, text string }

// trackerPages are the pages of the demo.
var trackerPages = []view{
	{"#/trackers", hook("trackers"), "points"},
	{"#/trackers?new=file", hook("dry-run"), "changes"},
	{"#/trackers?new=form", "legend", "Schedule"},
	{"#/trackers/demo/overview", "section[aria-label='Top sources'] table", ""},
	{"#/trackers/demo/prompts", hook("matrix") + " .cell", "%"},
	{"#/trackers/demo/prompts?prompt=2", "section[aria-label='Top sources'] table", ""},
	{"#/trackers/demo/sources", hook("support"), "Kestrin"},
	{"#/trackers/demo/sources?by=url", hook("sources") + " a", "https://"},
	{"#/trackers/demo/why?days=7", hook("diff-words"), ""},
	{"#/trackers/demo/searches", hook("searches"), "answers"},
	{"#/trackers/demo/products", hook("merchants"), ""},
	{"#/trackers/demo/ads", hook("ads"), "answers"},
	{"#/trackers/demo/answers", hook("answers"), "Answered"},
	{"#/trackers/demo/sweeps", hook("sweeps"), "Complete"},
	{"#/trackers/demo/alerts", `[aria-label="Channels"] + [aria-label="Reports and exports"]`, "No scheduled reports"},
	{"#/trackers/demo/reviews", "section", "No open reviews"},
	{"#/trackers/demo/brands", hook("rules"), "Current"},
	{"#/history/sweeps", hook("requests"), "demo"},
	{"#/trackers/demo/definition", "pre", "name: demo"},
}

// TestTheBundleIsSmall limits what a browser downloads for one file. The server compresses it.
func TestTheBundleIsSmall(t *testing.T) {
	t.Parallel()
	const maxBytes = 150 << 10
	files, err := filepath.Glob(filepath.Join("..", "..", "internal", "api", "dashboard", "dist", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the bundle is %v: %v", files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(content); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if packed.Len() > maxBytes {
			t.Errorf("%s has %d bytes compressed, and may have %d", filepath.Base(file), packed.Len(), maxBytes)
		}
	}
}

// fromRight is a name that is written from right to left.
const fromRight = "متجر (24)"

// mixed returns the elements in which a name from right to left would reorder the text
// around it.
const mixed = `(() => {
	const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), found = [];
	for (let text; (text = texts.nextNode()); ) {
		const box = text.parentElement;
		if (!/[\u0600-\u06ff]/.test(text.data) || text.data.includes("\u2068") || box.closest("figure, textarea")) continue;
		const others = [...box.childNodes].filter((node) => node !== text && node.nodeType === Node.TEXT_NODE);
		if (!/plaintext|isolate/.test(getComputedStyle(box).unicodeBidi) || /[a-z]/i.test(text.data + others.map(({ data }) => data).join("")))
			found.push(box.outerHTML.slice(0, 200));
	}
	return found;
})()`

// testHostileTrackers shows hostile names of prompts, brands, tags and websites.
func testHostileTrackers(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	definition := earshot.TrackerDefinition{
		Targets: []earshot.Target{{Provider: "chatassistant", Country: "US"}, {Provider: "answerengine", Country: "DE"}},
		Reports: &earshot.ReportPlan{Every: "week", Channels: []string{"ops"}},
	}
	n.Send(t, n.Admin(t, a), http.MethodPut, "/v1/channels/ops", `{"kind":"slack","url":"https://receiver.invalid"}`).Has(t, "save a channel", http.StatusOK)
	for i, text := range hostileTexts {
		definition.Prompts = append(definition.Prompts, earshot.TrackedPrompt{Text: text})
		if len(text) <= 50 && !strings.ContainsAny(text, "\n\r\t") && i%5 == 0 {
			definition.Prompts[i].Tags = []string{text}
			definition.Brands = append(definition.Brands, earshot.Brand{Name: text, Own: len(definition.Brands) == 0})
		}
	}
	definition.Brands = append(definition.Brands, earshot.Brand{Name: fromRight}, earshot.Brand{Name: "例え（株）"})
	definition.Prompts = append(definition.Prompts, earshot.TrackedPrompt{Text: fromRight + "؟", Tags: []string{fromRight}})
	body, err := json.Marshal(definition)
	if err != nil {
		t.Fatal(err)
	}
	n.Send(t, a, http.MethodPut, "/v1/trackers/hostile", string(body)).Has(t, "apply", http.StatusOK)
	var started earshot.SweepStarted
	n.Post(t, a, "/v1/trackers/hostile/sweeps", `{}`).Has(t, "run", http.StatusOK).Into(t, &started)
	harness.Eventually(t, "the sweep is closed", func() bool {
		var sweep earshot.Sweep
		n.Get(t, a, "/v1/trackers/hostile/sweeps/"+started.Sweep.ID).Into(t, &sweep)
		return sweep.State == earshot.SweepClosed
	})
	lead := definition.Brands[0].Name
	for _, at := range []struct{ address, selector, text string }{
		{"#/trackers", hook("trackers"), lead},
		{"#/trackers/hostile/overview", hook("league") + " th", lead},
		{"#/trackers/hostile/prompts?branded=yes&sort=asked", hook("matrix") + " th", definition.Prompts[0].Text},
		{"#/trackers/hostile/prompts?branded=yes&prompt=1", "h2", definition.Prompts[0].Text},
		{"#/trackers/hostile/sweeps", hook("sweeps"), ""},
		{"#/trackers/hostile/brands", hook("panel"), fromRight},
		{"#/trackers/hostile/alerts", `[aria-label="Channels"]`, ""},
		{"#/trackers/hostile/definition", "textarea[name=prompts]", definition.Prompts[0].Text},
		{"#/trackers/hostile/overview?tag=" + hostileQuery + "&target=" + hostileQuery + "&metric=__proto__", "[role=alert]", "the tracker has no target"},
		{"#/trackers/hostile/answers?brand=" + fromRight, "main", ""},
		{"#/trackers/hostile/prompts?q=" + hostileQuery, "main", hostileQuery},
		{"#/trackers/constructor", "[role=alert]", "RESOURCE_NOT_FOUND"},
	} {
		if strings.Contains(at.address, "__proto__") { // unknown values of filters
			p.expect("400 (Bad Request)")
		}
		p.goTo(at.address)
		if strings.HasSuffix(at.address, "constructor") {
			p.expect("404 (Not Found)")
		}
		p.shows(at.selector, at.text)
		p.gone(".skeleton", "")
		p.clean(at.address)
		if found, _ := p.eval(mixed).([]any); len(found) > 0 {
			t.Errorf("%s mixes directions in %q", at.address, found)
		}
	}
	p.goTo("#/trackers/hostile/alerts")
	p.click("button", "Send now")
	p.see("[role=status]", "ops pending")
	p.clean("a report on its way")
	p.goTo("#/trackers/hostile/definition")
	p.click("button", "YAML")
	p.shows(hook("definition-text"), "prompts:")
	p.see(".dry-run button", "No changes") // the YAML has the same meaning as the form
	p.clean("the definition as text")
}
