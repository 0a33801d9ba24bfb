package tracking

import (
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/store/storetest"
	"earshot/test/harness"
)

// A sweep that repeats another counts in no number but the noise floor.
func TestARepeatedSweepIsTheNoiseFloor(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, n, other *harness.Node) {
		a := n.Organization(t, "many", 1000)
		applied(t, n, a, "", panel)
		path := "/v1/trackers/shoes/sweeps"
		n.Post(t, a, path, `{"repeat":true}`).Fails(t, "nothing to repeat", http.StatusConflict, earshot.CodeConflict)
		first := ended(t, other, a, run(t, n, a, "one").Sweep.ID)
		second := ended(t, other, a, run(t, n, a, "two").Sweep.ID)
		before := metricsOf(t, n, a, "")
		if before.Noise != nil {
			t.Errorf("before a sweep is repeated the noise is %+v", before.Noise)
		}
		var started, again earshot.SweepStarted
		n.Post(t, a, path, `{"repeat":true,"idempotencyKey":"aa"}`).Has(t, "repeat", http.StatusOK).Into(t, &started)
		other.Post(t, a, path, `{"repeat":true,"idempotencyKey":"aa"}`).Has(t, "the same again", http.StatusOK).Into(t, &again)
		if started.Sweep.Repeats != second.ID || started.Replayed || !again.Replayed || again.Sweep.ID != started.Sweep.ID {
			t.Errorf("a repeated sweep is %+v, then %+v", started, again)
		}
		n.Post(t, a, path, `{"idempotencyKey":"aa"}`).Fails(t, "its key for another", http.StatusConflict, earshot.CodeConflict)
		repeated := ended(t, other, a, started.Sweep.ID)
		if repeated.State != earshot.SweepClosed || repeated.Progress.Answered != 8 || repeated.Credits != second.Credits {
			t.Errorf("it ended as %+v, the one before as %+v", repeated, second)
		}
		var after earshot.MetricReport
		harness.Eventually(t, "the noise is known", func() bool {
			after = metricsOf(t, other, a, "")
			return after.Noise != nil
		})
		if after.Sweeps != 2 || len(after.Rows) != len(before.Rows) || len(after.Noise.Targets) != 3 || after.Noise.Sweep != repeated.ID || after.Noise.Repeats != second.ID {
			t.Fatalf("the numbers are of %d sweeps, %d rows and %d before, with the noise %+v", after.Sweeps, len(after.Rows), len(before.Rows), after.Noise)
		}
		for i, row := range after.Rows {
			if row.AnswersURL != before.Rows[i].AnswersURL || row.Numerator != before.Rows[i].Numerator || row.Denominator != before.Rows[i].Denominator {
				t.Errorf("the row %+v was %+v before the sweep was repeated", row, before.Rows[i])
			}
		}
		for _, target := range after.Noise.Targets[1:] {
			checkNoise(t, n, a, target, second.ID, repeated.ID)
		}
		checkNoiseFloor(t, n, a, after.Noise, first, second)
		storetest.Audited(t, n.Store)
	})
}

// checkNoise compares the answers of two sweeps of a target by itself.
func checkNoise(t *testing.T, n *harness.Node, a *app.Account, target earshot.TargetNoise, sweeps ...string) {
	t.Helper()
	texts := make([]map[string]string, 2) // by prompt
	for i, sweep := range sweeps {
		texts[i] = map[string]string{}
		var page earshot.AnswerPage
		n.Get(t, a, "/v1/trackers/shoes/answers?outcome=answered&sweep="+sweep+"&target="+target.Target).Has(t, "answers", http.StatusOK).Into(t, &page)
		for _, one := range page.Answers {
			var answer earshot.TrackedAnswer
			n.Get(t, a, "/v1/trackers/shoes/answers/"+one.ID).Has(t, "an answer", http.StatusOK).Into(t, &answer)
			texts[i][one.Prompt], _ = shownBy(t, answer.Result)
		}
	}
	for _, brand := range target.Brands {
		cells, differs, moved, weights := 0, 0, 0.0, 0.0
		for prompt, text := range texts[0] {
			if strings.Contains(prompt, "Ollaro") {
				continue // a branded prompt
			}
			weight := 1.0
			if strings.Contains(prompt, "last longest") {
				weight = 2
			}
			cells++
			weights += weight
			was, is := strings.Contains(text, brand.Brand), strings.Contains(texts[1][prompt], brand.Brand)
			if was != is {
				differs++
			}
			if was && !is {
				moved -= weight
			}
			if is && !was {
				moved += weight
			}
		}
		want := math.Abs(moved) / weights
		if cells != 3 || target.Cells != cells || math.Abs(brand.Differs-float64(differs)/3) > 1e-9 || math.Abs(*brand.Visibility-want) > 1e-9 {
			t.Errorf("of %d cells %d differ, visibility by %v; the noise of %s is %+v", cells, differs, want, target.Target, brand)
		}
	}
}

// checkNoiseFloor compares the two sweeps that count, beside the noise.
func checkNoiseFloor(t *testing.T, n *harness.Node, a *app.Account, noise *earshot.NoiseReport, first, second earshot.Sweep) {
	t.Helper()
	at := func(s earshot.Sweep) string { return s.DueAt.Format(time.RFC3339Nano) }
	q := url.Values{"metric": {"visibility,citationRate"}, "baselineFrom": {at(first)}, "baselineTo": {at(second)}, "from": {at(second)}}
	var report earshot.CompareReport
	n.Get(t, a, "/v1/trackers/shoes/compare?"+q.Encode()).Has(t, "compare", http.StatusOK).Into(t, &report)
	seen := 0
	for _, row := range report.Rows {
		var want *float64
		for _, target := range noise.Targets {
			for _, brand := range target.Brands {
				if row.Metric == "visibility@m1" && target.Target == row.Target && brand.Brand == row.Brand {
					want = brand.Visibility
				}
			}
		}
		if row.Change == nil || (want == nil) != (row.NoiseFloor == nil) || want != nil && *want != *row.NoiseFloor {
			t.Errorf("the noise floor of %+v is not %v", row, want)
			continue
		}
		if within := want != nil && math.Abs(*row.Change) <= *want; within != strings.Contains(row.Summary, "within the noise floor") {
			t.Errorf("within the noise: %t, and the summary is %s", within, row.Summary)
		}
		if want != nil {
			seen++
		}
	}
	if seen != 9 {
		t.Errorf("%d rows have a noise floor", seen)
	}
}
