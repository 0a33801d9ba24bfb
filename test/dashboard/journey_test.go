package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

// hook returns the selector of a data-testid.
func hook(name string) string { return fmt.Sprintf("[data-testid=%q]", name) }

func testPlayground(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	p.turnTo("playground")
	p.choose(hook("provider"), "chatassistant")
	p.fill("textarea[name=prompt]", "Which kettle lasts longest?")
	p.choose("select[name=country]", "DE")
	p.see(hook("price"), "Max.")
	if left := n.Reload(t, a).Available(); left != 10_000 {
		t.Errorf("the price cost %d credits", 10_000-left)
	}
	p.click(hook("run"), "")
	p.see(hook("answer"), "kettle")
	p.see(hook("source-card"), "")
	p.until("facts in a line", `getComputedStyle(document.querySelector(".facts")).display === "flex"`)
	p.see(hook("lab-hint"), "Sample data")
	p.see(hook("charged"), "")
	left := n.Reload(t, a).Available()
	if left >= 10_000 {
		t.Error("the answer was free")
	}
	p.until("the new balance in the header", find("header", withCommas(left)+" credits"))

	p.click("[role=tab]", "JSON")
	p.see(hook("json"), `"sources"`)
	p.click("[role=tab]", "Stored page")
	p.until("the captured page", find(hook("capture"), "")+`?.contentDocument !== undefined`)
	p.click("[role=tab]", "Code")
	p.see(hook("code-curl"), "/v1/monitor/chatassistant")
	if shown := p.eval(`document.body.innerText`); strings.Contains(fmt.Sprint(shown), a.Key.Text) {
		t.Error("the examples show the key")
	}
}

func testValidation(t *testing.T, c *chromium) {
	_, _, p := c.session(t)
	p.expect("400 (Bad Request)")
	p.expect("422 (Unprocessable")
	p.turnTo("playground")
	p.fill("textarea[name=prompt]", "")
	p.click(hook("run"), "")
	p.see(".field:has([name=prompt][aria-invalid=true]) .wrong", "required")
	p.see("[role=alert] code", "")
	p.fill("textarea[name=prompt]", "a kettle")
	p.gone(".field:has([name=prompt]) .wrong", "required")
	p.do("press Ctrl+Enter", chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.see(hook("answer"), "kettle")
}

func testCancel(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	p.turnTo("playground")
	p.fill("textarea[name=prompt]", "a kettle [[delay=4m]]")
	p.click(hook("run"), "")
	p.see(hook("elapsed"), "s")
	harness.Eventually(t, "the call takes a slot", func() bool { return n.Reload(t, a).Running == 1 })
	p.click(hook("cancel"), "")
	p.see(".empty", "Canceled")
	harness.Eventually(t, "the slot is free", func() bool { return n.Reload(t, a).Running == 0 })
	if left := n.Reload(t, a).Available(); left != 10_000 {
		t.Errorf("it cost %d credits", 10_000-left)
	}
	p.see(hook("run"), "")
}

func testCompare(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	p.turnTo("compare")
	p.fill(hook("prompt"), "Which kettle lasts longest?")
	p.click(hook("provider-genassistant"), "") // selected by default
	p.click(hook("provider-websearch"), "")
	p.see(hook("price"), "4 requests, max.")
	p.until("the price", find(hook("price"), "")+`.innerText.match(/max\. \d+ credits/)`)
	p.click(hook("run"), "")
	p.see(hook("progress"), "4 of 4 finished, 4 answered")
	cells := fmt.Sprint(p.eval(`[...document.querySelectorAll('[data-testid=cell][data-phase=done] h3')].map((e) => e.innerText).join()`))
	if want := "ChatGPT United States,ChatGPT Germany,Google Search United States,Google Search Germany"; cells != want {
		t.Errorf("the cells are %s, want %s", cells, want)
	}
	p.see(hook("matrix")+" table", "Domain")
	p.see(hook("matrix"), "The built-in lab generated all of these answers")
	p.see(hook("matrix")+" th", "ChatGPT · US")
	p.see(hook("cell")+" "+hook("lab-hint"), "Sample data")
	p.click(hook("open"), "")
	p.see("dialog "+hook("source-card"), "")
	p.escape()

	// The mentions of brands come from the matching rules of a tracker.
	var page earshot.RequestPage
	n.Get(t, a, "/v1/requests?provider=chatassistant").Has(t, "the calls", http.StatusOK).Into(t, &page)
	var asked struct{ Result earshot.Answer }
	n.Get(t, a, "/v1/requests/"+page.Requests[0].ID).Has(t, "a call", http.StatusOK).Into(t, &asked)
	brand := asked.Result.Entities[0].Name
	n.Send(t, a, http.MethodPut, "/v1/trackers/kettles", `{"prompts":["kettle"],"targets":[{"provider":"chatassistant","country":"US"}],"brands":[{"name":`+quote(brand)+`}]}`).Has(t, "apply", http.StatusOK)
	p.turnTo("usage")
	p.turnTo("compare")
	p.choose(hook("brands-of"), "kettles")
	p.see(hook("cell-brands"), "Names "+brand)
	var found earshot.RequestRecord
	n.Get(t, a, "/v1/requests/"+page.Requests[0].ID+"?brandsOf=kettles").Has(t, "its brands", http.StatusOK).Into(t, &found)
	if found.Found == nil || len(found.Found.Mentions) == 0 {
		t.Fatalf("the call names nobody: %+v", found.Found)
	}
	p.until("as many as the service finds", fmt.Sprintf(`document.querySelector("[data-testid=matrix] td:nth-child(%d)").innerText === "%d"`, map[string]int{"US": 4, "DE": 5}[countryOf(t, &found)], len(found.Found.Mentions)))
}

func countryOf(t *testing.T, r *earshot.RequestRecord) string {
	t.Helper()
	var payload struct{ Country string }
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		t.Fatal(err)
	}
	return payload.Country
}

// secret returns the secret in the dialog.
func (p *tab) secret() string {
	p.t.Helper()
	p.see(hook("secret"), "_")
	return fmt.Sprint(p.eval(find(hook("secret"), "") + ".innerText"))
}

func testKeys(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	p.turnTo("keys")
	p.see("table tr", a.Key.ID)
	p.fill(hook("key-name"), "laptop")
	p.click(hook("create-key"), "")
	p.see("dialog", "You won't see it again")
	secret := p.secret()
	id, _ := account.KeyID(secret)
	made := account.Key{ID: id, Text: secret}
	fresh := &app.Account{Organization: a.Organization, Key: made}
	n.Get(t, fresh, "/v1/credits").Has(t, "the new key", http.StatusOK)
	n.Get(t, fresh, "/v1/keys").Has(t, "the new key looks at keys", http.StatusForbidden)
	p.click(hook("secret-done"), "")
	row := fmt.Sprintf("tr:has([aria-label=%q])", "Revoke "+made.ID)
	p.see(row, "laptop")
	p.click(fmt.Sprintf("[aria-label=%q]", "Rename "+made.ID), "")
	p.fill(hook("new-name"), "report")
	p.click(hook("confirm"), "Rename")
	p.see(row, "report")
	p.see(row, "Active")
	if kept := p.eval(`document.documentElement.outerHTML + Object.values(sessionStorage).join() + Object.values(localStorage).join()`); strings.Contains(fmt.Sprint(kept), secret) {
		t.Error("the secret is still there")
	}
	p.click(row+" "+hook("revoke"), "")
	p.see("dialog", made.ID)
	p.escape()
	p.click(row+" "+hook("revoke"), "")
	p.click(hook("confirm"), "Revoke")
	p.until("the key as revoked", fmt.Sprintf(`[...document.querySelectorAll("tr")].some((e) => e.innerText.includes(%q) && e.innerText.includes("Revoked"))`, made.ID))
	harness.Eventually(t, "the key is refused", func() bool { return n.Get(t, fresh, "/v1/credits").StatusCode == http.StatusUnauthorized })
}

func testWebhookSettings(t *testing.T, c *chromium) {
	n, a := c.newAccount(t)
	r := harness.Receive(t, http.StatusNoContent, http.StatusTeapot)
	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.turnTo("keys")
	p.click(hook("rotate"), "")
	p.click(hook("confirm"), "Rotate")
	p.see("dialog", "You won't see it again")
	secret := p.secret()
	p.click(hook("secret-done"), "")
	p.fill(hook("test-url"), r.URL+"/try")
	p.click(hook("test-send"), "")
	p.see(hook("test-result"), "Status 204")
	r.Webhooks()[0].Verify(t, secret)
	p.click(hook("test-send"), "")
	p.see(hook("test-result"), "Not delivered Status 418")
}

func testNoAdmin(t *testing.T, c *chromium) {
	n := c.node
	p := c.signIn(t, n.BaseURL, n.Organization(t, "business", 100).Key.Text)
	p.expect("403 (Forbidden)")
	p.turnTo("keys")
	p.see(hook("needs-admin"), "earshot key create")
	p.turnTo("usage")
	p.see(hook("needs-admin"), "The ledger")
}

// painted reports whether all charts have a visible line or bar.
const painted = `[...document.querySelectorAll(".plot .drawing")].every((e) => e.clientWidth > 100 && e.clientHeight > 100 &&
	[...e.querySelectorAll("path")].some((path) => path.getTotalLength() > 0))`

func testUsage(t *testing.T, c *chromium) {
	n, a := c.newAccount(t)
	for _, provider := range []string{"chatassistant", "answerengine"} {
		n.Result(t, a, provider, `{"prompt":"kettles","country":"US"}`)
	}
	id := n.Submit(t, a, harness.ChatTask("more kettles")).ID
	n.Wait(t, a, id)
	before := n.Reload(t, a).Available()
	for _, one := range n.SubmitAll(t, a, harness.ChatTask("a kettle"), harness.ChatTask("two kettles")).Results {
		n.Wait(t, a, one.Task.ID)
	}
	left := n.Reload(t, a).Available()
	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.turnTo("usage")
	p.see(hook("balance"), withCommas(left))
	p.see(hook("usage-total"), fmt.Sprint(10_000-left))
	p.see(hook("cycle-used"), fmt.Sprintf("%d of ", 10_000-left))
	p.see("table[aria-label^=Latency] tr", "Perplexity") // one hour is shown as a table, not as a line
	p.click(hook("speed-charts"), "")
	p.until("four plots", `document.querySelectorAll(".plot .drawing").length === 4 && `+painted)
	p.see("table[aria-label=Ledger] tr", "+10,000")
	p.until("a running balance, in the order of time", fmt.Sprintf(`[...document.querySelectorAll("table[aria-label=Ledger] td[data-label=Balance]")].map((e) => e.innerText).join(" ") === "%s %s 9,991 9,995 10,000"`, withCommas(left), withCommas(before)))
	p.see("table[aria-label=Ledger] a", id)
	p.choose(hook("ledger-kind"), "charge")
	p.until("three charges and a batch", `document.querySelectorAll("table[aria-label=Ledger] tbody tr").length === 4`)
	p.see("table[aria-label=Ledger] tr", "2 tasks")
	p.click("table[aria-label=Ledger] button", "Show charges")
	p.until("the charges of the batch", `[...document.querySelectorAll("table[aria-label=Charges] td[data-label=Credits]")].map((e) => e.innerText).join(" ") === "-5 -5"`)
	p.click("table[aria-label=Ledger] a", id)
	p.until("the task", fmt.Sprintf(`location.hash === "#/history/%s"`, id))
}

func testSystem(t *testing.T, c *chromium) {
	n, a := c.newAccount(t)
	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.turnTo("system")
	p.see(hook("upstreams-chatassistant")+" tr", "Lab (sample data)")
	p.see(hook("upstreams-chatassistant")+" tr", "Not configured")
	p.see(hook("upstreams-websearch")+" tr", "cloro (vendor)")
}

func testDocs(t *testing.T, c *chromium) {
	_, _, p := c.session(t)
	p.click("header nav a", "API reference")
	p.see(hook("overview"), "Authentication")
	p.fill(hook("filter"), "chatassistant")
	p.click(".docs-nav li a", "POST")
	p.see(hook("path"), "/v1/monitor/chatassistant")
	p.see(hook("scope"), "monitor")
	p.see(hook("example"), `"prompt"`)
	p.fill(hook("try-body"), `{"prompt": "kettles", "country": `)
	p.see(".wrong", "Not valid JSON")
	p.fill(hook("try-body"), `{"prompt": "kettles", "country": "US"}`)
	p.click(hook("try-send"), "")
	p.see(hook("try-status"), "200")
	p.see(hook("try-response"), `"sources"`)
	p.see(hook("snippet"), "/v1/monitor/chatassistant")

	p.fill(hook("filter"), "getCredits")
	p.click(".docs-nav li a", "GET")
	p.see(hook("path"), "/v1/credits")
	p.fill(hook("try-key"), "ear_live_wrong")
	p.expect("401 (Unauthorized)")
	p.click(hook("try-send"), "")
	p.see(hook("try-status"), "401")
	p.see(hook("try-response"), "INVALID_API_KEY")
	p.see(hook("account"), "")
}

// withCommas formats a number of up to six digits like the pages do.
func withCommas(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
