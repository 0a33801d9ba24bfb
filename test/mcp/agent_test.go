package mcp_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/api"
	"earshot/internal/api/mcp"
	"earshot/internal/app"
	"earshot/test/harness"
)

// tools are the tools by the scope that they need.
var tools = map[account.Scope][]string{
	account.ScopeRead: {
		"alerts", "answer", "answers", "compare", "contents", "countries", "metrics", "reviews", "sources", "tasks", "trackers", "usage", "what_moved", "why",
	},
	account.ScopeMonitor: {"ask"},
	account.ScopeTasks:   {"ask"},
	account.ScopeTrack:   {"acknowledge_alert", "apply_tracker", "cancel_sweep", "mark_review", "run_sweep"},
	account.ScopeAdmin:   nil,
}

func listTools(t *testing.T, session *sdk.ClientSession) []*sdk.Tool {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// A model reads the whole list before it does anything.
	if size := len(harness.JSON(t, list)); size > 40<<10 || len(list.Tools) > 20 {
		t.Errorf("the list of %d tools has %d bytes", len(list.Tools), size)
	}
	return list.Tools
}

// TestAnAgentFindsTheToolsOfItsKey lists the tools with keys of each scope alone, and of all.
// It also reads the introduction for agents.
func TestAnAgentFindsTheToolsOfItsKey(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	all := map[string]bool{}
	for scope, names := range tools {
		checkNames(t, string(scope), listTools(t, agent(t, n, n.Key(t, n.First, time.Time{}, scope), "")), names)
		for _, name := range names {
			all[name] = true
		}
	}
	checkIntroduction(t, n)
	for _, revision := range revisions {
		listed := listTools(t, agent(t, n, n.First, revision))
		checkNames(t, revision, listed, slices.Collect(maps.Keys(all)))
		for _, tool := range listed {
			if tool.OutputSchema != nil || tool.Title == "" || len(tool.Description) < 20 {
				t.Errorf("%s", harness.JSON(t, tool))
			}
		}
	}
}

func checkNames(t *testing.T, what string, listed []*sdk.Tool, want []string) {
	t.Helper()
	var names []string
	for _, tool := range listed {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if want := slices.Sorted(slices.Values(want)); !slices.Equal(names, want) {
		t.Errorf("%s: the tools are %q, want %q", what, names, want)
	}
}

// recorder notes the operations that tools call.
type recorder struct {
	mcp.Remote
	routes *http.ServeMux

	mu     sync.Mutex
	called []string // "" and the name of a tool begin the calls of the tool
}

func (r *recorder) Call(ctx context.Context, method, path string, header http.Header, body any) (int, []byte, http.Header, error) {
	_, pattern := r.routes.Handler(&http.Request{Method: method, URL: &url.URL{Path: strings.Split(path, "?")[0]}})
	r.mu.Lock()
	r.called = append(r.called, pattern)
	r.mu.Unlock()
	return r.Remote.Call(ctx, method, path, header, body)
}

// take returns the operations that were called since the last take.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	called := r.called
	r.called = nil
	return called
}

// guest is an agent on standard input and output.
type guest struct {
	*sdk.ClientSession
	calls      *recorder
	operations map[string]api.Operation
	bytes      int                        // of all results
	called     map[string]map[string]bool // the operations that each tool has called
}

func newGuest(t *testing.T, n *harness.Node, a *app.Account) *guest {
	t.Helper()
	g := &guest{calls: &recorder{Remote: mcp.Remote{URL: n.BaseURL, Key: a.Key.Text}, routes: http.NewServeMux()}, operations: map[string]api.Operation{}, called: map[string]map[string]bool{}}
	for _, o := range api.Operations(app.Providers()) {
		g.operations[o.Method+" "+o.Path] = o
		g.calls.routes.Handle(o.Method+" "+o.Path, http.NotFoundHandler())
	}
	document, err := app.OpenAPI(app.Providers())
	if err != nil {
		t.Fatal(err)
	}
	server, err := mcp.New(mcp.Config{OpenAPI: document, Caller: g.calls})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.Run(context.WithoutCancel(t.Context()), in, out) }()
	g.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return g
}

// use calls a tool and returns what it says, which must contain the parts.
func (g *guest) use(t *testing.T, tool, arguments string, parts ...string) string {
	t.Helper()
	g.calls.take()
	result := use(t, g.ClientSession, tool, arguments)
	text := said(result)
	if result.IsError {
		t.Fatalf("%s %s: %s", tool, arguments, text)
	}
	if len(text) > 8<<10 {
		t.Errorf("%s %s says %d bytes", tool, arguments, len(text))
	}
	g.bytes += len(text)
	if g.called[tool] == nil {
		g.called[tool] = map[string]bool{}
	}
	for _, operation := range g.calls.take() {
		g.called[tool][operation] = true
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s %s says\n%s\nwant %q", tool, arguments, text, part)
		}
	}
	return text
}

// column returns a cell of the first row of the first table.
func column(t *testing.T, text, name string) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, line := range lines[:len(lines)-1] {
		if place := slices.Index(strings.Split(line, "\t"), name); place >= 0 {
			return strings.Split(lines[i+1], "\t")[place]
		}
	}
	t.Fatalf("there is no column %s in\n%s", name, text)
	return ""
}

// checkAnnotations compares the annotations with the operations that the tools have called.
func (g *guest) checkAnnotations(t *testing.T) {
	t.Helper()
	for _, tool := range listTools(t, g.ClientSession) {
		changes, overwrites, once := false, false, false
		for name := range g.called[tool.Name] {
			o := g.operations[name]
			if o.Method == http.MethodGet || o.Unaudited == "changes nothing" {
				continue
			}
			changes = true
			overwrites = overwrites || o.Method != http.MethodPost
			once = once || !o.Idempotent() || o.Scope == account.ScopeMonitor
		}
		is := tool.Annotations
		if len(g.called[tool.Name]) == 0 || is.ReadOnlyHint == changes || *is.DestructiveHint != overwrites || is.IdempotentHint == once || *is.OpenWorldHint != once {
			t.Errorf("%s calls %v and is annotated %s", tool.Name, g.called[tool.Name], harness.JSON(t, is))
		}
	}
}

// Every sentence of the lab that names Ollaro differs from this fact.
const shoes = `"brands":[{"name":"Ollaro","own":true}],"facts":[{"brand":"Ollaro","name":"spelling","near":["Ollaro"],"is":"Ollara","not":["Ollaro"]}],
	"prompts":["best running shoes for beginners","Which trail running shoes last longest?","best running shoes for women"],
	"targets":[{"provider":"chatassistant","country":"US"},{"provider":"answerengine","country":"US"}],"schedule":{"every":"day","at":"06:00"}`

// TestAnAgentTracksABrand leads an agent from nothing to metrics, and uses every tool. The annotations of the
// tools must agree with what they do, and each change must be in the audit log.
func TestAnAgentTracksABrand(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	g := newGuest(t, n, a)

	g.use(t, "trackers", "", "No rows.")
	g.use(t, "what_moved", "", "No rows.")
	g.use(t, "apply_tracker", `{"tracker":"shoes","definition":{`+shoes+`}}`, "Dry run: nothing was stored.", "3 prompts on 2 targets, 1 brands", "Next sweeps:")
	g.use(t, "trackers", "", "No rows.")
	g.use(t, "apply_tracker", `{"tracker":"shoes","confirm":true,"definition":{`+shoes+`}}`, "It creates the tracker.")
	g.use(t, "apply_tracker", `{"tracker":"shoes","confirm":true,"definition":{`+shoes+`}}`, "It changes nothing.")
	g.use(t, "what_moved", "", "shoes", "no sweeps")
	g.use(t, "run_sweep", `{"tracker":"shoes","idempotencyKey":"first"}`, "manual first")
	g.use(t, "run_sweep", `{"tracker":"shoes","idempotencyKey":"first"}`, "true")
	harness.Eventually(t, "the sweep is closed", func() bool {
		return strings.Contains(g.use(t, "trackers", `{"tracker":"shoes"}`), "\tclosed\t")
	})
	for _, tool := range []string{"metrics", "compare", "sources", "why", "alerts"} {
		g.use(t, tool, `{"tracker":"shoes"}`)
	}
	for _, kind := range []string{"searches", "products", "ads", "names"} {
		g.use(t, "contents", `{"tracker":"shoes","kind":"`+kind+`"}`)
	}
	first := g.use(t, "answers", `{"tracker":"shoes","limit":1}`, "[more: cursor=")
	_, cursor, _ := strings.Cut(strings.TrimSuffix(first, "]"), "cursor=")
	second := g.use(t, "answers", `{"tracker":"shoes","limit":1,"cursor":"`+cursor+`"}`)
	g.use(t, "answer", `{"tracker":"shoes","id":"`+column(t, first, "id")+`"}`, "Made up: ")
	g.use(t, "answer", `{"tracker":"shoes","id":"`+column(t, first, "id")+`","other":"`+column(t, second, "id")+`"}`, "Distance of brands")
	g.use(t, "countries", `{"provider":"gemini"}`, " DE ")
	g.act(t)
	g.cancelsASweep(t, n)
	g.checkAnnotations(t)
	checkAudit(t, n, a, "tracker.create", "tracker.run", "tracker.pause", "tracker.resume", "review.mark", "alert.acknowledge")
}

// act uses the tools that change something, and tasks.
func (g *guest) act(t *testing.T) {
	t.Helper()
	var reviews string
	harness.Eventually(t, "there is a review", func() bool {
		reviews = g.use(t, "reviews", `{"tracker":"shoes"}`)
		return !strings.Contains(reviews, "No rows.")
	})
	g.use(t, "mark_review", `{"tracker":"shoes","id":"`+column(t, reviews, "id")+`","state":"wrong","note":"told <them>"}`, "Ollaro", "wrong", "told <them>")
	g.use(t, "apply_tracker", `{"tracker":"capped","confirm":true,"definition":{"prompts":["best hats"],"targets":[{"provider":"chatassistant","country":"US"}],"ceiling":{"creditsPerMonth":1}}}`)
	g.use(t, "run_sweep", `{"tracker":"capped"}`, "skipped")
	var alerts string
	harness.Eventually(t, "there is an alert", func() bool {
		alerts = g.use(t, "alerts", `{"tracker":"capped"}`)
		return !strings.Contains(alerts, "No rows.")
	})
	g.use(t, "acknowledge_alert", `{"tracker":"capped","id":"`+column(t, alerts, "id")+`"}`, "acknowledgedAt")
	g.use(t, "apply_tracker", `{"tracker":"capped","state":"paused"}`, "The schedule would be paused.")
	g.use(t, "apply_tracker", `{"tracker":"capped","state":"paused","confirm":true}`, "capped is paused.")
	g.use(t, "apply_tracker", `{"tracker":"capped","state":"active","confirm":true}`, "capped is active.")

	g.use(t, "ask", `{"provider":"ChatGPT","prompt":"tents","country":"us","dryRun":true}`, "It costs at most 5 credits.")
	g.use(t, "ask", `{"provider":"CHATASSISTANT","prompt":"tents","country":"US","idempotencyKey":"once"}`, "5 credits charged")
	g.use(t, "ask", `{"provider":"chatgpt","prompt":"tents","country":"US","idempotencyKey":"once"}`, "0 credits charged")
	submitted := g.use(t, "ask", `{"provider":"perplexity","prompt":"tents","country":"US","later":true}`, " is QUEUED;")
	harness.Eventually(t, "the task completes", func() bool {
		return strings.Contains(g.use(t, "tasks", `{"id":"`+strings.Fields(submitted)[1]+`"}`), "COMPLETED\n\nMade up: ")
	})
	g.use(t, "tasks", `{"provider":"perplexity"}`, "answerengine")
	g.use(t, "usage", "")
}

// cancelsASweep uses an account whose only slot is taken, so that its sweep keeps running.
func (g *guest) cancelsASweep(t *testing.T, n *harness.Node) {
	t.Helper()
	a := n.Organization(t, "patient", 500)
	n.Hang(t, a)
	other := newGuest(t, n, a)
	other.use(t, "apply_tracker", `{"tracker":"shoes","confirm":true,"definition":{`+shoes+`}}`)
	started := other.use(t, "run_sweep", `{"tracker":"shoes"}`)
	other.use(t, "cancel_sweep", `{"tracker":"shoes","id":"`+column(t, started, "id")+`"}`, "cleared")
	checkAudit(t, n, a, "sweep.cancel")
	maps.Copy(g.called, map[string]map[string]bool{"cancel_sweep": other.called["cancel_sweep"]})
}

// checkAudit checks that the account's key did these actions.
func checkAudit(t *testing.T, n *harness.Node, a *app.Account, actions ...string) {
	t.Helper()
	var log earshot.AuditPage
	n.Get(t, n.Admin(t, a), harness.AuditPath).Into(t, &log)
	for _, action := range actions {
		if !slices.ContainsFunc(log.Entries, func(e earshot.AuditEntry) bool {
			return e.Action == action && e.Actor.ID == a.Key.ID && e.RequestID != ""
		}) {
			t.Errorf("%s is not in the audit log: %s", action, harness.JSON(t, log))
		}
	}
}

// TestTenQuestions are the questions of an agent with little context. What it hears must have the numbers of
// the API, and all of it together must be short.
func TestTenQuestions(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	n.Post(t, a, "/v1/trackers/demo/demo", `{"days":60,"prompts":10}`).Has(t, "make a demo", http.StatusOK)
	n.Post(t, a, "/v1/monitor/chatassistant", `{"prompt":"tents [[status=503]]","country":"US"}`)
	g := newGuest(t, n, a)

	// What moved this week, and is it real?
	week := "from=" + time.Now().UTC().AddDate(0, 0, -6).Format(time.DateOnly)
	g.use(t, "what_moved", `{"days":7}`, compared(t, n, a, week)...)
	g.use(t, "what_moved", "", compared(t, n, a, "")...)
	// Which prompts?
	var alerts earshot.AlertPage
	harness.Eventually(t, "the demo has an alert", func() bool {
		n.Get(t, a, "/v1/trackers/demo/alerts?kind=shift").Into(t, &alerts)
		return len(alerts.Alerts) > 0
	})
	alert := &alerts.Alerts[0]
	since := alert.Shift.Since.UTC()
	var prompts earshot.CompareReport
	n.Get(t, a, fmt.Sprintf("/v1/trackers/demo/compare?by=prompt&sort=change&limit=10&metric=%s&having=brand:%s&from=%s&baselineFrom=%s&baselineTo=%s", alert.Shift.Metric, alert.Shift.Brand,
		since.Format(time.DateOnly), since.AddDate(0, 0, -28).Format(time.DateOnly), since.AddDate(0, 0, -1).Format(time.DateOnly))).Into(t, &prompts)
	why := g.use(t, "why", `{"tracker":"demo","alert":"`+alert.ID+`"}`, alert.ID, "\nBefore, ", "\nAfter, ")
	for _, row := range prompts.Rows {
		if line := fmt.Sprintf("%d\t%s\t", row.PromptID, row.Prompt); !strings.Contains(why, line) || !strings.Contains(why, "\t"+digits(row.Change)) {
			t.Errorf("why lacks %s and %s:\n%s", line, digits(row.Change), why)
		}
	}
	// Which pages are cited for the rival?
	var sources earshot.SourceReport
	n.Get(t, a, "/v1/trackers/demo/sources?by=url&brand=Kestrin&limit=10").Into(t, &sources)
	pages := []string{}
	for _, row := range sources.Rows {
		pages = append(pages, row.URL+"\t", digits(row.Share), "\t"+strconv.Itoa(row.Citations))
	}
	g.use(t, "sources", `{"tracker":"demo","by":"url","brand":"Kestrin","limit":10}`, pages...)
	// Ask from Germany.
	g.use(t, "ask", `{"provider":"gemini","prompt":"beste Laufschuhe","country":"DE"}`, "credits charged, ")
	// What has it cost?
	var usage earshot.Usage
	n.Get(t, a, "/v1/usage").Into(t, &usage)
	costs := []string{}
	for _, row := range usage.Usage {
		costs = append(costs, row.Provider, strconv.FormatInt(row.CreditsCharged, 10))
	}
	g.use(t, "usage", "", append(costs, fmt.Sprintf("%d credits left", n.Reload(t, a).Balance))...)
	// Add a brand.
	g.use(t, "apply_tracker", `{"tracker":"mine","confirm":true,"definition":{"prompts":["best tents"],"brands":[{"name":"Ollaro"}],"targets":[{"provider":"chatassistant","country":"US"}]}}`)
	g.use(t, "apply_tracker", `{"tracker":"mine","add":{"brands":[{"name":"Kestrin"}]}}`, "Dry run", "added\tbrands\tKestrin", "A sweep costs at most 5 credits")
	g.use(t, "apply_tracker", `{"tracker":"mine","add":{"brands":[{"name":"Kestrin"}]},"confirm":true}`)
	var mine earshot.Tracker
	if n.Get(t, a, "/v1/trackers/mine").Into(t, &mine); len(mine.Definition.Brands) != 2 || len(mine.Definition.Prompts) != 1 {
		t.Errorf("the tracker is %+v", mine.Definition)
	}
	// Acknowledge the alert.
	g.use(t, "acknowledge_alert", `{"tracker":"demo","id":"`+alert.ID+`"}`, alert.ID)
	g.use(t, "alerts", `{"tracker":"demo","open":true,"kind":"shift"}`)
	// Compare two countries.
	var metrics earshot.MetricReport
	n.Get(t, a, "/v1/trackers/demo/metrics?by=country&metric=visibility&having=brand:Ollaro").Into(t, &metrics)
	values := []string{}
	for _, row := range metrics.Rows {
		values = append(values, row.Country+"\t"+digits(row.Value))
	}
	g.use(t, "metrics", `{"tracker":"demo","by":"country","metric":"visibility","having":"brand:Ollaro"}`, values...)
	// Which tasks have failed?
	g.use(t, "tasks", `{"status":"FAILED"}`, "tents [[status=503]]", "unavailable")

	if g.bytes > 32<<10 {
		t.Errorf("the answers have %d bytes", g.bytes)
	}
	if table := g.use(t, "metrics", `{"tracker":"demo"}`); len(table) > 2<<10 {
		t.Errorf("the default metrics have %d bytes", len(table))
	}
	t.Logf("the answers have %d bytes", g.bytes)
}

// compared returns the numbers and the verdict for the own brand of the demo.
func compared(t *testing.T, n *harness.Node, a *app.Account, query string) []string {
	t.Helper()
	var report earshot.CompareReport
	n.Get(t, a, "/v1/trackers/demo/compare?having=brand:Ollaro&"+query).Into(t, &report)
	for _, row := range report.Rows {
		if row.Target == "*" {
			return []string{"demo\tOllaro\t*\t" + digits(row.After) + "\t" + digits(row.Before) + "\t" + digits(row.Change) + "\t" + string(row.Verdict) + "\t"}
		}
	}
	t.Fatalf("the comparison is %+v", report)
	return nil
}

// digits returns a number as a table shows it.
func digits(number *float64) string {
	if number == nil {
		return ""
	}
	return strconv.FormatFloat(*number, 'g', 4, 64)
}

// checkIntroduction reads /llms.txt without a key.
func checkIntroduction(t *testing.T, n *harness.Node) {
	t.Helper()
	want, err := os.ReadFile("../../docs/llms.txt")
	if err != nil {
		t.Fatal(err)
	}
	reply := n.Get(t, nil, "/llms.txt").Has(t, "without a key", http.StatusOK)
	if string(reply.Body) != string(want) || reply.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("it serves %s %s", reply.Header.Get("Content-Type"), reply.Body)
	}
	for _, link := range []string{"/openapi.json", "/docs"} {
		n.Get(t, nil, link).Has(t, link, http.StatusOK)
	}
}
