package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"earshot"
)

// Sizes of the trend chart, in SVG user units.
const (
	width, height            = 760.0, 300.0
	left, right, top, bottom = 44.0, 126.0, 22.0, 26.0
	labelHeight              = 15.0
	lastColor                = 6
	longGap                  = 2.5 // times the usual time between sweeps; a longer gap interrupts a line
)

// trend is the chart of the visibility of some brands by sweep.
type trend struct {
	Width, Height string
	Summary       string
	Grid          []tick
	Days          []tick
	Bands         []stroke
	Lines         []stroke
	Dots          []dot
	Gaps          []gap
	Marks         []mark
	Now           *tick // where the period begins
	Ends          []endLabel
	Left, Right   string
	Top, Bottom   string
	Inner         string     // height between Top and Bottom
	Brands        []endLabel // in the order of the table's columns
	Rows          []trendRow
	Rolling       bool // each point is the mean of several sweeps
	AnyEarly      bool
	GapDays       []string
}

type (
	tick   struct{ At, Text string }
	stroke struct {
		Color      int
		Own, Early bool
		Path       string
	}
	dot struct {
		X, Y  string
		Color int
	}
	gap      struct{ X, Width string }
	mark     struct{ X, Letter, Day, Reason string }
	endLabel struct {
		y           float64
		Name, Value string
		Color       int
		Own         bool
	}
)

// Y returns the vertical position of the label.
func (l endLabel) Y() string { return num(l.y) }

// Short returns the name, shortened to fit next to the chart.
func (l endLabel) Short() string {
	const room = 12
	if letters := []rune(l.Name); len(letters) > room {
		return string(letters[:room-1]) + "…"
	}
	return l.Name
}

// trendRow is the row of one sweep in the table of the chart's values. Absent is the
// state of a sweep without answers.
type trendRow struct {
	Day, Absent      string
	Answers, Missing string
	Cells            []trendCell
}

// trendCell has a brand's visibility in one sweep, and the mean of that sweep and the
// sweeps before it.
type trendCell struct {
	Alone string
	Mean  figure
}

// point is a brand's position at one sweep.
type point struct {
	x           float64
	alone, mean *earshot.MetricRow
}

// trend draws the brands of a surface. It returns nil if there are no sweeps.
func (b *builder) trend(cut string) *trend {
	alone, means := rowsOf(b.in.Single, cut), rowsOf(b.in.Means, cut)
	var brands []string
	for i := range alone {
		if !slices.Contains(brands, alone[i].Brand) {
			brands = append(brands, alone[i].Brand)
		}
	}
	if len(brands) == 0 || len(b.in.Sweeps) == 0 {
		return nil
	}
	slices.SortStableFunc(brands, func(x, y string) int { return cmp.Compare(b.place(x), b.place(y)) })
	t := &trend{
		Width: num(width), Height: num(height), Left: num(left), Right: num(width - right), Top: num(top), Bottom: num(height - bottom), Inner: num(height - top - bottom),
		Rolling: len(means) > 0,
	}
	c := b.chartOf(alone, means)
	t.axes(c)
	for _, brand := range slices.Backward(brands) { // own brands are drawn last, above the others
		b.draw(t, c, brand, c.points(brand))
	}
	slices.Reverse(t.Ends)
	t.Brands = slices.Clone(t.Ends)
	b.gaps(t, c)
	spread(t.Ends)
	t.Rows = b.trendRows(c, brands)
	t.Summary = t.summary()
	return t
}

func (b *builder) place(brand string) int {
	return slices.IndexFunc(b.in.Brands, func(one earshot.Brand) bool { return one.Name == brand })
}

func rowsOf(rows []earshot.MetricRow, cut string) (found []earshot.MetricRow) {
	for _, r := range rows {
		if r.Target == cut && r.Metric == visibility {
			found = append(found, r)
		}
	}
	return found
}

// chart maps times and shares to positions.
type chart struct {
	zone         *time.Location
	sweeps       []earshot.Sweep
	first, last  time.Time
	usual        time.Duration                    // median time between sweeps
	most         float64                          // share at the top of the chart
	alone, means map[[2]string]*earshot.MetricRow // by brand and sweep
	breaks       []Break
	began        time.Time // first sweep of the report's period
}

func (b *builder) chartOf(alone, means []earshot.MetricRow) *chart {
	c := &chart{zone: b.in.Zone, sweeps: b.in.Sweeps, alone: bySweep(alone), means: bySweep(means), breaks: b.in.Breaks}
	c.first, c.last = c.sweeps[0].DueAt.Time, c.sweeps[len(c.sweeps)-1].DueAt.Time
	var distances []time.Duration
	for i := 1; i < len(c.sweeps); i++ {
		distances = append(distances, c.sweeps[i].DueAt.Sub(c.sweeps[i-1].DueAt.Time))
	}
	if slices.Sort(distances); len(distances) > 0 {
		c.usual = distances[len(distances)/2]
	}
	highest := 0.0
	for _, rows := range [][]earshot.MetricRow{alone, means} {
		for i := range rows {
			highest = max(highest, valueOf(&rows[i]))
			if iv := rows[i].Interval; iv != nil && (len(means) == 0 || &rows[0] == &means[0]) && len(iv.Rerun) == 2 {
				highest = max(highest, iv.Rerun[1])
			}
		}
	}
	c.most = min(1, max(0.1, math.Ceil(highest*10)/10))
	for _, sweep := range c.sweeps {
		if b.inPeriod(sweep) {
			c.began = sweep.DueAt.Time
			break
		}
	}
	return c
}

func bySweep(rows []earshot.MetricRow) map[[2]string]*earshot.MetricRow {
	found := map[[2]string]*earshot.MetricRow{}
	for i, r := range rows {
		found[[2]string{r.Brand, r.Sweep}] = &rows[i]
	}
	return found
}

func (c *chart) x(at time.Time) float64 {
	if !c.last.After(c.first) {
		return (left + width - right) / 2
	}
	return left + (width-left-right)*float64(at.Sub(c.first))/float64(c.last.Sub(c.first))
}

func (c *chart) y(share float64) float64 {
	return height - bottom - (height-top-bottom)*share/c.most
}

// points returns the points of a brand. Each stretch is drawn as one line: a new stretch
// starts after a missing value, a long gap or a break.
func (c *chart) points(brand string) (stretches [][]point) {
	var stretch []point
	var before time.Time
	for _, sweep := range c.sweeps {
		key := [2]string{brand, sweep.ID}
		p := point{x: c.x(sweep.DueAt.Time), alone: c.alone[key], mean: c.means[key]}
		if p.mean == nil {
			p.mean = p.alone
		}
		there := p.mean != nil && p.mean.Value != nil
		far := c.usual > 0 && float64(sweep.DueAt.Sub(before)) > longGap*float64(c.usual)
		broken := slices.ContainsFunc(c.breaks, func(br Break) bool { return br.Sweep == sweep.ID })
		if len(stretch) > 0 && (!there || far || broken) {
			stretches, stretch = append(stretches, stretch), nil
		}
		if there {
			stretch = append(stretch, p)
		}
		before = sweep.DueAt.Time
	}
	if len(stretch) > 0 {
		stretches = append(stretches, stretch)
	}
	return stretches
}

func num(v float64) string { return fmt.Sprintf("%.1f", v) }

// axes adds the horizontal grid lines and the days below the chart.
func (t *trend) axes(c *chart) {
	step := 0.1
	if c.most > 0.6 {
		step = 0.2
	}
	for share := 0.0; share <= c.most+1e-9; share += step {
		t.Grid = append(t.Grid, tick{num(c.y(share)), fmt.Sprintf("%.0f %%", 100*share)})
	}
	const days = 6
	shown := min(days, len(c.sweeps))
	for i := range shown {
		sweep := c.sweeps[len(c.sweeps)-1]
		if shown > 1 {
			sweep = c.sweeps[i*(len(c.sweeps)-1)/(shown-1)]
		}
		t.Days = append(t.Days, tick{num(c.x(sweep.DueAt.Time)), sweep.DueAt.In(c.zone).Format("2 Jan")})
	}
	if !c.began.IsZero() && c.began.After(c.first) {
		t.Now = &tick{At: num(c.x(c.began) - c.half())}
	}
}

// half returns half the width that one sweep takes up.
func (c *chart) half() float64 {
	return min(12, max(2, c.x(c.first.Add(c.usual))-left)) / 2
}

// draw adds the line of a brand, its band, and the dots of the single sweeps of an own brand.
func (b *builder) draw(t *trend, c *chart, brand string, stretches [][]point) {
	own, color := slices.Contains(b.own, brand), b.color[brand]
	for _, stretch := range stretches {
		t.bands(c, stretch, color, own)
		for _, part := range byCertainty(stretch, t.Rolling) {
			var line []string
			for _, p := range part {
				line = append(line, c.at(p.x, *p.mean.Value))
			}
			if len(line) == 1 { // round line ends make a line of length 0 visible
				line = append(line, line[0])
			}
			early := t.Rolling && part[0].mean.Provisional
			t.AnyEarly = t.AnyEarly || early
			t.Lines = append(t.Lines, stroke{Color: color, Own: own, Early: early, Path: pathOf(line)})
		}
	}
	if len(stretches) == 0 {
		return
	}
	last := stretches[len(stretches)-1]
	value := last[len(last)-1].mean.Value
	t.Ends = append(t.Ends, endLabel{y: c.y(*value), Name: brand, Value: percent(value), Color: color, Own: own})
}

// byCertainty splits a stretch at the first mean that is not provisional. Both parts
// contain that point.
func byCertainty(stretch []point, rolling bool) [][]point {
	sure := slices.IndexFunc(stretch, func(p point) bool { return !p.mean.Provisional })
	if !rolling || sure <= 0 {
		return [][]point{stretch}
	}
	return [][]point{stretch[:sure+1], stretch[sure:]}
}

// bands adds the expected range if re-run, and the dots of the single sweeps of an own
// brand.
func (t *trend) bands(c *chart, stretch []point, color int, own bool) {
	var upper, lower []string
	for _, p := range stretch {
		if iv := p.mean.Interval; iv != nil && len(iv.Rerun) == 2 {
			upper = append(upper, c.at(p.x, min(iv.Rerun[1], c.most)))
			lower = append(lower, c.at(p.x, iv.Rerun[0]))
		}
		if own && t.Rolling && p.alone != nil && p.alone.Value != nil {
			t.Dots = append(t.Dots, dot{num(p.x), num(c.y(*p.alone.Value)), color})
		}
	}
	slices.Reverse(lower)
	if len(upper) > 0 {
		t.Bands = append(t.Bands, stroke{Color: color, Own: own, Path: pathOf(append(upper, lower...)) + "Z"})
	}
}

// at returns a point of an SVG path.
func (c *chart) at(x, share float64) string { return num(x) + "," + num(c.y(share)) }

func pathOf(points []string) string {
	return "M" + strings.Join(points, "L")
}

// gaps adds an area for each sweep that did not run, and a mark for each break.
func (b *builder) gaps(t *trend, c *chart) {
	for _, sweep := range c.sweeps {
		x := c.x(sweep.DueAt.Time)
		if sweep.State == earshot.SweepMissed || sweep.State == earshot.SweepSkipped || sweep.State == earshot.SweepCanceled {
			t.Gaps = append(t.Gaps, gap{num(x - c.half()), num(2 * c.half())})
			t.GapDays = append(t.GapDays, fmt.Sprintf("%s %s", sweep.DueAt.In(c.zone).Format("2 Jan"), sweep.State))
		}
		for _, br := range c.breaks {
			if br.Sweep == sweep.ID {
				letter := string(rune('A' + len(t.Marks)%26))
				t.Marks = append(t.Marks, mark{num(x - c.half()), letter, b.day(sweep), br.Reason})
			}
		}
	}
}

// spread moves labels apart so that they do not overlap.
func spread(labels []endLabel) {
	order := make([]*endLabel, len(labels))
	for i := range labels {
		order[i] = &labels[i]
	}
	slices.SortStableFunc(order, func(x, y *endLabel) int { return cmp.Compare(x.y, y.y) })
	for i := 1; i < len(order); i++ {
		order[i].y = max(order[i].y, order[i-1].y+labelHeight)
	}
	for i, limit := len(order)-1, height-bottom; i >= 0; i, limit = i-1, limit-labelHeight {
		order[i].y = min(order[i].y, limit)
	}
}

// trendRows returns the values of the chart, the newest sweep first.
func (b *builder) trendRows(c *chart, brands []string) (rows []trendRow) {
	for _, sweep := range slices.Backward(c.sweeps) {
		row := trendRow{Day: sweep.DueAt.In(c.zone).Format(timeFormat)}
		for _, brand := range brands {
			alone, mean := c.alone[[2]string{brand, sweep.ID}], c.means[[2]string{brand, sweep.ID}]
			if alone == nil {
				continue
			}
			row.Answers, row.Missing = count(float64(alone.Answers)), count(float64(alone.Missing))
			if mean == nil {
				mean = alone
			}
			row.Cells = append(row.Cells, trendCell{Alone: percent(alone.Value), Mean: figureOf(mean)})
		}
		if row.Cells == nil {
			row.Absent = string(sweep.State)
		}
		rows = append(rows, row)
	}
	return rows
}

// summary describes the chart in a sentence, for people who cannot see it.
func (t *trend) summary() string {
	var parts []string
	for _, end := range t.Brands {
		parts = append(parts, end.Name+" "+end.Value)
	}
	return "Visibility by sweep. Latest values: " + strings.Join(parts, ", ") + "."
}

// rail draws a number on a scale, with both its ranges and the value of the previous period.
type rail struct {
	Width, Height      string
	WideX, WideWidth   string
	CloseX, CloseWidth string
	At, AtText         string
	Was, WasText       string
	Ticks              []tick
	First, Last        string
	Rose               bool // the value is not below the previous period
}

const railWidth, railEdge = 520.0, 24.0

// railOf returns nil if the row has no value or no range.
func railOf(r *earshot.MetricRow, before *earshot.ComparedRow) *rail {
	if r.Value == nil || r.Interval == nil || len(r.Interval.Rerun) != 2 {
		return nil
	}
	all := slices.Concat([]float64{*r.Value}, r.Interval.Rerun, r.Interval.Market)
	if before != nil && before.Before != nil {
		all = append(all, *before.Before)
	}
	low := math.Max(0, math.Floor(slices.Min(all)*20-0.5)/20)
	high := math.Min(1, math.Ceil(slices.Max(all)*20+0.5)/20)
	x := func(share float64) float64 { return railEdge + (railWidth-2*railEdge)*(share-low)/(high-low) }
	d := &rail{
		Width: num(railWidth), Height: "64", At: num(x(*r.Value)), AtText: "now " + percent(r.Value), First: num(railEdge), Last: num(railWidth - railEdge),
		CloseX: num(x(r.Interval.Rerun[0])), CloseWidth: num(max(1, x(r.Interval.Rerun[1])-x(r.Interval.Rerun[0]))),
	}
	if wide := r.Interval.Market; len(wide) == 2 {
		d.WideX, d.WideWidth = num(x(wide[0])), num(max(1, x(wide[1])-x(wide[0])))
	}
	if before != nil && before.Before != nil {
		d.Was, d.WasText = num(x(*before.Before)), "previously "+percent(before.Before)
		d.Rose = *r.Value >= *before.Before
	}
	step := 0.05
	for (high-low)/step > 8 {
		step *= 2
	}
	for share := low; share <= high+1e-9; share += step {
		d.Ticks = append(d.Ticks, tick{num(x(share)), fmt.Sprintf("%.0f %%", 100*share)})
	}
	return d
}
