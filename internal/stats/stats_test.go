package stats_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"earshot/internal/stats"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// Newcombe 1998, table I, method 3.
func TestWilsonAgreesWithPublishedIntervals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ hits, n, low, high float64 }{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
	} {
		ends := stats.Wilson(test.hits/test.n, test.n)
		near(t, "the lower end", ends[0], test.low, 5e-5)
		near(t, "the upper end", ends[1], test.high, 5e-5)
	}
	if ends := stats.Wilson(1, 7); ends[1] != 1 {
		t.Errorf("the upper end of 7 of 7 is %v", ends[1])
	}
}

func TestLongRunVariance(t *testing.T) {
	t.Parallel()
	if v := stats.LongRun([]float64{0.3}); v != (stats.Variance{}) {
		t.Errorf("one sweep has the variance %v", v)
	}
	few := stats.LongRun([]float64{1, 2, 3})
	near(t, "the variance of 1, 2, 3", few.Value, 1.0/3, 1e-15)
	near(t, "its degrees", few.Degrees, 2, 0)

	// A series that is one of the cosines, a·cos(π·j·(t + ½)/S), has Λ_j² = a²·S/2 and no
	// other: V = a²/(2B) when j is among the B, and 0 when it is not.
	for _, test := range []struct{ sweeps, cosines int }{{5, 3}, {7, 3}, {14, 4}, {28, 6}, {100, 15}} {
		for _, j := range []int{1, test.cosines, test.cosines + 1} {
			var y []float64
			for at := range test.sweeps {
				y = append(y, 0.5+0.2*math.Cos(math.Pi*float64(j)*(float64(at)+0.5)/float64(test.sweeps)))
			}
			want := 0.04 / 2 / float64(test.cosines)
			if j > test.cosines {
				want = 0
			}
			v := stats.LongRun(y)
			near(t, "the variance of a cosine", v.Value, want, 1e-15)
			near(t, "its degrees", v.Degrees, float64(test.cosines), 0)
		}
	}
}

func TestLag1(t *testing.T) {
	t.Parallel()
	if _, ok := stats.Lag1([]float64{0.2, 0.2, 0.2}); ok {
		t.Error("equal values have a correlation")
	}
	r, ok := stats.Lag1([]float64{1, 2, 3, 4}) // deviations −1.5, −0.5, 0.5, 1.5: (0.75 − 0.25 + 0.75)/5
	near(t, "the correlation of 1, 2, 3, 4", r, 0.25, 1e-15)
	if !ok {
		t.Error("1, 2, 3, 4 have no correlation")
	}
}

func cutOf(p float64, answers float64, sweeps []float64, units []stats.Unit) stats.Cut {
	return stats.Cut{Value: p, Numerator: p * answers, Denominator: answers, Cells: len(units), Unequal: 1, SweepMeans: sweeps, Units: units}
}

func rerun(c stats.Cut) stats.Interval {
	interval, _, _ := c.Intervals()
	return interval
}

func market(c stats.Cut) (stats.Interval, bool) {
	_, interval, ok := c.Intervals()
	return interval, ok
}

func TestRerunInterval(t *testing.T) {
	t.Parallel()
	units := make([]stats.Unit, 10)
	if got, want := rerun(cutOf(0.4, 50, []float64{0.3, 0.5}, units)), stats.Wilson(0.4, 50); got != want {
		t.Errorf("with 2 sweeps it is %v, want Wilson on the answers, %v", got, want)
	}
	// Identical sweeps: v = 1/N², df 3, t = 3.182446305284263.
	same := []float64{0.4, 0.4, 0.4, 0.4, 0.4}
	const ratio = 1.959963984540054 / 3.182446305284263
	n := 0.4 * 0.6 * 50 * 50 * ratio * ratio
	got, want := rerun(cutOf(0.4, 50, same, units)), stats.Wilson(0.4, n)
	near(t, "the lower end", got[0], want[0], 1e-13)
	near(t, "the upper end", got[1], want[1], 1e-13)
	for _, p := range []float64{0, 1} {
		if got, want := rerun(cutOf(p, 50, same, units)), stats.Wilson(p, 10); got != want {
			t.Errorf("all %v: it is %v, want Wilson on the cells, %v", p, got, want)
		}
	}
}

func TestMarketInterval(t *testing.T) {
	t.Parallel()
	// Ten units, half of them at 0 and half at 1, one sweep: v = 10/9 · Σ (±0.05)² = 1/36,
	// df 9, t = 2.262157162798205; n = 9·(z/t)².
	var units []stats.Unit
	for i := range 10 {
		up := i%2 == 0
		deviation := -0.05
		if up {
			deviation = 0.05
		}
		units = append(units, stats.Unit{Deviation: deviation, Some: up, Lacking: !up})
	}
	got, ok := market(cutOf(0.5, 10, []float64{0.5}, units))
	const ratio = 1.959963984540054 / 2.262157162798205
	want := stats.Wilson(0.5, 9*ratio*ratio)
	near(t, "the lower end", got[0], want[0], 1e-13)
	if !ok {
		t.Error("there is no interval")
	}
	// All units alike: no variance, so n is the number of answers.
	for i := range units {
		units[i] = stats.Unit{Some: true, Lacking: true}
	}
	if got, _ := market(cutOf(0.5, 40, nil, units)); got != stats.Wilson(0.5, 40) {
		t.Errorf("it is %v, want Wilson on 40 answers", got)
	}
	// Four units with a mention: at most the number of units.
	for i := range units {
		units[i].Some = i < 4
	}
	if got, _ := market(cutOf(0.5, 40, nil, units)); got != stats.Wilson(0.5, 10) {
		t.Errorf("it is %v, want Wilson on 10 units", got)
	}
	if _, ok := market(cutOf(0.5, 40, nil, units[:1])); ok {
		t.Error("a single unit has a market interval")
	}
}

// side returns a complete period with these sweep means.
func side(answers int, means ...float64) stats.Side {
	return stats.Side{Value: stats.Mean(means), Sweeps: means, Answers: answers}
}

func TestCompareIsWelchsTest(t *testing.T) {
	t.Parallel()
	// With fewer than 5 sweeps it is the usual Welch test: v = 1/3 and 5/3, df 2 and 3.
	a := side(100, 1, 2, 3)
	b := side(100, 2, 4, 6, 8)
	c := stats.Compare(a, b)
	near(t, "the change", c.Change, 3, 1e-15)
	near(t, "the degrees", c.Degrees, 4/(1.0/9/2+25.0/9/3), 1e-12)
	near(t, "p", c.P, 0.0999, 2e-3)
	if c.Verdict != stats.TooEarly || !c.Test {
		t.Errorf("the verdict is %s", c.Verdict)
	}
	near(t, "the middle of the interval", (c.Interval[0]+c.Interval[1])/2, 3, 1e-12)

	low := side(300, 0.30, 0.31, 0.29, 0.30, 0.31, 0.29)
	high := side(300, 0.50, 0.51, 0.49, 0.50, 0.51, 0.49)
	if c := stats.Compare(low, high); c.Verdict != stats.Moved || c.P > 1e-3 || c.Smallest > 0.1 {
		t.Errorf("a change of 20 points is %+v", c)
	}
	if c := stats.Compare(low, low); c.Verdict != stats.Steady || c.P != 1 || c.Change != 0 {
		t.Errorf("no change is %+v", c)
	}
	if c := stats.Compare(side(5, 0.2), low); c.Test || c.Verdict != stats.TooEarly {
		t.Errorf("one sweep against six is %+v", c)
	}
	smallest, ok := stats.SmallestVisible(low)
	if same := stats.Compare(low, low).Smallest; !ok || math.Abs(smallest-same) > 1e-12 {
		t.Errorf("the smallest visible change is %v, between two such periods %v", smallest, same)
	}
}

func TestCUSUMFindsAShiftAndStartsAnew(t *testing.T) {
	t.Parallel()
	detector := stats.CUSUM{H: 5, K: 0.5}
	r := rand.New(rand.NewPCG(1, 1))
	for at := range 9 {
		if step := detector.Step(0.01*r.NormFloat64(), 50); step.Score != nil || step.Up != 0 || step.Down != 0 {
			t.Fatalf("residual %d has a score", at+1)
		}
	}
	if step := detector.Step(0, 50); step.Score == nil || step.Alarm != "" {
		t.Fatalf("the 10th residual gives %+v", step)
	}
	step := detector.Step(0.6, 50) // its score is limited to 8, which is above the threshold
	if *step.Score <= 4 || *step.Score > 8 || step.Alarm == "" && step.Up == 0 {
		t.Fatalf("a jump gives %+v", step)
	}
	for range 20 {
		if step.Alarm != "" {
			break
		}
		step = detector.Step(0.6, 50)
	}
	if step.Alarm != stats.Up || step.Up <= 5 {
		t.Fatalf("a shift upwards ends in %+v", step)
	}
	if detector != (stats.CUSUM{H: 5, K: 0.5}) {
		t.Errorf("after the alarm it is %+v", detector)
	}
}

func TestCUSUMIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	straight, kept := stats.CUSUM{H: 2, K: 0.5}, stats.CUSUM{H: 2, K: 0.5}
	alarms, downs := 0, 0
	for range 300 {
		value := 0.1 * r.NormFloat64()
		text, err := json.Marshal(kept)
		if err != nil {
			t.Fatal(err)
		}
		kept = stats.CUSUM{}
		if err := json.Unmarshal(text, &kept); err != nil {
			t.Fatal(err)
		}
		a, b := straight.Step(value, 20), kept.Step(value, 20)
		if a.Up != b.Up || a.Down != b.Down || a.Alarm != b.Alarm || (a.Score == nil) != (b.Score == nil) || a.Score != nil && *a.Score != *b.Score {
			t.Fatalf("kept and taken up again it gives %+v, want %+v", b, a)
		}
		if a.Alarm != "" {
			alarms++
		}
		if a.Down > 0 {
			downs++
		}
	}
	if alarms == 0 || downs == 0 {
		t.Errorf("%d alarms, %d sums downwards: nothing was compared", alarms, downs)
	}
}

func TestThreshold(t *testing.T) {
	t.Parallel()
	// Montgomery, Introduction to Statistical Quality Control, table 9.4: with k = ½ the run
	// length of a two-sided CUSUM is 168 at h = 4 and 465 at h = 5.
	near(t, "h for a run of 168", stats.Threshold(1, 1, 168, 0.5), 4, 0.02)
	near(t, "h for a run of 465", stats.Threshold(1, 1, 465, 0.5), 5, 0.02)
	near(t, "h for 10 series", stats.Threshold(10, 10, 465, 0.5), 5, 0.02)
	near(t, "h for a large budget", stats.Threshold(1000, 1, 365, 0.5), 1, 0)
	for _, series := range []int{1, 24, 500} {
		h := stats.Threshold(1, series, 365, 0.5)
		b := h + 1.166
		near(t, "the budget of that h", 365*float64(series)/(math.Exp(b)-1-b), 1, 1e-9)
	}
}

// The example of Benjamini and Hochberg 1995.
func TestDiscoveries(t *testing.T) {
	t.Parallel()
	p := []float64{0.3240, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	found := stats.Discoveries(p, 0.05)
	for i, ok := range found {
		if want := slices.Contains([]int{1, 2, 3, 4}, i); ok != want {
			t.Errorf("p = %v is found: %v", p[i], ok)
		}
	}
	if found := stats.Discoveries(nil, 0.05); len(found) != 0 {
		t.Errorf("no tests give the discoveries %v", found)
	}
}

func TestDistances(t *testing.T) {
	t.Parallel()
	a, b := map[string]float64{"x": 1, "y": 2}, map[string]float64{"y": 1, "z": 4}
	jaccard, _ := stats.Jaccard(a, b)
	near(t, "Jaccard", jaccard, 2.0/3, 1e-15)
	bray, _ := stats.BrayCurtis(a, b)
	near(t, "Bray–Curtis", bray, 6.0/8, 1e-15)
	if same, ok := stats.BrayCurtis(a, a); same != 0 || !ok {
		t.Errorf("the distance of something to itself is %v", same)
	}
	if _, ok := stats.Jaccard[string, int](nil, nil); ok {
		t.Error("two empty sets have a distance")
	}
	if _, ok := stats.BrayCurtis(nil, nil); ok {
		t.Error("two counts of nothing have a distance")
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 9}, 3}} {
		near(t, "median", stats.Median(c.values), c.want, 0)
	}
}

func TestPlanAndItsInverses(t *testing.T) {
	t.Parallel()
	c := stats.DefaultComponents
	plan := stats.Plan{Prompts: 50, Sweeps: 14, Samples: 1}
	visible, ok := plan.Visible(c)
	if !ok || visible < 0.02 || visible > 0.15 {
		t.Errorf("50 prompts and 14 sweeps see %v", visible)
	}
	twice, _ := stats.Plan{Prompts: 50, Sweeps: 28, Samples: 1}.Visible(c)
	samples, _ := stats.Plan{Prompts: 50, Sweeps: 14, Samples: 2}.Visible(c)
	if !(twice < samples && samples < visible) {
		t.Errorf("%v; twice the days see %v, twice the samples %v: days should be worth more", visible, twice, samples)
	}
	if visible, _ := (stats.Plan{Prompts: 1_000_000, Sweeps: 14, Samples: 1}).Visible(c); visible < 0.01 {
		t.Errorf("a million prompts find a change of %v, though days differ by 2 points", visible)
	}
	if _, ok := (stats.Plan{Prompts: 50, Sweeps: 4, Samples: 1}).Visible(c); ok {
		t.Error("a plan of four sweeps has a visible change")
	}
}

// fallen returns 50 cells in a sweep. From the day low on, the rate is lower by fall, up to the
// day back. From day 60 on the cells with the highest rates are missing on every second day, and
// from day 180 on for good.
func fallen(r *rand.Rand, day, low, back int, fall float64) stats.Value {
	v := stats.Value{Sweep: strconv.Itoa(day)}
	for cell := range 50 {
		rate := 0.2 + 0.6*float64(cell)/50
		if day >= low && day < back {
			rate -= fall
		}
		if cell >= 40 && (day >= 60 && day%2 == 0 || day >= 180) {
			continue
		}
		x := 0.0
		if r.Float64() < rate {
			x = 1
		}
		v.Cells = append(v.Cells, stats.CellValue{Cell: cell, Weight: 1, N: 1, X: x})
	}
	return v
}

func TestRecoveryIsFoundOnlyAfterTheReturn(t *testing.T) {
	t.Parallel()
	const h, runs = 6, 200
	r := rand.New(rand.NewPCG(5, 9))
	early, late := 0, 0
	for range runs {
		var before []stats.Value
		for day := range 28 {
			before = append(before, fallen(r, day, 100, 200, 0))
		}
		recovery := stats.NewRecovery(before)
		recovered := 0
		for day := 28; day < 150 && recovered == 0; day++ {
			if recovery.Step(fallen(r, day, 0, 90, 0.15), h) {
				recovered = day
			}
		}
		switch {
		case recovered == 0:
			late++
		case recovered < 90:
			early++
		}
	}
	if early > runs/50 || late > runs/10 {
		t.Errorf("of %d returns, %d were found too early and %d not within 60 sweeps", runs, early, late)
	}
	if stats.NewRecovery([]stats.Value{fallen(r, 0, 1, 1, 0)}) != nil {
		t.Error("one sweep is enough to know the range of a level")
	}
}

// TestMissingCellsAreNoChange lets the cells with the highest rates stay away: the means of sweeps
// fall, and the detector must not find more than in complete series.
func TestMissingCellsAreNoChange(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 2))
	count := func(move func(v *stats.Value)) (alarms int) {
		for range 20 {
			var s stats.SeriesState
			for day := range 365 {
				v := fallen(r, day, 1000, 1000, 0)
				move(&v)
				if _, _, found := s.Step(v, 5.3); found {
					alarms++
				}
			}
		}
		return alarms
	}
	own := count(func(*stats.Value) {})
	if own > 30 {
		t.Errorf("%d alarms in 20 years of constant rates, want about 20", own)
	}
	plain := count(func(v *stats.Value) {
		v.Cells = []stats.CellValue{{Weight: 1, N: float64(len(v.Cells)), X: v.Mean() * float64(len(v.Cells))}}
	})
	if plain < own+10 {
		t.Errorf("the plain means of sweeps raise %d alarms, the cells %d: nothing is shown", plain, own)
	}
}
