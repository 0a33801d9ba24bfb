package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/track/alert"
	"earshot/internal/track/analysis"
)

// Formats of days and times. The page names the time zone once.
const (
	dayFormat  = "2 Jan 2006"
	timeFormat = "2 Jan 2006, 15:04"
)

// page is the content of a report in both formats. Texts of users and answers are not
// escaped: the templates escape them.
type page struct {
	Heading              string
	Shared               *Shared
	Period, Baseline     string
	Created, Zone, Rules string
	MadeUp               bool
	Empty                string // why there are no numbers
	Cuts                 []cutPage
	NoSources            string
	Coverage             coverage
	Notes                []string
}

// cutPage is the part about one surface: answers of web pages, of official APIs and of
// the lab are never mixed.
type cutPage struct {
	Name      string // "" if there is only one surface
	Headlines []headline
	Trend     *trend
	League    []leagueRow
	Targets   []targetRow
	Prompts   *prompts
	Sources   *sources
	Besides   *besides
	Grade     *grade
}

// headline is the first section about an own brand.
type headline struct {
	Brand     string
	Own       bool
	Figure    figure
	Sentences []sentence
	Cautions  []string
	Change    change
	Basis     []string
}

// sentence is a text whose lead is printed in bold.
type sentence struct{ Lead, Rest string }

type leagueRow struct {
	Place      int
	Brand      string
	Color      int
	Own        bool
	Visibility figure
	Voice      figure
	First      figure
	Cited      figure
	Change     change
}

type targetRow struct {
	Target, Brand string
	Visibility    figure
	Answers       string
	Change        change
	Grade         string
}

type builder struct {
	in    *Input
	own   []string
	color map[string]int
}

// pageOf builds the content of a report.
func pageOf(in *Input) *page {
	b := &builder{in: in, color: map[string]int{}}
	rivals := 0
	for _, brand := range in.Brands {
		if brand.Own {
			b.own, b.color[brand.Name] = append(b.own, brand.Name), 0
			continue
		}
		rivals++
		b.color[brand.Name] = min(rivals, lastColor)
	}
	c := in.Compare
	p := &page{
		Heading: "Brand visibility report: " + in.Tracker, Shared: in.Shared, Period: b.period(c.Period), Baseline: b.period(c.Baseline),
		Created: in.Created.In(in.Zone).Format(timeFormat), Zone: in.Zone.String(), Rules: c.Rules,
		MadeUp: c.MadeUp || in.Numbers.MadeUp, NoSources: in.NoSources, Coverage: b.coverage(), Notes: b.notes(),
	}
	if in.Shared != nil {
		p.Heading = cmp.Or(in.Shared.Title, p.Heading)
		p.Coverage.Reasons, p.Coverage.Absent = nil, nil
	}
	cuts := b.cuts()
	switch {
	case len(in.Brands) == 0:
		p.Empty = "This tracker has no brands to look for. Add brands to its definition: stored answers are then analysed again at no cost."
	case len(cuts) == 0:
		p.Empty = "This period has no answers of closed sweeps."
	default:
		for _, cut := range cuts {
			one := b.cut(cut)
			if len(cuts) > 1 {
				one.Name = cutName(cut)
			}
			p.Cuts = append(p.Cuts, one)
		}
	}
	return p
}

func (b *builder) period(p earshot.Period) string {
	return fmt.Sprintf("%s to %s (%s)", alert.Day(p.From), alert.Day(p.To), many(p.Sweeps, "sweep"))
}

// cuts returns the targets of the numbers; a target "*…" is the sum of a surface.
func (b *builder) cuts() (targets []string) {
	for _, r := range b.in.Numbers.Rows {
		if r.Brand != "" && r.Answers > 0 && !slices.Contains(targets, r.Target) {
			targets = append(targets, r.Target)
		}
	}
	return targets
}

// find returns the first row that matches, or nil.
func find[T any](rows []T, matches func(*T) bool) *T {
	for i := range rows {
		if matches(&rows[i]) {
			return &rows[i]
		}
	}
	return nil
}

func number(rows []earshot.MetricRow, metric, brand, target string) *earshot.MetricRow {
	return find(rows, func(r *earshot.MetricRow) bool { return r.Metric == metric && r.Brand == brand && r.Target == target })
}

func (b *builder) compared(brand, target string) *earshot.ComparedRow {
	return find(b.in.Compare.Rows, func(r *earshot.ComparedRow) bool { return r.Brand == brand && r.Target == target })
}

const (
	visibility   = "visibility@m1"
	shareOfVoice = "shareOfVoice@m1"
	firstNamed   = "firstNamed@m1"
	citationRate = "citationRate@m1"
	coverageRate = "coverage@m1"
	refusalRate  = "refusal@m1"
	informative  = "informative@m1"
)

func (b *builder) cut(target string) cutPage {
	rows := b.in.Numbers.Rows
	p := cutPage{Trend: b.trend(target), Prompts: b.prompts(target), Sources: b.sources(target), Besides: b.besides(target), Grade: b.grade(target)}
	for _, brand := range b.in.Brands {
		seen := number(rows, visibility, brand.Name, target)
		if seen == nil {
			continue
		}
		p.League = append(p.League, leagueRow{
			Brand: brand.Name, Own: brand.Own, Color: b.color[brand.Name], Visibility: figureOf(seen),
			Voice: figureOf(number(rows, shareOfVoice, brand.Name, target)), First: figureOf(number(rows, firstNamed, brand.Name, target)),
			Cited: figureOf(number(rows, citationRate, brand.Name, target)), Change: changeOf(b.compared(brand.Name, target), brand.Own),
		})
	}
	slices.SortStableFunc(p.League, func(x, y leagueRow) int {
		return -cmp.Compare(valueOf(number(rows, visibility, x.Brand, target)), valueOf(number(rows, visibility, y.Brand, target)))
	})
	for i := range p.League {
		p.League[i].Place = i + 1
	}
	shown := b.own
	if len(shown) == 0 && len(p.League) > 0 {
		shown = []string{p.League[0].Brand}
	}
	for _, brand := range shown {
		if r := number(rows, visibility, brand, target); r != nil {
			p.Headlines = append(p.Headlines, b.headline(r))
		}
	}
	p.Targets = b.targets(target, shown)
	return p
}

func valueOf(r *earshot.MetricRow) float64 {
	if r == nil || r.Value == nil {
		return -1
	}
	return *r.Value
}

// tooAlike is the correlation of neighbouring sweeps above which the expected range if
// re-run is too narrow.
const tooAlike = 0.5

func (b *builder) headline(r *earshot.MetricRow) headline {
	own := slices.Contains(b.own, r.Brand)
	compared := b.compared(r.Brand, r.Target)
	h := headline{Brand: r.Brand, Own: own, Figure: figureOf(r), Change: changeOf(compared, own)}
	if r.Interval != nil {
		if ends := r.Interval.Rerun; len(ends) == 2 {
			h.Sentences = append(h.Sentences, sentence{"Expected range if re-run:", span(ends) + "."})
		}
		if ends := r.Interval.Market; len(ends) == 2 {
			h.Sentences = append(h.Sentences, sentence{"Range for similar questions:", fmt.Sprintf("%s, for any questions like these %d.", span(ends), b.in.Prompts-b.in.Branded)})
		}
	}
	h.Sentences = append(h.Sentences, sentence{"Change:", verdictSentence(compared)})
	if r.Provisional {
		h.Cautions = append(h.Cautions, "Fewer than 5 sweeps: the number is provisional, and its expected range is too narrow because it covers too few days.")
	}
	if r.Lag1 != nil && *r.Lag1 > tooAlike {
		h.Cautions = append(h.Cautions, fmt.Sprintf("Neighbouring sweeps resemble each other (correlation %.2f), so the expected range is too narrow.", *r.Lag1))
	}
	h.Basis = []string{h.Figure.Of + " answers"}
	if r.Cells != nil {
		h.Basis = append(h.Basis, many(*r.Cells, "prompt × target pair"))
	}
	if r.Sweeps != nil {
		h.Basis = append(h.Basis, many(*r.Sweeps, "sweep"))
	}
	h.Basis = append(h.Basis, many(r.Missing, "answer")+" missing", "visibility, definition m1", "matching rules "+r.Rules)
	return h
}

// targets returns the visibility of brands on each target of a surface. It returns nil if
// the surface has only one target.
func (b *builder) targets(cut string, brands []string) (found []targetRow) {
	if !strings.HasPrefix(cut, "*") {
		return nil
	}
	for _, r := range b.in.Targets.Rows {
		if r.Metric != visibility || !slices.Contains(brands, r.Brand) || !b.within(cut, r.Target) {
			continue
		}
		row := targetRow{
			Target: r.Target, Brand: r.Brand, Visibility: figureOf(&r), Answers: count(float64(r.Answers)),
			Change: changeOf(b.compared(r.Brand, r.Target), slices.Contains(b.own, r.Brand)),
		}
		if g := b.gradeOf(r.Target); g != nil {
			row.Grade = g.Grade
		}
		found = append(found, row)
	}
	return found
}

// within reports whether a target belongs to the sum of a surface.
func (b *builder) within(cut, target string) bool {
	if cut == "*" {
		return true
	}
	r := find(b.in.Targets.Rows, func(r *earshot.MetricRow) bool { return r.Target == target })
	return r != nil && cut == "*"+analysis.JoinOrigin(r.Surface, r.Via)
}

// Drawn returns the brands of a chart: own brands first, then brands with the highest
// visibility.
func Drawn(panel []earshot.Brand, numbers []earshot.MetricRow) (names []string) {
	best := map[string]float64{}
	for i := range numbers {
		if r := &numbers[i]; r.Metric == visibility {
			best[r.Brand] = max(best[r.Brand], valueOf(r))
		}
	}
	sorted := slices.Clone(panel)
	slices.SortStableFunc(sorted, func(x, y earshot.Brand) int {
		if x.Own != y.Own {
			if x.Own {
				return -1
			}
			return 1
		}
		return -cmp.Compare(best[x.Name], best[y.Name])
	})
	for _, brand := range sorted[:min(len(sorted), MaxDrawn)] {
		names = append(names, brand.Name)
	}
	return names
}
