package metric_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"earshot/internal/stats"
	"earshot/internal/track/metric"
)

// coverage is a group of trackers, how often each interval contains the true value over all of
// them, and the faults that the group detects. An empty range is not checked. The ranges are
// stated in docs/statistics.md.
type coverage struct {
	repeats       int // of each tracker
	trackers      []simulated
	rerun, market [2]float64
	faults        map[string]method
}

// method computes the intervals of a tracker's metric.
type method func(simulated, *metric.Dataset) metric.Intervals

// Changes of the usual trackers.
var (
	daysAlike  = func(s *simulated) { s.lag1 = alike }
	unruly     = func(s *simulated) { s.lag1, s.day = alike, 0.5 }
	sampled    = func(s *simulated) { s.samples = 3 }
	weighted   = func(s *simulated) { s.weighted = true }
	holed      = func(s *simulated) { s.missing = 0.3 }
	rivals     = func(s *simulated) { s.metric, s.centres, s.cites = "shareOfVoice", []float64{-0.5, 0.5, -1}, true }
	cited      = func(s *simulated) { s.metric = "citationShare" }
	unreported = func(s *simulated) { s.unreported = 0.3 }
	showing    = func(s *simulated) { s.metric, s.contents = "adRate", ads }
	retrieved  = func(s *simulated) {
		s.metric, s.contents, s.centres = "citedWhenRetrieved", pages, []float64{-0.5, 0.5}
	}
	seldom    = func(s *simulated) { s.centres, s.spread = []float64{-12, 0.5}, 6 }
	searching = func(s *simulated) { s.metric, s.contents, s.centres = "fanout", searches, []float64{0.5, -0.5} }
)

// rare returns a change after which the answers to most prompts never name the brand, or
// always name it.
func rare(centre, spread float64) func(s *simulated) {
	return func(s *simulated) { s.centres, s.spread = []float64{centre}, spread }
}

var coverages = map[string]coverage{
	"independent days": {
		repeats: 300, rerun: [2]float64{0.947, 0.955}, market: [2]float64{0.966, 0.975},
		trackers: []simulated{usual(10, 7), usual(10, 14), usual(10, 28), usual(50, 7), usual(50, 14), usual(50, 28)},
		faults:   map[string]method{"n is 1.2 times too large": tooLarge},
	},
	"correlated days": {
		repeats: 200, rerun: [2]float64{0.914, 0.928}, market: [2]float64{0.942, 0.956},
		trackers: []simulated{
			usual(10, 7, daysAlike), usual(10, 28, daysAlike), usual(50, 7, daysAlike), usual(50, 28, daysAlike), usual(50, 14, unruly), usual(50, 28, unruly),
		},
		faults: map[string]method{"sample variance instead of the long-run variance": sampleVariance},
	},
	"few name it or lack it": {
		repeats: 100, market: [2]float64{0.960, 0.972},
		trackers: []simulated{usual(20, 28, rare(-8, 4)), usual(20, 28, rare(8, 4)), usual(50, 28, rare(-12, 6))},
		faults:   map[string]method{"no rule for rare brands": noRareRule},
	},
	"targets, samples, weights, missing answers": {
		repeats: 60, rerun: [2]float64{0.932, 0.962}, market: [2]float64{0.948, 0.983},
		trackers: []simulated{
			usual(25, 14, func(s *simulated) { s.targets = 4 }), usual(40, 14, sampled), usual(40, 14, weighted), usual(40, 14, holed), usual(40, 14, sampled, weighted, holed),
		},
	},
	"ratios": {
		repeats: 60, rerun: [2]float64{0.936, 0.961}, market: [2]float64{0.955, 0.980},
		trackers: []simulated{usual(40, 14, rivals), usual(40, 14, rivals, cited), usual(40, 14, rivals, sampled, weighted, holed)},
		faults: map[string]method{"ratios taken for rates": func(s simulated, data *metric.Dataset) metric.Intervals {
			s.metric = "visibility"
			return intervals(s, data)
		}},
	},
	"answers without the field": {
		repeats: 60, rerun: [2]float64{0.924, 0.962}, market: [2]float64{0.950, 0.983},
		trackers: []simulated{usual(40, 14, showing, unreported), usual(40, 14, showing, unreported, sampled, weighted, holed), usual(40, 14, retrieved, unreported)},
	},
	"few prompts have a denominator": {
		repeats: 60, rerun: [2]float64{0.938, 0.990}, market: [2]float64{0.941, 0.989},
		trackers: []simulated{usual(40, 14, retrieved), usual(50, 14, retrieved, seldom), usual(50, 28, retrieved, seldom)},
	},
	"counts": {
		repeats: 60, rerun: [2]float64{0.930, 0.962}, market: [2]float64{0.907, 0.975},
		trackers: []simulated{usual(40, 3, searching), usual(40, 14, searching), usual(40, 14, searching, sampled, weighted, holed), usual(40, 28, searching, rare(-4, 2), func(s *simulated) { s.centres = append(s.centres, -0.5) })},
	},
}

// measure returns how often the intervals of each method contain the true values, over all
// trackers: a rate for rerun and a rate for market.
func (c coverage) measure(t *testing.T, name string, methods ...method) [][2]rate {
	t.Helper()
	found := make([][2]rate, len(methods))
	for number, s := range c.trackers {
		def, n := s.definition(), float64(len(c.trackers))
		for outcome, r := range repeat(fmt.Sprintf("%s %d", name, number), c.repeats, 2*len(methods), func(r *rand.Rand) (held []bool) {
			data, effects := s.play(t, def, r)
			for _, m := range methods {
				i := m(s, data)
				held = append(held, contains(i.Rerun, s.truth(effects)), contains(i.Market, s.marketTruth()))
			}
			return held
		}) {
			sum := &found[outcome/2][outcome%2]
			sum.value, sum.variance = sum.value+r.value/n, sum.variance+r.variance/(n*n)
		}
	}
	return found
}

// contains reports whether an interval contains the true value. No interval claims nothing.
func contains(i *stats.Interval, truth float64) bool {
	return i == nil || i[0] <= truth && truth <= i[1]
}

// holds reports whether both rates are as stated. The random numbers are always the same, so
// one standard error is enough.
func (c coverage) holds(found [2]rate) bool {
	for i, stated := range [][2]float64{c.rerun, c.market} {
		if stated != ([2]float64{}) && !found[i].within(stated, 1) {
			return false
		}
	}
	return true
}

// intervals returns the intervals of the first brand over all targets.
func intervals(s simulated, data *metric.Dataset) metric.Intervals {
	rows, err := data.Rows(s.query(data))
	if err != nil || rows[0].Interval == nil { // no answer has a denominator
		return metric.Intervals{}
	}
	return *rows[0].Interval
}

// TestIntervalsContainTheTruth also plants faults in the intervals, which the trackers must
// notice.
func TestIntervalsContainTheTruth(t *testing.T) {
	t.Parallel()
	for name, c := range coverages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names, methods := []string{""}, []method{intervals}
			for fault, m := range c.faults {
				names, methods = append(names, fault), append(methods, m)
			}
			for i, found := range c.measure(t, name, methods...) {
				t.Logf("rerun contains the truth in %v, market in %v. %s", found[0], found[1], names[i])
				if c.holds(found) != (i == 0) {
					t.Errorf("stated are %v and %v", c.rerun, c.market)
				}
			}
		})
	}
}

func TestUnreportedFieldsCountedAsZeroAreNoticed(t *testing.T) {
	t.Parallel()
	c := coverages["answers without the field"]
	c.trackers = slices.Clone(c.trackers)
	for i := range c.trackers {
		c.trackers[i].observe = func(a *metric.Observation) {
			if a.Unreported != nil {
				a.Contents = metric.Contents{Sources: []metric.Citation{}, Cited: []metric.Citation{}, Ads: []metric.Ad{}}
			}
		}
	}
	if found := c.measure(t, "fields", intervals); c.holds(found[0]) {
		t.Errorf("rerun contains the truth in %v, market in %v", found[0][0], found[0][1])
	}
}

// tooLarge computes both intervals with a larger n.
func tooLarge(s simulated, data *metric.Dataset) metric.Intervals {
	i := intervals(s, data)
	return metric.Intervals{Rerun: larger(i.Rerun, 1.2), Market: larger(i.Market, 1.2)}
}

// larger returns the Wilson interval with the centre of another one and n times as large.
func larger(i *stats.Interval, times float64) *stats.Interval {
	if i == nil || i[0] <= 0 || i[1] >= 1 {
		return i
	}
	// Both ends e of an interval satisfy (e − p)² = z²·e·(1 − e)/n.
	low, high := math.Sqrt(i[0]*(1-i[0])), math.Sqrt(i[1]*(1-i[1]))
	p := (i[0]*high + i[1]*low) / (low + high)
	n := 3.8414588206941236 * low * low / ((p - i[0]) * (p - i[0]))
	return new(stats.Wilson(p, n*times))
}

// valuesBy returns the values of rows that have one.
func valuesBy(s simulated, data *metric.Dataset, dimension string) (values []float64) {
	rows, err := data.Rows(s.query(data, dimension))
	for _, row := range rows {
		if err == nil && row.Value.Number != nil {
			values = append(values, *row.Value.Number)
		}
	}
	return values
}

// sampleVariance takes sweeps for independent.
func sampleVariance(s simulated, data *metric.Dataset) metric.Intervals {
	means := valuesBy(s, data, "sweep")
	p, v := stats.Mean(means), stats.SampleVariance(means)/float64(len(means))
	n := p * (1 - p) / v
	i := metric.Intervals{Rerun: new(stats.Wilson(p, n*studentShare(len(means)-1)))}
	cells := valuesBy(s, data, "prompt")
	v += stats.SampleVariance(cells) / float64(len(cells))
	i.Market = new(stats.Wilson(p, p*(1-p)/v*studentShare(len(cells)-1)))
	return i
}

// noRareRule does not limit n to the number of prompts. Cells have the same number of answers.
func noRareRule(s simulated, data *metric.Dataset) metric.Intervals {
	cells, means := valuesBy(s, data, "prompt"), valuesBy(s, data, "sweep")
	p := stats.Mean(cells)
	if p == 0 || p == 1 {
		return intervals(s, data)
	}
	v := stats.SampleVariance(cells)/float64(len(cells)) + stats.LongRun(means).Value
	return metric.Intervals{Market: new(stats.Wilson(p, min(p*(1-p)/v*studentShare(len(cells)-1), float64(s.prompts*s.sweeps))))}
}

// studentShare returns (z/t)² for 95 % intervals.
func studentShare(degrees int) float64 {
	df := float64(degrees)
	x := mathext.InvRegIncBeta(df/2, 0.5, 0.05) // of t² = df·(1 − x)/x
	return 3.8414588206941236 * x / (df * (1 - x))
}

// TestComparisonsOfSimulatedTrackers compares two neighbouring periods. In the second one, the
// log-odds are higher by fall.
func TestComparisonsOfSimulatedTrackers(t *testing.T) {
	t.Parallel()
	const fall = -0.8 // logits, such as from 38 to 21 %
	for _, test := range []struct {
		name    string
		repeats int
		simulated
		fall  float64
		moved [2]float64
	}{
		{"7 sweeps", 400, usual(50, 14), 0, [2]float64{0.033, 0.050}},
		{"14 sweeps", 400, usual(50, 28), 0, [2]float64{0.036, 0.053}},
		{"correlated days", 400, usual(50, 28, daysAlike), 0, [2]float64{0.061, 0.080}},
		{"days differ much", 200, usual(50, 28, unruly), 0, [2]float64{0.088, 0.112}},
		{"samples, weights, missing answers", 100, usual(40, 28, sampled, weighted, holed), 0, [2]float64{0.037, 0.056}},
		{"ratios", 100, usual(40, 28, rivals, sampled, weighted, holed), 0, [2]float64{0.031, 0.049}},
		{"answers without the field", 100, usual(40, 28, showing, unreported, sampled, weighted, holed), 0, [2]float64{0.035, 0.053}},
		{"few prompts have a denominator", 100, usual(40, 28, retrieved), 0, [2]float64{0.032, 0.051}},
		{"counts", 100, usual(40, 28, searching, sampled, weighted, holed), 0, [2]float64{0.042, 0.062}},
		{"a fall, 7 sweeps", 200, usual(50, 14), fall, [2]float64{0.80, 0.85}},
		{"a fall, 14 sweeps", 200, usual(50, 28), fall, [2]float64{0.98, 1}},
		{"a fall, correlated days", 200, usual(50, 28, daysAlike), fall, [2]float64{0.955, 0.98}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := test.simulated
			s.shift, s.shiftAt = test.fall, s.sweeps/2
			def := s.definition()
			found := repeat("comparison "+test.name, test.repeats, 1, func(r *rand.Rand) []bool {
				data, _ := s.play(t, def, r)
				rows, err := data.Compare(s.query(data), *def.Periods)
				if err != nil {
					t.Error(err)
					return []bool{false}
				}
				return []bool{rows[0].Verdict == stats.Moved}
			})[0]
			t.Logf("%v of comparisons find a change", found)
			if !found.within(test.moved, 2) {
				t.Errorf("stated is %v", test.moved)
			}
		})
	}
}
