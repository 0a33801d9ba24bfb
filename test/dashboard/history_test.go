package dashboard_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot"
	"earshot/test/harness"
)

// goTo opens a page by its address.
func (p *tab) goTo(fragment string) {
	p.t.Helper()
	p.eval(`location.hash = ` + quote(fragment))
}

// batch submits the rows of the form, and waits until all tasks are completed.
func (p *tab) batch(rows int) {
	p.t.Helper()
	p.until(fmt.Sprintf("%d rows", rows), find(hook("row-count"), "")+fmt.Sprintf(`?.innerText === "%d"`, rows))
	p.see(hook("price"), "Maximum cost")
	p.click(hook("submit-batch"), fmt.Sprintf("Submit %d tasks", rows))
	p.see(hook("batch")+"[data-state=done]", "Done")
	p.see(hook("count-completed"), fmt.Sprint(rows))
	p.see(hook("count-failed"), "0")
}

func testBatch(t *testing.T, c *chromium) {
	n, a, p := c.session(t)
	p.turnTo("history")
	p.see(".empty", "No requests yet")
	p.click("a", "Submit a batch")
	p.choose("#batch-type", "CHATASSISTANT")
	var lines strings.Builder
	for i := range 20 {
		fmt.Fprintf(&lines, "kettle %d\n\n", i)
	}
	p.fill("#batch-lines", lines.String())
	p.see(hook("needs-country"), "Choose a country") // there is no default country
	p.choose("#batch-country", "DE")
	p.batch(20)
	p.click("a", "View tasks")
	p.until("the list of all", `document.querySelectorAll('[data-testid=requests] tbody tr').length === 20`)

	p.click("nav a", "Submit a batch")
	p.click(hook("new-batch"), "")
	file := filepath.Join(t.TempDir(), "prompts.csv")
	content := "prompt,country,priority\r\n"
	for i := range 200 {
		content += fmt.Sprintf("\"a \"\"kettle\"\", number %d\",%s,%d\r\n", i, []string{"DE", "US"}[i%2], 1+i%5)
	}
	content += "nowhere,ZZ,1\r\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	p.upload("#batch-file", file)
	p.see(hook("file-name"), "prompts.csv")
	p.see(hook("faults"), "Line 202")
	p.see(hook("row-count"), "201")
	p.click(hook("submit-batch"), "Submit 200 tasks")
	p.see(hook("batch")+"[data-state=done]", "Done")
	p.see(hook("count-completed"), "200")
	if left := n.Queue(t, a); left.QueuedTasks+left.ProcessingTasks != 0 {
		t.Errorf("it is done with %+v", left)
	}
	var page struct{ Tasks []earshot.TaskRecord }
	n.Get(t, a, "/v1/async/tasks?limit=1").Into(t, &page)
	if payload := string(page.Tasks[0].Task.Payload); !strings.Contains(payload, `a \"kettle\", number `) {
		t.Errorf("a row of the file became %s", payload)
	}
}

func testTask(t *testing.T, c *chromium) {
	n := newDashboard(t) // failures make a node slow down requests to a provider
	a := owner(t, n)
	done := n.Submit(t, a, harness.ChatTask("a kettle", harness.IdempotencyKey("kettle-1"))).ID
	failed := n.Submit(t, a, harness.ChatTask("no kettle [[block]]")).ID
	n.Wait(t, a, done)
	n.Wait(t, a, failed)
	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.turnTo("history")
	p.see(hook("requests")+" tr", "no kettle")
	p.choose("#filter-status", "COMPLETED")
	p.gone(hook("requests")+" tr", "no kettle")
	p.until("the filter in the address", `location.hash === "#/history?status=COMPLETED"`)
	p.click(hook("requests")+" td a", "a kettle")
	p.until("the address of the task", fmt.Sprintf(`location.hash === "#/history/%s"`, done))
	p.see("h1", "a kettle")
	p.see(hook("payload"), `"country": "US"`)
	p.see(hook("source-card"), "")
	p.see("dd", "kettle-1")
	p.goTo("#/history/" + failed)
	p.see(hook("task-error"), "blocked")
	p.see(hook("task-error"), "Nothing was charged")
	p.see("dd", "0 credits")
	p.click("a", "All requests")
	p.choose("#filter-status", "")

	// A task that was submitted elsewhere appears without a reload.
	running := n.Submit(t, a, harness.ChatTask("a slow kettle [[delay=4m]]")).ID
	p.see(hook("requests")+" tr", "a slow kettle")
	p.goTo("#/history/" + running)
	p.see("h1", "a slow kettle")
	p.see(hook("outcome"), "Running, attempt")
	p.goTo("#/history/" + harness.NoTask)
	p.expect("404 (Not Found)")
	p.see("[role=alert]", "RESOURCE_NOT_FOUND")
}

// testHistory finds calls and tasks in one list, and retries failed ones.
func testHistory(t *testing.T, c *chromium) {
	n := newDashboard(t) // failures make a node slow down requests to a provider
	a := owner(t, n)
	batch := n.SubmitAll(t, a, harness.ChatTask("a kettle"), harness.ChatTask("no kettle [[block]]"), harness.ChatTask("no pot [[block]]"))
	for _, item := range batch.Results {
		n.Wait(t, a, item.Task.ID)
	}
	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.turnTo("playground")
	p.choose(hook("provider"), "chatassistant")
	p.fill("textarea[name=prompt]", "a teapot")
	p.click(hook("run"), "")
	p.see(hook("answer"), "")
	p.turnTo("usage") // the result is kept when the page changes
	p.turnTo("playground")
	p.see(hook("answer"), "")
	p.click(hook("kept"), "View in history")
	p.see("h1", "a teapot")
	p.see("dd", "Call")
	p.see(hook("outcome"), "Sample data")

	p.turnTo("history")
	p.see(hook("summary"), "1 call, 1 batch · 1 completed") // a batch is one row
	p.see(hook("requests")+" tr", "1 of 3 completed, 2 failed")
	p.fill(hook("search"), "KETTLE")
	p.see(hook("summary"), "2 tasks · 1 completed · 1 failed") // a search also finds tasks of batches
	p.until("the search in the address", `location.hash === "#/history?q=KETTLE"`)
	p.click(".segments a", "Calls")
	p.see(".empty", "No requests match these filters")
	p.click(".empty button", "Kind")
	p.click(hook("retry"), "")
	p.see("dialog", "Maximum cost: 5 credits")
	p.click(hook("retry-confirm"), "")
	p.see(hook("requests")+" td a", "Retried")

	p.goTo("#/history?mode=async")
	p.see(hook("retry"), "")
	p.until("rows of one line each", `(() => {
		const heights = [...document.querySelectorAll("[data-testid=requests] tbody tr")].map((row) => row.offsetHeight);
		return Math.max(...heights) < 1.6 * Math.min(...heights);
	})()`)
	p.click(hook("choose-failed"), "")
	p.click(hook("retry-chosen"), "max.")
	p.click(hook("retry-confirm"), "")
	p.see(hook("retried"), "retried")

	p.goTo("#/history/batches")
	p.click(hook("requests")+" td a", "Batch of 3 tasks")
	p.see(hook("batch-yes"), "1")
	p.see(hook("batch-csv"), "CSV")
	if got := n.Get(t, a, "/v1/batches/"+batch.BatchID+"/results?format=csv"); !strings.Contains(string(got.Body), "a kettle") {
		t.Errorf("the file of the batch is %s", got.Body)
	}
	p.see(hook("batch-failed"), "2 blocked") // after the retries have failed
	p.click(hook("retry-failed"), "Retry 2 failed")
	p.click(hook("retry-confirm"), "")
	p.see(hook("retried"), "2 retried")
	p.goTo("#/history/sweeps")
	p.see(".empty", "No sweeps yet")
	if was := p.eval(`document.querySelector("header nav [aria-current=page]").innerText`); was != "History" {
		t.Errorf("the page is marked as %v", was)
	}
	p.goTo("#/tasks/deliveries") // the old address of the page
	p.see(".empty", "No deliveries yet")
}

func testDeliveries(t *testing.T, c *chromium) {
	n, a := c.newAccount(t)
	r := harness.Receive(t, http.StatusInternalServerError, http.StatusInternalServerError, http.StatusInternalServerError, http.StatusNoContent)
	id := n.Submit(t, a, harness.ChatTask("a kettle", r.Field())).ID
	if d := n.WaitDelivery(t, a, id); d.Delivered || d.Attempts != 3 {
		t.Fatalf("the delivery is %+v", d)
	}
	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.turnTo("history")
	p.click("nav a", "Webhook deliveries")
	p.choose("#filter-delivery-state", "failed")
	p.see(hook("deliveries")+" tr", "Status 500")
	p.see(hook("deliveries")+" tr", r.URL+"/hook")
	p.click(hook("resend"), "")
	p.gone(hook("deliveries")+" tr", "Status 500")
	if d := n.WaitDelivery(t, a, id); !d.Delivered || len(r.Webhooks()) != 4 {
		t.Errorf("after sending it again: %+v", d)
	}
	p.choose("#filter-delivery-state", "delivered")
	p.see(hook("deliveries")+" tr", "Status 204")
	p.click(hook("deliveries")+" a", "…"+id[len(id)-8:])
	p.see(hook("delivery"), "4 attempts")
	p.see(hook("tries"), "Status 500")
}

func testClear(t *testing.T, c *chromium) {
	n := c.node
	a := n.Organization(t, "one", 100)
	n.Hang(t, a)
	for i := range 3 {
		n.Submit(t, a, harness.ChatTask(fmt.Sprintf("kettle %d", i)))
	}
	p := c.signIn(t, n.BaseURL, a.Key.Text)
	p.turnTo("history")
	p.click(hook("requests")+" td a", "kettle 1")
	p.click(hook("cancel"), "")
	p.click("nav a", "Queue")
	p.see(hook("queued"), "2")
	p.click(hook("clear-queue"), "")
	p.see("dialog", "permanently removes")
	p.escape()
	p.click(hook("clear-queue"), "")
	p.click(hook("clear-confirm"), "Remove 2 tasks")
	p.see(hook("queued"), "0")
}
