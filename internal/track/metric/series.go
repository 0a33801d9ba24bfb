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

// SeriesValues contains the answers behind a series.
type SeriesValues struct {
	Metric string
	Brand  string
	Labels
	Values []stats.Value // of each sweep; without cells if nobody answered
}

// SeriesValues returns the answers behind the series of a query that is split by target.
func (b *Dataset) SeriesValues(q Query) ([]SeriesValues, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	var found []SeriesValues
	for _, c := range b.cuts(q) {
		for _, brand := range c.panel {
			for _, m := range measures {
				if slices.Contains(watched, m.name) && q.wants(m.name) {
					found = append(found, SeriesValues{m.name, b.def.Brands[brand].Name, c.labels, b.values(c, m, brand)})
				}
			}
		}
	}
	return found, nil
}

// Series returns the series of every target and brand. A series of contents needs a point,
// because some targets never report ads.
func (b *Dataset) Series() ([]Series, error) {
	all, err := b.SeriesValues(Query{By: []string{"target"}})
	found := []Series{}
	for _, one := range all {
		if s := b.series(one); len(s.Points) > 0 || !measureOf(one.Metric).isContent() {
			found = append(found, s)
		}
	}
	return found, err
}

func (b *Dataset) series(of SeriesValues) Series {
	s := Series{
		Metric: of.Metric, Brand: &of.Brand, Labels: of.Labels,
		H: cmp.Or(b.def.CUSUM.H, stats.DefaultH), K: cmp.Or(b.def.CUSUM.K, stats.DefaultK), Points: []Point{}, Alarms: []Alarm{},
	}
	state := stats.SeriesState{}
	for _, v := range of.Values {
		if len(v.Cells) == 0 {
			continue
		}
		state.Detector.K = s.K
		step, _, _ := state.Step(v, s.H)
		s.Points = append(s.Points, Point{v.Sweep, v.Mean(), step.Residual, step.Score, step.Up, step.Down})
		if step.Alarm != "" {
			s.Alarms = append(s.Alarms, Alarm{v.Sweep, step.Alarm})
		}
	}
	return s
}

// values returns the answers of each cell in each sweep of a cut. A break at a sweep without
// answers is at the next one that has some.
func (b *Dataset) values(c cut, m measure, brand int) []stats.Value {
	found := b.side(c, m, brand, c.sweeps)
	values := make([]stats.Value, len(c.sweeps))
	before, broken := "", false
	if len(c.sweeps) > 0 && c.sweeps[0] > 0 {
		before = b.sweep(c.sweeps[0] - 1).Slot
	}
	for at, sweep := range c.sweeps {
		slot := b.sweep(sweep).Slot
		broken = broken || b.broken(before, slot, c.labels.Target)
		before = slot
		values[at].Sweep = b.sweep(sweep).ID
		for i := range found.cells {
			if one := &found.cells[i]; one.n[at] > 0 {
				values[at].Cells = append(values[at].Cells, stats.CellValue{Cell: b.number(one.prompt), Weight: one.weight, N: one.n[at], X: one.x[at]})
			}
		}
		if values[at].Break = broken; len(values[at].Cells) > 0 {
			broken = false
		}
	}
	return values
}

// broken reports whether a target has a break after the slot after, up to the slot upTo. A
// break at a sweep that is not closed takes effect at the next closed sweep.
func (b *Dataset) broken(after, upTo, target string) bool {
	return slices.ContainsFunc(b.breaks(), func(br Break) bool {
		slot := b.slots[br.Sweep]
		return slot > after && slot <= upTo && (br.Target == "" || br.Target == target)
	})
}

// BrokenSince reports whether any series restarts with a sweep or a later one.
func (b *Dataset) BrokenSince(sweep string) bool {
	return slices.ContainsFunc(b.breaks(), func(br Break) bool { return b.slots[br.Sweep] >= b.slots[sweep] })
}
