// Package tracking follows trackers through a whole service: applied, run, answered,
// read, canceled, deleted.
package tracking

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const shoes = `
name: shoes
brands:
  - {name: Ollaro, own: true, aliases: [Ollaro Sports], domains: [ollaro.example]}
  - {name: "On", match: {case: exact, near: [shoes], within: 8}, aliases: [On Running]}
prompts:
  - best running shoes for beginners
  - {text: Which trail running shoes last longest?, tags: [trail], weight: 2}
  - refused from the first to the last [[garbage]]
targets:
  - {provider: chatassistant, country: US}
  - {provider: websearch, country: DE, options: {include: {searchoverview: true}}}
schedule: {every: day, at: "06:00", timezone: Europe/Berlin, within: 4h}
ceiling: {creditsPerMonth: 100}
`

const yaml = "application/yaml"

// apply sends a definition in YAML.
func apply(t *testing.T, n *harness.Node, a *app.Account, query, text string) *harness.Reply {
	t.Helper()
	return n.SendWith(t, a, http.MethodPut, "/v1/trackers/shoes"+query, text, map[string]string{"Content-Type": yaml})
}

func applied(t *testing.T, n *harness.Node, a *app.Account, query, text string) (answer earshot.TrackerApplied) {
	t.Helper()
	apply(t, n, a, query, text).Has(t, "apply"+query, http.StatusOK).Into(t, &answer)
	return answer
}

// ended waits for a sweep to end.
func ended(t *testing.T, n *harness.Node, a *app.Account, id string) (sweep earshot.Sweep) {
	t.Helper()
	harness.Eventually(t, "the sweep ends", func() bool {
		n.Get(t, a, "/v1/trackers/shoes/sweeps/"+id).Has(t, "the sweep", http.StatusOK).Into(t, &sweep)
		return sweep.State != earshot.SweepRunning
	})
	return sweep
}

func run(t *testing.T, n *harness.Node, a *app.Account, key string) (started earshot.SweepStarted) {
	t.Helper()
	n.Post(t, a, "/v1/trackers/shoes/sweeps", fmt.Sprintf(`{"idempotencyKey":%q}`, key)).Has(t, "run now", http.StatusOK).Into(t, &started)
	return started
}

func TestATrackerFromFileToAnswers(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		if dry := applied(t, n, a, "?dryRun=true", shoes); !dry.DryRun || !dry.Created || dry.Tracker.Cost.Sweep == 0 || dry.Tracker.NextSweepAt == nil {
			t.Errorf("a dry run tells %+v", dry)
		} else if slots := dry.Tracker.NextSlots; len(slots) != 5 || !slots[0].DueAt.Equal(dry.Tracker.NextSweepAt.Time) || !strings.HasSuffix(slots[4].Slot, "T06:00 Europe/Berlin") || !slots[4].DueAt.After(slots[3].DueAt.Time) {
			t.Errorf("the next slots are %+v", slots)
		} else if len(dry.Warnings) != 1 || !strings.Contains(dry.Warnings[0], "the monthly ceiling is 100") {
			t.Errorf("a month of %+v is warned of by %q", dry.Tracker.Cost, dry.Warnings)
		}
		for ceiling, want := range map[string]string{"100": "a month", "1": "every sweep will be skipped", "1000000": ""} {
			warned := applied(t, n, a, "?dryRun=true", strings.Replace(shoes, "creditsPerMonth: 100", "creditsPerMonth: "+ceiling, 1)).Warnings
			if got := strings.Join(warned, "; "); !strings.Contains(got, want) || (want == "") != (got == "") {
				t.Errorf("a ceiling of %s is warned of by %q", ceiling, warned)
			}
		}
		n.Get(t, a, "/v1/trackers/shoes").Fails(t, "after a dry run", http.StatusNotFound, earshot.CodeNotFound)
		first := applied(t, n, a, "", shoes)
		if again := applied(t, other, a, "", shoes); again.Changed || again.Tracker.Version != 1 {
			t.Errorf("the same again changes %+v", again.Changes)
		}
		cost := first.Tracker.Cost.Sweep
		var list earshot.TrackerList
		n.Get(t, a, "/v1/trackers").Has(t, "the list", http.StatusOK).Into(t, &list)
		var shown earshot.Tracker
		n.Get(t, a, "/v1/trackers/shoes").Has(t, "the tracker", http.StatusOK).Into(t, &shown)
		shown.Definition, shown.NextSlots = nil, nil
		for i, l := range list.Trackers { // what only lists have
			if l.OpenAlerts == nil || *l.OpenAlerts != 0 || l.Coverage != nil || l.Lead == nil || l.Lead.Name != "Ollaro" {
				t.Errorf("the list has the alerts %v, coverage %v and lead %+v", l.OpenAlerts, l.Coverage, l.Lead)
			}
			list.Trackers[i].OpenAlerts, list.Trackers[i].Lead = nil, nil
		}
		if len(list.Trackers) != 1 || !reflect.DeepEqual(list.Trackers[0], shown) || shown.Prompts != 3 || shown.Brands != 2 {
			t.Errorf("the list has %+v, want %+v", list.Trackers, shown)
		}

		started := run(t, n, a, "one")
		if again := run(t, other, a, "one"); !again.Replayed || again.Sweep.ID != started.Sweep.ID {
			t.Errorf("the same key starts %+v", again)
		}
		sweep := ended(t, other, a, started.Sweep.ID)
		if p := sweep.Progress; p.Planned != 6 || p.Answered != 4 || p.Missing != 2 || !slices.Equal(sweep.Missing, []earshot.ReasonCount{{Reason: "unreadable", Count: 2}}) {
			t.Errorf("the sweep ended as %+v", sweep)
		}
		if sweep.Credits.CreditsCharged == 0 || sweep.Credits.CreditsToCharge != cost {
			t.Errorf("the sweep cost %+v, at most %d", sweep.Credits, cost)
		}
		readAnswers(t, n, a, sweep)
		namedInTheLedger(t, n, a, sweep.Credits.CreditsCharged)

		changed := applied(t, n, a, "", strings.Replace(shoes, "for beginners", "for experts", 1))
		if !changed.Changed || len(changed.Changes) != 2 || len(changed.Breaks) == 0 {
			t.Errorf("another question changes %+v and breaks %+v", changed.Changes, changed.Breaks)
		}
		n.Send(t, a, http.MethodDelete, "/v1/trackers/shoes", "").Has(t, "delete", http.StatusOK)
		n.Get(t, a, "/v1/trackers/shoes").Fails(t, "after it was deleted", http.StatusNotFound, earshot.CodeNotFound)
		storetest.Audited(t, n.Store)
	})
}

func readAnswers(t *testing.T, n *harness.Node, a *app.Account, sweep earshot.Sweep) {
	t.Helper()
	for query, want := range map[string]int{
		"":                       6,
		"sweep=" + sweep.ID:      6,
		"promptId=2":             2,
		"tag=trail":              2,
		"target=websearch/DE":    3,
		"outcome=missing":        2,
		"reason=unreadable":      2,
		"q=TRAIL":                2,
		"from=2099-01-01":        0,
		"outcome=answered&q=beg": 2,
	} {
		var page earshot.AnswerPage
		n.Get(t, a, "/v1/trackers/shoes/answers?"+query).Has(t, query, http.StatusOK).Into(t, &page)
		if len(page.Answers) != want || page.NextCursor != nil {
			t.Errorf("%q finds %d answers, want %d", query, len(page.Answers), want)
		}
		if query != "promptId=2" {
			continue
		}
		var answer earshot.TrackedAnswer
		n.Get(t, a, "/v1/trackers/shoes/answers/"+page.Answers[0].ID).Has(t, "an answer", http.StatusOK).Into(t, &answer)
		if answer.Result == nil || !answer.MadeUp || answer.Surface != "lab" || answer.Prompt == "" {
			t.Errorf("an answer is %+v", answer)
		}
	}
	stranger := n.Organization(t, "many", 1000)
	n.Get(t, stranger, "/v1/trackers/shoes/answers").Fails(t, "somebody else", http.StatusNotFound, earshot.CodeNotFound)
}

func namedInTheLedger(t *testing.T, n *harness.Node, a *app.Account, charged int64) {
	t.Helper()
	var page earshot.LedgerPage
	n.Get(t, n.Admin(t, a), "/v1/ledger?kind=charge").Has(t, "the ledger", http.StatusOK).Into(t, &page)
	var sum int64
	for _, entry := range page.Entries {
		if entry.Tracker == "shoes" {
			sum -= entry.Credits
		}
	}
	if sum != charged {
		t.Errorf("the ledger has %d credits of the tracker, the sweep %d", sum, charged)
	}
}

func TestTheCeilingIsNeverPassed(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		receiver := harness.Receive(t, http.StatusOK)
		text := fmt.Sprintf("prompts: [a]\ntargets: [{provider: chatassistant, country: US}]\nceiling: {creditsPerMonth: 12}\nwebhook: {url: %q}\n", receiver.URL)
		cost := applied(t, n, a, "", text).Tracker.Cost.Sweep
		states := make(chan earshot.SweepState)
		for i := range 6 {
			go func() {
				node := []*harness.Node{n, other}[i%2]
				started := run(t, node, a, fmt.Sprint(i))
				states <- ended(t, node, a, started.Sweep.ID).State
			}()
		}
		closed := int64(0)
		for range 6 {
			if state := harness.Next(t, "the end of a sweep", states); state == earshot.SweepClosed {
				closed++
			}
		}
		if closed*cost > 12 || closed == 0 {
			t.Errorf("%d sweeps of %d credits were run", closed, cost)
		}
		harness.Eventually(t, "all sweeps are told", func() bool { return len(receiver.Webhooks()) == 6 })
		storetest.Audited(t, n.Store)
	}, harness.LocalWebhooks)
}

func TestCancelAndPause(t *testing.T) {
	t.Parallel()
	n := harness.Start(t, func(cfg *app.Config) { cfg.StopGrace = time.Millisecond }) // what hangs need not end
	a := n.Organization(t, "one", 1000)
	applied(t, n, a, "", "prompts: [\"a "+harness.Endless+"\", b, c]\ntargets: [{provider: chatassistant, country: US}]\nschedule: {every: 6h}\n")
	started := run(t, n, a, "x")
	harness.Eventually(t, "all is submitted", func() bool {
		var sweep earshot.Sweep
		n.Get(t, a, "/v1/trackers/shoes/sweeps/"+started.Sweep.ID).Into(t, &sweep)
		return sweep.Progress.Submitted == 3
	})
	n.Send(t, a, http.MethodDelete, "/v1/trackers/shoes/sweeps/"+started.Sweep.ID, "").Has(t, "cancel", http.StatusOK)
	var paused earshot.Tracker
	n.Send(t, a, http.MethodPatch, "/v1/trackers/shoes", `{"state":"paused"}`).Has(t, "pause", http.StatusOK).Into(t, &paused)
	if paused.NextSweepAt != nil || paused.State != earshot.TrackerPaused {
		t.Errorf("a paused tracker is %+v", paused)
	}
	storetest.Audited(t, n.Store)
}

func TestWhatIsWrongWithADefinition(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	for name, one := range map[string]struct {
		text   string
		fields []string
	}{
		"nothing":        {"", []string{"body"}},
		"no mapping":     {"[1]", []string{"body"}},
		"no YAML":        {"a: [", []string{"body"}},
		"an anchor":      {"prompts: &a [x]\ntargets: *a", []string{"body"}},
		"two documents":  {"a: 1\n---\nb: 2", []string{"body"}},
		"empty":          {"{}", []string{"prompts", "targets"}},
		"unknown fields": {"prompts: [a]\ntargets: [{provider: chatassistant, country: US, contry: x}]\nschedul: 1", []string{"schedul", "targets[0].contry"}},
		"every 5m":       {"prompts: [a]\ntargets: [{provider: chatassistant, country: US}]\nschedule: {every: 5m, within: 1h}", []string{"schedule.every"}},
		"a shared name": {
			"brands: [{name: Ollaro}, {name: Kestrin, aliases: [ollaro, Kess]}, {name: Veltra, aliases: [{name: KESS}]}, {name: Apple, match: {near: [phone]}}, {name: Apple Records, aliases: [Apple]}]\nprompts: [a]\ntargets: [{provider: chatassistant, country: US}]",
			[]string{"brands[1].aliases[0]", "brands[2].aliases[0]"},
		},
		"a public suffix": {"brands: [{name: Ollaro, domains: [ollaro.co.uk, co.uk, ollaro.github.io]}]\nprompts: [a]\ntargets: [{provider: chatassistant, country: US}]", []string{"brands[0].domains[1]"}},
		"too often":       {"prompts: [a]\ntargets: [{provider: chatassistant, country: US}]\nschedule: {cron: \"0,59 * * * *\"}", []string{"schedule.cron"}},
		"all at once": {`
prompts: [a, a, {text: "", weigth: 2}, {text: b, weight: 0}]
targets: [{provider: nobody, country: US}, {provider: chatassistant, country: XX}, {provider: chatassistant, country: US, device: ios}, {provider: websearch, country: US, options: {pages: 99}}]
schedule: {every: 25h, timezone: Mars}
samples: 11
`, []string{"prompts[1]", "prompts[2].text", "prompts[2].weigth", "prompts[3].weight", "targets[0].provider", "targets[1].country", "targets[2].device", "targets[3].options.pages", "schedule.every", "schedule.timezone", "samples"}},
	} {
		got := apply(t, n, a, "", one.text)
		fields := got.Has(t, name, http.StatusBadRequest).Fields(t)
		slices.Sort(fields)
		slices.Sort(one.fields)
		if !slices.Equal(fields, one.fields) {
			t.Errorf("%s: %v are wrong, want %v\n%s", name, fields, one.fields, got.Body)
		}
	}
	if failure := apply(t, n, a, "", "prompts: [a]\n\ntargets: [{provider: x, country: US}]\n"); !strings.Contains(string(failure.Body), `"line":3`) {
		t.Errorf("no line is named: %s", failure.Body)
	}
	shared := apply(t, n, a, "", "brands: [{name: Ollaro}, {name: Kestrin, aliases: [Ollaro]}]\nprompts: [a]\ntargets: [{provider: chatassistant, country: US}]")
	if text := string(shared.Body); !strings.Contains(text, "Ollaro") || !strings.Contains(text, "Kestrin") {
		t.Errorf("a shared name is refused without naming both brands: %s", text)
	}
	for alerts, want := range map[string]float64{"{}": 1, "{falseAlarmsPerYear: 0}": 0, "{falseAlarmsPerYear: 2.5}": 2.5} {
		got := applied(t, n, a, "", "prompts: [a]\ntargets: [{provider: chatassistant, country: US}]\nalerts: "+alerts).Tracker.Definition.Alerts
		if got == nil || got.FalseAlarmsPerYear != want {
			t.Errorf("alerts: %s is %+v", alerts, got)
		}
	}
	large := "prompts: [" + strings.Repeat("x,", 10_001) + "]\ntargets: [{provider: chatassistant, country: US}]"
	apply(t, n, a, "", large).Invalid(t, "10,001 prompts", http.StatusBadRequest, "prompts")
	n.Send(t, a, http.MethodPut, "/v1/trackers/Not-A-Name", "{}").Invalid(t, "a name", http.StatusBadRequest, "name")
}
