package tracking

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// makeDemo makes a demo, small unless body says otherwise.
func makeDemo(t *testing.T, n *harness.Node, a *app.Account, body string) (made earshot.DemoMade) {
	t.Helper()
	n.Post(t, a, "/v1/trackers/demo/demo", body).Has(t, "make a demo", http.StatusOK).Into(t, &made)
	return made
}

func TestADemoIsMadeAndDeleted(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		made := makeDemo(t, n, a, `{"days":8,"prompts":3}`)
		if made.Sweeps != 8 || made.Answers+made.Missing != 6*3*3 || !made.Tracker.Demo || made.Tracker.State != earshot.TrackerPaused || made.Tracker.NextSweepAt != nil {
			t.Errorf("a demo of 8 days and 3 prompts is %+v", made)
		}
		if made.Shift.Brand != "Ollaro" || made.Shift.From <= made.Shift.To {
			t.Errorf("what there is to find: %+v", made.Shift)
		}
		checkDemoSweeps(t, other, a, made)
		checkDemoAnswers(t, other, a, made)
		storetest.Audited(t, n.Store)

		again := makeDemo(t, other, a, `{"days":1,"prompts":1}`)
		if again.Sweeps != 1 || again.Tracker.Prompts != 1 {
			t.Errorf("a demo in the place of another is %+v", again)
		}
		n.Send(t, a, http.MethodDelete, "/v1/trackers/demo", "").Has(t, "delete", http.StatusOK)
		n.Get(t, a, "/v1/trackers/demo").Fails(t, "after it was deleted", http.StatusNotFound, earshot.CodeNotFound)
		storetest.Audited(t, n.Store)
		var credits earshot.Credits
		n.Get(t, a, "/v1/credits").Into(t, &credits)
		if credits.Remaining != 1000 || credits.Held != 0 {
			t.Errorf("it cost something: %+v", credits)
		}
	})
}

// checkDemoSweeps wants daily sweeps of the past, one missed and one skipped.
func checkDemoSweeps(t *testing.T, n *harness.Node, a *app.Account, made earshot.DemoMade) {
	t.Helper()
	var page earshot.SweepPage
	n.Get(t, a, "/v1/trackers/demo/sweeps?limit=100").Has(t, "sweeps", http.StatusOK).Into(t, &page)
	states := map[earshot.SweepState]int{}
	var answered, missing int
	for i, sweep := range page.Sweeps {
		states[sweep.State]++
		answered, missing = answered+sweep.Progress.Answered, missing+sweep.Progress.Missing
		if sweep.Credits.CreditsCharged != 0 || sweep.DueAt.After(time.Now()) || sweep.ClosedAt == nil {
			t.Errorf("a sweep is %+v", sweep)
		}
		if i > 0 {
			if gap := page.Sweeps[i-1].DueAt.Sub(sweep.DueAt.Time); gap < 23*time.Hour || gap > 25*time.Hour {
				t.Errorf("%s comes %s before the next", sweep.Slot, gap)
			}
		}
	}
	if states[earshot.SweepClosed] != made.Sweeps-2 || states[earshot.SweepMissed] != 1 || states[earshot.SweepSkipped] != 1 {
		t.Errorf("sweeps are %v", states)
	}
	if answered != made.Answers || missing != made.Missing {
		t.Errorf("%d answers and %d missing, told were %+v", answered, missing, made)
	}
}

// checkDemoAnswers wants answers of the shape that providers return, marked as made up. Some
// of them have searches, products, ads and overviews.
func checkDemoAnswers(t *testing.T, n *harness.Node, a *app.Account, made earshot.DemoMade) {
	t.Helper()
	var page earshot.AnswerPage
	n.Get(t, a, "/v1/trackers/demo/answers?limit=200").Has(t, "answers", http.StatusOK).Into(t, &page)
	if len(page.Answers) != made.Answers+made.Missing {
		t.Errorf("%d answers are listed, %d were made", len(page.Answers), made.Answers+made.Missing)
	}
	seen := map[string]bool{}
	for _, listed := range page.Answers {
		if listed.Outcome != earshot.OutcomeAnswered {
			continue
		}
		seen[listed.Target] = true
		var answer earshot.TrackedAnswer
		n.Get(t, a, "/v1/trackers/demo/answers/"+listed.ID).Has(t, "an answer", http.StatusOK).Into(t, &answer)
		if !answer.MadeUp || answer.Surface != "lab" || answer.Charged != 0 || answer.AskedAt.After(time.Now()) {
			t.Errorf("an answer is %+v", answer)
		}
		var said earshot.Answer
		var page earshot.WebSearch
		if err := errors.Join(json.Unmarshal(answer.Result, &said), json.Unmarshal(answer.Result, &page)); err != nil {
			t.Fatal(err)
		}
		if isPage := strings.HasPrefix(answer.Target, "websearch/"); isPage && len(page.OrganicResults) != 10 || !isPage && (said.Text == "" || answer.Model != "lab-1") {
			t.Errorf("%s says %s", answer.Target, answer.Result)
		}
		for part, has := range map[string]bool{
			" sources": len(said.Sources) > 0, " searches": len(said.SearchQueries) > 0, " overview": page.SearchOverview != nil,
			" products": len(said.ShoppingCards)+len(page.ShoppingCards) > 0, " ads": len(said.Ads)+len(page.Ads) > 0,
		} {
			seen[answer.Target+part] = seen[answer.Target+part] || has
		}
	}
	for _, part := range []string{
		"chatassistant/US sources", "chatassistant/US searches", "chatassistant/US products", "chatassistant/US ads",
		"genassistant/DE sources", "websearch/US overview", "websearch/US products", "websearch/US ads",
	} {
		if !seen[part] {
			t.Errorf("no answer has %s", part)
		}
	}
}

// TestADemoIsNeverMixedWithWhatWasAsked refuses to run or change a demo, and to make one
// of a tracker that is none.
func TestADemoIsNeverMixedWithWhatWasAsked(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "one", 1000)
	applied(t, n, a, "", shoes)
	n.Post(t, a, "/v1/trackers/shoes/demo", "").Fails(t, "a tracker that is no demo", http.StatusConflict, earshot.CodeConflict)
	n.Post(t, a, "/v1/trackers/Not-A-Name/demo", "{}").Invalid(t, "a name", http.StatusBadRequest, "name")
	n.Post(t, a, "/v1/trackers/demo/demo", `{"days":0,"prompts":21}`).Invalid(t, "too many", http.StatusBadRequest, "days", "prompts")
	makeDemo(t, n, a, `{"days":1,"prompts":1}`)
	n.Post(t, a, "/v1/trackers/demo/sweeps", "{}").Fails(t, "run", http.StatusConflict, earshot.CodeConflict)
	n.Send(t, a, http.MethodPatch, "/v1/trackers/demo", `{"state":"active"}`).Fails(t, "activate", http.StatusConflict, earshot.CodeConflict)
	n.SendWith(t, a, http.MethodPut, "/v1/trackers/demo", strings.Replace(shoes, "name: shoes", "", 1), map[string]string{"Content-Type": yaml}).
		Fails(t, "change", http.StatusConflict, earshot.CodeConflict)
	storetest.Audited(t, n.Store)
}

// TestTheShiftOfADemoIsFound wants what there is to find in a demo to be told by itself.
func TestTheShiftOfADemoIsFound(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	made := makeDemo(t, n, a, `{"days":60,"prompts":15}`)
	var first earshot.Alert
	harness.Eventually(t, "the shift is told", func() bool {
		var page earshot.AlertPage
		n.Get(t, a, "/v1/trackers/demo/alerts?kind=shift&limit=100").Has(t, "alerts", http.StatusOK).Into(t, &page)
		for _, one := range page.Alerts { // among them may be a false alarm
			if one.Shift.Brand == made.Shift.Brand && one.Shift.Metric == "visibility" && one.Shift.Direction == "down" {
				first = one
			}
		}
		return first.ID != ""
	})
	s := first.Shift
	if s.From <= s.To || len(s.Prompts) == 0 || len(s.Targets) != 3 || len(s.Interval) != 2 {
		t.Fatalf("the alert is %+v with %+v", first, s)
	}
	if !first.Open || !first.MadeUp || !strings.Contains(first.Summary, "Visibility of Ollaro on "+s.Target+" fell from ") {
		t.Errorf("the alert is %+v", first)
	}
	t.Logf("shift on %s: %s", made.Shift.Day, first.Summary)
	for _, url := range []string{s.AnswersBeforeURL, s.AnswersAfterURL} {
		var answers earshot.AnswerPage
		n.Get(t, a, url).Has(t, "the answers behind it", http.StatusOK).Into(t, &answers)
		if len(answers.Answers) == 0 || answers.Answers[0].Target != s.Target {
			t.Errorf("%s lists %d answers", url, len(answers.Answers))
		}
	}
	var seen earshot.AlertAcknowledged
	n.Post(t, a, "/v1/trackers/demo/alerts/"+first.ID+"/acknowledge", "").Has(t, "acknowledge", http.StatusOK).Into(t, &seen)
	if seen.Alert.Open || seen.Alert.AcknowledgedBy != a.Key.ID {
		t.Errorf("after it was acknowledged it is %+v", seen.Alert)
	}
}
