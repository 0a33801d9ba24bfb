package dashboard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

// foreign returns elements that the dashboard does not create, and attributes that
// run or load something.
const foreign = `[...document.querySelectorAll("body *")].filter((e) =>
	e.matches("script, style, link, meta, base, object, embed, svg:not(.drawing, .spark), svg :not(g, path, line, rect, circle, pattern, text, tspan, title, a[href^='#'], a:not([href])), math, img, video, audio, template, marquee, noscript, iframe:not([sandbox=''])") &&
		!e.matches("body > noscript") ||
	[...e.attributes].some(({ name, value }) => name.startsWith("on") ||
		["href", "src", "action", "formaction", "srcdoc", "data"].includes(name) && !/^(https?:|#|docs$|openapi\.json$|captures\/|\/)/.test(value))
).map((e) => e.outerHTML.slice(0, 200))`

// clean fails the test if a text was interpreted as markup or script.
func (p *tab) clean(what string) {
	p.t.Helper()
	if found, _ := p.eval(foreign).([]any); len(found) > 0 {
		p.t.Errorf("%s: on the page is %q", what, found)
	}
	if p.eval(`"__xss" in window`) == true {
		p.t.Fatalf("%s: a script ran", what)
	}
}

// shows waits until an element contains exactly the text.
func (p *tab) shows(selector, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%s with all of %q", selector, text), fmt.Sprintf(
		`[...document.querySelectorAll(%s)].some((e) => e.checkVisibility() && (e.textContent + e.value).includes(%s))`, quote(selector), quote(text)))
}

func testHostileTasks(t *testing.T, c *chromium) {
	n := c.node
	r := harness.Receive(t, http.StatusInternalServerError)
	credits := int64(10_000)
	organization, err := app.CreateOrganization(n.Orgs, app.Settings{}, hostileTexts[0], "business", &credits, account.Operator())
	if err != nil {
		t.Fatal(err)
	}
	a := n.Admin(t, organization)
	prompts := map[string]string{} // the prompts by task ID
	for group := range slices.Chunk(hostileTexts, 33) {
		prompt := strings.Join(group, "\n\n")
		where := r.URL + "/?" + url.QueryEscape(group[0]) + hostileQuery
		id := n.Submit(t, a, `{"taskType":"CHATASSISTANT","payload":{"prompt":`+quote(prompt)+`,"country":"US","include":{"markdown":true}},"webhook":{"url":`+quote(where)+`}}`).ID
		prompts[id] = prompt
	}
	for id := range prompts {
		n.WaitDelivery(t, a, id)
	}

	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.goTo("#/history?mode=async")
	p.until("all tasks", fmt.Sprintf(`document.querySelectorAll("[data-testid=requests] tbody tr").length === %d`, len(prompts)))
	for _, text := range hostileTexts {
		p.shows(hook("requests")+" td", text)
	}
	p.clean("the list of tasks")
	for id, prompt := range prompts {
		p.goTo("#/history/" + id)
		p.shows("h1", prompt)
		p.until("the payload", `JSON.parse(document.querySelector("[data-testid=payload]").textContent).prompt === `+quote(prompt))
		p.see(hook("answer"), "")
		p.see(hook("tries"), "Status 500")
		p.clean(prompt)
	}
	p.goTo("#/history/deliveries")
	p.shows(hook("deliveries")+" td", hostileQuery)
	p.clean("the deliveries")
}

// hostileQuery is the end of webhook URLs.
const hostileQuery = `"'><img/src=x/onerror=window.__xss=1>`

func testHostileForms(t *testing.T, c *chromium) {
	_, _, p := c.session(t)
	all := strings.Join(hostileTexts, "\n\n")
	p.turnTo("playground")
	p.choose(hook("provider"), "chatassistant")
	p.see("textarea[name=prompt]", "")
	p.fill("textarea[name=prompt]", all)
	p.click(hook("run"), "")
	p.see(hook("answer"), "window.__xss=1")
	p.clean("the playground's answer")
	for tab, shown := range map[string]string{"JSON": hook("json"), "Stored page": hook("capture"), "Code": hook("code-curl")} {
		p.click("[role=tab]", tab)
		p.see(shown, "")
		p.clean("the playground's " + tab)
	}
	p.choose(hook("provider"), "websearch")
	p.fill("[name=query]", strings.Join(hostileTexts[:20], " "))
	p.click(hook("run"), "")
	p.see(hook("search-results"), "")
	p.clean("the search's results")

	p.turnTo("compare")
	p.fill(hook("prompt"), all)
	p.click(hook("run"), "")
	p.see(hook("progress"), "4 of 4 finished")
	p.clean("the comparison")
	p.click(hook("open"), "")
	p.see("dialog "+hook("answer"), "")
	p.clean("the whole answer")
	p.click("dialog button", "Close")

	p.goTo("#/history/batch")
	lines := 0
	for _, text := range hostileTexts {
		lines += len(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }))
	}
	p.fill("#batch-lines", all)
	p.choose("#batch-country", "FR")
	p.see(hook("row-count"), fmt.Sprint(lines))
	p.see(hook("price"), "Maximum cost")
	p.clean("the batch")
}

// poisoned serves the node with every text of a call's result replaced by the text of
// the call in texts. In responses about trackers and requests, it replaces the fields
// that are named in fields.
func poisoned(t *testing.T, n *harness.Node, texts []string, fields map[string]string) string {
	t.Helper()
	var calls atomic.Int64
	proxy := proxyOf(t, n)
	proxy.ModifyResponse = func(r *http.Response) error {
		called := strings.HasPrefix(r.Request.URL.Path, "/v1/monitor/")
		if !called && !strings.HasPrefix(r.Request.URL.Path, "/v1/trackers/") && !strings.HasPrefix(r.Request.URL.Path, "/v1/requests") || r.StatusCode != http.StatusOK {
			return nil
		}
		var answer map[string]any
		if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
			return err
		}
		if called {
			answer["result"] = replaceTexts(answer["result"], texts[int(calls.Add(1)-1)%len(texts)])
		} else {
			replaceFields(answer, fields)
		}
		body, err := json.Marshal(answer)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return err
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL
}

// replaceFields replaces the strings in fields with these names, at any depth.
func replaceFields(value any, fields map[string]string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			replaceFields(item, fields)
		}
	case map[string]any:
		for name, item := range v {
			if text, ok := fields[name]; ok {
				if _, ok := item.(string); ok {
					v[name] = text
					continue
				}
			}
			if name != "definition" {
				replaceFields(item, fields)
			}
		}
	}
}

func replaceTexts(value any, text string) any {
	switch v := value.(type) {
	case string:
		return text
	case []any:
		for i := range v {
			v[i] = replaceTexts(v[i], text)
		}
	case map[string]any:
		for name := range v {
			v[name] = replaceTexts(v[name], text)
		}
	}
	return value
}

// testHostileAnswers shows hostile texts in every field of a result.
func testHostileAnswers(t *testing.T, c *chromium) {
	n, a := c.newAccount(t)
	texts := []string{strings.Join(hostileTexts, "\n\n")}
	for _, text := range hostileTexts {
		if strings.Contains(text, "script:") || strings.HasPrefix(text, "data:") {
			texts = append(texts, text) // also as a URL
		}
	}
	p := c.signIn(t, poisoned(t, n, texts, nil), a.Key.Text)
	p.turnTo("playground")
	for provider, shown := range map[string]string{"chatassistant": hook("source-card"), "websearch": hook("organic-result")} {
		p.choose(hook("provider"), provider)
		p.see("[name=prompt], [name=query]", "")
		for range texts {
			p.click(hook("run"), "")
			p.see(shown, "")
			p.clean("an answer of " + provider)
		}
	}
}

// testHostileAddresses opens hostile addresses.
func testHostileAddresses(t *testing.T, c *chromium) {
	n, _, p := c.session(t)
	p.expect("404 (Not Found)")
	for i, text := range hostileTexts {
		if strings.Contains(text, "/") || i%4 != 0 && strings.Contains(text, "__xss") {
			continue // another address, or similar to the others
		}
		p.eval(`document.querySelector("main [role=alert]")?.setAttribute("data-before", "")`)
		p.goTo("#/history/" + url.PathEscape(text))
		p.see("main [role=alert]:not([data-before])", "RESOURCE_NOT_FOUND")
		p.clean("the task " + text)
	}
	for _, address := range []string{
		"#/%", "#/history/%E0%A4%A", "#/history/%00", "#//////", "#/constructor", "#/__proto__", "docs#%", "docs#__proto__",
		"#/" + hostileTexts[0], "#/playground/" + hostileTexts[0], "docs#" + hostileTexts[0], "?" + hostileTexts[0],
	} {
		p.visit("about:blank") // so that the next visit loads the page
		p.visit(n.BaseURL + "/" + address)
		p.see("header nav", "Playground")
		p.see("main h1, main [role=alert]", "")
		p.clean(address)
	}
	stranger := c.open(t, n.BaseURL+"/#token="+url.PathEscape(hostileTexts[0]))
	stranger.expect("401 (Unauthorized)")
	stranger.see("[role=alert]", "token is not valid")
	stranger.typeKey(hostileTexts[0])
	stranger.see("[role=alert]", "INVALID_API_KEY")
	stranger.clean("the sign-in")
}
