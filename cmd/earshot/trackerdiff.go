package main

import (
	"fmt"
	"strings"

	"earshot"
)

type trackerDiffCmd struct {
	trackerArg
	A string `arg:"" help:"The answer that is compared with, by its id."`
	B string `arg:"" help:"The answer that is compared."`
	tableFlags
}

// Help says what is compared.
func (c *trackerDiffCmd) Help() string {
	return `Compares two answers of a tracker: words as [-removed-] and {+added+}, the pages that they cite, the order of the brands that they
name, and how far apart that is, from 0 for the same to 1 for nothing in common. Two answers to one question always differ: NOISE is how
far each answer to the question of B, on its target, is from the one before it. What is not above that is no news. --csv prints the pages.

Exit status: 0 they were compared, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker diff shoes $(earshot tracker answers shoes --prompt-id 1 --limit 2 --json | jq -r .id)`
}

// Run compares.
func (c *trackerDiffCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	diff, err := service.DiffAnswers(in, c.Name, c.A, c.B)
	if err != nil {
		return c.explain(err)
	}
	pages := [][]string{{"", "TYPE", "BRAND", "PAGE"}}
	for _, side := range []struct {
		mark  string
		pages []earshot.FoundPage
	}{{"gained", diff.Gained}, {"lost", diff.Lost}, {"kept", diff.Kept}} {
		for _, p := range side.pages {
			pages = append(pages, []string{side.mark, p.Type, dashed(p.Brand), oneLine(p.URL)})
		}
	}
	if c.JSON || c.CSV {
		return c.print(in, diff, pages, false, "")
	}
	if !diff.SameCell {
		fmt.Fprintln(in.errOut, "they answer different questions, or the same on different targets")
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
	if err := printTable(in.out, rows); err != nil || len(pages) == 1 {
		return err
	}
	fmt.Fprintln(in.out)
	return printTable(in.out, pages)
}

func order(brands []string) string { return dashed(strings.Join(brands, " > ")) }

// marked is the text of both answers, with what differs in brackets.
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
		text.WriteString(" … (cut: only the beginnings were compared)")
	}
	return sanitized(text.String())
}
