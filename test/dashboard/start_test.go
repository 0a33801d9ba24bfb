package dashboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
)

// clicks counts the clicks and choices of a person.
type clicks struct {
	*tab
	done []string
}

func (c *clicks) click(selector, text string) {
	c.t.Helper()
	c.done = append(c.done, "click "+selector+" "+text)
	c.tab.click(selector, text)
}

func (c *clicks) choose(selector, value string) {
	c.t.Helper()
	c.done = append(c.done, "choose "+value)
	c.tab.choose(selector, value)
}

// testStart gets a new organization from signing in to its first sweep.
func testStart(t *testing.T, c *chromium) {
	n, a := c.newAccount(t)
	p := &clicks{tab: c.open(t, n.BaseURL)}
	p.typeKey(a.Key.Text)
	p.see("h1", "Get started")
	if at := p.eval(`location.hash`); at != "#/start" {
		t.Errorf("a new organization starts at %v", at)
	}
	p.see("label:has([value=chatassistant])", "Sample data")
	p.eval("void (() => {" + axe(t) + "\n})()")
	p.accessible("asking once", `{}`)
	p.expect("400 (Bad Request)")
	p.fill("textarea[name=prompt]", "")
	p.see(".field .wrong", "must not be empty")
	p.fill("textarea[name=prompt]", "What are the best running shoes?")
	p.click(hook("ask"), "Ask ChatGPT (max. 5 credits)")
	p.see(hook("source-card"), "")
	if left := n.Reload(t, a).Available(); left != 9_995 {
		t.Errorf("%d credits are left after one answer", left)
	}

	p.click(hook("to-tracker"), "")
	p.fill("[name=company-name]", "Ollaro GmbH")
	p.fill("[name=company-website]", "ollaro")
	p.fill("[name=company-category]", "running shoes")
	p.tab.click(hook("suggest"), "") // no click of a person who fills in everything
	p.see(".field:has([name=company-website][aria-invalid=true]) .wrong", "brand.example")
	p.see(".field .wrong", "Choose an industry")
	p.fill("[name=company-website]", "https://www.ollaro.example/")
	p.choose("[name=company-industry]", "products")
	p.gone(".field .wrong", "") // the competitors move up when an error disappears
	rival := fmt.Sprint(p.eval(find("fieldset label", "") + ".innerText.trim()"))
	p.tab.click("fieldset label", rival) // optional
	p.click(hook("suggest"), "")
	p.until("the ID", `document.querySelector("[name=name]")?.value === "ollaro"`)
	p.fill("[name=title]", "Running Shoes 2026")
	p.until("the new ID", `document.querySelector("[name=name]").value === "running-shoes-2026"`)
	p.see(hook("dry-run"), "Maximum cost per sweep\n40 credits")
	p.see(hook("dry-run"), "Maximum cost per month\n1,240 credits")
	if trackers := trackersOf(t, n, a); len(trackers) != 0 {
		t.Errorf("suggestions made %+v", trackers)
	}
	p.accessible("the suggested tracker", `{}`)
	p.click(hook("apply"), "Create tracker (max. 1,240 credits a month)")
	p.see("h1", "Running Shoes 2026")
	p.see(hook("quote"), "40 credits")
	if left := n.Reload(t, a).Available(); left != 9_995 {
		t.Errorf("%d credits are left before the first sweep", left)
	}
	p.click(hook("run-now"), "Run (max. 40 credits)")
	p.see(hook("sweeps"), "Complete")

	made := get[earshot.Tracker](t, n, a, "/v1/trackers/running-shoes-2026")
	brands := made.Definition.Brands
	if made.Title != "Running Shoes 2026" || len(made.Definition.Prompts) != 8 || len(brands) != 2 || brands[0].Name != "Ollaro" || !slices.Equal(brands[0].Domains, []string{"ollaro.example"}) || brands[1].Name != rival {
		t.Errorf("the tracker is %+v with the definition %+v; %s was chosen as a rival", made, made.Definition, rival)
	}
	if len(p.done) > 6 {
		t.Errorf("it took %d clicks", len(p.done))
	}
	t.Logf("%d clicks from signing in to the first sweep: %s", len(p.done), strings.Join(p.done, "; "))

	p.goTo("#/trackers")
	p.see(hook("trackers")+" a", "Running Shoes 2026")
	p.goTo("#/trackers?new=form")
	p.fill("[name=title]", "Running Shoes 2026")
	p.until("an ID that is free", `document.querySelector("[name=name]").value === "running-shoes-2026-2"`)
	p.fill("[name=name]", "running-shoes-2026")
	p.fill("textarea[name=prompts]", "best shoes")
	p.see(".field:has([name=name][aria-invalid=true]) .wrong", "The ID is used by another tracker")

	// An organization with a tracker is not led through the steps again. Without permissions there are no actions.
	again := c.open(t, n.BaseURL)
	again.typeKey(n.Key(t, a, time.Time{}, account.ScopeRead).Key.Text)
	again.see("h1", "Playground")
	again.goTo("#/start")
	again.see(hook("needs"), "To ask, sign in with a key that has the monitor permission")
	again.goTo("#/start/tracker")
	again.see(hook("needs"), "track")
}
