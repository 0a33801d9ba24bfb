package track_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"earshot"
	"earshot/internal/store/engine"
	"earshot/internal/store/storetest"
	"earshot/internal/store/tracking"
)

// Numbers are the same after their answers were deleted. A brand that the rules of that time did not
// know has no value there.
func TestNumbersOutliveAnswers(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		w, _ := newWorkWorld(t, address)
		w.complete, w.result = true, `{"surface":"lab","text":"Acme, then Globex.","markdown":"Acme, then [Globex](https://www.globex.example/a).","sources":[]}`
		const definition = "prompts: [a, b, c]\ntargets: [{provider: chatassistant, country: US}]\nkeep: 30d\nkeepNumbers: 400d\nbrands: %s\n"
		w.apply("shoes", fmt.Sprintf(definition, "[{name: Acme, own: true}]"))
		w.run("shoes", false)
		old := w.sweeps("shoes")[0]
		numbers := func() *earshot.MetricReport {
			t.Helper()
			q := &earshot.MetricQuery{By: "sweep", MetricFilter: earshot.MetricFilter{From: w.now.AddDate(0, 0, -300).Format(time.DateOnly), To: w.now.AddDate(0, 0, 300).Format(time.DateOnly)}}
			report, err := w.services[1].Metrics(t.Context(), w.organization, "shoes", q)
			if err != nil {
				t.Fatal(err)
			}
			return report
		}
		tidy := func(days int) {
			t.Helper()
			if _, err := tracking.New(w.store).DeleteTracked(t.Context(), w.now.AddDate(0, 0, days)); err != nil {
				t.Fatal(err)
			}
			if err := w.services[0].Tidy(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		stored := func(table string) int {
			t.Helper()
			found, err := engine.FindValues[int](t.Context(), w.store.ShardOf(w.organization).Reports, `SELECT COUNT(*) FROM `+table)
			if err != nil {
				t.Fatal(err)
			}
			return found[0]
		}
		fromAnswers := numbers()
		for _, table := range []string{"tracker_work", "counted", "cells"} {
			w.exec(w.organization, `DELETE FROM `+table)
		}
		if tidy(32); stored("answers") != 3 || stored("tracker_work") == 0 {
			t.Fatalf("of a sweep that is not counted, %d answers are left, and there is %d work", stored("answers"), stored("tracker_work"))
		}
		w.doWork(w.services...)
		w.exec(w.organization, `UPDATE counted SET answers = 2`)
		if tidy(32); stored("answers") != 3 {
			t.Fatal("answers were deleted although their number is another one than the counted one")
		}
		numbers() // finds that
		w.doWork(w.services...)
		if tidy(32); stored("answers") != 0 || stored("counted") != 1 {
			t.Fatalf("%d answers and %d counted sweeps are left", stored("answers"), stored("counted"))
		}
		if diff := cmp.Diff(fromAnswers, numbers()); diff != "" {
			t.Errorf("without their answers the numbers differ (-want +got):\n%s", diff)
		}

		w.now = w.now.Add(time.Minute)
		w.apply("shoes", fmt.Sprintf(definition, "[{name: Globex, domains: [globex.example]}, {name: Acme, own: true}]"))
		w.run("shoes", false)
		w.doWork(w.services...)
		tidy(0)
		report, rows := numbers(), map[string]earshot.MetricRow{}
		for _, r := range report.Rows {
			age := "new "
			if r.Sweep == old.ID {
				age = "old "
			}
			rows[age+r.Metric+" "+r.Brand] = r
		}
		for name, want := range map[string]*float64{
			"old visibility@m1 Acme": new(1.0), "old visibility@m1 Globex": nil, "old shareOfVoice@m1 Acme": nil, "old informative@m1 ": new(1.0),
			"new visibility@m1 Acme": new(1.0), "new visibility@m1 Globex": new(1.0), "new shareOfVoice@m1 Acme": new(0.5), "new firstNamed@m1 Acme": new(1.0),
		} {
			if got, found := rows[name]; !found || cmp.Diff(want, got.Value) != "" {
				t.Errorf("%s is %+v, want %v", name, got, want)
			}
		}
		before := fromAnswers.Rows[0]
		if diff := cmp.Diff(before, rows["old "+before.Metric+" "+before.Brand], cmpopts.IgnoreFields(earshot.MetricRow{}, "Rules", "AnswersURL")); diff != "" {
			t.Errorf("by new rules the old number differs (-want +got):\n%s", diff)
		}
		if n := len(report.Breaks); n == 0 || report.Breaks[n-1].Kind != "panel" || !report.Breaks[n-1].Open || report.Breaks[n-1].Sweep == old.ID {
			t.Errorf("the breaks are %+v", report.Breaks)
		}
		if tidy(402); stored("cells")+stored("counted") > 0 {
			t.Errorf("after their time %d rows of cells and %d of counted sweeps are left", stored("cells"), stored("counted"))
		}
	})
}
