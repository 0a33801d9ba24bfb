package upstreams_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/app"
	"earshot/test/harness"
)

const tracked = `
brands: [{name: Ollaro, own: true}, {name: Kestrin}]
prompts: ["Which shoes last?", "Which ones would you reject?"]
targets: [{provider: chatassistant, country: US}]
`

// sweep applies a definition, runs a sweep and returns its answers by prompt.
func sweep(t *testing.T, n *harness.Node, a *app.Account, definition, key string) map[string]earshot.TrackedAnswer {
	t.Helper()
	var started earshot.SweepStarted
	var closed earshot.Sweep
	var page earshot.AnswerPage
	n.SendWith(t, a, http.MethodPut, "/v1/trackers/shoes", definition, map[string]string{"Content-Type": "application/yaml"}).Has(t, "apply", http.StatusOK)
	n.Post(t, a, "/v1/trackers/shoes/sweeps", fmt.Sprintf(`{"idempotencyKey":%q}`, key)).Has(t, "run", http.StatusOK).Into(t, &started)
	harness.Eventually(t, "the sweep ends", func() bool {
		n.Get(t, a, "/v1/trackers/shoes/sweeps/"+started.Sweep.ID).Into(t, &closed)
		return closed.State != earshot.SweepRunning
	})
	n.Get(t, a, "/v1/trackers/shoes/answers?sweep="+started.Sweep.ID).Has(t, "answers", http.StatusOK).Into(t, &page)
	answers := map[string]earshot.TrackedAnswer{}
	for _, answer := range page.Answers {
		answers[answer.Prompt] = answer
	}
	return answers
}

// TestTrackersKeepVendorsApart asks the same prompts through a vendor with a fallback,
// without a fallback, and then through the lab alone.
func TestTrackersKeepVendorsApart(t *testing.T) {
	t.Parallel()
	cloro := startCloro(t)
	list := func(names ...string) func(*app.Config) {
		return func(cfg *app.Config) {
			cloro.settings(cfg)
			cfg.Settings.Providers["chatassistant"] = app.ProviderSettings{Upstreams: names}
		}
	}
	address := filepath.Join(t.TempDir(), "earshot.db")
	n := harness.StartOn(t, address, list("via:cloro", "lab"))
	a := n.Organization(t, "starter", 1000)
	allowed := sweep(t, n, a, tracked, "one")
	if got := allowed["Which shoes last?"]; got.Surface != "vendor" || got.Via != "cloro" {
		t.Errorf("the vendor's answer is from %q via %q", got.Surface, got.Via)
	}
	if got := allowed["Which ones would you reject?"]; got.Outcome != earshot.OutcomeAnswered || got.Surface != "lab" || got.Via != "" {
		t.Errorf("with a fallback the answer is %s", harness.JSON(t, got))
	}
	never := sweep(t, n, a, tracked+"fallback: never\n", "two")
	if got := never["Which shoes last?"]; got.Via != "cloro" {
		t.Errorf("without a fallback the vendor's answer is %s", harness.JSON(t, got))
	}
	if got := never["Which ones would you reject?"]; got.Outcome != earshot.OutcomeMissing {
		t.Errorf("without a fallback the answer is %s", harness.JSON(t, got))
	}
	var tracker earshot.Tracker
	n.Get(t, a, "/v1/trackers/shoes").Into(t, &tracker)
	if tracker.Definition.Fallback != "never" {
		t.Errorf("the definition says %q", tracker.Definition.Fallback)
	}
	n.SendWith(t, a, http.MethodPut, "/v1/trackers/shoes?dryRun=true", tracked+"fallback: sometimes\n", map[string]string{"Content-Type": "application/yaml"}).
		Invalid(t, "another fallback", http.StatusBadRequest, "fallback")

	var report earshot.MetricReport
	rows := func(filter string) (labels []string) {
		n.Get(t, a, "/v1/trackers/shoes/metrics?metric=visibility&by=target,surface"+filter).Has(t, "metrics", http.StatusOK).Into(t, &report)
		for _, r := range report.Rows {
			if r.Brand == "Ollaro" {
				labels = append(labels, fmt.Sprintf("%s %s %s %d", r.Target, r.Surface, r.Via, r.Answers))
			}
		}
		return labels
	}
	vendor := "chatassistant/US@vendor:cloro vendor cloro 2"
	if got := rows(""); !slices.Equal(got, []string{"chatassistant/US@lab lab  1", vendor}) {
		t.Errorf("the rows are %q", got)
	}
	for _, filter := range []string{"surface:vendor", "surface:vendor:cloro"} {
		if got := rows("&filter=" + filter); !slices.Equal(got, []string{vendor}) {
			t.Errorf("the rows of %s are %q", filter, got)
		}
		var page earshot.AnswerPage
		n.Get(t, a, "/v1/trackers/shoes/answers?counted=true&filter="+filter).Has(t, "answers", http.StatusOK).Into(t, &page)
		if len(page.Answers) != 2 {
			t.Errorf("%d answers of %s", len(page.Answers), filter)
		}
	}
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	n = harness.StartOn(t, address, list("lab"))
	sweep(t, n, a, tracked+"fallback: never\n", "three")
	harness.Eventually(t, "the break is known, which is noted after a sweep has closed", func() bool {
		rows("")
		return slices.ContainsFunc(report.Breaks, func(b earshot.MetricBreak) bool {
			return b.Kind == "surface" && b.Target == "chatassistant/US" && b.Reason == "the surface of most answers changed from vendor (cloro) to lab"
		})
	})
}
