package selfcheck

import (
	"flag"
	"math"
	"slices"
	"testing"

	"earshot/internal/track/alert"
	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
)

// TestStatementsAreKept simulates every world of Statistics a few times with a fixed seed.
func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	checks, settings := 0, map[[2]string]bool{}
	Statistics(5, 7, func(c Check) {
		checks++
		settings[[2]string{c.Subject, c.Setting}] = true
		if !c.Passed() || c.Guards == "" {
			t.Errorf("%s, %s: stated %v, found %.3f ± %.3f", c.Subject, c.Setting, c.Stated, c.Found, c.Error)
		}
	})
	// Worlds with the same setting would use the same random numbers.
	if checks < 60 || len(settings) != checks {
		t.Errorf("%d checks were made, of %d settings", checks, len(settings))
	}
}

// TestBrandsAreFound writes some texts of each kind with a fixed seed.
func TestBrandsAreFound(t *testing.T) {
	t.Parallel()
	checks := 0
	Detection(150, 7, func(c Check) {
		checks++
		if !c.Passed() || c.Error > 0.02 {
			t.Errorf("%s, %s: stated %v, found %.4f ± %.4f", c.Subject, c.Setting, c.Stated, c.Found, c.Error)
		}
	})
	if checks != 4 {
		t.Errorf("%d checks were made, want 4", checks)
	}
}

// TestWeakerDetectionIsCaught shows that both checks of detection fail if names have no
// matching rules.
func TestWeakerDetectionIsCaught(t *testing.T) {
	t.Parallel()
	bare := slices.Clone(hardPanel)
	for i := range bare {
		bare[i].Match = mention.Match{}
	}
	s := simulation{seed: 7, repeats: 150, report: func(c Check) {
		if c.Passed() {
			t.Errorf("without matching rules the check %q passes, with %.3f", c.Subject, c.Found)
		}
	}}
	s.detect("without switches", bare, writeHard)
}

var full = flag.Bool("full", false, "plant the smallest faults of docs/statistics.md, too")

// TestPlantedFaultsAreCaught checks that the worlds that guard against a fault fail with the
// fault and pass without it. It uses fewer repeats than the default. Small faults need many
// repeats: make soak plants them.
func TestPlantedFaultsAreCaught(t *testing.T) {
	t.Parallel()
	width := func(s simulation) { s.coverage(families[0]) }
	variance := func(s simulation) { s.coverage(families[1]) }
	rare := func(s simulation) { s.coverage(families[2]) }
	ratios := func(s simulation) { s.coverage(families[4]) }
	fields := func(s simulation) { s.coverage(families[5]) }
	empty := func(s simulation) { s.coverage(families[6]) }
	threshold := func(s simulation) {
		s.falseAlarms(quiet{10, 1, 0, quietTrackers[2].stated})
	}
	for _, test := range []struct {
		name    string
		fault   methods
		play    func(s simulation)
		repeats int
		full    bool
	}{
		{"no rule for rare brands", methods{intervals: fault{factor: 1, noRareRule: true}.intervals}, rare, 60, false},
		{"n 2 times too large", methods{intervals: fault{factor: 2}.intervals}, width, 30, false},
		{"n 1.2 times too large", methods{intervals: fault{factor: 1.2}.intervals}, width, 350, true},
		{"the usual variance", methods{intervals: fault{factor: 1, usualVariance: true}.intervals}, variance, 150, true},
		{"ratios taken for rates", methods{intervals: func(b *metric.Dataset, _ string) metric.Intervals { return intervals(b, visibility) }}, ratios, 4, false},
		{"unreported fields counted as zero", methods{intervals: intervals, observe: countUnreported}, fields, 30, false},
		{"prompts without a denominator counted", methods{intervals: fault{factor: 1, keepsEmpty: true}.intervals}, empty, 60, false},
		{"a threshold of one series", methods{threshold: func(falseAlarms float64, _ int, sweeps float64) float64 {
			return alert.Threshold(falseAlarms, 1, sweeps)
		}}, threshold, 1, false},
	} {
		if test.full && !*full {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			count := func(m methods) (broken []Check) {
				test.play(simulation{methods: m, seed: 7, repeats: test.repeats, report: func(c Check) {
					if !c.Passed() {
						broken = append(broken, c)
					}
				}})
				return broken
			}
			if broken := count(production); len(broken) > 0 {
				t.Errorf("without the fault these checks fail: %+v", broken)
			}
			if broken := count(test.fault); len(broken) == 0 {
				t.Error("with the fault all checks pass")
			} else {
				t.Logf("not kept: %+v", broken)
			}
		})
	}
}

// TestFaultsDifferFromTheServiceByTheFaultOnly compares the intervals of this test file,
// without a fault, with the intervals of the service.
func TestFaultsDifferFromTheServiceByTheFaultOnly(t *testing.T) {
	t.Parallel()
	s := simulation{seed: 7}
	for _, f := range families {
		for _, w := range f.worlds {
			names := []string{visibility}
			switch {
			case w.contents == searches:
				continue // a mean of counts has another formula
			case w.contents != named:
				names = []string{w.metric}
			case len(w.centres) > 1:
				names = append(names, shareOfVoice)
			}
			data := w.play(w.definition(w.sweeps), s.random(w.setting(w.sweeps))).Dataset
			for _, name := range names {
				got, want := fault{factor: 1}.intervals(data, name), intervals(data, name)
				for end := range 2 {
					if math.Abs(got.Rerun[end]-want.Rerun[end]) > 1e-9 || math.Abs(got.Market[end]-want.Market[end]) > 1e-9 {
						t.Errorf("%s of %s: %v and %v, of the service %v and %v", name, w.setting(w.sweeps), *got.Rerun, *got.Market, *want.Rerun, *want.Market)
					}
				}
			}
		}
	}
}

func TestEqualSeedsGiveEqualNumbers(t *testing.T) {
	t.Parallel()
	play := func(seed uint64) float64 {
		found := 0.0
		s := simulation{methods: production, seed: seed, repeats: 20, report: func(c Check) { found += c.Found }}
		s.power(falls[2])
		return found
	}
	if a, b := play(1), play(1); a != b {
		t.Errorf("one seed gave %v and %v", a, b)
	}
	if a, b := play(1), play(2); a == b {
		t.Errorf("two seeds both gave %v", a)
	}
}
