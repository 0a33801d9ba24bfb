package metric

import (
	"cmp"
	"slices"

	"earshot/internal/track/stats"
)

// Series is one metric of one brand on one target over sweeps, with the change detector.
type Series struct {
	Metric string  `json:"metric"`
	Brand  *string `json:"brand"`
	Labels
	H      float64 `json:"h"`
	K      float64 `json:"k"`
	Points []Point `json:"points"`
	Alarms []Alarm `json:"alarms"`

	State stats.CUSUM `json:"-"` // after the last point, to be kept and taken up again
}

// Point is a sweep of a series: its mean, and what it did to the detector.
type Point struct {
	Sweep string   `json:"sweep"`
	Value float64  `json:"value"`
	Score *float64 `json:"score"`
	Up    float64  `json:"up"`
	Down  float64  `json:"down"`
}

// Alarm is a lasting shift that the detector saw.
type Alarm struct {
	Sweep     string          `json:"sweep"`
	Direction stats.Direction `json:"direction"`
}

// watched are the metrics that have a change detector.
var watched = []string{"visibility", "citationRate"}

// Series are those of every target and brand.
func (b *Dataset) Series() []Series {
	found := []Series{}
	for _, c := range b.cuts(Query{By: []string{"target"}}) {
		e, err := b.evidence(c, 0, nil)
		if err != nil {
			panic(err) // groups of all prompts need no cells
		}
		for _, brand := range c.panel {
			for _, name := range watched {
				found = append(found, b.series(e, measureOf(name), brand))
			}
		}
	}
	return found
}

func (b *Dataset) series(e *evidence, m measure, brand int) Series {
	c := e.c
	state := stats.CUSUM{H: cmp.Or(b.def.CUSUM.H, stats.DefaultH), K: cmp.Or(b.def.CUSUM.K, stats.DefaultK)}
	s := Series{
		Metric: m.name + Version, Brand: &b.def.Brands[brand].Name, Labels: c.labels,
		H: state.H, K: state.K, Points: []Point{}, Alarms: []Alarm{},
	}
	before := ""
	for i, sweep := range e.sums(b, m, brand).Sweeps {
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
	s.State = state
	return s
}

// broken reports whether a series of the target has a break after one slot and up to
// another. Where the sweep that a break names did not take place, it works on the next.
func (b *Dataset) broken(after, upTo, target string) bool {
	return slices.ContainsFunc(b.def.breaks(), func(br Break) bool {
		slot := b.slots[br.Sweep]
		return slot > after && slot <= upTo && (br.Target == "" || br.Target == target)
	})
}
