package contract_test

import (
	"database/sql"
	"net/http"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/test/harness"
)

const (
	trackersPath = "/v1/trackers"
	hatsPath     = trackersPath + "/hats"
	trackerOp    = "GET /v1/trackers/{name}"
	applyOp      = "PUT /v1/trackers/{name}"
	patchOp      = "PATCH /v1/trackers/{name}"
	deleteOp     = "DELETE /v1/trackers/{name}"
	sweepsOp     = "GET /v1/trackers/{name}/sweeps"
	startOp      = "POST /v1/trackers/{name}/sweeps"
	sweepOp      = "GET /v1/trackers/{name}/sweeps/{id}"
	endOp        = "DELETE /v1/trackers/{name}/sweeps/{id}"
	answersOp    = "GET /v1/trackers/{name}/answers"
	answerOp     = "GET /v1/trackers/{name}/answers/{id}"
	exportOp     = "GET /v1/trackers/{name}/export"
	demoOp       = "POST /v1/trackers/{name}/demo"
	metricsOp    = "GET /v1/trackers/{name}/metrics"
	compareOp    = "GET /v1/trackers/{name}/compare"
	sourcesOp    = "GET /v1/trackers/{name}/sources"
	searchesOp   = "GET /v1/trackers/{name}/searches"
	productsOp   = "GET /v1/trackers/{name}/products"
	adsOp        = "GET /v1/trackers/{name}/ads"
	reportOp     = "GET /v1/trackers/{name}/report"
	sendOp       = "POST /v1/trackers/{name}/report"
	rulesOp      = "GET /v1/trackers/{name}/rules"
	workOp       = "GET /v1/trackers/{name}/work"
	reanalyseOp  = "POST /v1/trackers/{name}/reanalysis"
	diffOp       = "GET /v1/trackers/{name}/diff"
	tryOp        = "POST /v1/trackers/{name}/names/try"
	discoverOp   = "GET /v1/trackers/{name}/discover"
	alertsOp     = "GET /v1/trackers/{name}/alerts"
	seenOp       = "POST /v1/trackers/{name}/alerts/{id}/acknowledge"
	tryAlertsOp  = "POST /v1/trackers/{name}/alerts/test"
	channelsPath = "/v1/channels"
	channelOp    = "PUT /v1/channels/{name}"
	noChannelOp  = "DELETE /v1/channels/{name}"
	tryChannelOp = "POST /v1/channels/{name}/test"
	goodChannel  = `{"kind":"slack","url":"<receiver>"}`
	goodTracker  = `{"prompts":["best hats"],"targets":[{"provider":"chatassistant","country":"US"}],"schedule":{"every":"week"},"samples":2}`
)

// makeTrackers makes a tracker that was swept once, and as many as one may have.
func makeTrackers(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	full := s.accounts[anyKey]
	for _, name := range []string{"hats", "gone"} {
		n.Send(t, full, http.MethodPut, trackersPath+"/"+name, goodTracker).Has(t, "apply", http.StatusOK)
	}
	s.things["<sweep>"] = sweepOnce(t, n, full, hatsPath, `{"idempotencyKey":"first"}`)
	var started earshot.SweepStarted
	// The answers of trackers have few pieces: with the pauses of harness.Endless they end in time.
	endless := strings.Replace(goodTracker, "best hats", "hats [[drip=28s]]", 1)
	n.Send(t, full, http.MethodPut, trackersPath+"/endless", endless).Has(t, "apply", http.StatusOK)
	n.Post(t, full, trackersPath+"/endless/sweeps", `{}`).Has(t, "run", http.StatusOK).Into(t, &started)
	s.things["<running sweep>"] = started.Sweep.ID
	var page earshot.AnswerPage
	n.Get(t, full, hatsPath+"/answers").Into(t, &page)
	s.things["<answer>"] = page.Answers[0].ID
	n.Post(t, full, trackersPath+"/made-up/demo", `{"days":1,"prompts":1}`).Has(t, "make a demo", http.StatusOK)
	collect(t, n, s)
}

// sweepOnce runs a sweep to its end, and returns its id.
func sweepOnce(t *testing.T, n *harness.Node, a *app.Account, path, body string) string {
	t.Helper()
	var started earshot.SweepStarted
	n.Post(t, a, path+"/sweeps", body).Has(t, "run", http.StatusOK).Into(t, &started)
	harness.Eventually(t, "the sweep ends", func() bool {
		var sweep earshot.Sweep
		n.Get(t, a, path+"/sweeps/"+started.Sweep.ID).Into(t, &sweep)
		return sweep.State == earshot.SweepClosed
	})
	return started.Sweep.ID
}

// collect gives an account the hundred trackers that it may have.
func collect(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	collector := n.Organization(t, "lite", 100)
	s.accounts[collectorKey] = collector
	n.Send(t, collector, http.MethodPut, hatsPath, goodTracker).Has(t, "apply", http.StatusOK)
	db, err := sql.Open("sqlite", "file:"+n.Database+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(t.Context(), `WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 99)
		INSERT INTO trackers (organization, id, name, state, version, definition, demo, keep_days, created_at, updated_at)
		SELECT organization, printf('01a0805a-0000-7000-8000-%012d', n), 'hats-' || n, state, version, definition, demo, keep_days, created_at, updated_at
		FROM trackers, copies WHERE organization = ? AND name = 'hats'`, collector.Organization.ID)
	if err != nil {
		t.Fatal(err)
	}
}

func trackerRows() []row {
	noSweep, noAnswer := hatsPath+"/sweeps/"+harness.NoTask, hatsPath+"/answers/"+harness.NoTask
	rows := slices.Concat(numberRows(), exploreRows(), alertRows(), reviewRows(), shareRows(),
		commonRows("trackers", "GET "+trackersPath, "", "", account.ScopeRead),
		commonRows("a tracker", trackerOp, hatsPath, "", account.ScopeRead),
		commonRows("apply", applyOp, hatsPath, goodTracker, account.ScopeTrack),
		commonRows("patch", patchOp, hatsPath, `{"state":"active"}`, account.ScopeTrack),
		commonRows("demo", demoOp, trackersPath+"/demo/demo", `{"days":1,"prompts":1}`, account.ScopeTrack),
		commonRows("delete of a tracker", deleteOp, hatsPath, "", account.ScopeTrack),
		commonRows("sweeps", sweepsOp, hatsPath+"/sweeps", "", account.ScopeRead),
		commonRows("run", startOp, hatsPath+"/sweeps", `{}`, account.ScopeTrack),
		commonRows("a sweep", sweepOp, noSweep, "", account.ScopeRead),
		commonRows("cancel of a sweep", endOp, noSweep, "", account.ScopeTrack),
		commonRows("answers", answersOp, hatsPath+"/answers", "", account.ScopeRead),
		commonRows("an answer", answerOp, noAnswer, "", account.ScopeRead),
		commonRows("export", exportOp, hatsPath+"/export", "", account.ScopeRead),
		trackerReads(noSweep, noAnswer), []row{
			{name: "apply again", method: "PUT", path: hatsPath, as: applyOp, key: anyKey, body: goodTracker, status: 200, check: holds(`"dryRun":false,"changed":false,`)},
			{name: "apply dry", method: "PUT", path: trackersPath + "/new?dryRun=true", as: applyOp, key: anyKey, body: goodTracker, status: 200, check: holds(`"dryRun":true,"changed":true,"created":true,`)},
			{
				name: "apply as YAML", method: "PUT", path: hatsPath, as: applyOp, key: anyKey, header: map[string]string{"Content-Type": "application/yaml"},
				body: "prompts: [best hats]\ntargets: [{provider: chatassistant, country: US}]\nschedule: {every: week}\nsamples: 2\n", status: 200, check: holds(`"changed":false,`),
			},
			{name: "apply nothing", method: "PUT", path: hatsPath, as: applyOp, key: anyKey, body: `{}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("prompts", "targets")},
			{name: "apply to a path below", method: "PUT", path: hatsPath + "/x", as: applyOp, key: anyKey, body: goodTracker, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "apply one too many", method: "PUT", path: trackersPath + "/new", as: applyOp, key: collectorKey, body: goodTracker, status: 409, code: "RESOURCE_CONFLICT", check: details(`{"id":"new"}`)},
			{name: "resume", method: "PATCH", path: hatsPath, as: patchOp, key: anyKey, body: `{"state":"active"}`, status: 200, check: holds(`"state":"active"`)},
			{name: "patch to nothing", method: "PATCH", path: hatsPath, as: patchOp, key: anyKey, body: `{"state":"off"}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("state")},
			{name: "patch of nothing", method: "PATCH", path: trackersPath + "/none", as: patchOp, key: anyKey, body: `{"state":"paused"}`, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"none"}`)},
			{name: "patch of a demo", method: "PATCH", path: trackersPath + "/made-up", as: patchOp, key: anyKey, body: `{"state":"active"}`, status: 409, code: "RESOURCE_CONFLICT", check: details(`{"id":"made-up"}`)},
			{name: "delete of a tracker", method: "DELETE", path: trackersPath + "/gone", as: deleteOp, key: anyKey, status: 200, check: says(`{"success":true,"name":"gone"}`)},
			{name: "delete of no tracker", method: "DELETE", path: trackersPath + "/none", as: deleteOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"none"}`)},
			{name: "demo", method: "POST", path: trackersPath + "/demo/demo", as: demoOp, key: anyKey, body: `{"days":1,"prompts":1}`, status: 200, check: holds(`"demo":true`)},
			{name: "demo of no days", method: "POST", path: trackersPath + "/demo/demo", as: demoOp, key: anyKey, body: `{"days":0}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("days")},
			{name: "demo in the place of a tracker", method: "POST", path: hatsPath + "/demo", as: demoOp, key: anyKey, body: `{"days":1}`, status: 409, code: "RESOURCE_CONFLICT"},
			{name: "demo of a path below", method: "POST", path: hatsPath + "/demo/x", as: demoOp, key: anyKey, body: `{}`, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "run with the same key", method: "POST", path: hatsPath + "/sweeps", as: startOp, key: anyKey, body: `{"idempotencyKey":"first"}`, status: 200, check: holds(`"replayed":true`)},
			{name: "run with a number", method: "POST", path: hatsPath + "/sweeps", as: startOp, key: anyKey, body: `{"idempotencyKey":1}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("idempotencyKey")},
			{name: "repeat while a sweep runs", method: "POST", path: trackersPath + "/endless/sweeps", as: startOp, key: anyKey, body: `{"repeat":true}`, status: 409, code: "RESOURCE_CONFLICT", check: holds("a sweep of the tracker endless is running")},
			{name: "repeat of a key", method: "POST", path: hatsPath + "/sweeps", as: startOp, key: anyKey, body: `{"idempotencyKey":"first","repeat":true}`, status: 409, code: "RESOURCE_CONFLICT", check: holds("use another key")},
			{name: "run of nothing", method: "POST", path: trackersPath + "/none/sweeps", as: startOp, key: anyKey, body: `{}`, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "cancel of no sweep", method: "DELETE", path: noSweep, as: endOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "cancel of a sweep", method: "DELETE", path: trackersPath + "/endless/sweeps/<running sweep>", as: endOp, key: anyKey, status: 200, check: holds(`"cleared":`)},
			{name: "cancel of what has ended", method: "DELETE", path: hatsPath + "/sweeps/<sweep>", as: endOp, key: anyKey, status: 409, code: "RESOURCE_CONFLICT"},
		},
	)
	for i := range rows {
		if rows[i].method == "" {
			rows[i].method = http.MethodGet
		}
	}
	return rows
}

// numberRows read what the answers of a tracker add up to.
func numberRows() []row {
	return slices.Concat(
		commonRows("metrics", metricsOp, hatsPath+"/metrics", "", account.ScopeRead),
		commonRows("compare", compareOp, hatsPath+"/compare", "", account.ScopeRead),
		commonRows("sources", sourcesOp, hatsPath+"/sources", "", account.ScopeRead), contentRows(),
		commonRows("report", reportOp, hatsPath+"/report", "", account.ScopeRead),
		commonRows("rules", rulesOp, hatsPath+"/rules", "", account.ScopeRead),
		commonRows("work", workOp, hatsPath+"/work", "", account.ScopeRead),
		commonRows("reanalysis", reanalyseOp, hatsPath+"/reanalysis", "", account.ScopeTrack), []row{
			{name: "metrics", path: hatsPath + "/metrics?by=target,day&metric=coverage", as: metricsOp, key: readKey, status: 200, check: holds(`"metric":"coverage@m1"`)},
			{name: "metrics of no metric", path: hatsPath + "/metrics?metric=fame", as: metricsOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("metric")},
			{name: "metrics of nothing", path: trackersPath + "/none/metrics", as: metricsOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "compare", path: hatsPath + "/compare", as: compareOp, key: readKey, status: 200, check: holds(`"tracker":"hats"`)},
			{name: "compare with no day", path: hatsPath + "/compare?baselineFrom=yesterday", as: compareOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("baselineFrom")},
			{name: "compare of nothing", path: trackersPath + "/none/compare", as: compareOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "sources", path: hatsPath + "/sources", as: sourcesOp, key: readKey, status: 200, check: holds(`"tracker":"hats"`)},
			{name: "sources from no day", path: hatsPath + "/sources?from=yesterday", as: sourcesOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("from")},
			{name: "sources since nothing", path: hatsPath + "/sources?since=true", as: sourcesOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("since")},
			{name: "sources of nothing", path: trackersPath + "/none/sources", as: sourcesOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "report as a page", path: hatsPath + "/report", as: reportOp, key: readKey, status: 200, media: "text/html", check: holds(`<h1>Brand visibility report: hats</h1>`)},
			{name: "report as text", path: hatsPath + "/report?format=md&from=2026-01-01", as: reportOp, key: anyKey, status: 200, media: "text/markdown", check: holds("# Brand visibility report: hats\n")},
			{name: "report as a table", path: hatsPath + "/report?format=csv", as: reportOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("format")},
			{name: "report of no time", path: hatsPath + "/report?from=2026-02-01&to=2026-01-01", as: reportOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("to")},
			{name: "report of nothing", path: trackersPath + "/none/report", as: reportOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "rules", path: hatsPath + "/rules", as: rulesOp, key: readKey, status: 200},
			{name: "rules of nothing", path: trackersPath + "/none/rules", as: rulesOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "work", path: hatsPath + "/work", as: workOp, key: readKey, status: 200, check: holds(`"work":[`)},
			{name: "work of nothing", path: trackersPath + "/none/work", as: workOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "reanalysis", method: "POST", path: hatsPath + "/reanalysis", as: reanalyseOp, key: anyKey, status: 200},
			{name: "reanalysis of nothing", method: "POST", path: trackersPath + "/none/reanalysis", as: reanalyseOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		},
	)
}

// contentRows list what answers contain.
func contentRows() (rows []row) {
	for _, list := range []struct{ name, op string }{{"searches", searchesOp}, {"products", productsOp}, {"ads", adsOp}} {
		path := hatsPath + "/" + list.name
		rows = slices.Concat(rows, commonRows(list.name, list.op, path, "", account.ScopeRead), []row{
			{name: list.name, path: path, as: list.op, key: readKey, status: 200, check: holds(`"tracker":"hats"`)},
			{name: list.name + " of no limit", path: path + "?limit=0", as: list.op, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("limit")},
			{name: list.name + " of no brand", path: path + "?brand=Nobody", as: list.op, key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("brand")},
			{name: list.name + " of nothing", path: trackersPath + "/none/" + list.name, as: list.op, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		})
	}
	return rows
}

// exploreRows look into answers.
func exploreRows() []row {
	names, diff, same := hatsPath+"/names/try", hatsPath+"/diff", "?a=<answer>&b=<answer>"
	return slices.Concat(
		commonRows("diff", diffOp, diff+"?a="+harness.NoTask+"&b="+harness.NoTask, "", account.ScopeRead),
		commonRows("try", tryOp, names, `{"names":["Ollaro"]}`, account.ScopeRead),
		commonRows("discover", discoverOp, hatsPath+"/discover", "", account.ScopeRead), []row{
			{name: "diff", path: diff + same, as: diffOp, key: readKey, status: 200, check: holds(`"sameCell":true`)},
			{name: "diff of one", path: diff + "?a=<answer>", as: diffOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("b")},
			{name: "diff with no id", path: diff + "?a=1&b=<answer>x", as: diffOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("a", "b")},
			{name: "diff with no answer", path: diff + "?a=<answer>&b=" + harness.NoTask, as: diffOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"` + harness.NoTask + `"}`)},
			{name: "diff of nothing", path: trackersPath + "/none/diff" + same, as: diffOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "try", method: "POST", path: names, as: tryOp, key: readKey, body: `{"names":["Ollaro",{"name":"On","match":{"case":"exact"}}],"limit":1}`, status: 200, check: holds(`"answers":1,"more":true`)},
			{name: "try of no names", method: "POST", path: names, as: tryOp, key: anyKey, body: `{"names":[]}`, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("names")},
			{name: "try of an empty name", method: "POST", path: names, as: tryOp, key: anyKey, body: `{"names":["\u200b"]}`, status: 400, code: "VALIDATION_ERROR", check: fields("names[0].name")},
			{name: "try for no brand", method: "POST", path: names, as: tryOp, key: anyKey, body: `{"brand":"Nobody","names":["x"]}`, status: 400, code: "VALIDATION_ERROR", check: fields("brand")},
			{name: "try of nothing", method: "POST", path: trackersPath + "/none/names/try", as: tryOp, key: anyKey, body: `{"names":["x"]}`, status: 404, code: "RESOURCE_NOT_FOUND"},
			{name: "discover", path: hatsPath + "/discover?limit=5&answers=10", as: discoverOp, key: readKey, status: 200, check: holds(`"answers":2,"more":false`)},
			{name: "discover in none", path: hatsPath + "/discover?answers=0", as: discoverOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("answers")},
			{name: "discover of nothing", path: trackersPath + "/none/discover", as: discoverOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		},
	)
}

func trackerReads(noSweep, noAnswer string) []row {
	return []row{
		{name: "trackers", path: trackersPath, key: readKey, status: 200, check: holds(`{"trackers":[{"name":"`)},
		{name: "trackers of nobody", path: trackersPath, key: brokeKey, status: 200, check: says(`{"trackers":[]}`)},
		{name: "a tracker", path: hatsPath, as: trackerOp, key: readKey, status: 200, check: holds(`"definition":{`)},
		{name: "a tracker of another", path: hatsPath, as: trackerOp, key: listKey, status: 404, code: "RESOURCE_NOT_FOUND", check: details(`{"id":"hats"}`)},
		{name: "sweeps", path: hatsPath + "/sweeps?state=closed&limit=1", as: sweepsOp, key: readKey, status: 200, check: holds(`"slot":"manual first","state":"closed"`)},
		{name: "sweeps of no state", path: hatsPath + "/sweeps?state=open&limit=0", as: sweepsOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("limit", "state")},
		{name: "sweeps of nothing", path: trackersPath + "/none/sweeps", as: sweepsOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		{name: "a sweep", path: hatsPath + "/sweeps/<sweep>", as: sweepOp, key: readKey, status: 200, check: holds(`"answered":2,"missing":0,"coverage":1}`)},
		{name: "no sweep", path: noSweep, as: sweepOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		{name: "answers", path: hatsPath + "/answers?sweep=<sweep>&promptId=1&target=chatassistant/US&outcome=answered&from=2026-01-01&q=HATS&limit=200", as: answersOp, key: readKey, status: 200, check: holds(`"madeUp":true,`)},
		{name: "answers of a sweep that is no UUID", path: hatsPath + "/answers?sweep=first", as: answersOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("sweep")},
		{name: "answers of no outcome", path: hatsPath + "/answers?outcome=good", as: answersOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("outcome")},
		{name: "answers of nothing", path: trackersPath + "/none/answers", as: answersOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		{name: "an answer", path: hatsPath + "/answers/<answer>", as: answerOp, key: readKey, status: 200, check: holds(`"result":{"surface":"lab",`)},
		{name: "no answer", path: noAnswer, as: answerOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		{name: "export as lines", path: hatsPath + "/export", as: exportOp, key: readKey, status: 200, media: "application/x-ndjson", check: holds(`"result":{"surface":"lab",`)},
		{name: "export as a table", path: hatsPath + "/export?table=sweeps&format=csv", as: exportOp, key: anyKey, status: 200, media: "text/csv", check: holds(",manual first,closed,,1,")},
		{name: "export as Parquet", path: hatsPath + "/export?format=parquet", as: exportOp, key: anyKey, status: 200, media: "application/vnd.apache.parquet", check: says("PAR1")},
		{name: "export of some metrics", path: hatsPath + "/export?table=metrics&tag=x", as: exportOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", check: fields("tag")},
		{name: "export as a page", path: hatsPath + "/export?format=html", as: exportOp, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("format")},
		{name: "export of nothing", path: trackersPath + "/none/export", as: exportOp, key: anyKey, status: 404, code: "RESOURCE_NOT_FOUND"},
		{name: "tasks of a tracker", path: requestsPath + "?tracker=hats", as: "GET " + requestsPath, key: anyKey, status: 200, check: holds(`"tracker":"hats"`)},
		{name: "tasks of no tracker", path: requestsPath + "?tracker=Hats", as: "GET " + requestsPath, key: anyKey, status: 400, code: "VALIDATION_ERROR", refused: true, check: fields("tracker")},
	}
}
