package main

import (
	"fmt"
	"strings"

	"earshot"
	"earshot/client"
)

type trackerDiffCmd struct {
	trackerArg
	A string `arg:"" help:"The id of the first answer, usually the earlier one."`
	B string `arg:"" help:"The id of the second answer."`
	output
}

// Help returns the command's long help.
func (c *trackerDiffCmd) Help() string {
	return `Compares two answers of a tracker: words as [-removed-] and {+added+}, the cited pages, the order of the named brands, and the
distance, from 0 for equal to 1 for nothing in common. Two answers to the same prompt always differ: NOISE is the mean distance
between consecutive answers to the prompt of B on its target. A distance up to NOISE is normal variation. -o csv prints the pages.

Exit status: 0 they were compared, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker diff shoes $(earshot tracker answers shoes --prompt-id 1 --limit 2 --jq '.[].id')`
}

// Run compares the answers.
func (c *trackerDiffCmd) Run(in *invocation, service *client.Client) error {
	diff, err := service.DiffAnswers(in, c.Name, c.A, c.B)
	if err != nil {
		return c.explain(err)
	}
	type page struct {
		Change string `json:"change"`
		earshot.FoundPage
	}
	var found []page
	for _, side := range []struct {
		change string
		pages  []earshot.FoundPage
	}{{"gained", diff.Gained}, {"lost", diff.Lost}, {"kept", diff.Kept}} {
		for _, p := range side.pages {
			found = append(found, page{side.change, p})
		}
	}
	pages := tableOf("=CHANGE|TYPE|BRAND|PAGE", found, func(p *page) []any { return []any{p.Change, p.Type, p.Brand, p.URL} })
	if pages.report = diff; !c.isTable() {
		return c.print(in, pages)
	}
	if !diff.SameCell {
		fmt.Fprintln(in.errOut, "warning: the answers are to different prompts or from different targets")
	}
	if _, err := fmt.Fprintf(in.out, "%s\n\n", marked(diff)); err != nil {
		return err
	}
	distance := func(d *float64) string {
		if d == nil {
			return "-"
		}
		return fmt.Sprintf("%.2f", *d)
	}
	rows := [][]string{
		{"", "A", "B", "DISTANCE", "NOISE", "PAIRS"},
		{"brands", order(diff.A.Brands), order(diff.B.Brands), distance(diff.Distance.Brands), distance(diff.Noise.Brands), fmt.Sprint(diff.Noise.BrandPairs)},
		{"domains", "", "", distance(diff.Distance.Domains), distance(diff.Noise.Domains), fmt.Sprint(diff.Noise.DomainPairs)},
	}
	if err := printTable(in.out, rows); err != nil || len(found) == 0 {
		return err
	}
	fmt.Fprintln(in.out)
	return c.print(in, pages)
}

func order(brands []string) string { return dashed(strings.Join(brands, " > ")) }

// marked returns the text of both answers, with differences in brackets.
func marked(diff *earshot.AnswerDiff) string {
	var text strings.Builder
	for _, run := range diff.Words {
		words := strings.TrimRight(run.Text, " \n\t")
		space := run.Text[len(words):]
		switch run.Kind {
		case "removed":
			text.WriteString("[-" + words + "-]" + space)
		case "added":
			text.WriteString("{+" + words + "+}" + space)
		default:
			text.WriteString(run.Text)
		}
	}
	if diff.Cut {
		text.WriteString(" … (only the beginnings were compared)")
	}
	return sanitized(text.String())
}
