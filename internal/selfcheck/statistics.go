package selfcheck

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"earshot/internal/stats"
)

// What is stated. Days are alike where the effects of neighbouring days are correlated at
// 0.6, and independent otherwise.
var (
	rerunCovers      = Range{0.94, 0.98}
	rerunCoversAlike = Range{0.90, 0.96}
	marketCovers     = Range{0.937, 0.998}
	falseChange      = Range{0.014, 0.055}
	falseChangeAlike = Range{0.05, 0.10}
	alarmsAYear      = Range{0.4, 0.6} // of one series, h = 5
	alarmsAYearAlike = Range{1.0, 1.5}
)

const (
	year  = 365 // sweeps
	alike = 0.6
	shift = 0.8 // logits: 38 % become 55 %
)

// Statistics plays each setting that many times and hands every check to report. Equal
// seeds give equal numbers.
func Statistics(repeats int, seed uint64, report func(Check)) {
	s := simulation{repeats: repeats, seed: seed, report: report}
	for _, prompts := range []int{10, 50} {
		for _, sweeps := range []int{7, 14, 28} {
			s.coverage(usual(prompts, 0), sweeps, rerunCovers)
			s.coverage(usual(prompts, alike), sweeps, rerunCoversAlike)
		}
	}
	s.special()
	for _, sweeps := range []int{7, 14, 28} {
		s.falseChange(usual(50, 0), sweeps, falseChange)
		s.falseChange(usual(50, alike), sweeps, falseChangeAlike)
	}
	s.power(usual(50, 0), 7, Range{0.75, 0.95})
	s.power(usual(50, 0), 14, Range{0.97, 1})
	s.power(usual(50, alike), 14, Range{0.94, 1})
	s.falseAlarms(usual(50, 0), alarmsAYear)
	s.falseAlarms(usual(50, alike), alarmsAYearAlike)
	s.detection(usual(50, 0), Range{0.95, 1}, Range{4, 7})
	s.detection(usual(10, 0), Range{0.50, 0.75}, Range{7, 12})
}

type simulation struct {
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

// setting says what a world is like.
func (w world) setting(sweeps any) string {
	text := fmt.Sprintf("%d prompts, %v sweeps", w.prompts, sweeps)
	if w.targets > 1 {
		text += fmt.Sprintf(", %d targets", w.targets)
	}
	if w.lag1 > 0 {
		text += fmt.Sprintf(", days alike by %.1f", w.lag1)
	}
	return text
}

// coverage counts how often each interval holds its truth.
func (s simulation) coverage(w world, sweeps int, stated Range) {
	rerun, market := s.held(w, sweeps)
	s.report(ofAll("coverage of rerun", w.setting(sweeps), stated, rerun, s.repeats))
	s.report(ofAll("coverage of market", w.setting(sweeps), marketCovers, market, s.repeats))
}

// special are the cases that rules of their own are for.
func (s simulation) special() {
	rare := usual(50, 0)
	rare.centre = -4
	_, market := s.held(rare, 14)
	s.report(ofAll("coverage of market", rare.setting(14)+", rarely named", marketCovers, market, s.repeats))

	several := usual(25, 0)
	several.targets = 4
	_, market = s.held(several, 14)
	s.report(ofAll("coverage of market", several.setting(14), marketCovers, market, s.repeats))

	_, market = s.held(usual(50, 0), 3)
	s.report(ofAll("coverage of market", usual(50, 0).setting(3), Range{0.92, 1}, market, s.repeats))
}

func (s simulation) held(w world, sweeps int) (rerun, market int) {
	r, truth := s.random("coverage "+w.setting(sweeps)), w.marketTruth()
	for range s.repeats {
		h := w.play(sweeps, r)
		e := h.Rate()
		if holds(e.Interval.Rerun, w.rerunTruth(h.effects)) {
			rerun++
		}
		if holds(*e.Interval.Market, truth) {
			market++
		}
	}
	return rerun, market
}

func holds(i stats.Interval, truth float64) bool { return i[0] <= truth && truth <= i[1] }

// falseChange counts how often two periods of one world are said to differ.
func (s simulation) falseChange(w world, sweeps int, stated Range) {
	s.report(ofAll("change where there is none", w.setting(twice(sweeps)), stated, s.moved(w, sweeps), s.repeats))
}

// power counts how often they are when the second is shifted.
func (s simulation) power(w world, sweeps int, stated Range) {
	w.shift, w.shiftAt = shift, sweeps
	s.report(ofAll(fmt.Sprintf("change of %.1f logits seen", shift), w.setting(twice(sweeps)), stated, s.moved(w, sweeps), s.repeats))
}

// twice writes the sweeps of two periods.
func twice(sweeps int) string { return fmt.Sprintf("%d + %d", sweeps, sweeps) }

func (s simulation) moved(w world, sweeps int) int {
	r, moved := s.random(fmt.Sprint("change ", w.shift, w.setting(sweeps))), 0
	for range s.repeats {
		h := w.play(2*sweeps, r)
		if stats.Compare(h.side(0, sweeps), h.side(sweeps, 2*sweeps)).Verdict == stats.Moved {
			moved++
		}
	}
	return moved
}

// falseAlarms counts the alarms of a detector in a year without any shift.
func (s simulation) falseAlarms(w world, stated Range) {
	r := s.random("alarms " + w.setting(year))
	var counts []float64
	for range s.repeats {
		counts = append(counts, float64(len(alarms(w.play(year, r)))))
	}
	s.report(Check{
		Subject: "false alarms of one series", Setting: w.setting(year), Unit: PerYear, Stated: stated,
		Found: stats.Mean(counts), Error: standardError(counts),
	})
}

// detection counts how many shifts a detector finds within two weeks, and how fast.
func (s simulation) detection(w world, stated, delay Range) {
	const before, after = 60, 14
	w.shift, w.shiftAt = shift, before
	r := s.random("shift " + w.setting(after))
	var delays []float64
	for range s.repeats {
		found := slices.DeleteFunc(alarms(w.play(before+after, r)), func(at int) bool { return at < before })
		if len(found) > 0 {
			delays = append(delays, float64(found[0]-before+1))
		}
	}
	setting := fmt.Sprintf("%d prompts, within %d sweeps", w.prompts, after)
	s.report(ofAll(fmt.Sprintf("shift of %.1f logits found", shift), setting, stated, len(delays), s.repeats))
	if len(delays) > 0 {
		slices.Sort(delays)
		s.report(Check{
			Subject: "sweeps until it is found, median", Setting: setting, Unit: Sweeps, Stated: delay,
			Found: delays[len(delays)/2], Error: standardError(delays),
		})
	}
}

func standardError(values []float64) float64 {
	return math.Sqrt(stats.SampleVariance(values) / float64(len(values)))
}

// alarms are the sweeps at which a detector with the default threshold raised one.
func alarms(h history) []int {
	detector := stats.CUSUM{H: stats.DefaultH, K: stats.DefaultK}
	var found []int
	for t, sweep := range h.Sweeps {
		value, _ := sweep.Mean()
		if detector.Step(value, sweep.Answers).Alarm != "" {
			found = append(found, t)
		}
	}
	return found
}
