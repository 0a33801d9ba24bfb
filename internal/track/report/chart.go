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

// The drawing of the trend, in units of its own.
const (
	width, height            = 760.0, 300.0
	left, right, top, bottom = 44.0, 126.0, 22.0, 26.0
	labelHeight              = 15.0
	lastColor                = 6
	longGap                  = 2.5 // times the usual distance of sweeps
)

// trend is the visibility of some brands, sweep by sweep.
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
	Inner         string     // the height between them
	Brands        []endLabel // in the order of the table's columns
	Rows          []trendRow
	Rolling       bool // points are means of several sweeps
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

// Y is the height of the label.
func (l endLabel) Y() string { return num(l.y) }

// Short is the name as far as there is room for it.
func (l endLabel) Short() string {
	const room = 12
	if letters := []rune(l.Name); len(letters) > room {
		return string(letters[:room-1]) + "…"
	}
	return l.Name
}

// trendRow is a line of the table behind the chart: a sweep, or one that did not take
// place.
type trendRow struct {
	Day, Absent      string
	Answers, Missing string
	Cells            []trendCell
}

// trendCell is what a sweep has of a brand: alone, and with those before it.
type trendCell struct {
	Alone string
	Mean  figure
}

// point is where a brand stands in a sweep.
type point struct {
	x           float64
	sweep       string
	alone, mean *earshot.MetricRow
}

// trend draws the brands of a surface; nil without any sweep.
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
	for i := len(brands) - 1; i >= 0; i-- { // the own brand is drawn last, above the others
		b.draw(t, c, brands[i], c.points(brands[i]))
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

// chart is how sweeps and shares become places.
type chart struct {
	zone         *time.Location
	sweeps       []earshot.Sweep
	first, last  time.Time
	usual        time.Duration // between sweeps
	most         float64       // the share at the top
	alone, means map[[2]string]*earshot.MetricRow
	breaks       []Break
	began        time.Time // of the later period
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

// points are those of a brand, in stretches within which a line may be drawn.
func (c *chart) points(brand string) (stretches [][]point) {
	var stretch []point
	var before time.Time
	for _, sweep := range c.sweeps {
		key := [2]string{brand, sweep.ID}
		p := point{x: c.x(sweep.DueAt.Time), sweep: sweep.ID, alone: c.alone[key], mean: c.means[key]}
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

// axes draws the lines of shares and the days below.
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

// half is half the width of a sweep.
func (c *chart) half() float64 {
	return min(12, max(2, c.x(c.first.Add(c.usual))-left)) / 2
}

// draw adds the line of a brand, its band, and the dots of single sweeps of an own one.
func (b *builder) draw(t *trend, c *chart, brand string, stretches [][]point) {
	own, color := slices.Contains(b.own, brand), b.color[brand]
	for _, stretch := range stretches {
		t.bands(c, stretch, color, own)
		for _, part := range byCertainty(stretch, t.Rolling) {
			var line []string
			for _, p := range part {
				line = append(line, c.at(p.x, *p.mean.Value))
			}
			if len(line) == 1 { // a line of no length is seen by its round ends
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

// byCertainty splits a stretch where its means are no longer provisional. The parts share
// the point at which they meet.
func byCertainty(stretch []point, rolling bool) [][]point {
	sure := slices.IndexFunc(stretch, func(p point) bool { return !p.mean.Provisional })
	if !rolling || sure <= 0 {
		return [][]point{stretch}
	}
	return [][]point{stretch[:sure+1], stretch[sure:]}
}

// bands adds where the line would lie, asked again, and the dots of single sweeps of an
// own brand.
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

// at is a place on a path.
func (c *chart) at(x, share float64) string { return num(x) + "," + num(c.y(share)) }

func pathOf(places []string) string {
	return "M" + strings.Join(places, "L")
}

// gaps draws sweeps that did not take place, and marks breaks.
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

// spread moves labels apart that would lie on each other.
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

// trendRows are the values of the chart, the newest first.
func (b *builder) trendRows(c *chart, brands []string) (rows []trendRow) {
	for _, sweep := range slices.Backward(c.sweeps) {
		row := trendRow{Day: sweep.DueAt.In(c.zone).Format("2006-01-02 15:04")}
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

// summary says in a sentence what the chart shows.
func (t *trend) summary() string {
	var parts []string
	for _, end := range t.Brands {
		parts = append(parts, end.Name+" "+end.Value)
	}
	return "Visibility by sweep. At the end: " + strings.Join(parts, ", ") + "."
}

// rail is a number on a scale, with both its ranges and where it was before.
type rail struct {
	Width, Height      string
	WideX, WideWidth   string
	CloseX, CloseWidth string
	At, AtText         string
	Was, WasText       string
	Ticks              []tick
	First, Last        string
	Rose               bool // it is more than before
}

const railWidth, railEdge = 520.0, 24.0

// railOf is nil where there is nothing to draw.
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
		d.Was, d.WasText = num(x(*before.Before)), "before "+percent(before.Before)
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
