package alert_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/stats"
	"earshot/internal/track/alert"
	"earshot/internal/track/metric"
)

const (
	year    = 365 // sweeps
	shiftAt = 180
	prompts = 50
)

// means returns a year of sweep means of a brand that about four of ten answers name, with
// random effects of prompts, of days and of both. lag1 is the correlation of neighbouring days.
// From shiftAt on, the log odds are higher by shift.
func means(r *rand.Rand, prompts int, lag1, shift float64) (values []float64) {
	effects := make([]float64, prompts)
	for i := range effects {
		effects[i] = 1.2 * r.NormFloat64()
	}
	day := 0.2 * r.NormFloat64()
	for t := range year {
		day = lag1*day + math.Sqrt(1-lag1*lag1)*0.2*r.NormFloat64()
		odds := -0.5 + day
		if t >= shiftAt {
			odds += shift
		}
		named := 0.0
		for _, effect := range effects {
			if r.Float64() < 1/(1+math.Exp(-odds-effect-0.5*r.NormFloat64())) {
				named++
			}
		}
		values = append(values, named/float64(prompts))
	}
	return values
}

// valueOf returns a sweep in which all prompts answered.
func valueOf(mean float64, answers int) stats.Value {
	return stats.Value{Cells: []stats.CellValue{{Weight: 1, N: float64(answers), X: mean * float64(answers)}}}
}

// watch steps a series through values and returns the sweeps of its alarms and the estimated
// start of each change. Like a tracker, it stores and reloads the state from time to time.
func watch(t *testing.T, values []float64, answers int, h float64) (at, since []int, directions []stats.Direction) {
	t.Helper()
	var series stats.SeriesState
	for i, mean := range values {
		if i%16 == 15 {
			state, err := json.Marshal(series)
			series = stats.SeriesState{}
			if err = errors.Join(err, json.Unmarshal(state, &series)); err != nil {
				t.Fatal(err)
			}
		}
		v := valueOf(mean, answers)
		v.Sweep, v.Basis = fmt.Sprint(i), "same"
		if _, shift, moved := series.Step(v, h); moved {
			var began int
			if _, err := fmt.Sscan(shift.Since, &began); err != nil {
				t.Fatal(err)
			}
			at, since, directions = append(at, i), append(since, began), append(directions, shift.Direction)
		}
	}
	return at, since, directions
}

// TestDetectionAndFalseAlarmRates simulates 40 series that shift by 0.8 logits on a known
// day and 40 series that do not, with a budget of one false alarm per series and year.
func TestDetectionAndFalseAlarmRates(t *testing.T) {
	t.Parallel()
	const series = 40
	h := alert.Threshold(1, 1, year)
	r := rand.New(rand.NewPCG(19, 7))
	found, falseAlarms := 0, 0
	var delays, misplaced []int
	for range series {
		at, since, directions := watch(t, means(r, prompts, 0, -0.8), prompts, h)
		i := slices.IndexFunc(at, func(at int) bool { return at >= shiftAt })
		if i >= 0 && at[i] < shiftAt+14 && directions[i] == stats.Down {
			found++
			delays = append(delays, at[i]-shiftAt+1)
			misplaced = append(misplaced, max(since[i]-shiftAt, shiftAt-since[i]))
		}
	}
	for range series {
		at, _, _ := watch(t, means(r, prompts, 0, 0), prompts, h)
		falseAlarms += len(at)
	}
	slices.Sort(delays)
	slices.Sort(misplaced)
	median, rate := delays[len(delays)/2], float64(falseAlarms)/series
	t.Logf("found %d of %d, median delay %d sweeps, change point off by %d in the median, %.2f false alarms a year", found, series, median, misplaced[len(misplaced)/2], rate)
	if found < 38 || median > 7 || misplaced[len(misplaced)/2] > 3 {
		t.Errorf("found %d of %d shifts, in %d sweeps, the change point off by %d", found, series, median, misplaced[len(misplaced)/2])
	}
	// The budget is one a year. Three standard errors of a count of 40 allow for 1.5.
	if rate > 1.5 || rate < 0.1 {
		t.Errorf("%.2f false alarms a series and year, want about 1 or less", rate)
	}
	if double, alone := alert.Threshold(1, 2, year), h; double <= alone {
		t.Errorf("two series share a budget with h = %v, one has %v", double, alone)
	}
}

// TestManySeriesShareOneBudget simulates 30 series with a budget of one false alarm a year for
// all of them. A threshold of one series raises more than ten times as many.
func TestManySeriesShareOneBudget(t *testing.T) {
	t.Parallel()
	const series, years, repeats = 30, 10, 200
	h := alert.Threshold(1, series, year)
	for lag1, most := range map[float64]float64{0: 0.7, 0.6: 1.5} {
		r := rand.New(rand.NewPCG(30, uint64(10*lag1)))
		alarms := 0
		for range years * series {
			at, _, _ := watch(t, means(r, 10, lag1, 0), 10, h)
			alarms += len(at)
		}
		t.Logf("days alike by %v: %d alarms in %d years", lag1, alarms, years)
		if limit := most*years + 3*math.Sqrt(most*years); float64(alarms) > limit {
			t.Errorf("days alike by %v: %d alarms in %d years, want at most %.1f", lag1, alarms, years, limit)
		}
	}
	// The share of falls by 0.8 logits that are found within 14 sweeps.
	for prompts, stated := range map[int][2]float64{50: {0.92, 0.95}, 20: {0.45, 0.50}, 10: {0.12, 0.165}} {
		r, found := rand.New(rand.NewPCG(30, uint64(prompts))), 0.0
		for range repeats {
			at, _, _ := watch(t, means(r, prompts, 0, -0.8)[shiftAt-60:shiftAt+14], prompts, h)
			if len(at) > 0 && at[len(at)-1] >= 60 {
				found += 1.0 / repeats
			}
		}
		t.Logf("%d prompts: %.3f of falls are found", prompts, found)
		if e := 3 * math.Sqrt(stated[1]*(1-stated[0])/repeats); found < stated[0]-e || found > stated[1]+e {
			t.Errorf("with %d prompts %.3f of falls are found, stated %v", prompts, found, stated)
		}
	}
}

func TestSeriesIsResetWhenTheBasisChanges(t *testing.T) {
	t.Parallel()
	step := func(change func(i int) stats.Value) (alarms int) {
		var series stats.SeriesState
		for i := range 60 {
			mean := 0.5 + 0.02*float64(i%3)
			if i >= 30 {
				mean -= 0.3
			}
			v := change(i)
			v.Sweep, v.Cells = fmt.Sprint(i), valueOf(mean, 50).Cells
			if _, _, moved := series.Step(v, 5); moved {
				alarms++
			}
		}
		return alarms
	}
	if n := step(func(int) stats.Value { return stats.Value{} }); n != 1 {
		t.Errorf("a shift raised %d alarms, want 1", n)
	}
	if n := step(func(i int) stats.Value { return stats.Value{Basis: fmt.Sprint(i >= 30)} }); n != 0 {
		t.Errorf("values of another basis raised %d alarms", n)
	}
	if n := step(func(i int) stats.Value { return stats.Value{Break: i == 30} }); n != 0 {
		t.Errorf("values after a break raised %d alarms", n)
	}
}

func TestGateOfTargetsWithMissingAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		count alert.Count
		want  earshot.AlertKind
	}{
		{alert.Count{Planned: 10, Answered: 8, Blocked: 2}, ""},
		{alert.Count{Planned: 10, Answered: 7, Blocked: 2, Unreadable: 1}, earshot.AlertBlocked},
		{alert.Count{Planned: 10, Answered: 7, Unreadable: 3}, earshot.AlertUnreadable},
		{alert.Count{Planned: 10, Answered: 0, Blocked: 5, Unreadable: 5}, earshot.AlertCoverage},
	} {
		if got := c.count.Gate(); got != c.want {
			t.Errorf("%+v is gated for %q, want %q", c.count, got, c.want)
		}
	}
}

// TestOnlySourcesThatMovedAreFound simulates 60 domains; one gains and one loses citations. The
// target that cites the most is away in half of the later sweeps, which must not look like a change.
func TestOnlySourcesThatMovedAreFound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 5))
	changes := func(sweeps int, gain float64) []metric.SourceChange {
		def := metric.Definition{Samples: 1, Targets: []metric.Target{{Key: "a/US"}, {Key: "b/US"}}}
		for range 10 {
			def.Prompts = append(def.Prompts, metric.Prompt{Weight: 1})
		}
		var periods metric.Periods
		for at := range 2 * sweeps {
			id := fmt.Sprint(at)
			def.Sweeps = append(def.Sweeps, metric.AskedSweep{ID: id, Slot: fmt.Sprintf("%04d", at)})
			if at < sweeps {
				periods.A = append(periods.A, id)
			} else {
				periods.B = append(periods.B, id)
			}
		}
		b, err := metric.NewDataset(def)
		if err != nil {
			t.Fatal(err)
		}
		for at, sweep := range def.Sweeps {
			for prompt := range def.Prompts {
				for target := range def.Targets {
					if target == 1 && at >= sweeps && at%2 == 0 {
						continue
					}
					a := metric.Observation{Prompt: prompt, Target: def.Targets[target].Key, Sweep: sweep.ID, Sample: 1, Outcome: metric.Answered}
					more := gain * float64(at/sweeps)
					for i := range 20 {
						domain := fmt.Sprintf("site%02d.example", 60*target+r.IntN(60))
						if r.Float64() < 0.05+more {
							domain = "gains.example"
						} else if r.Float64() < 0.10-more {
							domain = "loses.example"
						}
						a.Citations = append(a.Citations, metric.Citation{URL: fmt.Sprint(i), Domain: domain})
					}
					if err := b.Add(a); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		found, err := b.SourceChanges(periods, alert.FewestCitations)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	moved := alert.Sources(changes(alert.Window, 0.07), alert.ScreenRate(1, 26))
	if len(moved) != 2 || moved[0].Domain != "gains.example" && moved[0].Domain != "loses.example" {
		t.Errorf("found %+v, want the two that moved", moved)
	}
	if text := alert.SourceSummary(moved); !strings.Contains(text, "Cited more than before: gains.example (") || !strings.Contains(text, "cited less than before: loses.example (") {
		t.Errorf("the summary is %q", text)
	}
	noise := 0
	for range 15 {
		noise += len(alert.Sources(changes(alert.Window, 0), alert.ScreenRate(1, 26)))
	}
	if noise > 3 {
		t.Errorf("15 screens of nothing but noise found %d sources", noise)
	}
	if early := alert.Sources(changes(4, 0.04), 0.05); early != nil {
		t.Errorf("4 sweeps were enough to find %+v", early)
	}
}
