package demo

import (
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"earshot"
	"earshot/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTheShiftOfADemoIsFound wants what there is to find in a demo to be told by itself.
func TestTheShiftOfADemoIsFound(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "many", 1000)
	var made earshot.DemoMade
	n.Post(t, a, "/v1/trackers/demo/demo", `{"days":60,"prompts":15}`).Has(t, "make a demo", http.StatusOK).Into(t, &made)
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
