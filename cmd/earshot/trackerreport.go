package main

import (
	"path/filepath"
	"strings"

	"earshot"
)

type trackerReportCmd struct {
	trackerArg
	Out          string `short:"o" help:"Where to write. Without it: to standard output." placeholder:"FILE"`
	Format       string `help:"html, a page that stands alone; or md, Markdown. Without it: by the file's ending." enum:"html,md," default:"" placeholder:"FORMAT"`
	From         string `help:"First day of the period; 28 days up to its end unless given." placeholder:"DAY"`
	To           string `help:"Last day of it; today unless given." placeholder:"DAY"`
	BaselineFrom string `help:"First day of the period before; as long as the later one unless given." placeholder:"DAY"`
	BaselineTo   string `help:"Last day of it." placeholder:"DAY"`
}

// Help says what is in a report.
func (c *trackerReportCmd) Help() string {
	return `Writes a report of one period against the one before, for people who have never seen the dashboard: the own brands with both
ranges and the verdict in words, the trend, all brands and targets, the questions that moved most, sources, what is missing, and what
the numbers are good for. The HTML file holds all that it shows; a browser prints it, or saves it as PDF. Markdown has no charts.

Exit status: 0 it was written, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name story --days 12 --prompts 2
  earshot tracker report story -o story.html
  earshot tracker report story --format md --from 2026-11-01 --to 2026-11-14`
}

// Run writes the report.
func (c *trackerReportCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	format := c.Format
	if format == "" && strings.EqualFold(filepath.Ext(c.Out), ".md") {
		format = "md"
	}
	document, err := service.Report(in, c.Name, earshot.ReportQuery{Format: format, From: c.From, To: c.To, BaselineFrom: c.BaselineFrom, BaselineTo: c.BaselineTo})
	if err != nil {
		return c.explain(err)
	}
	defer func() { _ = document.Close() }() // it was only read
	return deliver(in, "report", c.Out, document)
}
