package mcp

import (
	"slices"
	"strings"
)

// tool is a tool for agents.
type tool struct {
	name, title, about string
	// ops are the operations that it calls, as in the OpenAPI document. Scope and annotations follow
	// from them.
	ops []string
	// args are parameters or fields of the body of the first operation, with defaults that differ from
	// the API's. The parameters of the path are arguments, too.
	args string
	// own are the schemas of other arguments; needs are the required ones.
	own   map[string]any
	needs []string
	// rows is the path of the list in the answer, columns are its columns (see table), and head are
	// values that are shown above it. Without rows, the answer is one row.
	rows, columns, head string
	// quiet is true for a tool whose result is always short.
	quiet bool
	// run calls the operations; nil means that plain calls the first one.
	run func(c *call) (*view, error)
}

const (
	inPeriod  = "from to filter"
	inTracker = "/v1/trackers/{name}"
)

// tools are all tools, in the order in which an agent needs them.
var tools = []tool{
	{
		name: "trackers", title: "Trackers", run: trackers,
		about: "Lists the trackers; with tracker, shows one with its last sweeps and its definition. Poll it to see whether a sweep is closed.",
		ops:   []string{"GET /v1/trackers", "GET " + inTracker, "GET " + inTracker + "/sweeps"},
		own:   map[string]any{"tracker": text(""), "offset": whole("")},
		rows:  "trackers", columns: "name title state prompts targets brands openAlerts coverage nextSweep=nextSweepAt lastSweep=lastSweep.slot lastState=lastSweep.state credits/month=cost.month demo",
	},
	{
		name: "metrics", title: "Metrics", about: "Values of metrics with the range that a rerun would give. To find out whether one changed, use compare.",
		ops:  []string{"GET " + inTracker + "/metrics"},
		args: "metric=visibility,shareOfVoice,citationRate by=brand " + inPeriod + " branded last having limit=60 offset",
		rows: "rows", columns: "metric brand surface via target provider country prompt promptId tag sweep day week month merchant product currency block value rerun=interval.rerun answers missing provisional reason note lowest", head: "sweeps rules",
	},
	{
		name: "compare", title: "Compare two periods", about: "Whether metrics changed between two periods or vary normally. By default, the last 28 days and the 28 days before. To compare countries or targets, read their rows, or use metrics by=country.",
		ops:  []string{"GET " + inTracker + "/compare"},
		args: "metric " + inPeriod + " branded baselineFrom baselineTo having by sort limit=60 offset",
		rows: "rows", columns: "metric brand target prompt promptId verdict before after change interval smallestChange sweepsBefore sweepsAfter answersBefore answersAfter breaks note", head: "baseline.from baseline.to period.from period.to total moved",
	},
	{
		name: "sources", title: "Cited sources", about: "The domains or pages that answers cite. With brand, those that are cited for it: the pages that make a rival visible.",
		ops:  []string{"GET " + inTracker + "/sources"},
		args: "by brand " + inPeriod + " since limit=60",
		own:  map[string]any{"offset": whole("")},
		rows: "rows", columns: "domain url type owner=brand target share citations answers backs=backs.brand mentions=backs.mentions state=since.state before=since.before after=since.after",
	},
	{
		name: "answers", title: "Answers", about: "Lists the answers of a tracker, newest first; answer returns the text.",
		ops:  []string{"GET " + inTracker + "/answers"},
		args: "brand source promptId target tag outcome reason from to q sweep filter limit=30 cursor",
		rows: "answers", columns: "id askedAt target promptId prompt outcome reason sample",
	},
	{
		name: "answer", title: "One answer", run: answer,
		about: "The text of an answer of a tracker with its sources and the brands that it names; with other, the differences between two answers.",
		ops:   []string{"GET " + inTracker + "/answers/{id}", "GET " + inTracker + "/diff"},
		own:   map[string]any{"tracker": text(""), "id": text(""), "other": text("The id of a later answer to compare with.")},
		needs: []string{"tracker", "id"},
	},
	{
		name: "contents", title: "What answers contain", run: contents,
		about: "What answers contain besides brands and sources: the searches that assistants ran, the products, the ads, or names that no brand of the tracker has.",
		ops:   []string{"GET " + inTracker + "/searches", "GET " + inTracker + "/products", "GET " + inTracker + "/ads", "GET " + inTracker + "/discover"},
		args:  inPeriod + " brand q limit=40 offset",
		own:   map[string]any{"tracker": text(""), "kind": map[string]any{"enum": []any{"searches", "products", "ads", "names"}}},
		needs: []string{"tracker", "kind"},
	},
	{
		name: "alerts", title: "Alerts", about: "Lists the alerts of a tracker, newest first.",
		ops:  []string{"GET " + inTracker + "/alerts"},
		args: "open kind limit cursor",
		rows: "alerts", columns: "id raisedAt kind open summary since=shift.since",
	},
	{
		name: "acknowledge_alert", title: "Acknowledge an alert", about: "Acknowledges an alert, so that a new change raises another one.",
		ops:     []string{"POST " + inTracker + "/alerts/{id}/acknowledge"},
		columns: "id=alert.id kind=alert.kind open=alert.open acknowledgedAt=alert.acknowledgedAt summary=alert.summary", quiet: true,
	},
	{
		name: "reviews", title: "Statements to check", about: "Lists statements about own brands that a person should check: warnings, and values that differ from facts.",
		ops:  []string{"GET " + inTracker + "/reviews"},
		args: "state kind brand target from to limit cursor",
		rows: "reviews", columns: "id brand kind state answers fact=fact.name expected=fact.expected found=fact.found sentence=examples.0.sentence opinion=opinion.opinion note lastSeenAt",
	},
	{
		name: "mark_review", title: "Mark a statement", about: "Stores what a person has found about a statement.",
		ops:     []string{"PATCH " + inTracker + "/reviews/{id}"},
		args:    "state note",
		columns: "id=review.id brand=review.brand kind=review.kind state=review.state note=review.note", quiet: true,
	},
	{
		name: "ask", title: "Ask a provider", run: ask,
		about: "Asks one AI assistant or search engine and returns its answer with sources. Costs credits; dryRun returns the most that it can cost. An answer takes seconds to minutes; with later, it becomes a task to read with tasks.",
		ops:   []string{monitors, "POST /v1/async/task", "POST /v1/quote"},
		own: map[string]any{
			"provider": text(""), // replaced by the providers that there are
			"prompt":   text("The prompt or the search query."), "country": text("ISO 3166-1 code, such as DE."), "state": text("Of the US, such as CA."),
			"options": map[string]any{"type": "object", "description": `Other fields of the provider's request, such as {"include": {"shopping": true}}.`},
			"later":   yes("Submit a task instead of waiting."), "dryRun": yes("Return only the most that it can cost."),
		},
		needs: []string{"provider", "prompt"},
	},
	{
		name: "tasks", title: "Calls and tasks", run: tasks,
		about: "Lists calls and tasks, newest first, also those of trackers; with id, returns one with its result.",
		ops:   []string{"GET /v1/requests", "GET /v1/requests/{id}"},
		args:  "status provider country tracker errorReason from to q alone limit=30 cursor",
		own:   map[string]any{"id": text("")},
		rows:  "requests", columns: "id mode provider status createdAt prompt=payload.prompt query=payload.query country=payload.country tracker credits=credits.creditsCharged error=error.code reason=error.details.reason",
	},
	{
		name: "apply_tracker", title: "Create or change a tracker", run: apply,
		about: "Creates or changes a tracker. Without confirm, it is a dry run: it returns the changes, the cost and what breaks.",
		ops:   []string{"PUT " + inTracker, "GET " + inTracker, "PATCH " + inTracker},
		own: map[string]any{
			"tracker": text(""),
			"definition": object(`Fields of the definition; the others stay, null removes one. {"prompts": ["text" or {"text", "tags", "weight"}], "targets": [{"provider", "country", "state"}], "brands": [{"name", "own", "aliases", "domains"}], "schedule": {"every": "day|week|month|6h", "at": "06:00", "timezone"}, ` +
				`"samples", "ceiling": {"creditsPerMonth"}, "title", "facts", "alerts", "reports", …}`),
			"add":     object(`Lists to append to, such as {"brands": [{"name": "Kestrin", "domains": ["kestrin.example"]}]}.`),
			"remove":  object(`What to remove: {"brands": ["name"], "prompts": ["text"], "targets": ["provider/country"]}.`),
			"state":   map[string]any{"enum": []any{"active", "paused"}, "description": "Resume or pause the schedule."},
			"confirm": yes("Apply the changes. Costs nothing now; sweeps do."),
		},
		needs: []string{"tracker"},
	},
	{
		name: "run_sweep", title: "Run a sweep now", about: "Asks all prompts of a tracker once. Costs at most what trackers shows as the cost of a sweep.",
		ops: []string{"POST " + inTracker + "/sweeps"}, args: "repeat",
		columns: "id=sweep.id slot=sweep.slot state=sweep.state reason=sweep.reason planned=sweep.progress.planned maxCredits=sweep.credits.creditsToCharge replayed", quiet: true,
	},
	{
		name: "cancel_sweep", title: "Cancel a sweep", about: "Cancels a running sweep. Answers that have arrived stay.",
		ops:     []string{"DELETE " + inTracker + "/sweeps/{id}"},
		columns: "id=sweep.id state=sweep.state answered=sweep.progress.answered cleared", quiet: true,
	},
	{
		name: "usage", title: "Credits and usage", run: usage,
		about: "The balance, and what calls and tasks of each provider have cost; by default since the billing cycle began.",
		ops:   []string{"GET /v1/usage", "GET /v1/credits"}, args: "from to",
		own: map[string]any{"by": map[string]any{"enum": []any{"provider", "day"}, "default": "provider"}},
	},
	{
		name: "countries", title: "Countries", run: countries, about: "The countries that can be asked, or those of one provider.",
		ops: []string{"GET /v1/countries"}, own: map[string]any{"provider": text("")}, quiet: true,
	},
	{
		name: "what_moved", title: "What moved", run: whatMoved,
		about: "The state of all trackers in one table: for each own brand the value now and in the period before, the change with its verdict (moved, steady or tooEarly), open alerts, coverage and the next sweep.",
		ops:   []string{"GET /v1/trackers", "GET " + inTracker + "/rules", "GET " + inTracker + "/compare"},
		own: map[string]any{
			"tracker": text("Only this tracker."), "metric": text("Default visibility."),
			"days":   whole("Length of the period up to today; default 28. Verdicts need 5 sweeps in each period."),
			"offset": whole(""), "limit": whole("Trackers; default 20."),
		},
	},
	{
		name: "why", title: "Why it changed", run: why,
		about: "Explains one change of a brand: what the verdict is, on which targets, the most affected prompts, and an answer from before and one from after. The periods are split at the day of the alert, or of the brand's newest alert about the metric.",
		ops:   []string{"GET " + inTracker + "/compare", "GET " + inTracker + "/rules", "GET " + inTracker + "/alerts", "GET " + inTracker + "/answers", "GET " + inTracker + "/answers/{id}"},
		own: map[string]any{
			"tracker": text(""), "brand": text("Default: the first own brand."), "metric": text("Default visibility."), "filter": text("As for compare."),
			"alert": text("Id of an alert of the kind shift."), "day": text("Split at this day instead, such as 2026-09-08."),
		},
		needs: []string{"tracker"},
	},
}

func text(about string) map[string]any { return typed("string", about) }

func whole(about string) map[string]any { return typed("integer", about) }

func yes(about string) map[string]any { return typed("boolean", about) }

func object(about string) map[string]any { return typed("object", about) }

func typed(kind, about string) map[string]any {
	return described(map[string]any{"type": kind}, about)
}

// Of returns the first tool that calls an operation, or "".
func Of(method, path string) string {
	for i := range tools {
		if slices.ContainsFunc(tools[i].ops, func(name string) bool { return matches(name, method, path) }) {
			return tools[i].name
		}
	}
	return ""
}

// matches reports whether an operation of a tool is the one with a method and a path.
func matches(name, method, path string) bool {
	return name == method+" "+path || name == monitors && method == "POST" && strings.HasPrefix(path, "/v1/monitor/") && !strings.HasSuffix(path, "/goto")
}

// Listed returns the names and titles of the tools, by the scopes that they need.
func Listed(openAPI []byte) (map[string][][2]string, error) {
	d, err := readOpenAPI(openAPI, nil)
	if err != nil {
		return nil, err
	}
	listed := map[string][][2]string{}
	for i := range tools {
		for _, scope := range []string{"read", "monitor", "tasks", "track"} {
			if _, err := d.describe(&tools[i]); err != nil {
				return nil, err
			}
			if d.allows(&tools[i], []string{scope}) {
				listed[scope] = append(listed[scope], [2]string{tools[i].name, tools[i].title})
			}
		}
	}
	return listed, nil
}
