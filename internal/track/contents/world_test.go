package contents_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/provider"
	"earshot/internal/provider/chatassistant"
	"earshot/internal/store/analysing"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track"
	"earshot/internal/track/analysis"
	"earshot/internal/track/definition"
	"earshot/internal/track/metric"
	"earshot/internal/track/source"
)

// jobs replaces the job runner: nothing is asked.
type jobs struct{}

func (jobs) Price(provider.Definition, provider.Request) int64 { return 1 }
func (jobs) Wake()                                             {}

// world has a tracker with hand-made analyses.
type world struct {
	*testing.T
	*track.Service
	store        *tracking.Store
	organization string
	tracker      *tracking.Tracker
	sweeps       map[int]*tracking.Sweep // by day of November 2026
	answers      []*tracking.Answer
}

const trackerName = "shoes"

// The targets and prompts of the tracker, by number.
const (
	us, de               = 1, 2
	running, trail, good = 1, 2, 3 // good names a brand
)

func newWorld(t *testing.T, address string) *world {
	t.Helper()
	s := storetest.OpenVirtual(t, address)
	catalogue, err := provider.NewCatalogue([]provider.Provider{chatassistant.Provider{}}, func(string) bool { return false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, store: tracking.New(s), organization: storetest.Organization(t, s, 1, 1000).ID, sweeps: map[int]*tracking.Sweep{}}
	w.Service = track.New(track.Config{Store: w.store, Catalogue: catalogue, Jobs: jobs{}, Planned: func() {}, Log: slog.New(slog.DiscardHandler)})
	_, err = w.Apply(t.Context(), w.organization, trackerName, []byte(`
brands:
  - {name: Ollaro, own: true, domains: [ollaro.example]}
  - {name: Kestrin, domains: [kestrin.example]}
  - {name: HP, match: {case: exact}}
prompts: [best running shoes, trail shoes, is Ollaro good?]
targets: [{provider: chatassistant, country: US}, {provider: chatassistant, country: DE}]
`), true, false, account.Operator(), at(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if w.tracker, err = w.store.Tracker(t.Context(), w.organization, trackerName); err != nil {
		t.Fatal(err)
	}
	return w
}

// at returns a minute of a day in November 2026.
func at(day, minute int) time.Time {
	return time.Date(2026, time.November, day, 6, minute, 0, 0, time.UTC)
}

// add adds an answer of the sweep of a day. Later answers of a sweep are asked later. markdown is
// the text of its result.
func (w *world) add(day, prompt, target int, markdown string, found analysis.Analysis) string {
	w.Helper()
	sweep := w.sweeps[day]
	if sweep == nil {
		sweep = &tracking.Sweep{
			Organization: w.organization, Tracker: w.tracker.ID, ID: definition.NewID(at(day, 0)), Slot: at(day, 0).Format("2006-01-02T15:04"), State: earshot.SweepClosed,
			Version: 1, Month: "2026-11", DueAt: at(day, 0), StartedAt: at(day, 0), EndsAt: at(day, 59), ClosedAt: at(day, 59),
		}
		w.sweeps[day] = sweep
	}
	sweep.Planned++
	sweep.Submitted++
	sweep.Answered++
	asked := at(day, sweep.Answered)
	result, err := json.Marshal(map[string]any{"surface": "web", "text": markdown, "markdown": markdown})
	if err != nil {
		w.Fatal(err)
	}
	a := &tracking.Answer{
		Organization: w.organization, Tracker: w.tracker.ID, ID: definition.NewID(asked), Sweep: sweep.ID, Prompt: prompt, Target: target, Sample: sweep.Answered,
		Outcome: earshot.OutcomeAnswered, Surface: "web", AskedAt: asked, FinishedAt: asked, Attempts: 1, Result: result,
	}
	a.Analyses = []*analysing.Analysis{a.Analysis(1, found.Encode())}
	w.answers = append(w.answers, a)
	return a.ID
}

// save stores the answers.
func (w *world) save() {
	w.Helper()
	var sweeps []*tracking.Sweep
	for _, sweep := range w.sweeps {
		sweeps = append(sweeps, sweep)
	}
	if err := w.store.InsertHistory(w.tracker, sweeps, w.answers); err != nil {
		w.Fatal(err)
	}
}

// refuses checks that an error names a field.
func (w *world) refuses(err error, field string) {
	w.Helper()
	if earshot.ErrorCode(err) != earshot.CodeValidation || !strings.Contains(err.Error(), field) {
		w.Errorf("the error is %v, want one about %s", err, field)
	}
}

// pages returns citations of addresses.
func pages(addresses ...string) []metric.Citation {
	all := []metric.Citation{}
	for i, address := range addresses {
		page, err := source.Parse(address)
		if err != nil {
			panic(err)
		}
		all = append(all, metric.Citation{URL: page.URL, Host: page.Host, Domain: page.Domain, Type: string(source.Other), Position: i + 1})
	}
	return all
}

func contents(c metric.Contents) analysis.Analysis { return analysis.Analysis{Contents: c} }

func stamp(day, minute int) earshot.Timestamp { return earshot.Timestamp{Time: at(day, minute)} }
