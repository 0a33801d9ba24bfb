package tracking

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
	"earshot/internal/track/analysis"
	"earshot/test/harness"
)

// A node dies in the middle of a re-analysis, before it has stored what that moves and how
// far a repeated sweep is from the first, and another goes on: all numbers are the same.
func TestAReanalysisGoesOnWhereItWasCut(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		n := harness.StartOn(t, address)
		a := n.Organization(t, "business", 1000)
		applied(t, n, a, "", panel)
		ended(t, n, a, run(t, n, a, "one").Sweep.ID)
		var repeat earshot.SweepStarted
		n.Post(t, a, "/v1/trackers/shoes/sweeps", `{"repeat":true}`).Has(t, "repeat", http.StatusOK).Into(t, &repeat)
		ended(t, n, a, repeat.Sweep.ID)
		var noise *earshot.NoiseReport
		harness.Eventually(t, "the noise is known", func() bool {
			noise = metricsOf(t, n, a, "").Noise
			return noise != nil
		})
		before := rowOf(t, metricsOf(t, n, a, ""), "visibility", "Ollaro", "chatassistant/US")
		if err := n.Stop(); err != nil {
			t.Fatal(err)
		}
		tracker, err := tracking.New(n.Store).Tracker(t.Context(), a.Organization.ID, "shoes")
		if err != nil {
			t.Fatal(err)
		}
		cut(t, n.Store, tracker)
		forgotten, err := tracking.New(n.Store).Sweep(t.Context(), tracker, repeat.Sweep.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := tracking.New(n.Store).SaveFacts(forgotten, nil); err != nil {
			t.Fatal(err)
		}

		other := harness.StartOn(t, address)
		var rules earshot.RulesList
		harness.Eventually(t, "the new rules are current", func() bool {
			other.Get(t, a, "/v1/trackers/shoes/rules").Has(t, "rules", http.StatusOK).Into(t, &rules)
			return rules.Current == "r2"
		})
		if done := rules.Rules[0]; done.Analysed != 16 || done.Answers != 16 {
			t.Errorf("%d of %d answers were analysed", done.Analysed, done.Answers)
		}
		after := rowOf(t, metricsOf(t, other, a, ""), "visibility", "Ollaro", "chatassistant/US")
		if *after.Value != *before.Value || after.Answers != before.Answers || after.Rules != "r2" {
			t.Errorf("the number is %+v, before %+v", after, before)
		}
		checkMoved(t, other, a, rules.Rules[0].Moved)
		var again *earshot.NoiseReport
		harness.Eventually(t, "the noise is known again", func() bool {
			again = metricsOf(t, other, a, "").Noise
			return again != nil
		})
		if !reflect.DeepEqual(again, noise) {
			t.Errorf("the noise is %+v, before %+v", again, noise)
		}
		storetest.Audited(t, other.Store)
	})
}

// checkMoved wants rules that find the same as those before to say so of all answers.
func checkMoved(t *testing.T, n *harness.Node, a *app.Account, moved *earshot.List[earshot.MovedBrand]) {
	t.Helper()
	if moved == nil || len(*moved) != 3 {
		t.Fatalf("moved is %+v", moved)
	}
	var page earshot.AnswerPage
	n.Get(t, a, "/v1/trackers/shoes/answers?limit=200&outcome=answered").Has(t, "answers", http.StatusOK).Into(t, &page)
	named := 0
	for _, one := range page.Answers {
		var answer earshot.TrackedAnswer
		n.Get(t, a, "/v1/trackers/shoes/answers/"+one.ID).Has(t, "an answer", http.StatusOK).Into(t, &answer)
		if shown, _ := shownBy(t, answer.Result); strings.Contains(shown, "Kestrin") {
			named++
		}
	}
	for _, brand := range *moved {
		if brand.AnswersAfter != brand.AnswersBefore || brand.Gained+brand.Lost != 0 || brand.Brand == "Kestrin" && brand.AnswersAfter != named {
			t.Errorf("%d of %d answers name Kestrin, and moved is %+v", named, len(page.Answers), brand)
		}
	}
}

// cut begins a re-analysis that looks at three answers, and no further.
func cut(t *testing.T, s *store.Store, tracker *tracking.Tracker) {
	t.Helper()
	known, err := analysing.New(s).Rules(t.Context(), tracker.Organization, tracker.ID)
	if err != nil || len(known) != 1 || known[0].State != analysing.RulesCurrent {
		t.Fatalf("the rules are %+v, %v", known, err)
	}
	next := &analysing.Rules{Brands: known[0].Brands, Code: analysis.Version}
	if err := tracking.New(s).AddRules(tracker, next, 1, account.Operator(), s.Now()); err != nil {
		t.Fatal(err)
	}
	if err := tracking.New(s).AddRules(tracker, &analysing.Rules{Brands: known[0].Brands, Code: analysis.Version}, 1, account.Operator(), s.Now()); err == nil {
		t.Error("the same version is added twice")
	}
	answers, err := tracking.New(s).Unanalysed(t.Context(), next, next.Cursor, 3)
	if err != nil || len(answers) != 3 {
		t.Fatalf("%d answers are to be analysed, %v", len(answers), err)
	}
	panel, err := analysis.NewPanel([]earshot.Brand{
		{Name: "Ollaro", Own: true, Domains: earshot.List[string]{"testbench.example"}},
		{Name: "Kestrin", Domains: earshot.List[string]{"ratingsroom.example"}},
		{Name: "Brandnobodyknows"},
	})
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := tracking.New(s).TrackerPrompts(t.Context(), tracker)
	if err != nil {
		t.Fatal(err)
	}
	var found []*analysing.Analysis
	for _, a := range answers {
		one, err := panel.Analyse(a.Result, analysis.Question{Text: prompts[a.Prompt-1].Name})
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, a.Analysis(next.Version, one.Encode()))
	}
	slow := *next
	if err := analysing.New(s).SaveAnalyses(next, uuid.Nil.String(), found); err != nil { // as at the end: from the start once more
		t.Fatal(err)
	}
	if err := analysing.New(s).SaveAnalyses(&slow, answers[2].ID, found); !errors.Is(err, store.ErrChanged) {
		t.Errorf("a node that comes second gets %v", err)
	}
	if err := analysing.New(s).SaveAnalyses(next, answers[2].ID, nil); err != nil {
		t.Fatal(err)
	}
	unfinished, err := analysing.New(s).UnfinishedRules(t.Context())
	if err != nil || len(unfinished) != 1 || unfinished[0].Done != 3 || unfinished[0].State != analysing.RulesPending {
		t.Fatalf("unfinished are %+v, %v", unfinished, err)
	}
}
