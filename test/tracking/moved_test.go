package tracking

import (
	"net/http"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// Another name for a brand makes new rules, which tell what they changed.
func TestNewRulesTellWhatMoved(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		// Of all answers only those to one question do not name Kestrin.
		text := strings.NewReplacer("{name: Kestrin,", "{name: Kestrin Sports,", "running shoes for wide feet", `"running shoes for wide feet [[brands=Ollaro:1]]"`).Replace(panel)
		applied(t, n, a, "", text)
		ended(t, other, a, run(t, n, a, "one").Sweep.ID)
		applied(t, n, a, "", strings.Replace(text, "{name: Kestrin Sports,", "{name: Kestrin Sports, aliases: [Kestrin],", 1))
		var rules earshot.RulesList
		harness.Eventually(t, "the new rules are current", func() bool {
			other.Get(t, a, "/v1/trackers/shoes/rules").Has(t, "rules", http.StatusOK).Into(t, &rules)
			return rules.Current == "r2"
		})
		if rules.Rules[1].Moved != nil {
			t.Errorf("the first rules moved %+v", *rules.Rules[1].Moved)
		}
		if rules.Rules[0].Moved == nil {
			t.Fatal("what moved is not told")
		}
		// What a reader of the answers counts.
		var page earshot.AnswerPage
		n.Get(t, a, "/v1/trackers/shoes/answers?limit=200&outcome=answered").Has(t, "answers", http.StatusOK).Into(t, &page)
		kestrin, all := 0, len(page.Answers)
		for _, one := range page.Answers {
			var answer earshot.TrackedAnswer
			n.Get(t, a, "/v1/trackers/shoes/answers/"+one.ID).Has(t, "an answer", http.StatusOK).Into(t, &answer)
			if shown, _ := shownBy(t, answer.Result); strings.Contains(shown, "Kestrin") {
				kestrin++
			}
		}
		moved := *rules.Rules[0].Moved
		want := earshot.MovedBrand{Brand: "Kestrin Sports", AnswersAfter: kestrin, Gained: kestrin, VisibilityAfter: float64(kestrin) / float64(all)}
		if kestrin == 0 || kestrin == all || len(moved) != 3 || moved[1] != want {
			t.Fatalf("of %d answers %d name Kestrin; moved is %+v", all, kestrin, moved)
		}
		if o := moved[0]; o.AnswersBefore == 0 || o.AnswersAfter != o.AnswersBefore || o.Gained+o.Lost != 0 || moved[2] != (earshot.MovedBrand{Brand: "Brandnobodyknows"}) {
			t.Errorf("moved is %+v", moved)
		}
		storetest.Audited(t, n.Store)
	}, harness.AllNamed(t))
}
