package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/track/analysis"
)

const (
	// share is the format of percentages. The no-break space keeps the sign on the line.
	share = "%.1f\u00a0%%"
	// minus is as wide as a plus sign.
	minus = "−"
	// noData replaces an absent value.
	noData = "no data"
)

// percent formats a share.
func percent(v *float64) string {
	if v == nil {
		return noData
	}
	return fmt.Sprintf(share, 100**v)
}

// span formats a range of shares.
func span(ends []float64) string {
	if len(ends) != 2 {
		return ""
	}
	return fmt.Sprintf("%.1f–"+share, 100*ends[0], 100*ends[1])
}

// points formats a difference of shares with its sign.
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

// count formats a whole number with commas between thousands, and any other number with
// six significant digits.
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

// many returns n and the noun, in the plural unless n is 1.
func many(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return count(float64(n)) + " " + noun
}

// figure is a number with its ranges and counts.
type figure struct {
	Value string
	Rerun string // expected range if re-run
	Like  string // range for similar questions
	Of    string // such as "126 of 300"
	Early bool   // provisional: too few sweeps
}

func figureOf(r *earshot.MetricRow) figure {
	if r == nil {
		return figure{Value: percent(nil)}
	}
	f := figure{Value: percent(r.Value), Of: count(r.Numerator) + " of " + count(r.Denominator), Early: r.Provisional}
	if r.Interval != nil {
		f.Rerun, f.Like = span(r.Interval.Rerun), span(r.Interval.Market)
	}
	return f
}

// change is the result of a comparison.
type change struct {
	Verdict  string
	Class    string // CSS class: up, down, flat or early
	Mark     string // ▲ or ▼ for a change larger than normal variation
	Points   string // such as "+5.4 points"
	Range    string // expected range of the change if re-run
	From, To string // the compared shares
	Own      bool
}

// Verdicts of a comparison.
const (
	larger  = "larger than normal variation"
	normal  = "within normal variation"
	tooFew  = "not enough data yet"
	nothing = "nothing to compare with"
)

func changeOf(r *earshot.ComparedRow, own bool) change {
	if r == nil || r.Change == nil {
		return change{Verdict: nothing, Class: "early", Own: own}
	}
	c := change{Points: points(*r.Change) + " points", Range: pointSpan(r.Interval), From: percent(r.Before), To: percent(r.After), Own: own}
	switch {
	case r.Verdict == earshot.VerdictTooEarly:
		c.Verdict, c.Class, c.Range = tooFew, "early", "" // the range of a few sweeps means nothing
	case r.Verdict != earshot.VerdictMoved:
		c.Verdict, c.Class = normal, "flat"
	case *r.Change > 0:
		c.Verdict, c.Class, c.Mark = larger, "up", "▲"
	default:
		c.Verdict, c.Class, c.Mark = larger, "down", "▼"
	}
	return c
}

// verdictSentence describes the change of a brand since the previous period.
func verdictSentence(r *earshot.ComparedRow) string {
	if r == nil || r.Change == nil {
		return "Nothing to compare with: one of the two periods has no answers to these prompts."
	}
	text := fmt.Sprintf("%s points, from %s in the previous period to %s now, for prompts that both periods have", points(*r.Change), percent(r.Before), percent(r.After))
	if len(r.Interval) == 2 && r.Verdict != earshot.VerdictTooEarly {
		text += fmt.Sprintf(" (expected if re-run: %s)", pointSpan(r.Interval))
	}
	switch r.Verdict {
	case earshot.VerdictMoved:
		return text + ". Larger than normal variation."
	case earshot.VerdictTooEarly:
		return fmt.Sprintf("%s. Not enough data yet: each period needs 5 sweeps, and there are %d and %d.", text, r.SweepsBefore, r.SweepsAfter)
	default:
		text += ". Within normal variation."
		if r.SmallestChange != nil {
			text += fmt.Sprintf(" A change of %.1f points would have been detected in 80 of 100 cases.", 100**r.SmallestChange)
		}
		return text
	}
}

// cutName returns the heading of a target or of the sum of a surface.
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
	}
	if kind, via := analysis.SplitOrigin(surface); via != "" {
		if kind == "vendor" {
			return "the vendor " + via
		}
		return surfaceName(kind) + " through " + via
	}
	return surface
}

// reasonWords explain why answers are missing.
var reasonWords = map[string]string{
	"blocked":     "the provider blocked the request",
	"timeout":     "no answer arrived in time",
	"unavailable": "the provider could not be reached",
	"unreadable":  "the answer could not be parsed",
	"empty":       "the answer had no text",
	"credits":     "not enough credits",
	"canceled":    "canceled by a user",
	"expired":     "the sweep's time window ended",
	"failed":      "another error",
}

// unreportedWords explain why a metric m2 has no value.
var unreportedWords = map[string]string{"notRequested": "not requested", "notOffered": "not offered"}

// criterionWords are the labels of the criteria of a grade.
var criterionWords = map[string]struct {
	name  string
	share bool // the value is a percentage
	most  bool // the threshold is a maximum
}{
	"prompts":        {name: "Unbranded prompts"},
	"sweeps":         {name: "Sweeps"},
	"coverage":       {name: "Answers received, of those planned", share: true},
	"informative":    {name: "Answers naming any brand", share: true},
	"providers":      {name: "Providers"},
	"smallestChange": {name: "Smallest detectable change", share: true, most: true},
	"openBreaks":     {name: "Breaks within the period", most: true},
}

// glossary explains how the numbers are calculated.
var glossary = []sentence{
	{"Prompt, target, sweep.", "A prompt is a question that the tracker asks. A target is a provider and the country that the question is asked from. A sweep asks all prompts on all targets once. Assistants answer the same question differently each time, so a single answer or day says little."},
	{"Visibility.", "The share of answers whose text names the brand. Fixed rules find the names, not a model, so the same answers always give the same number. Each prompt × target pair has the same weight, unless the prompt has a weight of its own."},
	{"Share of voice.", "The number of answers that name the brand, divided by the sum of these numbers over all tracked brands."},
	{"Named first, site cited.", "The share of answers in which the brand is the first tracked brand, and the share of answers that cite a page on its website."},
	{"Expected range if re-run.", "If the same prompts were asked again, the number would be in this range in 95 of 100 cases. The range is calculated from the differences between sweeps."},
	{"Range for similar questions.", "The same range if other questions of this kind were asked. It is wider, because questions differ."},
	{"Normal variation.", "A change is larger than normal variation if asking again would show such a change by chance in fewer than 5 of 100 cases. A smaller change may be random. With fewer than 5 sweeps in a period, there is not enough data yet. Changes are calculated for the prompts that both periods have answers to, so they may differ slightly from the numbers of the whole periods."},
	{"Missing.", "Answers that were planned and not received. They are never counted as zero."},
	{"Grade.", "The quality of the data: decision-grade, directional or exploratory, by the criteria above. The grade is not an industry standard."},
	{"Provisional.", "Fewer than 5 sweeps: the expected range is too narrow because it covers too few days."},
}
