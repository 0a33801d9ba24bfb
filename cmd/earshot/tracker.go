package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"earshot"
	"earshot/client"
)

type trackerCmd struct {
	Apply   trackerApplyCmd   `cmd:"" help:"Create or change a tracker from a file, and print the changes."`
	List    trackerListCmd    `cmd:"" help:"List the trackers."`
	Show    trackerShowCmd    `cmd:"" help:"Print a tracker."`
	Run     trackerRunCmd     `cmd:"" help:"Ask all its prompts now."`
	Delete  trackerDeleteCmd  `cmd:"" help:"Delete a tracker with all its answers."`
	Sweeps  trackerSweepsCmd  `cmd:"" help:"List its sweeps, newest first."`
	Answers trackerAnswersCmd `cmd:"" help:"List its answers, newest first, or print one."`
	Demo    trackerDemoCmd    `cmd:"" help:"Create a demo tracker with a made-up history."`
	Alerts  trackerAlertsCmd  `cmd:"" help:"List its alerts, newest first."`
	Reviews trackerReviewsCmd `cmd:"" help:"List what answers say about your brands that a person should look at."`
	Export  trackerExportCmd  `cmd:"" help:"Export its answers, sweeps or metrics."`
	Share   trackerShareCmd   `cmd:"" help:"Create, list and revoke links with which anybody can read its report."`
	trackerNumbers
}

// Help returns the command's long help.
func (c *trackerCmd) Help() string {
	return `A tracker asks the same prompts on a schedule, stores the answers and computes metrics from them. It is defined by a file;
docs/tracking.md describes the format. Each pass over its prompts is a sweep.

To stop following its schedule: earshot api PATCH /v1/trackers/NAME -f state=paused (or active). To cancel a running sweep:
earshot api DELETE /v1/trackers/NAME/sweeps/ID

Exit status: 0 it succeeded, 2 a sweep was skipped or has missing answers, 130 it was interrupted, 1 anything else.

Examples:
  printf 'name: shoes\nprompts: [best running shoes, lightest running shoes]\ntargets: [{provider: chatassistant, country: US}]\n' > shoes.yaml
  earshot tracker apply shoes.yaml
  earshot tracker run shoes --wait
  earshot tracker answers shoes
  earshot tracker delete shoes --yes`
}

// trackerArg is the name of a tracker, and its server.
type trackerArg struct {
	Name string `arg:"" help:"The tracker's name, as listed by 'earshot tracker list'."`
	remote
}

// explain adds advice about trackers to an error of the client.
func (a *trackerArg) explain(err error) error {
	switch {
	case client.IsCode(err, earshot.CodeNotFound):
		missing, _ := client.Details[earshot.ResourceDetails](err)
		if missing.ID == "" || missing.ID == a.Name {
			return advised{err, fmt.Sprintf("there is no tracker %s; 'earshot tracker list' lists all trackers", oneLine(a.Name))}
		}
		return advised{err, fmt.Sprintf("the tracker %s has no %s; 'earshot tracker sweeps' and 'earshot tracker answers' list its sweeps and answers", oneLine(a.Name), oneLine(missing.ID))}
	case client.IsCode(err, earshot.CodeConflict):
		if answer, ok := errors.AsType[*client.Error](err); ok {
			return advised{err, oneLine(answer.Message)}
		}
	}
	return a.remote.explain(err)
}

type trackerListCmd struct {
	output
	remote
}

// Help returns the command's long help.
func (c *trackerListCmd) Help() string {
	return `Lists trackers by name, with their state, numbers of prompts, targets and brands, the maximum cost of a sweep, the credits spent or
reserved this month, when the next sweep is due, and the result of the last sweep.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker list
  earshot tracker ls --jq '.[].name'`
}

// Run lists the trackers.
func (c *trackerListCmd) Run(in *invocation, service *client.Client) error {
	trackers, err := service.Trackers(in)
	if err != nil {
		return c.explain(err)
	}
	t := tableOf("NAME|STATE|PROMPTS|TARGETS|BRANDS|COST|SPENT|NEXT|LAST=LAST/ANSWERED/PLANNED", trackers, func(t *earshot.Tracker) []any {
		var last any
		if s := t.LastSweep; s != nil {
			last = cell{lastOf(t), []any{s.State, s.Progress.Answered, s.Progress.Planned}}
		}
		return []any{t.Name, trackerState(t), t.Prompts, t.Targets, t.Brands, t.Cost.Sweep, t.Cost.Committed, optional(t.NextSweepAt), last}
	})
	t.none = "there are no trackers; 'earshot tracker apply' creates one from a file"
	return c.print(in, t)
}

// trackerState returns the state of a tracker, and whether its history is made up.
func trackerState(t *earshot.Tracker) string {
	if t.Demo {
		return string(t.State) + ", made up"
	}
	return string(t.State)
}

// lastOf returns the state and coverage of a tracker's last sweep.
func lastOf(t *earshot.Tracker) string {
	if t.LastSweep == nil {
		return "-"
	}
	return string(t.LastSweep.State) + ", " + coverage(t.LastSweep)
}

// coverage returns how many prompts of a sweep are answered.
func coverage(s *earshot.Sweep) string {
	return fmt.Sprintf("%s of %s answered", thousands(int64(s.Progress.Answered)), thousands(int64(s.Progress.Planned)))
}

type trackerShowCmd struct {
	YAML   bool `name:"yaml" help:"Print its definition as a file for 'earshot tracker apply'."`
	output `set:"formats=table,json"`
	trackerArg
}

// Help returns the command's long help.
func (c *trackerShowCmd) Help() string {
	return `Prints a tracker: its state, what it asks, its cost and spending, its next five sweeps and the result of its last sweep. With
--yaml, it prints the definition, to edit and apply.

Exit status: 0 it was printed, 130 it was interrupted, 1 anything else, such as a tracker that does not exist.

Examples:
  printf 'name: hats\nprompts: [best hats]\ntargets: [{provider: genassistant, country: FR}]\n' | earshot tracker apply -
  earshot tracker show hats
  earshot tracker show hats --yaml > hats.yaml; earshot tracker apply hats.yaml
  earshot tracker get hats --jq .cost`
}

// Run prints the tracker.
func (c *trackerShowCmd) Run(in *invocation, service *client.Client) error {
	t, err := service.Tracker(in, c.Name)
	if err != nil {
		return c.explain(err)
	}
	if c.YAML {
		return in.yaml(t.Definition)
	}
	if printed, err := c.object(in, t); printed {
		return err
	}
	rows := [][]string{
		{"tracker", t.Name},
		{"title", oneLine(t.Title)},
		{"state", trackerState(t)},
		{"version", fmt.Sprintf("%d, since %s", t.Version, t.UpdatedAt.Local().Format(time.DateTime))},
		{"asks", fmt.Sprintf("%s on %s, %s each", many(t.Prompts, "prompt"), many(t.Targets, "target"), many(max(1, t.Definition.Samples), "time"))},
		{"brands", thousands(int64(t.Brands))},
	}
	rows = append(rows, costOf(t)...)
	rows = append(rows, []string{"spent", thousands(t.Cost.Committed) + " this month, including credits reserved for running sweeps"})
	rows = append(rows, []string{"next sweep", nextOf(t)})
	for i := 1; i < len(t.NextSlots); i++ {
		rows = append(rows, []string{"then", strings.Replace(t.NextSlots[i].Slot, "T", " ", 1)})
	}
	if t.LastSweep != nil {
		rows = append(rows, []string{"last sweep", fmt.Sprintf("%s, %s (%s)", t.LastSweep.Slot, lastOf(t), t.LastSweep.ID)})
	}
	return printTable(in.out, append(rows, scheduledOf(t)...))
}

// costOf returns the rows about the maximum cost of a tracker.
func costOf(t *earshot.Tracker) [][]string {
	cost := "at most " + many(t.Cost.Sweep, "credit") + " per sweep"
	if t.Definition != nil && t.Definition.Schedule != nil {
		cost += ", " + thousands(t.Cost.Month) + " per month by its schedule"
	}
	rows := [][]string{{"cost", cost}}
	limit := t.Cost.Ceiling
	if limit == nil {
		return rows
	}
	ceiling := many(*limit, "credit") + " per month"
	switch {
	case t.Cost.Sweep > *limit:
		ceiling += ", less than the maximum cost of one sweep: every sweep will be skipped"
	case t.Cost.Month > *limit:
		ceiling += fmt.Sprintf(", enough for %s", many(*limit/t.Cost.Sweep, "full sweep"))
	}
	return append(rows, []string{"ceiling", ceiling})
}

// nextOf returns when the next sweep is due, in the schedule's time zone.
func nextOf(t *earshot.Tracker) string {
	switch {
	case t.State == earshot.TrackerPaused:
		return "none while it is paused"
	case t.NextSweepAt == nil:
		return "none scheduled; 'earshot tracker run " + t.Name + "' starts one"
	}
	zone, at := "UTC", t.NextSweepAt.UTC()
	if t.Definition != nil && t.Definition.Schedule != nil && t.Definition.Schedule.Timezone != "" {
		if place, err := time.LoadLocation(t.Definition.Schedule.Timezone); err == nil { // fails if this machine does not know the time zone
			zone, at = t.Definition.Schedule.Timezone, at.In(place)
		}
	}
	return at.Format("2006-01-02 15:04 ") + zone
}

// yaml prints a value as YAML, in the order of its fields.
func (in *invocation) yaml(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var document any // JSON is YAML
	if err := yaml.UnmarshalWithOptions(text, &document, yaml.UseOrderedMap()); err != nil {
		return err
	}
	out, err := yaml.MarshalWithOptions(quoted(document), yaml.IndentSequence(true))
	if err != nil {
		return err
	}
	_, err = in.out.Write(out)
	return err
}

var (
	// simple matches strings that need no quotes in YAML.
	simple = regexp.MustCompile(`^\p{L}[\p{L}\p{M}\p{N} .,;:!?'"()/&%+=_@-]*$`)
	// ambiguous matches strings that some YAML parsers read as booleans.
	ambiguous = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off)$`)
)

// quoted puts quotes around the strings in a value that need them.
func quoted(value any) any {
	switch value := value.(type) {
	case yaml.MapSlice:
		for i := range value {
			value[i].Value = quoted(value[i].Value)
		}
	case []any:
		for i := range value {
			value[i] = quoted(value[i])
		}
	case string:
		if !simple.MatchString(value) || ambiguous.MatchString(value) {
			return ast.String(token.DoubleQuote(value, value, &token.Position{}))
		}
	}
	return value
}

type trackerDeleteCmd struct {
	Yes bool `help:"Confirm the deletion."`
	trackerArg
}

// Help returns the command's long help.
func (c *trackerDeleteCmd) Help() string {
	return `Deletes a tracker with its sweeps and all its answers. This cannot be undone; to keep a copy, use 'earshot tracker export' for the
answers and 'earshot tracker show --yaml' for the definition. Its queued tasks are removed; running tasks continue and are charged.

Exit status: 0 it was deleted, 130 it was interrupted, 1 anything else, such as a missing --yes.

Examples:
  printf 'prompts: [best gloves]\ntargets: [{provider: genassistant, country: FR}]\n' | earshot tracker apply --name gloves - && earshot tracker rm gloves --yes`
}

// Run deletes the tracker.
func (c *trackerDeleteCmd) Run(in *invocation) error {
	if !c.Yes {
		return fmt.Errorf("this deletes the tracker %s and all its answers; to confirm, pass --yes", oneLine(c.Name))
	}
	service, err := c.connect()
	if err != nil {
		return err
	}
	if err := service.DeleteTracker(in, c.Name); err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "tracker %s is deleted\n", c.Name)
	return err
}
