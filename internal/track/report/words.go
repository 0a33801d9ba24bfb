package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"earshot"
)

// share is how shares are written: a line does not end before the sign.
const share = "%.1f\u00a0%%"

// minus is the sign that has the width of a plus.
const minus = "−"

// percent is a share as people read it.
func percent(v *float64) string {
	if v == nil {
		return "not known"
	}
	return fmt.Sprintf(share, 100**v)
}

// span is a range of shares.
func span(ends []float64) string {
	if len(ends) != 2 {
		return ""
	}
	return fmt.Sprintf("%.1f to "+share, 100*ends[0], 100*ends[1])
}

// points is a difference of shares, with its sign.
func points(v float64) string {
	text := fmt.Sprintf("%+.1f", 100*v)
	if strings.TrimLeft(text, "+-0.") == "" {
		return "0.0"
	}
	return strings.Replace(text, "-", minus, 1)
}

func pointSpan(ends []float64) string {
	if len(ends) != 2 {
		return ""
	}
	return points(ends[0]) + " to " + points(ends[1])
}

// count is a whole number with commas between thousands, or what there is.
func count(v float64) string {
	if v != math.Trunc(v) || math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	digits := strconv.FormatInt(int64(v), 10)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// many is a number of things.
func many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return count(float64(n)) + " " + thing
}

// figure is a number with its ranges and what it is made of.
type figure struct {
	Value string
	Again string // asked again tomorrow
	Like  string // for questions like these
	Of    string // 126 of 300
	Early bool   // of too few sweeps
}

func figureOf(r *earshot.MetricRow) figure {
	if r == nil {
		return figure{Value: percent(nil)}
	}
	f := figure{Value: percent(r.Value), Of: count(r.Numerator) + " of " + count(r.Denominator), Early: r.Provisional}
	if r.Interval != nil {
		f.Again, f.Like = span(r.Interval.Rerun), span(r.Interval.Market)
	}
	return f
}

// change is what a comparison found.
type change struct {
	Verdict string // moved, steady or too early
	Class   string // up, down, flat or early
	Mark    string // ▲ or ▼ where it moved
	Points  string // +5.4 points
	Range   string // what the change would be between, asked again
	From    string // the shares that were compared
	To      string
	Own     bool
}

func changeOf(r *earshot.ComparedRow, own bool) change {
	if r == nil || r.Change == nil {
		return change{Verdict: "nothing to compare with", Class: "early", Own: own}
	}
	c := change{Points: points(*r.Change) + " points", Range: pointSpan(r.Interval), From: percent(r.Before), To: percent(r.After), Own: own}
	switch {
	case r.Verdict == earshot.VerdictTooEarly:
		c.Verdict, c.Class, c.Range = "too early", "early", "" // the range of a few sweeps says nothing
	case r.Verdict != earshot.VerdictMoved:
		c.Verdict, c.Class = "steady", "flat"
	case *r.Change > 0:
		c.Verdict, c.Class, c.Mark = "moved", "up", "▲"
	default:
		c.Verdict, c.Class, c.Mark = "moved", "down", "▼"
	}
	return c
}

// verdictSentence tells what became of a brand since the period before.
func verdictSentence(r *earshot.ComparedRow) string {
	if r == nil || r.Change == nil {
		return "There is nothing to compare it with: one of the two periods has no answers to these questions."
	}
	was := fmt.Sprintf("it was %s, and over the same questions it is now %s: %s points", percent(r.Before), percent(r.After), points(*r.Change))
	if len(r.Interval) == 2 && r.Verdict != earshot.VerdictTooEarly {
		was += fmt.Sprintf(" (asked again, between %s and %s)", points(r.Interval[0]), points(r.Interval[1]))
	}
	switch r.Verdict {
	case earshot.VerdictMoved:
		return was + ". It moved: that is more than asking again would show."
	case earshot.VerdictTooEarly:
		return fmt.Sprintf("%s. It is too early to tell whether it moved: that needs 5 sweeps in each period, and there are %d and %d.", was, r.SweepsBefore, r.SweepsAfter)
	default:
		was += ". It is steady: that is no more than asking again would show."
		if r.SmallestChange != nil {
			was += fmt.Sprintf(" A change of %.1f points would have been seen in 80 of 100 cases.", 100**r.SmallestChange)
		}
		return was
	}
}

// cutName is what a number is about, where that is not all there is.
func cutName(target string) string {
	switch surface, pooled := strings.CutPrefix(target, "*"); {
	case !pooled:
		return target
	case surface == "":
		return "all targets"
	default:
		return "all targets of " + surfaceName(surface)
	}
}

func surfaceName(surface string) string {
	switch surface {
	case "web":
		return "web pages"
	case "api":
		return "official APIs"
	case "lab":
		return "the lab"
	default:
		return surface
	}
}

// reasonWords say in a sentence why answers are missing.
var reasonWords = map[string]string{
	"blocked":     "the provider turned the request away",
	"timeout":     "no answer came in time",
	"unavailable": "the provider could not be reached",
	"unreadable":  "an answer came, but could not be read",
	"empty":       "an answer came without text",
	"credits":     "there were not enough credits",
	"canceled":    "it was stopped by hand",
	"expired":     "the sweep's time was over",
	"failed":      "it failed for another reason",
}

// criterionWords name the criteria of a grade. Those of shares are percentages.
var criterionWords = map[string]struct {
	name  string
	share bool
	most  bool // what a decision needs is the most that it may be
}{
	"prompts":        {name: "Questions that do not name a brand themselves"},
	"sweeps":         {name: "Sweeps"},
	"coverage":       {name: "Share of planned answers that came", share: true},
	"informative":    {name: "Share of answers that name any brand", share: true},
	"providers":      {name: "Providers"},
	"smallestChange": {name: "Smallest change that would be seen", share: true, most: true},
	"openBreaks":     {name: "Breaks within the period", most: true},
}

// glossary tells how the numbers are made.
var glossary = []sentence{
	{"Sweep.", "One pass over all questions, on all targets. Assistants answer the same question differently every time, so that one answer, or one day, tells little."},
	{"Visibility.", "The share of answers whose text names the brand, by fixed rules and not by a model: the same answers give the same number for ever. Every pair of a question and a target counts alike, or by the question's weight."},
	{"Share of voice.", "Answers that name the brand, divided by the sum of those that name each brand of the panel."},
	{"Named first, site cited.", "The share of answers in which it is the first brand of the panel, and that cite a page on its web site."},
	{"Asked again tomorrow.", "The range in which the number would lie in 95 of 100 cases if the same questions were asked again. It comes from how much sweeps differ from one another."},
	{"For questions like these.", "The same if other questions of this kind were asked. It is wider, since questions differ."},
	{"Moved, steady, too early.", "Moved: asking again without any change would show so much in fewer than 5 of 100 cases. Steady: it may be noise. Too early: fewer than 5 sweeps in a period. Changes are counted over the questions that both periods have answers to, so that they may differ a little from the numbers of the whole period."},
	{"Missing.", "Answers that were planned and did not come. They are never counted as zero."},
	{"Grade.", "What the numbers are good for: decision-grade, directional or exploratory, by the criteria above. It is no standard."},
	{"Provisional.", "Fewer than 5 sweeps: the range is too narrow for what days differ."},
}
