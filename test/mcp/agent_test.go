package mcp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

// tools are the tools that ask no provider, by the scope that they need.
var tools = map[account.Scope][]string{
	account.ScopeRead: {
		"countries", "credits", "quote", "states", "task", "tracker", "tracker_alerts", "tracker_answer", "tracker_answers", "tracker_compare",
		"tracker_diff", "tracker_discover", "tracker_metrics", "tracker_reviews", "tracker_searches", "tracker_sweeps", "trackers",
	},
	account.ScopeTasks: {"task_submit"},
	account.ScopeTrack: {"alert_acknowledge", "review_mark", "tracker_apply", "tracker_cancel_sweep", "tracker_delete", "tracker_run", "tracker_state"},
}

func listTools(t *testing.T, session *sdk.ClientSession) []*sdk.Tool {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

// TestAnAgentFindsTheToolsOfItsKey lists the tools with keys of each scope alone, and of all.
// It also reads the introduction for agents.
func TestAnAgentFindsTheToolsOfItsKey(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	wanted := maps.Clone(tools)
	wanted[account.ScopeMonitor] = slices.Collect(maps.Keys(questions()))
	wanted[account.ScopeAdmin] = nil
	var all []string
	for scope, names := range wanted {
		key := n.Key(t, n.First, time.Time{}, scope)
		checkNames(t, string(scope), listTools(t, agent(t, n, key, "")), names)
		all = append(all, names...)
	}
	checkIntroduction(t, n)
	for _, revision := range revisions {
		listed := listTools(t, agent(t, n, n.First, revision))
		checkNames(t, revision, listed, all)
		for _, tool := range listed {
			checkAnnotations(t, tool)
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

func checkAnnotations(t *testing.T, tool *sdk.Tool) {
	t.Helper()
	_, asks := questions()[tool.Name]
	starts := slices.Contains([]string{"task_submit", "tracker_run"}, tool.Name)
	overwrites := slices.Contains([]string{"tracker_apply", "tracker_cancel_sweep", "tracker_delete"}, tool.Name)
	is := tool.Annotations
	if is.ReadOnlyHint != (asks || slices.Contains(tools[account.ScopeRead], tool.Name)) || *is.OpenWorldHint != (asks || starts) ||
		is.IdempotentHint == (asks || starts) || *is.DestructiveHint != overwrites {
		t.Errorf("%s is annotated %s", tool.Name, harness.JSON(t, is))
	}
	if tool.Title == "" || asks && !strings.Contains(tool.Description, "costs credits") || starts && !strings.Contains(tool.Description, "cost") {
		t.Errorf("%s is titled %q and described as %s", tool.Name, tool.Title, tool.Description)
	}
}

// guest is an agent whose results are checked against the schemas of the tools.
type guest struct {
	*sdk.ClientSession
	outputs map[string]*jsonschema.Schema
	used    map[string]bool
}

func newGuest(t *testing.T, n *harness.Node, a *app.Account) *guest {
	t.Helper()
	g := &guest{agent(t, n, a, ""), map[string]*jsonschema.Schema{}, map[string]bool{}}
	compiler := jsonschema.NewCompiler() // it loads nothing, so a schema must be complete
	for _, tool := range listTools(t, g.ClientSession) {
		name := "https://service.test/" + tool.Name
		if err := compiler.AddResource(name, tool.OutputSchema); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(map[string]any{}) == nil {
			t.Errorf("every object matches the output schema of %s", tool.Name)
		}
		g.outputs[tool.Name] = schema
	}
	return g
}

// use calls a tool, checks its result, and returns what it says.
func (g *guest) use(t *testing.T, tool, arguments string, into any) string {
	t.Helper()
	g.used[tool] = true
	result := use(t, g.ClientSession, tool, arguments)
	if result.IsError {
		t.Fatalf("%s: %s", tool, said(result))
	}
	if err := g.outputs[tool].Validate(result.StructuredContent); err != nil {
		t.Errorf("%s: %v", tool, err)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(harness.JSON(t, result.StructuredContent)), into); err != nil {
			t.Fatal(err)
		}
	}
	return said(result)
}

// says calls a tool and checks a part of what it says.
func (g *guest) says(t *testing.T, tool, arguments, part string) {
	t.Helper()
	if text := g.use(t, tool, arguments, nil); !strings.Contains(text, part) {
		t.Errorf("%s %s says %s, want %s", tool, arguments, text, part)
	}
}

// Every sentence of the lab that names Ollaro differs from this fact.
const shoes = `"name":"shoes","brands":[{"name":"Ollaro","own":true}],"facts":[{"brand":"Ollaro","name":"spelling","near":["Ollaro"],"is":"Ollara","not":["Ollaro"]}],
	"prompts":["best running shoes for beginners","Which trail running shoes last longest?","best running shoes for women"],
	"targets":[{"provider":"chatassistant","country":"US"},{"provider":"answerengine","country":"US"}],"schedule":{"every":"day","at":"06:00"}`

// TestAnAgentTracksABrand leads an agent from nothing to metrics, and uses every tool. Each
// result must match the tool's output schema, and each change must be in the audit log.
func TestAnAgentTracksABrand(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	g := newGuest(t, n, a)

	var applied earshot.TrackerApplied
	text := g.use(t, "tracker_apply", `{"dryRun":true,`+shoes+`}`, &applied)
	if !applied.DryRun || applied.Tracker.Cost.Sweep == 0 || !strings.Contains(text, "Next sweeps:\n- "+applied.Tracker.NextSlots[0].Slot) ||
		!strings.Contains(text, fmt.Sprintf("the schedule costs at most %d credits per month", applied.Tracker.Cost.Month)) {
		t.Errorf("a dry run says %s", text)
	}
	g.says(t, "trackers", "", "There are no trackers.")
	g.says(t, "tracker_apply", `{`+shoes+`}`, "Created. shoes (active)")
	g.says(t, "tracker_apply", `{`+shoes+`}`, "Nothing changed.")
	g.says(t, "tracker_run", `{"name":"shoes","idempotencyKey":"first"}`, "Started sweep ")
	g.says(t, "tracker_run", `{"name":"shoes","idempotencyKey":"first"}`, "already started sweep ")
	harness.Eventually(t, "the sweep is closed", func() bool {
		var page earshot.SweepPage
		g.use(t, "tracker_sweeps", `{"name":"shoes","state":"closed"}`, &page)
		return len(page.Sweeps) == 1
	})
	g.says(t, "tracker_metrics", `{"name":"shoes","metric":"visibility"}`, "Ollaro")

	g.readTracker(t)
	g.act(t)
	for tool, arguments := range questions() {
		g.use(t, tool, arguments, nil)
	}
	g.cancelsASweep(t, n)
	for name := range g.outputs {
		if !g.used[name] {
			t.Errorf("the test does not use %s", name)
		}
	}
	checkAudit(t, n, a, "tracker.create", "tracker.run", "tracker.pause", "tracker.resume", "review.mark", "alert.acknowledge", "tracker.delete")
}

// readTracker uses the tools that read.
func (g *guest) readTracker(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"tracker", "tracker_compare", "tracker_searches", "tracker_discover"} {
		g.use(t, tool, `{"name":"shoes"}`, nil)
	}
	var page earshot.AnswerPage
	g.use(t, "tracker_answers", `{"name":"shoes"}`, &page)
	first, second := page.Answers[0].ID, page.Answers[1].ID
	g.use(t, "tracker_answer", `{"name":"shoes","id":"`+first+`"}`, nil)
	g.use(t, "tracker_diff", `{"name":"shoes","a":"`+first+`","b":"`+second+`"}`, nil)
	for tool, arguments := range map[string]string{
		"countries": ``, "states": `{"country":"US"}`, "credits": ``, "quote": harness.GoodTask,
	} {
		g.use(t, tool, arguments, nil)
	}
}

// act uses the tools that change a tracker, and tasks.
func (g *guest) act(t *testing.T) {
	t.Helper()
	var reviews earshot.ReviewPage
	harness.Eventually(t, "there is a review", func() bool {
		g.use(t, "tracker_reviews", `{"name":"shoes"}`, &reviews)
		return len(reviews.Reviews) > 0
	})
	var marked earshot.ReviewMarked
	text := g.use(t, "review_mark", `{"name":"shoes","id":"`+reviews.Reviews[0].ID+`","state":"wrong","note":"told <them>"}`, &marked)
	if marked.Review.Note != "told <them>" || !strings.Contains(text, "about Ollaro (wrong, ") {
		t.Errorf("marking says %s: %+v", text, marked)
	}

	g.use(t, "tracker_apply", `{"name":"capped","prompts":["best hats"],"targets":[{"provider":"chatassistant","country":"US"}],"ceiling":{"creditsPerMonth":1}}`, nil)
	g.says(t, "tracker_run", `{"name":"capped"}`, "skipped")
	var alerts earshot.AlertPage
	harness.Eventually(t, "there is an alert", func() bool {
		g.use(t, "tracker_alerts", `{"name":"capped"}`, &alerts)
		return len(alerts.Alerts) > 0
	})
	g.says(t, "alert_acknowledge", `{"name":"capped","id":"`+alerts.Alerts[0].ID+`"}`, "(acknowledged")

	g.says(t, "tracker_state", `{"name":"capped","state":"paused"}`, "capped (paused)")
	g.says(t, "tracker_state", `{"name":"capped","state":"active"}`, "capped (active)")
	g.use(t, "tracker_delete", `{"name":"capped"}`, nil)

	var submitted earshot.TaskSubmitted
	g.use(t, "task_submit", harness.GoodTask, &submitted)
	harness.Eventually(t, "the task completes", func() bool {
		return strings.Contains(g.use(t, "task", `{"taskId":"`+submitted.Task.ID+`"}`, nil), "COMPLETED\n\nMade up: ")
	})
}

// cancelsASweep uses an account whose only slot is taken, so that its sweep keeps running.
func (g *guest) cancelsASweep(t *testing.T, n *harness.Node) {
	t.Helper()
	a := n.Organization(t, "patient", 500)
	n.Hang(t, a)
	other := newGuest(t, n, a)
	other.use(t, "tracker_apply", `{`+shoes+`}`, nil)
	var started earshot.SweepStarted
	other.use(t, "tracker_run", `{"name":"shoes"}`, &started)
	other.says(t, "tracker_cancel_sweep", `{"name":"shoes","id":"`+started.Sweep.ID+`"}`, "(canceled)")
	checkAudit(t, n, a, "sweep.cancel")
	maps.Copy(g.used, other.used)
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
