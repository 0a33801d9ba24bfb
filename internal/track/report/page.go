package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"earshot"
)

// page is what a report says, the same in both formats. Texts that are not ours are in it
// as they are; the templates escape them.
type page struct {
	Tracker           string
	Period, Baseline  string
	Made, Zone, Rules string
	MadeUp            bool
	Empty             string // why there are no numbers
	Cuts              []cutPage
	NoSources         string
	Coverage          coverage
	LeftOut           []string
}

// cutPage is what is told of one surface: answers of web pages, of official APIs and of
// the lab are never mixed.
type cutPage struct {
	Name      string // "" where there is only one
	Headlines []headline
	Trend     *trend
	League    []leagueRow
	Targets   []targetRow
	Prompts   *prompts
	Sources   *sources
	Grade     *grade
}

// headline is what is told of an own brand first.
type headline struct {
	Brand     string
	Own       bool
	Figure    figure
	Sentences []sentence
	Cautions  []string
	Change    change
	Basis     []string
	Rail      *rail
}

// sentence begins with the words that matter.
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
	Answers    string
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

// pageOf says what the numbers say.
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
		Tracker: in.Tracker, Period: b.period(c.Period), Baseline: b.period(c.Baseline),
		Made: in.Made.In(in.Zone).Format("2 January 2006, 15:04"), Zone: in.Zone.String(), Rules: c.Rules,
		MadeUp: c.MadeUp || in.Numbers.MadeUp, NoSources: in.NoSources,
	}
	p.Coverage = b.coverage()
	p.LeftOut = b.leftOut()
	cuts := b.cuts()
	switch {
	case len(in.Brands) == 0:
		p.Empty = "This tracker has no brands, so that there is nothing to look for in its answers. Add brands to its definition; the answers that are kept are then read again, at no cost."
	case len(cuts) == 0:
		p.Empty = "There are no answers of closed sweeps in this period, so that there are no numbers to report."
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
	return fmt.Sprintf("%s to %s (%s)", dayWords(p.From), dayWords(p.To), many(p.Sweeps, "sweep"))
}

// dayWords is a day as people write it.
func dayWords(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return at.Format("2 January 2006")
}

// cuts are the sums of each surface that the numbers have.
func (b *builder) cuts() (targets []string) {
	for _, r := range b.in.Numbers.Rows {
		if r.Brand != "" && r.Answers > 0 && !slices.Contains(targets, r.Target) {
			targets = append(targets, r.Target)
		}
	}
	return targets
}

// number is a row of the period's numbers.
func number(rows []earshot.MetricRow, metric, brand, target string) *earshot.MetricRow {
	for i, r := range rows {
		if r.Metric == metric && r.Brand == brand && r.Target == target {
			return &rows[i]
		}
	}
	return nil
}

func (b *builder) compared(brand, target string) *earshot.ComparedRow {
	rows := b.in.Compare.Rows
	for i, r := range rows {
		if r.Brand == brand && r.Target == target {
			return &rows[i]
		}
	}
	return nil
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
	p := cutPage{Trend: b.trend(target), Prompts: b.prompts(target), Sources: b.sources(target), Grade: b.grade(target)}
	for _, brand := range b.in.Brands {
		seen := number(rows, visibility, brand.Name, target)
		if seen == nil {
			continue
		}
		p.League = append(p.League, leagueRow{
			Brand: brand.Name, Own: brand.Own, Color: b.color[brand.Name], Visibility: figureOf(seen),
			Voice: figureOf(number(rows, shareOfVoice, brand.Name, target)), First: figureOf(number(rows, firstNamed, brand.Name, target)),
			Cited: figureOf(number(rows, citationRate, brand.Name, target)), Answers: count(float64(seen.Answers)),
			Change: changeOf(b.compared(brand.Name, target), brand.Own),
		})
	}
	slices.SortStableFunc(p.League, func(x, y leagueRow) int {
		return -cmp.Compare(valueOf(number(rows, visibility, x.Brand, target)), valueOf(number(rows, visibility, y.Brand, target)))
	})
	for i := range p.League {
		p.League[i].Place = i + 1
	}
	told := b.own
	if len(told) == 0 && len(p.League) > 0 {
		told = []string{p.League[0].Brand}
	}
	for _, brand := range told {
		if r := number(rows, visibility, brand, target); r != nil {
			p.Headlines = append(p.Headlines, b.headline(r))
		}
	}
	p.Targets = b.targets(target, told)
	return p
}

func valueOf(r *earshot.MetricRow) float64 {
	if r == nil || r.Value == nil {
		return -1
	}
	return *r.Value
}

// tooAlike is the correlation of neighbouring sweeps from which on the range of a rerun is
// too narrow.
const tooAlike = 0.5

func (b *builder) headline(r *earshot.MetricRow) headline {
	own := slices.Contains(b.own, r.Brand)
	compared := b.compared(r.Brand, r.Target)
	h := headline{Brand: r.Brand, Own: own, Figure: figureOf(r), Change: changeOf(compared, own), Rail: railOf(r, compared)}
	if r.Interval != nil {
		if ends := r.Interval.Rerun; len(ends) == 2 {
			h.Sentences = append(h.Sentences, sentence{"Asked again tomorrow,", fmt.Sprintf("the same questions would give between "+share+" and "+share+".", 100*ends[0], 100*ends[1])})
		}
		if ends := r.Interval.Market; len(ends) == 2 {
			h.Sentences = append(h.Sentences, sentence{"For questions like these,", fmt.Sprintf("not only the %d that are asked, it is between "+share+" and "+share+".", b.in.Prompts-b.in.Branded, 100*ends[0], 100*ends[1])})
		}
	}
	h.Sentences = append(h.Sentences, sentence{"In the period before,", verdictSentence(compared)})
	if compared == nil || compared.Change == nil {
		h.Sentences[len(h.Sentences)-1].Lead = "The period before:"
	}
	if r.Provisional {
		h.Cautions = append(h.Cautions, "These are fewer than 5 sweeps. The number is provisional, and its first range is too narrow for what days differ.")
	}
	if r.Lag1 != nil && *r.Lag1 > tooAlike {
		h.Cautions = append(h.Cautions, fmt.Sprintf("Sweeps resemble their neighbours (%.2f of 1), so that the first range is too narrow.", *r.Lag1))
	}
	h.Basis = []string{h.Figure.Of + " answers"}
	if r.Cells != nil {
		h.Basis = append(h.Basis, many(*r.Cells, "pair")+" of a question and a target")
	}
	if r.Sweeps != nil {
		h.Basis = append(h.Basis, many(*r.Sweeps, "sweep"))
	}
	h.Basis = append(h.Basis, many(r.Missing, "answer")+" missing", "visibility, definition m1", "names by rules "+r.Rules)
	return h
}

// targets are the told brands on each target of a surface, where there are several.
func (b *builder) targets(cut string, told []string) (found []targetRow) {
	if len(cut) == 0 || cut[0] != '*' {
		return nil
	}
	for _, r := range b.in.Targets.Rows {
		if r.Metric != visibility || !slices.Contains(told, r.Brand) || !b.within(cut, r.Target) {
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

// within reports whether a target belongs to the sum of a surface. The numbers by target
// name their surface.
func (b *builder) within(cut, target string) bool {
	if cut == "*" {
		return true
	}
	for _, r := range b.in.Targets.Rows {
		if r.Target == target {
			return cut == "*"+r.Surface
		}
	}
	return false
}

// Drawn are the brands of a chart: the own ones, then those with the highest visibility.
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
