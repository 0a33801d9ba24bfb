package selfcheck

import (
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"earshot/internal/track/alert"
	"earshot/internal/track/metric"
)

// visibility and the two ratios are the metrics that worlds are measured by.
const (
	visibility    = "visibility"
	shareOfVoice  = "shareOfVoice"
	citationShare = "citationShare"
)

// methods are functions of the service that tests replace with faulty ones.
type methods struct {
	intervals func(b *metric.Dataset, name string) metric.Intervals
	threshold func(falseAlarms float64, series int, sweepsPerYear float64) float64
}

var production = methods{intervals: intervals, threshold: alert.Threshold}

// What worlds have in common.
const (
	alike = 0.6  // correlation of neighbouring days, where days are alike
	fall  = -0.8 // logits: 38 % become 21 %
)

// Statistics plays each setting that many times and hands every check to report. A year
// of a tracker counts once for each of its series. Equal seeds give equal numbers.
func Statistics(repeats int, seed uint64, report func(Check)) {
	s := simulation{methods: production, repeats: repeats, seed: seed, report: report}
	for _, f := range families {
		s.coverage(f)
	}
	for _, c := range comparisons {
		s.change(c)
	}
	for _, q := range quietTrackers {
		s.falseAlarms(q)
	}
	for _, f := range falls {
		s.power(f)
	}
}

// simulation plays checks and reports them.
type simulation struct {
	methods
	repeats int
	seed    uint64
	report  func(Check)
}

// random gives each check numbers of its own, so that leaving one out changes no other.
func (s simulation) random(check string) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(check))
	return rand.New(rand.NewPCG(s.seed, hash.Sum64()))
}

// repeat plays a check n times on all processors. Each play has random numbers of its
// own, so that the results do not depend on which processor plays it.
func repeat[T any](s simulation, check string, n int, play func(r *rand.Rand) T) []T {
	found := make([]T, n)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				found[i] = play(s.random(check + " " + strconv.Itoa(i)))
			}
		})
	}
	all.Wait()
	return found
}
