package mcp

import (
	"fmt"
	"strings"

	"earshot"
)

// diffText returns the differences between two answers, and the normal variation.
func diffText(diff *earshot.AnswerDiff) string {
	var b strings.Builder
	fmt.Fprintf(&b, "a: %s\nb: %s\n", answerLine(&diff.A.Answer), answerLine(&diff.B.Answer))
	if !diff.SameCell {
		b.WriteString("The answers are to different prompts or from different targets.\n")
	}
	fmt.Fprintf(&b, "a names %s; b names %s.\n", namesIn(diff.A.Brands), namesIn(diff.B.Brands))
	fmt.Fprintf(&b, "Distance of named brands %s, of cited domains %s; the normal distances between consecutive answers to this prompt on this target are %s and %s.",
		number(diff.Distance.Brands), number(diff.Distance.Domains), number(diff.Noise.Brands), number(diff.Noise.Domains))
	page := func(p earshot.FoundPage) string { return p.URL }
	list(&b, "Only b cites", diff.Gained, page)
	list(&b, "Only a cites", diff.Lost, page)
	b.WriteString("\n\nWords, [-only in a-] and {+only in b+}:\n")
	for _, run := range diff.Words {
		switch run.Kind {
		case "removed":
			b.WriteString("[-" + run.Text + "-]")
		case "added":
			b.WriteString("{+" + run.Text + "+}")
		default:
			b.WriteString(run.Text)
		}
	}
	return b.String()
}

func namesIn(brands []string) string {
	if len(brands) == 0 {
		return "no brand"
	}
	return oneLine(strings.Join(brands, ", "))
}

func number(value *float64) string {
	if value == nil {
		return "(none)"
	}
	return fmt.Sprintf("%.2f", *value)
}

// discoverText returns a line for each name.
func discoverText(report *earshot.DiscoverReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d answers were searched", report.Answers)
	if report.MadeUp {
		b.WriteString("; some were " + byLab)
	}
	list(&b, "Names that no brand of the tracker has, with the share of answers that contain them", report.Names, func(n earshot.DiscoveredName) string {
		return fmt.Sprintf("%s: %.3g (%d answers)", n.Name, n.Share, n.Named)
	})
	return b.String()
}
