package metric

import (
	"cmp"
	"slices"

	"earshot/internal/stats"
)

// Series contains the sweep means of one metric of one brand on one target, and the steps
// of its change detector.
type Series struct {
	Metric string  `json:"metric"`
	Brand  *string `json:"brand"`
	Labels
	H      float64 `json:"h"`
	K      float64 `json:"k"`
	Points []Point `json:"points"`
	Alarms []Alarm `json:"alarms"`
}

// Point is a sweep mean of a series and the state of the detector after it.
type Point struct {
	Sweep string   `json:"sweep"`
	Value float64  `json:"value"`
	Score *float64 `json:"score"`
	Up    float64  `json:"up"`
	Down  float64  `json:"down"`
}

// Alarm is a lasting change that the detector found.
type Alarm struct {
	Sweep     string          `json:"sweep"`
	Direction stats.Direction `json:"direction"`
}

// watched are the metrics with a change detector.
var watched = []string{"visibility" + M1, "citationRate" + M1, "adRate" + M2}

// Series returns the series of every target and brand. A series m2 needs a point, because
// some targets never report ads.
func (b *Dataset) Series() []Series {
	found := []Series{}
	for _, c := range b.cuts(Query{By: []string{"target"}}) {
		e, err := b.evidence(c, 0, nil)
		if err != nil {
			panic(err) // impossible: without wanted counts, evidence reads only groups
		}
		for _, brand := range c.panel {
			for _, name := range watched {
				m := measureOf(name)
				if s := b.series(e, m, brand); len(s.Points) > 0 || !m.isContent() {
					found = append(found, s)
				}
			}
		}
	}
	return found
}

func (b *Dataset) series(e *evidence, m measure, brand int) Series {
	c := e.cut
	state := stats.CUSUM{H: cmp.Or(b.def.CUSUM.H, stats.DefaultH), K: cmp.Or(b.def.CUSUM.K, stats.DefaultK)}
	s := Series{
		Metric: m.name, Brand: &b.def.Brands[brand].Name, Labels: c.labels,
		H: state.H, K: state.K, Points: []Point{}, Alarms: []Alarm{},
	}
	before := ""
	for i, sweep := range e.sums(b, m, brand, nil).Sweeps {
		id, slot := b.sweep(c.sweeps[i]).ID, b.sweep(c.sweeps[i]).Slot
		if b.broken(before, slot, s.Target) {
			state.Reset()
		}
		before = slot
		value, ok := sweep.Mean()
		if !ok {
			continue
		}
		step := state.Step(value, sweep.Answers)
		s.Points = append(s.Points, Point{id, value, step.Score, step.Up, step.Down})
		if step.Alarm != "" {
			s.Alarms = append(s.Alarms, Alarm{id, step.Alarm})
		}
	}
	return s
}

// broken reports whether a target has a break after the slot after, up to the slot upTo. A
// break at a sweep that is not closed takes effect at the next closed sweep.
func (b *Dataset) broken(after, upTo, target string) bool {
	return slices.ContainsFunc(b.breaks(), func(br Break) bool {
		slot := b.slots[br.Sweep]
		return slot > after && slot <= upTo && (br.Target == "" || br.Target == target)
	})
}

// BrokenAt reports whether the series of a target restart with a sweep.
func (b *Dataset) BrokenAt(sweep, target string) bool {
	at, ok := b.order[sweep]
	if !ok {
		return false
	}
	before := ""
	if at > 0 {
		before = b.sweep(at - 1).Slot
	}
	return b.broken(before, b.slots[sweep], target)
}

// BrokenSince reports whether any series restarts with a sweep or a later one.
func (b *Dataset) BrokenSince(sweep string) bool {
	return slices.ContainsFunc(b.breaks(), func(br Break) bool { return b.slots[br.Sweep] >= b.slots[sweep] })
}
