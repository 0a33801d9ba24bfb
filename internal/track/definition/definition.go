// Package definition reads and checks the definitions of trackers, and plans the tasks of a
// sweep.
//
//	definition.go     a checked definition and values derived from it
//	check.go yaml.go  parse and check a definition; errors name the field and the line
//	request.go        the request for a prompt on a target
//	stored.go         reads stored definitions
//	parts.go          ids and names of prompts and targets
//	plan.go           the cells of a sweep and their order
//	series.go         the series that have change detectors
//	span.go           time ranges in a tracker's time zone
//	differences.go    the changes between two definitions
package definition

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store/exporting"
	"earshot/internal/store/tracking"
	"earshot/internal/track/schedule"
)

const (
	// MaxPrompts is the maximum number of prompts in the lifetime of a tracker, including
	// removed prompts.
	MaxPrompts = 50_000
	// defaultKeep is the default number of days for which answers are stored.
	defaultKeep = 400
	// defaultNumbers is the default number of days for which numbers are kept: 5 years.
	defaultNumbers = 1826
)

// Definition is a checked definition.
type Definition struct {
	earshot.TrackerDefinition
	Rule       *schedule.Rule // schedule of sweeps; nil if sweeps are only started manually
	ReportRule *schedule.Rule // schedule of reports; nil if there is none
	KeepDays   int
	// NumbersDays is how long numbers are kept, at least KeepDays.
	NumbersDays int
	Prices      []int64           // maximum cost of a task on each target
	Fields      []provider.Fields // what results on each target may report besides the text
	JudgePrice  int64             // maximum cost of a task that judges a review; 0 without a judge
}

// MaxJudged is the maximum number of reviews of a sweep that are judged.
const MaxJudged = 20

// SweepCost returns the maximum cost of a sweep, including the judging of its reviews.
func (d *Definition) SweepCost() (credits int64) {
	for _, price := range d.Prices {
		credits += price
	}
	return credits*int64(len(d.Prompts))*int64(d.Samples) + d.JudgePrice*MaxJudged
}

// SweepsIn returns the number of sweeps that are due in the given number of days.
func (d *Definition) SweepsIn(days int, from time.Time) (n int) {
	if d.Rule == nil {
		return 0
	}
	end := from.AddDate(0, 0, days)
	slot, ok := d.Rule.After(from)
	for ; ok && d.Rule.At(slot).Before(end); n++ {
		slot, ok = d.Rule.Next(slot)
	}
	return n
}

// MonthlyCeiling returns the maximum number of credits per month, or nil if there is none.
func (d *Definition) MonthlyCeiling() *int64 {
	if d.Ceiling == nil {
		return nil
	}
	return new(int64(d.Ceiling.CreditsPerMonth))
}

// WebhookURL returns the URL for webhooks about sweeps, or nil.
func (d *Definition) WebhookURL() *string {
	if d.Webhook == nil {
		return nil
	}
	return &d.Webhook.URL
}

// ReportSchedule returns the schedule of the reports. d.Reports must not be nil.
func ReportSchedule(d *earshot.TrackerDefinition) earshot.Schedule {
	p := d.Reports
	zone := p.Timezone
	if zone == "" && d.Schedule != nil {
		zone = d.Schedule.Timezone
	}
	return earshot.Schedule{Every: p.Every, At: p.At, Weekday: p.Weekday, MonthDay: p.MonthDay, Timezone: zone}
}

// ReportChannels returns the channels of reports. The default is AlertChannels.
func (d *Definition) ReportChannels() []string {
	if d.Reports != nil && len(d.Reports.Channels) > 0 {
		return d.Reports.Channels
	}
	return d.AlertChannels()
}

// AlertChannels returns the channels of alerts.
func (d *Definition) AlertChannels() []string {
	if d.Alerts == nil {
		return nil
	}
	return d.Alerts.Channels
}

// ExportedDays returns the days whose exports contain rows of the given sweeps: the day on
// which each was due, and the days from its start to its end. Days whose answers may have been
// deleted are omitted, so that their files are not written again.
func (d *Definition) ExportedDays(now time.Time, sweeps ...*tracking.Sweep) (days []int64) {
	kept := exporting.DayOf(now.AddDate(0, 0, -d.KeepDays)) + 1
	add := func(day int64) {
		if day >= kept {
			days = append(days, day)
		}
	}
	for _, sweep := range sweeps {
		add(exporting.DayOf(sweep.DueAt))
		if sweep.StartedAt.IsZero() || sweep.ClosedAt.IsZero() {
			continue // the sweep never started, or has not ended
		}
		for day := exporting.DayOf(sweep.StartedAt); day <= exporting.DayOf(sweep.ClosedAt); day++ {
			add(day)
		}
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// Month returns the month of a time in the tracker's time zone, such as 2026-11.
func (d *Definition) Month(now time.Time) string { return d.Zone().Civil(now).Month() }

// ruleOf returns the rule of a stored schedule, or nil if the schedule is no longer valid.
func ruleOf(s earshot.Schedule) *schedule.Rule {
	rule, problems := schedule.New(s)
	if len(problems) > 0 {
		return nil
	}
	return rule
}

// setKeep sets how long answers and numbers are kept.
func (d *Definition) setKeep() {
	d.KeepDays = cmp.Or(daysOf(d.Keep), defaultKeep)
	d.NumbersDays = max(d.KeepDays, cmp.Or(daysOf(d.KeepNumbers), defaultNumbers))
}

// daysOf parses a number of days such as 400d. It returns 0 if the text is not valid.
func daysOf(text string) int {
	days, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil {
		return 0
	}
	return days
}
