package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"earshot"
)

type trackerReportCmd struct {
	trackerArg
	Out          string `short:"o" help:"Where to write. Without it: to standard output." placeholder:"FILE" xor:"out"`
	Format       string `help:"html, a page that stands alone; or md, Markdown. Without it: by the file's ending." enum:"html,md," default:"" placeholder:"FORMAT"`
	From         string `help:"First day of the period; 28 days up to its end unless given." placeholder:"DAY"`
	To           string `help:"Last day of it; today unless given." placeholder:"DAY"`
	BaselineFrom string `help:"First day of the period before; as long as the later one unless given." placeholder:"DAY"`
	BaselineTo   string `help:"Last day of it." placeholder:"DAY"`
	Send         bool   `help:"Send it now to the channels of the tracker's reports instead of writing it: of the days that these would be of today." xor:"out"`
	Channel      string `help:"With --send: to this channel instead." placeholder:"NAME"`
}

// Help says what is in a report.
func (c *trackerReportCmd) Help() string {
	return `Writes a report of one period against the one before, for people who have never seen the dashboard: the own brands with both
ranges and the verdict in words, the trend, all brands and targets, the questions that moved most, sources, what is missing, and what
the numbers are good for. The HTML file holds all that it shows; a browser prints it, or saves it as PDF. Markdown has no charts.
A tracker whose file has 'reports' sends them by itself; 'earshot tracker show' tells when and how that went.

Exit status: 0 it was written, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name story --days 12 --prompts 2
  earshot tracker report story -o story.html
  earshot tracker report story --format md --from 2026-11-01 --to 2026-11-14`
}

// Validate refuses what would be ignored.
func (c *trackerReportCmd) Validate() error {
	if !c.Send && c.Channel != "" {
		return errors.New("--channel goes only with --send")
	}
	if c.Send && c.Format+c.From+c.To+c.BaselineFrom+c.BaselineTo != "" {
		return errors.New("--send takes --channel only: the days of what is sent follow from the tracker's file")
	}
	return nil
}

// Run writes the report, or sends it.
func (c *trackerReportCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	if c.Send {
		sent, err := service.SendReport(in, c.Name, c.Channel)
		if err != nil {
			return c.explain(err)
		}
		_, err = fmt.Fprintf(in.out, "the report of %s to %s is on its way to %s\n", sent.From, sent.To, deliveriesOf(sent))
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

// deliveriesOf tells where a report was sent, and how far it came.
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

// scheduledOf tells how reports and exports of a tracker stand.
func scheduledOf(t *earshot.Tracker) (rows [][]string) {
	if r := t.Reports; r != nil {
		next := "none while it is paused"
		if r.NextAt != nil {
			next = timeOf(r.NextAt)
		}
		rows = append(rows, []string{"next report", next})
		if r.Last != nil {
			rows = append(rows, []string{"last report", fmt.Sprintf("of %s to %s, made %s: %s", r.Last.From, r.Last.To, timeOf(&r.Last.MadeAt), deliveriesOf(r.Last))})
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
