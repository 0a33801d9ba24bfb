// Package definition reads and checks the definitions of trackers, and plans what a sweep
// asks.
//
//	definition.go   a definition that was checked, and what follows from it
//	check.go yaml.go  reading and checking one; errors name the field and the line
//	request.go      the request that asks a prompt on a target
//	stored.go       reading stored definitions
//	parts.go        the numbers and names of prompts and targets
//	plan.go         which cells a sweep asks, in which order
//	series.go       the series that are watched, and the threshold of their detectors
//	span.go         ranges of time in a tracker's time zone
//	differences.go  what a new definition changes
package definition

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/store/tracking"
	"earshot/internal/track/schedule"
)

const (
	// MaxPrompts is how many questions a tracker may have had: those that it no longer has
	// stay as long as it does.
	MaxPrompts = 50_000
	// defaultKeep is how many days answers are kept unless the definition says otherwise.
	defaultKeep = 400
)

// Definition is a definition that was read and checked.
type Definition struct {
	earshot.TrackerDefinition
	Rule       *schedule.Rule // nil when sweeps are only run by hand
	ReportRule *schedule.Rule // nil when none is sent by itself
	KeepDays   int
	Prices     []int64 // of a task on each target
}

// SweepCost is the most that a sweep can cost.
func (d *Definition) SweepCost() (credits int64) {
	for _, price := range d.Prices {
		credits += price
	}
	return credits * int64(len(d.Prompts)) * int64(d.Samples)
}

// SweepsIn is how many sweeps are due in a number of days from a moment on.
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

// MonthlyCeiling is how many credits a month may cost, nil for any number.
func (d *Definition) MonthlyCeiling() *int64 {
	if d.Ceiling == nil {
		return nil
	}
	return new(int64(d.Ceiling.CreditsPerMonth))
}

// WebhookURL is where sweeps are told of, nil for nowhere.
func (d *Definition) WebhookURL() *string {
	if d.Webhook == nil {
		return nil
	}
	return &d.Webhook.URL
}

// ReportSchedule is when the reports of a definition that has a plan of them are due.
func ReportSchedule(d *earshot.TrackerDefinition) earshot.Schedule {
	p := d.Reports
	zone := p.Timezone
	if zone == "" && d.Schedule != nil {
		zone = d.Schedule.Timezone
	}
	return earshot.Schedule{Every: p.Every, At: p.At, Weekday: p.Weekday, MonthDay: p.MonthDay, Timezone: zone}
}

// ReportChannels are where reports are sent.
func (d *Definition) ReportChannels() []string {
	if d.Reports != nil && len(d.Reports.Channels) > 0 {
		return d.Reports.Channels
	}
	return d.AlertChannels()
}

// AlertChannels are where alerts are sent.
func (d *Definition) AlertChannels() []string {
	if d.Alerts == nil {
		return nil
	}
	return d.Alerts.Channels
}

// ExportedDays are the days that sweeps which have ended have rows on, of a definition that
// is exported: when each was due, and from its first question to its end. Days of which
// answers may be gone stay as they were written.
func (d *Definition) ExportedDays(now time.Time, sweeps ...*tracking.Sweep) (days []int64) {
	if d.Exports == nil {
		return nil
	}
	kept := tracking.DayOf(now.AddDate(0, 0, -d.KeepDays)) + 1
	add := func(day int64) {
		if day >= kept {
			days = append(days, day)
		}
	}
	for _, sweep := range sweeps {
		add(tracking.DayOf(sweep.DueAt))
		if sweep.StartedAt.IsZero() || sweep.ClosedAt.IsZero() {
			continue // it never began, or is not over
		}
		for day := tracking.DayOf(sweep.StartedAt); day <= tracking.DayOf(sweep.ClosedAt); day++ {
			add(day)
		}
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// Month is the month of a moment in the tracker's time zone.
func (d *Definition) Month(now time.Time) string { return d.Zone().Civil(now).Month() }

// ruleOf is the rule of a schedule that was checked when it was applied, nil when it is
// no longer valid.
func ruleOf(s earshot.Schedule) *schedule.Rule {
	rule, problems := schedule.New(s)
	if len(problems) > 0 {
		return nil
	}
	return rule
}

// daysOf reads a number of days such as 400d, 0 when there is none.
func daysOf(text string) int {
	days, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil {
		return 0
	}
	return days
}

// zoneOfManual is the time zone that counts months of a tracker without a schedule.
const zoneOfManual = "UTC"
