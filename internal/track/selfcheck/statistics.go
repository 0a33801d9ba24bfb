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

// The metrics that are checked.
const (
	visibility         = "visibility"
	shareOfVoice       = "shareOfVoice"
	citationShare      = "citationShare"
	adRate             = "adRate"
	citedWhenRetrieved = "citedWhenRetrieved"
	fanout             = "fanout"
)

// methods are functions of the service that tests replace with faulty ones.
type methods struct {
	intervals func(b *metric.Dataset, name string) metric.Intervals
	threshold func(falseAlarms float64, series int, sweepsPerYear float64) float64
	observe   func(*metric.Observation) // changes answers before they are counted; nil in the service
}

var production = methods{intervals: intervals, threshold: alert.Threshold}

const (
	alike = 0.6  // correlation of neighbouring days in settings with correlated days
	fall  = -0.8 // logits, such as from 38 to 21 %
)

// Statistics simulates each setting that many times and calls report with every check. A
// simulated year of a tracker counts once per series. Equal seeds give equal results.
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

// simulation runs checks and reports them.
type simulation struct {
	methods
	repeats int
	seed    uint64
	report  func(Check)
}

// random returns the random numbers of a check. They depend on the name of the check, so that
// adding or removing a check does not change the others.
func (s simulation) random(check string) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(check))
	return rand.New(rand.NewPCG(s.seed, hash.Sum64()))
}

// repeat calls play n times on all processors. Each call has its own random numbers, so that
// the results do not depend on the scheduling.
func repeat[T any](s simulation, check string, n int, play func(r *rand.Rand) T) []T {
	found := make([]T, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				found[i] = play(s.random(check + " " + strconv.Itoa(i)))
			}
		})
	}
	workers.Wait()
	return found
}
