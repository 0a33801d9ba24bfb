package selfcheck

import (
	"cmp"
	"math/rand/v2"

	"earshot/internal/stats"
	"earshot/internal/track/metric"
)

// asked is a world with a number of sweeps, and the stated coverage of each interval of a
// metric. An empty range is not checked.
type asked struct {
	world
	sweeps        int
	metric        string // empty: visibility
	rerun, market Range
}

// family contains worlds that detect the same fault. Its ranges state the coverage over all
// of its worlds, which has a smaller standard error.
type family struct {
	guards        string
	name          string
	times         int // multiplies the number of repeats
	worlds        []asked
	rerun, market Range
}

// families are the worlds in which coverage is measured. The stated ranges extend about one
// point around results with other seeds.
var families = []family{
	{
		guards: "the width of intervals, such as an effective n that is 1.2 times too large",
		name:   "days independent", times: 3, rerun: Range{0.947, 0.955}, market: Range{0.966, 0.975},
		worlds: []asked{
			{usual(10, 0), 7, "", Range{0.945, 0.963}, Range{0.975, 0.990}},
			{usual(10, 0), 14, "", Range{0.943, 0.961}, Range{0.970, 0.985}},
			{usual(10, 0), 28, "", Range{0.940, 0.958}, Range{0.960, 0.975}},
			{usual(50, 0), 7, "", Range{0.942, 0.960}, Range{0.963, 0.979}},
			{usual(50, 0), 14, "", Range{0.940, 0.957}, Range{0.960, 0.976}},
			{usual(50, 0), 28, "", Range{0.941, 0.959}, Range{0.953, 0.968}},
		},
	},
	{
		guards: "the long-run variance, such as the sample variance instead",
		name:   "days alike", times: 1, rerun: Range{0.914, 0.928}, market: Range{0.942, 0.956},
		worlds: []asked{
			{usual(10, alike), 7, "", Range{0.940, 0.960}, Range{0.970, 0.988}},
			{usual(10, alike), 28, "", Range{0.928, 0.948}, Range{0.958, 0.976}},
			{usual(50, alike), 7, "", Range{0.911, 0.933}, Range{0.944, 0.964}},
			{usual(50, alike), 28, "", Range{0.918, 0.938}, Range{0.949, 0.967}},
			{unruly, 14, "", Range{0.873, 0.899}, Range{0.893, 0.917}},
			{unruly, 28, "", Range{0.895, 0.918}, Range{0.923, 0.943}},
		},
	},
	{
		guards: "the rule that limits n to the number of prompts if few prompts name or lack a brand",
		name:   "few name, or lack it", times: 1, market: Range{0.960, 0.972},
		worlds: []asked{
			{rarely(20, -8, 4, "few name it"), 28, "", Range{}, Range{0.962, 0.980}},
			{rarely(20, 8, 4, "few lack it"), 28, "", Range{}, Range{0.962, 0.980}},
			{rarely(50, -12, 6, "few name it"), 28, "", Range{}, Range{0.945, 0.966}},
		},
	},
	{
		guards: "targets, samples, weights or missing answers in intervals",
		name:   "what is put together", times: 1,
		worlds: []asked{
			{several, 14, "", Range{0.936, 0.956}, Range{0.951, 0.970}},
			{sampled, 14, "", Range{0.943, 0.962}, Range{0.950, 0.968}},
			{weighted, 14, "", Range{0.938, 0.957}, Range{0.958, 0.977}},
			{holed, 14, "", Range{0.932, 0.951}, Range{0.961, 0.979}},
			{mixed, 14, "", Range{0.940, 0.960}, Range{0.948, 0.967}},
			{usual(50, 0), 3, "", Range{}, Range{0.966, 0.983}},
		},
	},
	{
		guards: "intervals of ratios",
		name:   "ratios", times: 1,
		worlds: []asked{
			{rivals, 14, shareOfVoice, Range{0.940, 0.960}, Range{0.960, 0.978}},
			{rivals, 14, citationShare, Range{0.936, 0.956}, Range{0.962, 0.980}},
			{mixedRivals, 14, shareOfVoice, Range{0.942, 0.961}, Range{0.955, 0.974}},
		},
	},
	{
		guards: "answers without the measured field, such as counting them as zero",
		name:   "some without the field", times: 1,
		worlds: []asked{
			{unreported, 14, adRate, Range{0.937, 0.957}, Range{0.957, 0.979}},
			{mixedUnreported, 14, adRate, Range{0.942, 0.962}, Range{0.950, 0.971}},
			{unreportedPages, 14, citedWhenRetrieved, Range{0.924, 0.944}, Range{0.963, 0.983}},
		},
	},
	{
		guards: "the rule that leaves prompts without a denominator out of a ratio",
		name:   "few retrieve it", times: 1,
		worlds: []asked{
			{retrieved, 14, citedWhenRetrieved, Range{0.938, 0.958}, Range{0.968, 0.988}},
			{seldom, 14, citedWhenRetrieved, Range{0.970, 0.990}, Range{0.969, 0.989}},
			{seldom, 28, citedWhenRetrieved, Range{0.957, 0.978}, Range{0.941, 0.962}},
		},
	},
	{
		guards: "intervals of a mean of counts",
		name:   "counts", times: 1,
		worlds: []asked{
			{searching, 3, fanout, Range{0.939, 0.960}, Range{0.955, 0.975}},
			{searching, 14, fanout, Range{0.941, 0.962}, Range{0.951, 0.972}},
			{mixedSearching, 14, fanout, Range{0.940, 0.962}, Range{0.936, 0.958}},
			{seldomSearching, 28, fanout, Range{0.930, 0.951}, Range{0.907, 0.928}},
		},
	},
}

// Worlds that differ from the usual ones.
var (
	unruly   = world{prompts: 50, targets: 1, samples: 1, centres: []float64{-0.5}, spread: 1.2, day: 0.5, promptDay: 0.5, lag1: alike, note: "days differ much"}
	several  = usual(25, 0).with(func(w *world) { w.targets = 4 })
	sampled  = usual(40, 0).with(func(w *world) { w.samples = 3 })
	weighted = usual(40, 0).with(func(w *world) { w.weighted = true })
	holed    = usual(40, 0).with(func(w *world) { w.missing = 0.3 })
	mixed    = usual(40, 0).with(func(w *world) { w.samples, w.weighted, w.missing = 3, true, 0.3 })

	rivals      = usual(40, 0).with(func(w *world) { w.centres, w.cites = []float64{-0.5, 0.5, -1}, true })
	mixedRivals = rivals.with(func(w *world) { w.samples, w.weighted, w.missing = 2, true, 0.3 })

	unreported      = usual(40, 0).with(func(w *world) { w.contents, w.unreported = ads, 0.3 })
	mixedUnreported = unreported.with(func(w *world) { w.samples, w.weighted, w.missing = 3, true, 0.3 })
	retrieved       = usual(40, 0).with(func(w *world) { w.contents, w.centres = pages, []float64{-0.5, 0.5} })
	unreportedPages = retrieved.with(func(w *world) { w.unreported = 0.3 })
	seldom          = retrieved.with(func(w *world) { w.prompts, w.centres, w.spread, w.note = 50, []float64{-12, 0.5}, 6, "few retrieve it" })
	searching       = usual(40, 0).with(func(w *world) { w.contents, w.centres = searches, []float64{0.5, -0.5} })
	mixedSearching  = searching.with(func(w *world) { w.samples, w.weighted, w.missing = 2, true, 0.3 })
	seldomSearching = searching.with(func(w *world) { w.centres, w.spread, w.note = []float64{-4, -0.5}, 2, "few search" })
)

// rarely returns a world in which the answers to most prompts never name the brand, or always
// name it.
func rarely(prompts int, centre, spread float64, note string) world {
	return usual(prompts, 0).with(func(w *world) { w.centres, w.spread, w.note = []float64{centre}, spread, note })
}

// coverage measures the coverage of both intervals in each world of a family, and over all of
// its worlds.
func (s simulation) coverage(f family) {
	s.repeats *= f.times
	rerun, market := 0, 0
	for _, w := range f.worlds {
		a, b := s.held(w)
		setting := w.setting(w.sweeps)
		if w.metric != "" {
			setting += ", " + w.metric
		}
		s.covered(setting, f.guards, w.rerun, w.market, a, b, s.repeats)
		rerun, market = rerun+a, market+b
	}
	s.covered("all of these: "+f.name, f.guards, f.rerun, f.market, rerun, market, s.repeats*len(f.worlds))
}

func (s simulation) covered(setting, guards string, rerun, market Range, heldRerun, heldMarket, n int) {
	if rerun != (Range{}) {
		s.report(shareCheck("coverage of rerun", setting, guards, rerun, heldRerun, n))
	}
	if market != (Range{}) {
		s.report(shareCheck("coverage of market", setting, guards, market, heldMarket, n))
	}
}

// held counts the repeats in which each interval contains the true value.
func (s simulation) held(w asked) (rerun, market int) {
	name := cmp.Or(w.metric, visibility)
	w.observe = s.observe
	def, truth := w.definition(w.sweeps), w.marketTruth(name)
	for _, found := range repeat(s, "coverage "+name+" "+w.setting(w.sweeps), s.repeats, func(r *rand.Rand) [2]bool {
		h := w.play(def, r)
		i := s.intervals(h.Dataset, name)
		return [2]bool{holds(i.Rerun, w.truth(name, h.effects)), holds(i.Market, truth)}
	}) {
		rerun, market = rerun+count(found[0]), market+count(found[1])
	}
	return rerun, market
}

// holds reports whether an interval contains the true value. No interval claims nothing.
func holds(i *stats.Interval, truth float64) bool { return i == nil || i[0] <= truth && truth <= i[1] }

// intervals returns the intervals of the first brand over all targets.
func intervals(b *metric.Dataset, name string) metric.Intervals {
	rows, err := b.Rows(ofFirstBrand(b, name))
	if err != nil {
		panic(err) // our own query
	}
	if rows[0].Interval == nil { // no answer has a denominator
		return metric.Intervals{}
	}
	return *rows[0].Interval
}

// ofFirstBrand returns the query for one metric of the first brand. Searches have no brand.
func ofFirstBrand(b *metric.Dataset, name string) metric.Query {
	if name == fanout {
		return metric.Query{Metrics: []string{name}}
	}
	brand := b.Definition().Brands[0].Name
	return metric.Query{Metrics: []string{name}, Having: metric.Selection{"brand": {brand}}, BrandsOnly: true}
}
