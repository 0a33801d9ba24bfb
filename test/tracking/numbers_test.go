package tracking

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// panel is a tracker of brands that the lab names.
const panel = `
brands:
  - {name: Ollaro, own: true, domains: [testbench.example]}
  - {name: Kestrin, domains: [ratingsroom.example]}
  - {name: Brandnobodyknows}
prompts:
  - best running shoes for beginners
  - {text: Which trail running shoes last longest?, tags: [trail], weight: 2}
  - Is Ollaro any good?
  - {text: running shoes for wide feet, tags: [trail, wide]}
  - refused from the first to the last [[garbage]]
targets:
  - {provider: chatassistant, country: US}
  - {provider: websearch, country: DE, options: {include: {searchoverview: true}}}
`

// sites are parts of the addresses of the brands' domains, none of which is part of another
// address.
var sites = map[string]string{"Ollaro": "//www.testbench.", "Kestrin": "//www.ratingsroom.", "Brandnobodyknows": "//nowhere"}

// counted is what a test finds in answers by itself.
type counted struct{ named, cited, answers int }

// countAnswers reads all answers and looks for a brand in what they show.
func countAnswers(t *testing.T, n *harness.Node, a *app.Account, target, brand string) (found counted) {
	t.Helper()
	var page earshot.AnswerPage
	n.Get(t, a, "/v1/trackers/shoes/answers?limit=200&outcome=answered&target="+target).Has(t, "answers", http.StatusOK).Into(t, &page)
	for _, one := range page.Answers {
		if strings.Contains(one.Prompt, "Ollaro") {
			continue // a branded prompt
		}
		var answer earshot.TrackedAnswer
		n.Get(t, a, "/v1/trackers/shoes/answers/"+one.ID).Has(t, "an answer", http.StatusOK).Into(t, &answer)
		shown, sources := shownBy(t, answer.Result)
		found.answers++
		if strings.Contains(shown, brand) {
			found.named++
		}
		for _, s := range sources {
			if strings.Contains(s.URL, sites[brand]) {
				found.cited++
				break
			}
		}
	}
	return found
}

// shownBy is the text that a result shows, and what it cites.
func shownBy(t *testing.T, result json.RawMessage) (text string, sources []earshot.Source) {
	t.Helper()
	var page earshot.WebSearch
	var answer earshot.Answer
	if json.Unmarshal(result, &page) != nil || json.Unmarshal(result, &answer) != nil {
		t.Fatalf("a result is %s", result)
	}
	for _, r := range page.OrganicResults {
		text += r.Title + "\n" + r.Snippet + "\n"
	}
	if page.SearchOverview != nil {
		answer = *page.SearchOverview
	}
	if k := page.KnowledgeGraph; k != nil {
		text += k.Title + "\n" + k.Description + "\n"
	}
	return text + answer.Text, answer.Sources
}

func metricsOf(t *testing.T, n *harness.Node, a *app.Account, query string) (report earshot.MetricReport) {
	t.Helper()
	n.Get(t, a, "/v1/trackers/shoes/metrics?"+query).Has(t, query, http.StatusOK).Into(t, &report)
	return report
}

// rowOf is the row of a metric, brand and target.
func rowOf(t *testing.T, report earshot.MetricReport, metric, brand, target string) earshot.MetricRow {
	t.Helper()
	for _, row := range report.Rows {
		if row.Metric == metric+"@m1" && row.Brand == brand && row.Target == target {
			return row
		}
	}
	t.Fatalf("there is no %s of %q on %s in %+v", metric, brand, target, report.Rows)
	return earshot.MetricRow{}
}

func TestNumbersAreWhatTheAnswersSay(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		applied(t, n, a, "", panel)
		if empty := metricsOf(t, n, a, ""); empty.Rules != "r1" || empty.Sweeps != 0 || len(empty.Rows) != 0 {
			t.Errorf("before the first sweep the numbers are %+v", empty)
		}
		for _, key := range []string{"one", "two"} {
			ended(t, other, a, run(t, n, a, key).Sweep.ID)
		}
		report := metricsOf(t, other, a, "")
		if report.Sweeps != 2 || !report.MadeUp {
			t.Errorf("the numbers are of %d sweeps, made up: %t", report.Sweeps, report.MadeUp)
		}
		namedAny, citedAny := 0, 0
		for _, target := range []string{"chatassistant/US", "websearch/DE"} {
			for _, brand := range []string{"Ollaro", "Kestrin", "Brandnobodyknows"} {
				want := countAnswers(t, n, a, target, brand)
				namedAny, citedAny = namedAny+want.named, citedAny+want.cited
				row := rowOf(t, report, "visibility", brand, target)
				if row.Numerator != float64(want.named) || row.Denominator != float64(want.answers) || row.Missing != 2 || row.Rules != "r1" || !row.Provisional {
					t.Errorf("visibility of %s on %s is %+v, want %+v", brand, target, row, want)
				}
				if cited := rowOf(t, report, "citationRate", brand, target); cited.Numerator != float64(want.cited) {
					t.Errorf("citationRate of %s on %s is %+v, want %+v", brand, target, cited, want)
				}
				var page earshot.AnswerPage
				n.Get(t, a, row.AnswersURL).Has(t, "the answers behind it", http.StatusOK).Into(t, &page)
				if len(page.Answers) != row.Answers+row.Missing || row.Answers != want.answers {
					t.Errorf("%s lists %d answers, want %d", row.AnswersURL, len(page.Answers), row.Answers+row.Missing)
				}
				var naming earshot.AnswerPage
				n.Get(t, a, row.AnswersURL+"&brand="+brand).Has(t, "the answers that name it", http.StatusOK).Into(t, &naming)
				if len(naming.Answers) != want.named {
					t.Errorf("%s lists %d answers that name %s, want %d", row.AnswersURL, len(naming.Answers), brand, want.named)
				}
			}
		}
		if namedAny == 0 || citedAny == 0 {
			t.Error("the lab names or cites no brand of the panel: the test proves nothing")
		}
		checkAnswersURLs(t, n, a)
		checkBacks(t, n, a)
		checkCuts(t, n, a)
		checkComparison(t, n, a)
		checkRules(t, n, other, a)
		storetest.Audited(t, n.Store)
	})
}

// checkAnswersURLs follows the links of rows that are divided and picked in many ways.
func checkAnswersURLs(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	seen := 0
	for _, query := range []string{
		"by=brand", "by=sweep", "by=sweep&last=2", "by=day,provider", "by=week,country", "by=month,tag", "by=tag&filter=tag:wide", "by=prompt&filter=prompt:1,tag:trail,prompt:2", "by=prompt", "by=prompt,target&filter=prompt:1,prompt:2", "by=target&filter=target:chatassistant/US,target:websearch/DE", "by=target&branded=true", "by=surface&filter=tag:trail,provider:websearch", "metric=coverage",
	} {
		for _, row := range metricsOf(t, n, a, query).Rows {
			if row.Brand != "" && row.Brand != "Ollaro" || row.Brand == "" && row.Metric != "coverage@m1" {
				continue
			}
			if strings.Contains(row.AnswersURL, "promptId=") && strings.Contains(row.AnswersURL, "prompt%3A") {
				t.Errorf("%s: %s names the questions of other rows", query, row.AnswersURL)
			}
			var page earshot.AnswerPage
			n.Get(t, a, row.AnswersURL+"&limit=200").Has(t, row.AnswersURL, http.StatusOK).Into(t, &page)
			given := 0
			for _, one := range page.Answers {
				if one.Outcome == earshot.OutcomeAnswered {
					given++
				}
			}
			answers := row.Answers + row.NotRequested + row.NotOffered
			if given != answers || row.Surface == "" && len(page.Answers) != answers+row.Missing {
				t.Errorf("%s: %s lists %d answers, %d of them given; the row is %+v", query, row.AnswersURL, len(page.Answers), given, row)
			}
			seen++
		}
	}
	if seen < 100 {
		t.Errorf("only %d links were followed", seen)
	}
}

// checkBacks holds what sources back, and the support of brands, against the sentences of
// the answers. The definition asks for no Markdown, which sweeps do by themselves.
func checkBacks(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	type backed struct{ source, brand string }
	want := map[string]map[backed]int{"domain": {}, "url": {}}
	supported := map[string]float64{}
	var page earshot.AnswerPage
	n.Get(t, a, "/v1/trackers/shoes/answers?limit=200&outcome=answered").Has(t, "answers", http.StatusOK).Into(t, &page)
	for _, one := range page.Answers {
		if strings.Contains(one.Prompt, "Ollaro") {
			continue // a branded prompt
		}
		var answer earshot.TrackedAnswer
		n.Get(t, a, "/v1/trackers/shoes/answers/"+one.ID).Has(t, "an answer", http.StatusOK).Into(t, &answer)
		for _, text := range answer.Found.Texts {
			if prose := text.Where == "text" || text.Where == "overview"; prose && text.Format != "markdown" {
				t.Errorf("the answer on %s has no Markdown: %+v", one.Target, text)
			}
		}
		for _, m := range answer.Found.Mentions {
			if m.Kind == "absent" {
				continue
			}
			for _, domain := range m.Domains {
				want["domain"][backed{domain, m.Brand}]++
			}
			for _, position := range m.Citations {
				want["url"][backed{answer.Found.Citations[position-1].URL, m.Brand}]++
			}
			if len(m.Domains) > 0 {
				supported[m.Brand]++
			}
		}
	}
	if len(want["domain"]) == 0 || len(want["url"]) == 0 {
		t.Fatal("no sentence of the lab cites anything: the test proves nothing")
	}
	for by, all := range want {
		var report earshot.SourceReport
		n.Get(t, a, "/v1/trackers/shoes/sources?limit=1000&by="+by).Has(t, "sources", http.StatusOK).Into(t, &report)
		got := map[backed]int{}
		for _, row := range report.Rows {
			for _, b := range row.Backs {
				got[backed{map[string]string{"domain": row.Domain, "url": row.URL}[by], b.Brand}] += b.Mentions
			}
		}
		if !reflect.DeepEqual(got, all) {
			t.Errorf("by %s sources back %v, want %v", by, got, all)
		}
	}
	for _, row := range metricsOf(t, n, a, "metric=support&by=brand").Rows {
		if row.Numerator != supported[row.Brand] || row.NotRequested != 0 || row.Reason != "" {
			t.Errorf("the support of %s is %+v, want %v mentions", row.Brand, row, supported[row.Brand])
		}
	}
}

// checkCuts divides and picks.
func checkCuts(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	whole := rowOf(t, metricsOf(t, n, a, "metric=visibility&by=brand"), "visibility", "Ollaro", "*")
	if whole.Answers != 12 || *whole.Cells != 6 {
		t.Errorf("all targets together are %+v", whole)
	}
	all := metricsOf(t, n, a, "metric=visibility&by=target")
	first, rest := metricsOf(t, n, a, "metric=visibility&by=target&limit=1"), metricsOf(t, n, a, "metric=visibility&by=target&offset=1")
	if !first.More || rest.More || !reflect.DeepEqual(all.Rows, append(first.Rows, rest.Rows...)) {
		t.Errorf("a page of %d rows and one of %d are not the %d of all", len(first.Rows), len(rest.Rows), len(all.Rows))
	}
	sum := 0.0
	for _, row := range metricsOf(t, n, a, "metric=visibility&by=sweep,target&having=brand:Ollaro").Rows {
		if sum += row.Numerator; row.Brand != "Ollaro" || row.Sweep == "" {
			t.Errorf("a row is %+v", row)
		}
	}
	if sum != whole.Numerator {
		t.Errorf("the sweeps have %v mentions, all together %v", sum, whole.Numerator)
	}
	trail := rowOf(t, metricsOf(t, n, a, "metric=visibility&filter=tag:trail,target:chatassistant/US"), "visibility", "Ollaro", "chatassistant/US")
	if trail.Answers != 4 {
		t.Errorf("the tag has %+v", trail)
	}
	for _, row := range metricsOf(t, n, a, "metric=visibility&by=prompt&having=brand:Ollaro").Rows {
		alone := rowOf(t, metricsOf(t, n, a, fmt.Sprintf("metric=visibility&by=brand&filter=prompt:%d", row.PromptID)), "visibility", "Ollaro", "*")
		if alone.Answers != row.Answers || alone.Numerator != row.Numerator || !strings.Contains(row.AnswersURL, fmt.Sprintf("promptId=%d", row.PromptID)) {
			t.Errorf("the question %d is %+v among all and %+v alone", row.PromptID, row, alone)
		}
	}
	share := 0.0
	for _, row := range metricsOf(t, n, a, "metric=shareOfVoice&by=brand").Rows {
		if row.Value != nil {
			share += *row.Value
		}
	}
	if math.Abs(share-1) > 1e-9 {
		t.Errorf("shares of voice add up to %v", share)
	}
	if rows := metricsOf(t, n, a, "from=2001-01-01&to=2001-12-31").Rows; len(rows) != 0 {
		t.Errorf("long ago there were %+v", rows)
	}
	for query, field := range map[string]string{
		"metric=fame": "metric", "by=moon": "by", "filter=moon": "filter", "having=day:2026-01-01": "having", "from=2026-02-02&to=2026-02-01": "to", "from=x": "from",
	} {
		n.Get(t, a, "/v1/trackers/shoes/metrics?"+query).Invalid(t, query, http.StatusBadRequest, field)
	}
	n.Get(t, a, "/v1/trackers/none/metrics").Fails(t, "no tracker", http.StatusNotFound, earshot.CodeNotFound)
	n.Get(t, n.Organization(t, "many", 0), "/v1/trackers/shoes/metrics").Fails(t, "somebody else's", http.StatusNotFound, earshot.CodeNotFound)

	var sources earshot.SourceReport
	n.Get(t, a, "/v1/trackers/shoes/sources?by=url&limit=3").Has(t, "sources", http.StatusOK).Into(t, &sources)
	if len(sources.Rows) != 3 || sources.Rows[0].Citations < sources.Rows[2].Citations || sources.Rows[0].URL == "" || sources.Rows[0].Domain == "" || sources.Rows[0].Type == "" {
		t.Errorf("the sources are %+v", sources)
	}
}

func checkComparison(t *testing.T, n *harness.Node, a *app.Account) {
	t.Helper()
	var report earshot.CompareReport
	n.Get(t, a, "/v1/trackers/shoes/compare").Has(t, "compare", http.StatusOK).Into(t, &report)
	if report.Period.Sweeps != 2 || report.Baseline.Sweeps != 0 || len(report.Rows) != 9 || len(report.Grades) != 3 {
		t.Fatalf("the comparison is %+v", report)
	}
	for _, row := range report.Rows {
		if row.Verdict != earshot.VerdictTooEarly || row.Change != nil || row.Summary == "" || row.CellsLeftOut == 0 {
			t.Errorf("a row is %+v", row)
		}
	}
	if g := report.Grades[0]; g.Grade != "exploratory" || len(g.Criteria) != 7 {
		t.Errorf("the grade is %+v", g)
	}
	n.Get(t, a, "/v1/trackers/shoes/compare?baselineFrom=2026-02-02&baselineTo=2026-02-01").Invalid(t, "a period", http.StatusBadRequest, "baselineTo")
}

// checkRules changes the panel: history is analysed again, at no cost.
func checkRules(t *testing.T, n, other *harness.Node, a *app.Account) {
	t.Helper()
	var before, after earshot.Credits
	n.Get(t, a, "/v1/credits").Into(t, &before)
	old := rowOf(t, metricsOf(t, n, a, "by=brand"), "visibility", "Kestrin", "*")
	applied(t, n, a, "", strings.Replace(panel, "{name: Kestrin,", "{name: Kestrin Sports, aliases: [Kestrin],", 1))
	var rules earshot.RulesList
	harness.Eventually(t, "the new rules are current", func() bool {
		other.Get(t, a, "/v1/trackers/shoes/rules").Has(t, "rules", http.StatusOK).Into(t, &rules)
		return rules.Current == "r2"
	})
	if len(rules.Rules) != 2 || rules.Rules[0].FinishedAt == nil || rules.Rules[0].Analysed != 16 || rules.Rules[1].State != "old" {
		t.Errorf("the rules are %+v", rules)
	}
	renamed := rowOf(t, metricsOf(t, other, a, "by=brand"), "visibility", "Kestrin Sports", "*")
	if renamed.Numerator != old.Numerator || renamed.Denominator != old.Denominator || renamed.Rules != "r2" {
		t.Errorf("by its new name it has %+v, before %+v", renamed, old)
	}
	n.Post(t, a, "/v1/trackers/shoes/reanalysis", "").Has(t, "again", http.StatusOK)
	harness.Eventually(t, "the same rules again are current", func() bool { return metricsOf(t, n, a, "").Rules == "r3" })
	if again := rowOf(t, metricsOf(t, n, a, "by=brand"), "visibility", "Kestrin Sports", "*"); fmt.Sprint(*again.Value) != fmt.Sprint(*renamed.Value) {
		t.Errorf("analysed again it has %+v, before %+v", again, renamed)
	}
	n.Get(t, a, "/v1/credits").Into(t, &after)
	if before != after {
		t.Errorf("it cost %+v, then %+v", before, after)
	}
}
