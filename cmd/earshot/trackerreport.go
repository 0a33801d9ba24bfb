package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"earshot"
	"earshot/client"
)

type trackerReportCmd struct {
	trackerArg
	Out          string `short:"o" help:"The file to write; standard output by default." placeholder:"FILE"`
	Format       string `help:"html (a self-contained page) or md (Markdown); by default, according to the file's ending." enum:"html,md," default:"" placeholder:"FORMAT"`
	From         moment `help:"First day of the period; by default, the period has 28 days." placeholder:"DAY"`
	To           moment `help:"Last day of the period; today by default." placeholder:"DAY"`
	BaselineFrom moment `help:"First day of the earlier period; by default, it is as long as the period and ends right before it." placeholder:"DAY"`
	BaselineTo   moment `help:"Last day of the earlier period." placeholder:"DAY"`
}

// Help returns the command's long help.
func (c *trackerReportCmd) Help() string {
	return `Writes a report that compares a period with the one before, for readers who do not know the dashboard: your own brands with both
intervals and a verdict in words, the trend, all brands and targets, the prompts that changed most, sources, missing answers, and the
reliability of the metrics. The HTML file is self-contained; print it or save it as PDF with a browser. Markdown has no charts.
A tracker whose definition has 'reports' sends them automatically; 'earshot tracker show' shows when, and the last delivery. To send one
now: earshot api POST /v1/trackers/NAME/report

Exit status: 0 it was written, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name story --days 12 --prompts 2
  earshot tracker report story -o story.html
  earshot tracker report story --format md --from -14d --to -1d`
}

// Run writes the report.
func (c *trackerReportCmd) Run(in *invocation, service *client.Client) error {
	format := c.Format
	if format == "" && strings.EqualFold(filepath.Ext(c.Out), ".md") {
		format = "md"
	}
	document, err := service.Report(in, c.Name, earshot.ReportQuery{Format: format, From: string(c.From), To: string(c.To), BaselineFrom: string(c.BaselineFrom), BaselineTo: string(c.BaselineTo)})
	if err != nil {
		return c.explain(err)
	}
	defer func() { _ = document.Close() }() // it was only read
	return deliver(in, "report", c.Out, document)
}

// deliveriesOf returns the channels of a report and the states of its deliveries.
func deliveriesOf(r *earshot.SentReport) string {
	var all []string
	for _, d := range r.Deliveries {
		text := d.Channel + " (" + d.State
		if d.Error != "" {
			text += ": " + oneLine(d.Error)
		}
		all = append(all, text+")")
	}
	return strings.Join(all, ", ")
}

// scheduledOf returns the rows about a tracker's reports and exports.
func scheduledOf(t *earshot.Tracker) (rows [][]string) {
	if r := t.Reports; r != nil {
		next := "none while it is paused"
		if r.NextAt != nil {
			next = timeOf(r.NextAt)
		}
		rows = append(rows, []string{"next report", next})
		if r.Last != nil {
			rows = append(rows, []string{"last report", fmt.Sprintf("on %s to %s, created %s: %s", r.Last.From, r.Last.To, timeOf(&r.Last.MadeAt), deliveriesOf(r.Last))})
		}
	}
	if e := t.Exports; e != nil {
		text := many(e.DaysWaiting, "day") + " to be written, last written " + timeOf(e.WrittenAt)
		if e.Error != "" {
			text += ": " + oneLine(e.Error)
		}
		rows = append(rows, []string{"exports", text})
	}
	return rows
}
