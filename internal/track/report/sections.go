package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"earshot"
)

// prompts are the questions that moved most.
type prompts struct {
	Asked int // how many were compared
	Moved int
	Rows  []promptRow
}

type promptRow struct {
	Prompt, Brand string
	Change        change
	Answers       string
}

// Sentence tells how many of the questions moved.
func (p *prompts) Sentence() string {
	if p.Moved == 0 {
		return fmt.Sprintf("Of %s none moved by more than asking again would show, looked at together. These changed most, which may be noise.", many(p.Asked, "question"))
	}
	return fmt.Sprintf("%d of %s moved by more than asking again would show, looked at together: about 1 in 20 of such finds may be noise.", p.Moved, many(p.Asked, "question"))
}

// prompts are those of a surface with an own brand, the clearest changes first; nil where
// they were not compared.
func (b *builder) prompts(cut string) *prompts {
	var rows []earshot.ComparedRow
	p := &prompts{}
	for _, r := range b.in.Moved {
		// A question on one target has its name, as the sum of one target has.
		if r.Target != cut || r.Change == nil || r.Verdict == earshot.VerdictTooEarly {
			continue
		}
		p.Asked++
		if r.Verdict == earshot.VerdictMoved {
			p.Moved++
		}
		rows = append(rows, r)
	}
	if p.Asked == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(x, y earshot.ComparedRow) int {
		if x.Verdict != y.Verdict {
			return cmp.Compare(x.Verdict, y.Verdict) // moved comes before steady
		}
		return -cmp.Compare(math.Abs(*x.Change), math.Abs(*y.Change))
	})
	for _, r := range rows[:min(len(rows), max(3, min(p.Moved, shownPrompts)))] {
		p.Rows = append(p.Rows, promptRow{
			Prompt: r.Prompt, Brand: r.Brand, Change: changeOf(&r, slices.Contains(b.own, r.Brand)),
			Answers: count(float64(r.AnswersBefore)) + " and " + count(float64(r.AnswersAfter)),
		})
	}
	return p
}

// sources are what answers cite.
type sources struct {
	All          string // citations in the period
	Rows         []sourceRow
	Gained, Lost []sourceRow
	Compared     bool // whether both periods have enough sweeps to tell gained and lost ones
}

type sourceRow struct {
	Domain, Type, Brand string
	Now, Before         figure
}

func (b *builder) sources(cut string) *sources {
	if b.in.Sources == nil || b.in.SourcesBefore == nil {
		return nil
	}
	now, before := sourcesOf(b.in.Sources, cut), sourcesOf(b.in.SourcesBefore, cut)
	if len(now) == 0 {
		return nil
	}
	s := &sources{All: count(float64(now[0].AllCitations))}
	enough := func(p earshot.Period) bool { return p.Sweeps >= 5 }
	s.Compared = len(before) > 0 && enough(b.in.Compare.Period) && enough(b.in.Compare.Baseline)
	for i := range now {
		was := sourceIn(before, now[i].Domain)
		row := sourceRow{Domain: now[i].Domain, Type: now[i].Type, Brand: now[i].Brand, Now: sourceFigure(&now[i]), Before: absentFigure(before)}
		if was != nil {
			row.Before = sourceFigure(was)
		}
		if i < shownSources {
			s.Rows = append(s.Rows, row)
		}
		if s.Compared && was == nil && len(before) < MaxSources && now[i].Citations >= fewCitations {
			s.Gained = append(s.Gained, row)
		}
	}
	for i := range before {
		if s.Compared && len(now) < MaxSources && before[i].Citations >= fewCitations && sourceIn(now, before[i].Domain) == nil {
			s.Lost = append(s.Lost, sourceRow{Domain: before[i].Domain, Type: before[i].Type, Brand: before[i].Brand, Now: absentFigure(now), Before: sourceFigure(&before[i])})
		}
	}
	s.Gained, s.Lost = s.Gained[:min(len(s.Gained), shownSources)], s.Lost[:min(len(s.Lost), shownSources)]
	return s
}

func sourcesOf(report *earshot.SourceReport, cut string) (rows []earshot.SourceRow) {
	for _, r := range report.Rows {
		if r.Target == cut {
			rows = append(rows, r)
		}
	}
	return rows
}

func sourceIn(rows []earshot.SourceRow, domain string) *earshot.SourceRow {
	for i, r := range rows {
		if r.Domain == domain {
			return &rows[i]
		}
	}
	return nil
}

func sourceFigure(r *earshot.SourceRow) figure {
	f := figure{Value: percent(r.Share), Of: count(float64(r.Citations)) + " of " + count(float64(r.AllCitations)), Early: r.Provisional}
	if r.Interval != nil {
		f.Again = span(r.Interval.Rerun)
	}
	return f
}

// absentFigure is that of a source that none of the answers behind rows cites.
func absentFigure(rows []earshot.SourceRow) figure {
	switch {
	case len(rows) == 0:
		return figure{Value: "not known"}
	case len(rows) >= MaxSources:
		return figure{Value: "rare"}
	default:
		return figure{Value: "none", Of: "0 of " + count(float64(rows[0].AllCitations))}
	}
}

// grade is what the numbers are good for.
type grade struct {
	Grade    string
	Meaning  string
	Criteria []criterion
}

type criterion struct {
	Name, Value, Needs string
	Met                bool
}

func (b *builder) gradeOf(target string) *earshot.GradedCut {
	for i, g := range b.in.Compare.Grades {
		if g.Target == target {
			return &b.in.Compare.Grades[i]
		}
	}
	return nil
}

func (b *builder) grade(target string) *grade {
	found := b.gradeOf(target)
	if found == nil {
		return nil
	}
	g := &grade{Grade: found.Grade}
	switch found.Grade {
	case "decision-grade":
		g.Meaning = "They can carry a decision: every criterion is met."
	case "exploratory":
		g.Meaning = "They are a first look and carry no decision: there are too few questions, sweeps or answers."
	default:
		g.Meaning = "They show a direction. For a decision, what is not met below is lacking."
	}
	for _, c := range found.Criteria {
		words, known := criterionWords[c.Name]
		if !known {
			words.name = c.Name
		}
		amount := func(v float64) string {
			switch {
			case c.Name == "smallestChange":
				return fmt.Sprintf("%.1f points", 100*v)
			case words.share:
				return percent(&v)
			default:
				return count(v)
			}
		}
		one := criterion{Name: words.name, Value: "not known", Needs: "at least " + amount(c.Decision), Met: c.Met}
		if words.most {
			one.Needs = "at most " + amount(c.Decision)
		}
		if c.Value != nil {
			one.Value = amount(*c.Value)
		}
		g.Criteria = append(g.Criteria, one)
	}
	return g
}

// coverage is what became of the questions of the period.
type coverage struct {
	Sentence string
	Rows     []coverageRow // of each surface
	Reasons  []reasonRow
	Absent   []absentSweep
}

type coverageRow struct {
	Name    string
	Came    figure
	Refused figure
	Names   figure // answers that name any brand
}

type reasonRow struct{ Reason, Meaning, Count string }

// absentSweep is one that did not take place, in either period.
type absentSweep struct{ Day, State, Why string }

func (b *builder) coverage() (c coverage) {
	rows := b.in.Numbers.Rows
	for i := range rows {
		if r := &rows[i]; r.Metric == coverageRate {
			c.Rows = append(c.Rows, coverageRow{
				Name: cutName(r.Target), Came: figureOf(r), Refused: figureOf(number(rows, refusalRate, "", r.Target)),
				Names: figureOf(number(rows, informative, "", r.Target)),
			})
		}
	}
	planned, answered := 0, 0
	states := map[earshot.SweepState]int{}
	for _, sweep := range b.in.Sweeps {
		if b.inPeriod(sweep) {
			states[sweep.State]++
			if sweep.State == earshot.SweepClosed {
				planned, answered = planned+sweep.Progress.Planned, answered+sweep.Progress.Answered
			}
		}
		if sweep.State != earshot.SweepClosed && sweep.State != earshot.SweepRunning {
			c.Absent = append(c.Absent, absentSweep{Day: b.day(sweep), State: string(sweep.State), Why: whyAbsent(&sweep)})
		}
	}
	c.Sentence = fmt.Sprintf("%s took place in the period; %s were planned and %s came.", many(states[earshot.SweepClosed], "sweep"), many(planned, "answer"), count(float64(answered)))
	if n := states[earshot.SweepMissed] + states[earshot.SweepSkipped] + states[earshot.SweepCanceled]; n > 0 {
		c.Sentence += fmt.Sprintf(" %s did not take place.", many(n, "sweep"))
	}
	if n := states[earshot.SweepRunning]; n > 0 {
		c.Sentence += fmt.Sprintf(" %s still runs and does not count yet.", many(n, "sweep"))
	}
	told := 0
	for _, r := range b.in.Reasons {
		told += r.Count
		c.Reasons = append(c.Reasons, reasonRow{r.Reason, cmp.Or(reasonWords[r.Reason], "another reason"), count(float64(r.Count))})
	}
	if rest := planned - answered - told; rest > 0 {
		c.Reasons = append(c.Reasons, reasonRow{"not known", "it was never asked, or its record is no longer kept", count(float64(rest))})
	}
	return c
}

func whyAbsent(sweep *earshot.Sweep) string {
	switch {
	case sweep.State == earshot.SweepCanceled:
		return "it was stopped by hand"
	case sweep.Reason == "ceiling":
		return "it might have passed the ceiling of credits"
	case sweep.Reason == "credits":
		return reasonWords["credits"]
	case sweep.Reason != "":
		return sweep.Reason
	case sweep.State == earshot.SweepMissed:
		return "nothing was there to start it in its window"
	default:
		return "it would have passed the ceiling, or could not be paid"
	}
}

func (b *builder) inPeriod(sweep earshot.Sweep) bool {
	day := sweep.DueAt.In(b.in.Zone).Format("2006-01-02")
	return day >= b.in.Compare.Period.From && day <= b.in.Compare.Period.To
}

func (b *builder) day(sweep earshot.Sweep) string {
	return sweep.DueAt.In(b.in.Zone).Format("2 Jan 2006")
}

// leftOut tells what does not count.
func (b *builder) leftOut() (notes []string) {
	if n := b.in.Branded; n > 0 {
		notes = append(notes, fmt.Sprintf("%s of %d: naming a brand in the question invites it into the answer.", many(n, "question"), b.in.Prompts))
	}
	most := 0
	for _, r := range b.in.Compare.Rows {
		most = max(most, r.CellsLeftOut)
	}
	if most > 0 {
		notes = append(notes, fmt.Sprintf("%s of a question and a target from the comparison, since only one of the two periods has answers to them. They do count in the numbers of their period.", many(most, "pair")))
	}
	notes = append(notes, "Answers that are missing: they count neither as naming a brand nor as not naming it.")
	for _, br := range b.in.Breaks {
		notes = append(notes, fmt.Sprintf("Before and after %s, numbers are of different kinds: %s.", b.sweepDay(br.Sweep), strings.TrimSuffix(br.Reason, ".")))
	}
	return notes
}

func (b *builder) sweepDay(id string) string {
	for _, sweep := range b.in.Sweeps {
		if sweep.ID == id {
			return b.day(sweep)
		}
	}
	return "a sweep"
}
