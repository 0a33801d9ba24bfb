package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"earshot"
)

// Sizes of the chart, in SVG user units.
const (
	width, height = 760.0, 200.0
	lastColor     = 6
)

// trend is the visibility of some brands by sweep: a line for each brand, and the values.
type trend struct {
	Lines   []line
	Top     string // share at the top of the chart
	Breaks  []mark
	NotRun  []string // days of sweeps that did not run
	Rows    []trendRow
	Rolling bool // each point is the mean of several sweeps
}

type (
	line struct {
		Brand, Value string // the latest value
		Color        int
		Own          bool
		Path         string
	}
	mark struct{ Day, Reason string }
)

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

// trend draws the brands of a surface. It returns nil if there are no sweeps.
func (b *builder) trend(cut string) *trend {
	alone, means := bySweep(b.in.Single, cut), bySweep(b.in.Means, cut)
	if len(b.in.Sweeps) == 0 {
		return nil
	}
	t := &trend{Rolling: len(means) > 0}
	row := func(brand, sweep string) *earshot.MetricRow {
		return cmp.Or(means[[2]string{brand, sweep}], alone[[2]string{brand, sweep}])
	}
	most := 0.1
	for key := range alone {
		most = max(most, valueOf(row(key[0], key[1])))
	}
	t.Top = percent(&most)
	for _, brand := range b.in.Brands {
		l := line{Brand: brand.Name, Own: brand.Own, Color: b.color[brand.Name], Path: b.path(most, func(sweep string) *earshot.MetricRow { return row(brand.Name, sweep) })}
		for _, sweep := range b.in.Sweeps {
			if r := row(brand.Name, sweep.ID); r != nil && r.Value != nil {
				l.Value = percent(r.Value)
			}
		}
		if l.Value != "" {
			t.Lines = append(t.Lines, l)
		}
	}
	if t.Lines == nil {
		return nil
	}
	for _, sweep := range b.in.Sweeps {
		if sweep.State == earshot.SweepMissed || sweep.State == earshot.SweepSkipped || sweep.State == earshot.SweepCanceled {
			t.NotRun = append(t.NotRun, fmt.Sprintf("%s %s", sweep.DueAt.In(b.in.Zone).Format("2 Jan"), sweep.State))
		}
		for _, br := range b.in.Breaks {
			if br.Sweep == sweep.ID {
				t.Breaks = append(t.Breaks, mark{b.day(sweep), br.Reason})
			}
		}
		r := trendRow{Day: sweep.DueAt.In(b.in.Zone).Format(timeFormat), Absent: string(sweep.State)}
		for _, l := range t.Lines {
			if one := alone[[2]string{l.Brand, sweep.ID}]; one != nil {
				r.Absent, r.Answers, r.Missing = "", count(float64(one.Answers)), count(float64(one.Missing))
				r.Cells = append(r.Cells, trendCell{Alone: percent(one.Value), Mean: figureOf(row(l.Brand, sweep.ID))})
			}
		}
		t.Rows = append(t.Rows, r)
	}
	slices.Reverse(t.Rows) // the newest sweep first
	return t
}

// bySweep returns the visibility on a target by brand and sweep.
func bySweep(rows []earshot.MetricRow, cut string) map[[2]string]*earshot.MetricRow {
	found := map[[2]string]*earshot.MetricRow{}
	for i, r := range rows {
		if r.Target == cut && r.Metric == visibility {
			found[[2]string{r.Brand, r.Sweep}] = &rows[i]
		}
	}
	return found
}

// path returns the line of a brand, in which most is at the top. It is interrupted at sweeps
// without a value and before breaks.
func (b *builder) path(most float64, row func(sweep string) *earshot.MetricRow) string {
	var path strings.Builder
	first, last := b.in.Sweeps[0].DueAt, b.in.Sweeps[len(b.in.Sweeps)-1].DueAt
	isOpen := false
	for _, sweep := range b.in.Sweeps {
		r := row(sweep.ID)
		if r == nil || r.Value == nil {
			isOpen = false
			continue
		}
		x, y := width, height*(1-*r.Value/most)
		if last.After(first.Time) {
			x = width * float64(sweep.DueAt.Sub(first.Time)) / float64(last.Sub(first.Time))
		}
		if isOpen = isOpen && !slices.ContainsFunc(b.in.Breaks, func(br Break) bool { return br.Sweep == sweep.ID }); isOpen {
			fmt.Fprintf(&path, "L%.1f,%.1f", x, y)
		} else {
			fmt.Fprintf(&path, "M%.1f,%.1fh0", x, y) // h0 makes a single point visible
		}
		isOpen = true
	}
	return path.String()
}
