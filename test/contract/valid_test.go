package contract_test

import (
	"database/sql"
	"net/http"
	"testing"

	"earshot"
	"earshot/test/harness"
)

// panelPath leads to a tracker with something of everything: brands, tags, types of sources,
// two sweeps, and questions that fail.
const (
	panelPath    = trackersPath + "/panel"
	panelTracker = `{"prompts":[{"text":"best hats for rain","tags":["rain"]},{"text":"hats [[block]]","tags":["rain","wind"]},{"text":"is Ollaro good?"}],` +
		`"targets":[{"provider":"chatassistant","country":"US","options":{"include":{"markdown":true}}},{"provider":"websearch","country":"DE","options":{"include":{"searchoverview":{}}}}],` +
		`"samples":2,"schedule":{"every":"week","timezone":"Europe/Berlin"},"brands":[{"name":"Ollaro","own":true,"domains":["ollaro.example"]},{"name":"Kestrin","aliases":["Kestrins"]}],` +
		`"sources":[{"domain":"example.org","type":"community"}]}`
)

// makePanel makes that tracker, and sends a report of it to a channel.
func makePanel(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	full := s.accounts[anyKey]
	n.Send(t, full, http.MethodPut, panelPath, panelTracker).Has(t, "apply", http.StatusOK)
	for range 2 {
		s.things["<panel sweep>"] = sweepOnce(t, n, full, panelPath, `{}`)
	}
	n.Post(t, full, panelPath+"/report", `{"channel":"ops"}`).Has(t, "send a report", http.StatusOK)
}

// spoiltPath leads to a tracker whose rules an earlier release took and this one does not.
const spoiltPath = trackersPath + "/spoilt"

// spoil makes that tracker.
func spoil(t *testing.T, n *harness.Node, s *stage) {
	t.Helper()
	full := s.accounts[anyKey]
	n.Send(t, full, http.MethodPut, spoiltPath, goodTracker).Has(t, "apply", http.StatusOK)
	sweepOnce(t, n, full, spoiltPath, `{}`)
	var page earshot.AnswerPage
	n.Get(t, full, spoiltPath+"/answers").Into(t, &page)
	s.things["<spoilt answer>"] = page.Answers[0].ID
	db, err := sql.Open("sqlite", "file:"+n.Database+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// The node remembers what it read, by version.
	_, err = db.ExecContext(t.Context(), `UPDATE tracker_rules SET version = version + 1, brands = '[{"name":"Ollaro","domains":["%"]}]'
		WHERE tracker = (SELECT id FROM trackers WHERE name = 'spoilt' AND organization = ?)`, full.Organization.ID)
	if err != nil {
		t.Fatal(err)
	}
}

// validRows are calls that use what an operation offers, all of it where that goes together.
func validRows() []row {
	const (
		always = "from=2026-01-01&to=2999-12-31"
		before = "baselineFrom=2025-01-01&baselineTo=2025-12-31"
		filter = "filter=target:chatassistant/US,tag:rain"
		found  = "brand=Ollaro&source=ollaro.example&sweep=<panel sweep>&promptId=1&target=chatassistant/US&tag=rain&outcome=answered&" + always + "&q=HATS"
		due    = "counted=true&branded=true&dueFrom=2026-01-01&dueTo=2999-12-31&" + filter
		last   = "cursor=ffffffff-ffff-7fff-bfff-ffffffffffff"
		table  = panelPath + "/export?format="
	)
	rows := []row{
		{name: "all metrics", path: panelPath + "/metrics?by=brand", as: metricsOp},
		{name: "metrics by all", path: panelPath + "/metrics?by=surface,target,provider,country,prompt,tag,sweep,day,week,month", as: metricsOp},
		{name: "metrics of stability", path: panelPath + "/metrics?metric=stability,visibility&by=target", as: metricsOp},
		{name: "metrics with everything", path: panelPath + "/metrics?by=sweep&last=2&having=brand:Ollaro&branded=true&poolSurfaces=true&limit=5&offset=1&" + filter + "&" + always, as: metricsOp},
		{name: "compare with everything", path: panelPath + "/compare?metric=visibility,shareOfVoice&by=prompt&sort=change&limit=5&offset=1&having=brand:Ollaro&branded=true&poolSurfaces=true&" + filter + "&" + always + "&" + before, as: compareOp},
		{name: "sources by domain", path: panelPath + "/sources", as: sourcesOp, check: holds(`"domain"`)},
		{name: "sources with everything", path: panelPath + "/sources?by=url&branded=true&poolSurfaces=true&limit=1000&brand=Ollaro&since=true&" + filter + "&" + always, as: sourcesOp},
		{name: "sources by type", path: panelPath + "/sources?by=type", as: sourcesOp},
		{name: "searches", path: panelPath + "/searches", as: searchesOp},
		{name: "searches with everything", path: panelPath + "/searches?brand=Ollaro&branded=true&q=hats&limit=1&offset=1&" + filter + "&" + always, as: searchesOp},
		{name: "products", path: panelPath + "/products", as: productsOp},
		{name: "products with everything", path: panelPath + "/products?brand=Ollaro&branded=true&q=hats&limit=1&offset=1&" + filter + "&" + always, as: productsOp},
		{name: "ads", path: panelPath + "/ads", as: adsOp},
		{name: "ads with everything", path: panelPath + "/ads?brand=Ollaro&branded=true&q=hats&limit=1&offset=1&" + filter + "&" + always, as: adsOp},
		{name: "report with everything", path: panelPath + "/report?format=html&" + always + "&" + before, as: reportOp, media: "text/html"},
		{name: "all answers", path: panelPath + "/answers", as: answersOp, check: holds(`"outcome":"missing"`)},
		{name: "answers by every filter", path: panelPath + "/answers?" + found + "&" + last, as: answersOp},
		{name: "answers that count", path: panelPath + "/answers?reason=blocked&" + due, as: answersOp},
		{name: "export by every filter", path: table + "ndjson&table=answers&reason=blocked&" + found, as: exportOp, media: "application/x-ndjson"},
		{name: "export of what counts", path: table + "csv&table=answers&" + due, as: exportOp, media: "text/csv"},
		{name: "export of mentions", path: table + "parquet&table=mentions", as: exportOp, media: "application/vnd.apache.parquet", check: says("PAR1")},
		{name: "export of citations", path: table + "csv&table=citations", as: exportOp, media: "text/csv"},
		{name: "export of metrics", path: table + "parquet&table=metrics", as: exportOp, media: "application/vnd.apache.parquet", check: says("PAR1")},
		{name: "a tracker with everything", path: panelPath, as: trackerOp},
		{name: "sweeps from a cursor", path: panelPath + "/sweeps?" + last, as: sweepsOp},
		{name: "a sweep with failures", path: panelPath + "/sweeps/<panel sweep>", as: sweepOp, check: holds(`"reason":"blocked"`)},
		{name: "rules with brands", path: panelPath + "/rules", as: rulesOp, check: holds(`"Kestrin"`)},
		{name: "discover in the panel", path: panelPath + "/discover", as: discoverOp},
		{name: "alerts from a cursor", path: hatsPath + "/alerts?" + last, as: alertsOp, check: holds(`"kind":"ceiling"`)},
		{name: "reviews from a cursor", path: hatsPath + "/reviews?state=open&" + last, as: reviewsOp},
		{name: "batches from a cursor", path: batchesPath + "?" + last, as: "GET " + batchesPath},
		{name: "request with names", path: requestsPath + "/<call of chatassistant>?names=true", as: requestOp, check: holds(`"names":["`)},
		{name: "request with brands", path: requestsPath + "/<call of chatassistant>?brandsOf=panel", as: requestOp, check: holds(`"found":{"rules":"r`)},
		{name: "deliveries to a channel", path: harness.DeliveriesPath + "?" + last, as: "GET " + harness.DeliveriesPath, check: holds(`"url":"channel://ops"`)},
	}
	for i := range rows {
		rows[i].method, rows[i].key, rows[i].status = http.MethodGet, anyKey, http.StatusOK
	}
	return rows
}

// spoiltRows are about a tracker whose rules cannot be used any more.
func spoiltRows() []row {
	rows := []row{
		{name: "metrics", path: spoiltPath + "/metrics", as: metricsOp},
		{name: "compare", path: spoiltPath + "/compare", as: compareOp},
		{name: "sources", path: spoiltPath + "/sources", as: sourcesOp},
		{name: "searches", path: spoiltPath + "/searches", as: searchesOp},
		{name: "products", path: spoiltPath + "/products", as: productsOp},
		{name: "ads", path: spoiltPath + "/ads", as: adsOp},
		{name: "report", path: spoiltPath + "/report", as: reportOp},
		{name: "send a report", method: http.MethodPost, path: spoiltPath + "/report", as: sendOp, body: `{"channel":"ops"}`},
		{name: "answers", path: spoiltPath + "/answers?counted=true", as: answersOp},
		{name: "try", method: http.MethodPost, path: spoiltPath + "/names/try", as: tryOp, body: `{"names":["x"]}`},
		{name: "diff", path: spoiltPath + "/diff?a=<spoilt answer>&b=<spoilt answer>", as: diffOp},
		{name: "discover", path: spoiltPath + "/discover", as: discoverOp},
		{name: "export", path: spoiltPath + "/export?table=mentions", as: exportOp},
		{name: "request", path: requestsPath + "/<call of chatassistant>?brandsOf=spoilt", as: requestOp},
	}
	for i := range rows {
		rows[i].name += " with rules of an earlier release"
		if rows[i].method == "" {
			rows[i].method = http.MethodGet
		}
		rows[i].key, rows[i].status, rows[i].code = anyKey, http.StatusConflict, earshot.CodeConflict
	}
	return rows
}
