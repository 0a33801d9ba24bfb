package selfcheck

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"earshot/internal/stats"
	"earshot/internal/track/metric"
)

const (
	year   = 365 // sweeps
	budget = 1.0 // false alarms a year that a tracker allows
)

// quiet is a tracker without any change for a year, and its stated number of alarms.
type quiet struct {
	brands, targets int
	lag1            float64
	stated          Range
}

// quietTrackers have one series for each brand and target, and a threshold that depends on
// the number of series. A fixed threshold fails in one of them: h = 5 is right for one
// series, but raises more than ten times the budget with 30.
var quietTrackers = []quiet{
	{1, 1, 0, Range{0.60, 0.75}},
	{1, 1, alike, Range{0.88, 1.05}},
	{10, 3, 0, Range{0.3, 0.7}},
	{10, 3, alike, Range{0.8, 1.5}},
}

// fallen is a tracker with 30 series and a lasting fall: the stated share of falls that are
// found within 14 sweeps, and the stated median number of sweeps until then.
type fallen struct {
	prompts       int
	found, median Range
}

var falls = []fallen{
	{50, Range{0.92, 0.95}, Range{7, 8}},
	{20, Range{0.45, 0.50}, Range{10, 11}},
	{10, Range{0.12, 0.165}, Range{11, 13}},
}

// falseAlarms counts the alarms of all series of a tracker in a year without any change.
func (s simulation) falseAlarms(q quiet) {
	w := usual(10, q.lag1)
	w.centres, w.targets = slices.Repeat(w.centres, q.brands), q.targets
	series := q.brands * q.targets
	h, def := s.threshold(budget, series, year), w.definition(year)
	setting := fmt.Sprintf("%d series, %s", series, usual(10, q.lag1).setting(year))
	years := max(5, s.repeats/series)
	counts := repeat(s, "alarms "+setting, years, func(r *rand.Rand) float64 {
		return float64(len(alarms(w.play(def, r).Dataset, h)))
	})
	poisson := math.Sqrt(stats.Mean(counts)*float64(years)+1) / float64(years) // if few years have an alarm
	s.report(Check{
		Subject: fmt.Sprintf("false alarms, budget %g, h = %.1f", budget, h), Setting: setting, Unit: PerYear, Stated: q.stated,
		Found: stats.Mean(counts), Error: max(standardError(counts), poisson),
		Guards: "the alarm threshold, such as one that does not depend on the number of series",
	})
}

// power counts the falls that a tracker with 30 series finds within two weeks with its own
// threshold, and measures the delay.
func (s simulation) power(f fallen) {
	const before, after, series = 60, 14, 30
	w := usual(f.prompts, 0)
	w.shift, w.shiftAt = fall, before
	h, def := s.threshold(budget, series, year), w.definition(before+after)
	setting := fmt.Sprintf("%d series, %d prompts, within %d sweeps", series, f.prompts, after)
	var delays []float64
	for _, found := range repeat(s, "fall "+setting, s.repeats, func(r *rand.Rand) []int { return alarms(w.play(def, r).Dataset, h) }) {
		if at := slices.IndexFunc(found, func(at int) bool { return at >= before }); at >= 0 {
			delays = append(delays, float64(found[at]-before+1))
		}
	}
	const guards = "the power of alarms at a tracker's own threshold"
	s.report(shareCheck(fmt.Sprintf("fall of %.1f logits found, h = %.1f", -fall, h), setting, guards, f.found, len(delays), s.repeats))
	if len(delays) > 0 {
		slices.Sort(delays)
		s.report(Check{
			Subject: "sweeps until it is found, median", Setting: setting, Unit: Sweeps, Stated: f.median,
			Found: delays[len(delays)/2], Error: max(standardError(delays), 2/math.Sqrt(float64(len(delays)))), Guards: guards,
		})
	}
}

// alarms returns the sweeps with an alarm of any series. It steps series like a tracker: with
// the value and the answers of one row per sweep.
func alarms(b *metric.Dataset, h float64) (found []int) {
	rows, err := b.Rows(metric.Query{Metrics: []string{visibility}, By: []string{"target", "sweep"}, BrandsOnly: true})
	if err != nil {
		panic(err) // our own query
	}
	byKey := map[[2]string]map[string]metric.Row{}
	for _, row := range rows {
		key := [2]string{*row.Brand, row.Target}
		if byKey[key] == nil {
			byKey[key] = map[string]metric.Row{}
		}
		byKey[key][row.Sweep] = row
	}
	for _, ofSweep := range byKey {
		var series stats.SeriesState
		for t, sweep := range b.Definition().Sweeps {
			row := ofSweep[sweep.ID]
			n := float64(row.Answers)
			cells := []stats.CellValue{{Weight: 1, N: n, X: *row.Value.Number * n}}
			if _, _, moved := series.Step(stats.Value{Sweep: sweep.ID, Cells: cells}, h); moved {
				found = append(found, t)
			}
		}
	}
	slices.Sort(found)
	return found
}

// standardError returns the standard error of the mean of values.
func standardError(values []float64) float64 {
	return math.Sqrt(stats.SampleVariance(values) / float64(len(values)))
}
