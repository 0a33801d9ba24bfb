package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"earshot"
)

// diffText tells how two answers differ, with the noise beside it.
func diffText(answer []byte) (string, error) {
	var diff earshot.AnswerDiff
	if err := json.Unmarshal(answer, &diff); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "a: %s\nb: %s\n", answerLine(&diff.A.Answer), answerLine(&diff.B.Answer))
	if !diff.SameCell {
		b.WriteString("They answer different questions, or the same on different targets.\n")
	}
	fmt.Fprintf(&b, "a names %s; b names %s.\n", namesIn(diff.A.Brands), namesIn(diff.B.Brands))
	fmt.Fprintf(&b, "Distance of brands %s, of cited domains %s; neighbouring answers of this question and target are %s and %s apart anyway.",
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
	return b.String(), nil
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

// discoverText is a line for each name.
func discoverText(answer []byte) (string, error) {
	var report earshot.DiscoverReport
	if err := json.Unmarshal(answer, &report); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d answers were looked at", report.Answers)
	if report.MadeUp {
		b.WriteString("; some were " + byLab)
	}
	list(&b, "Names that nobody looks for, with the share of answers that have them", report.Names, func(n earshot.DiscoveredName) string {
		return fmt.Sprintf("%s: %.3g (%d answers)", n.Name, n.Share, n.Named)
	})
	return b.String(), nil
}
