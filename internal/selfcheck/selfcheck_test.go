package selfcheck

import (
	"math"
	"slices"
	"testing"

	"earshot/internal/mention"
	"earshot/internal/stats"
)

// TestStatementsAreKept plays small worlds with fixed seeds. Checks of one kind are put
// together, so that few repeats tell 95 % from 88.
func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	found := map[string][]Check{}
	kind := ""
	s := simulation{seed: 7, repeats: 150, report: func(c Check) {
		found[kind+c.Subject] = append(found[kind+c.Subject], c)
	}}
	for _, prompts := range []int{10, 30} {
		for _, sweeps := range []int{7, 14} {
			kind = ""
			s.coverage(usual(prompts, 0), sweeps, rerunCovers)
			kind = "days alike: "
			s.coverage(usual(prompts, alike), sweeps, rerunCoversAlike)
		}
	}
	for _, sweeps := range []int{7, 14} {
		kind = ""
		s.falseChange(usual(30, 0), sweeps, falseChange)
		kind = "days alike: "
		s.falseChange(usual(30, alike), sweeps, falseChangeAlike)
	}
	kind = "special: "
	s.special()
	s.repeats = 80
	s.power(usual(50, 0), 14, Range{0.97, 1})
	s.detection(usual(50, 0), Range{0.95, 1}, Range{4, 7})
	s.falseAlarms(usual(20, 0), alarmsAYear)
	kind = "days alike: "
	s.falseAlarms(usual(20, alike), alarmsAYearAlike)

	for kind, checks := range found {
		all := together(checks)
		t.Logf("%s: stated %v, found %.3f ± %.3f", kind, all.Stated, all.Found, all.Error)
		if !all.Kept() {
			t.Errorf("%s: stated %v, found %.3f ± %.3f", kind, all.Stated, all.Found, all.Error)
		}
	}
	if len(found) != 12 {
		t.Errorf("%d kinds of checks were made, want 12", len(found))
	}
}

// TestBrandsAreFound writes some texts of each kind with a fixed seed.
func TestBrandsAreFound(t *testing.T) {
	t.Parallel()
	checks := 0
	Detection(150, 7, func(c Check) {
		checks++
		if !c.Kept() || c.Error > 0.02 {
			t.Errorf("%s, %s: stated %v, found %.4f ± %.4f", c.Subject, c.Setting, c.Stated, c.Found, c.Error)
		}
	})
	if checks != 4 {
		t.Errorf("%d checks were made, want 4", checks)
	}
}

// TestWeakerDetectionIsCaught shows that the bands can fail: names without their switches
// leave both.
func TestWeakerDetectionIsCaught(t *testing.T) {
	t.Parallel()
	bare := slices.Clone(hardPanel)
	for i := range bare {
		bare[i].Match = mention.Match{}
	}
	s := simulation{seed: 7, repeats: 150, report: func(c Check) {
		if c.Kept() {
			t.Errorf("without switches the %s is kept, with %.3f", c.Subject, c.Found)
		}
	}}
	s.looksFor("without switches", bare, writeHard)
}

// together is the mean of checks of one kind.
func together(checks []Check) Check {
	all := checks[0]
	all.Found, all.Error = 0, 0
	n := float64(len(checks))
	for _, c := range checks {
		all.Found += c.Found / n
		all.Error += c.Error / n / n * c.Error
	}
	all.Error = math.Sqrt(all.Error)
	return all
}

// TestWeakerMethodsAreCaught shows that the bands can fail: what others print as an
// interval, Wilson on all answers, leaves them; so does the variance of independent days
// when days are alike.
func TestWeakerMethodsAreCaught(t *testing.T) {
	t.Parallel()
	const repeats, sweeps = 500, 14
	s := simulation{seed: 7}
	pooled, independent := 0, 0
	w := usual(40, alike)
	w.day = 0.5
	r := s.random("weaker")
	for range repeats {
		h := w.play(sweeps, r)
		e := h.Rate()
		if holds(stats.Wilson(*e.Value, e.Denominator), w.marketTruth()) {
			pooled++
		}
		means := h.side(0, sweeps).SweepMeans
		half := 2.16 * math.Sqrt(stats.SampleVariance(means)/sweeps)
		if holds(stats.Interval{*e.Value - half, *e.Value + half}, w.rerunTruth(h.effects)) {
			independent++
		}
	}
	if c := ofAll("pooled Wilson", "", marketCovers, pooled, repeats); c.Kept() {
		t.Errorf("pooled Wilson passes for a market interval, with %.3f", c.Found)
	}
	if c := ofAll("independent days", "", rerunCoversAlike, independent, repeats); c.Kept() {
		t.Errorf("the variance of independent days passes where they are alike, with %.3f", c.Found)
	}
}

func TestEqualSeedsGiveEqualNumbers(t *testing.T) {
	t.Parallel()
	play := func(seed uint64) float64 {
		found := 0.0
		s := simulation{seed: seed, repeats: 20, report: func(c Check) { found += c.Found }}
		s.falseAlarms(usual(10, 0), alarmsAYear)
		s.detection(usual(10, 0), Range{}, Range{})
		return found
	}
	if a, b := play(1), play(1); a != b {
		t.Errorf("one seed gave %v and %v", a, b)
	}
	if a, b := play(1), play(2); a == b {
		t.Errorf("two seeds both gave %v", a)
	}
}
