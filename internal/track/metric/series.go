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

// Point is a sweep of a series and the state of the detector after it.
type Point struct {
	Sweep string  `json:"sweep"`
	Value float64 `json:"value"` // the sweep mean
	// Residual is the mean difference of the cells from their own means earlier in the run; nil
	// if no cell has answered before.
	Residual *float64 `json:"residual"`
	Score    *float64 `json:"score"`
	Up       float64  `json:"up"`
	Down     float64  `json:"down"`
}

// Alarm is a lasting change that the detector found.
type Alarm struct {
	Sweep     string          `json:"sweep"`
	Direction stats.Direction `json:"direction"`
}

// watched are the metrics with a change detector.
var watched = []string{"visibility" + M1, "citationRate" + M1, "adRate" + M2}

// Series returns the series of every target and brand. A series of contents needs a point,
// because some targets never report ads.
func (b *Dataset) Series() ([]Series, error) {
	found := []Series{}
	decoded, err := b.decodeSweeps(indices(len(b.sweeps)))
	if err != nil {
		return nil, err
	}
	for _, c := range b.cuts(Query{By: []string{"target"}}) {
		cells := b.cellSeries(c, c.sweeps, decoded)
		for _, brand := range c.panel {
			for _, name := range watched {
				m := measureOf(name)
				if s := b.series(c, m, brand, cells); len(s.Points) > 0 || !m.isContent() {
					found = append(found, s)
				}
			}
		}
	}
	return found, nil
}

func (b *Dataset) series(c cut, m measure, brand int, cells []cellSeries) Series {
	run := run{detector: stats.CUSUM{H: cmp.Or(b.def.CUSUM.H, stats.DefaultH), K: cmp.Or(b.def.CUSUM.K, stats.DefaultK)}}
	s := Series{
		Metric: m.name, Brand: &b.def.Brands[brand].Name, Labels: c.labels,
		H: run.detector.H, K: run.detector.K, Points: []Point{}, Alarms: []Alarm{},
	}
	values, before := b.side(c, m, brand, cells, len(c.sweeps)), ""
	for at, has := range values.counts {
		id, slot := b.sweep(c.sweeps[at]).ID, b.sweep(c.sweeps[at]).Slot
		if b.broken(before, slot, s.Target) {
			run.restart()
		}
		before = slot
		if !has {
			continue
		}
		point, alarm := run.step(values.cells, at)
		point.Sweep = id
		s.Points = append(s.Points, point)
		if alarm != "" {
			s.Alarms = append(s.Alarms, Alarm{id, alarm})
		}
	}
	return s
}

// run is the part of a series since its start, the last break or the last alarm.
type run struct {
	detector stats.CUSUM
	past     []past // by cell
}

// past contains what a cell answered earlier in the run.
type past struct {
	sweeps int
	n, x   float64
}

func (r *run) restart() {
	r.detector.Reset()
	r.past = nil
}

// step adds a sweep with answers. It compares each cell with its own past, so that a missing
// cell does not look like a change.
func (r *run) step(cells []cellSide, at int) (Point, stats.Direction) {
	if r.past == nil {
		r.past = make([]past, len(cells))
	}
	p := Point{Up: r.detector.Up, Down: r.detector.Down}
	var answers, weight, known, difference, shares float64
	for i := range cells {
		c, before := &cells[i], r.past[i]
		if c.n[at] == 0 {
			continue
		}
		mean := c.x[at] / c.n[at]
		answers += c.n[at]
		weight += c.weight
		p.Value += c.weight * mean
		if before.sweeps > 0 {
			known += c.weight
			difference += c.weight * (mean - before.x/before.n)
			shares += c.weight / float64(before.sweeps)
		}
	}
	p.Value /= weight
	if known > 0 {
		p.Residual = new(difference / known)
		step := r.detector.Step(stats.Residual(*p.Residual, known/shares), int(answers))
		p.Score, p.Up, p.Down = step.Score, step.Up, step.Down
		if step.Alarm != "" {
			r.restart()
			return p, step.Alarm
		}
	}
	for i := range cells {
		if c := &cells[i]; c.n[at] > 0 {
			r.past[i].sweeps++
			r.past[i].n += c.n[at]
			r.past[i].x += c.x[at]
		}
	}
	return p, ""
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
