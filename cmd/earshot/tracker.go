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
	Apply   trackerApplyCmd   `cmd:"" help:"Make a tracker what a file says, and tell what that changes."`
	List    trackerListCmd    `cmd:"" help:"List the trackers."`
	Show    trackerShowCmd    `cmd:"" help:"Print a tracker."`
	Run     trackerRunCmd     `cmd:"" help:"Ask all its questions now."`
	Pause   trackerPauseCmd   `cmd:"" help:"Stop following its schedule."`
	Resume  trackerResumeCmd  `cmd:"" help:"Follow its schedule again."`
	Delete  trackerDeleteCmd  `cmd:"" help:"Delete a tracker with all its answers."`
	Sweeps  trackerSweepsCmd  `cmd:"" help:"List its sweeps, newest first."`
	Cancel  trackerCancelCmd  `cmd:"" help:"Stop a sweep that runs."`
	Answers trackerAnswersCmd `cmd:"" help:"List its answers, newest first, or print one."`
	Demo    trackerDemoCmd    `cmd:"" help:"Make a tracker with a history that is made up, to look around."`
	Alerts  trackerAlertsCmd  `cmd:"" help:"List what moved and what else is worth a look; acknowledge it, send a test."`
	Export  trackerExportCmd  `cmd:"" help:"Write all its answers or sweeps to a file."`
	trackerNumbers
}

// Help shows how to begin.
func (c *trackerCmd) Help() string {
	return `A tracker asks the same questions of the same providers again and again, on a schedule, and keeps the answers. It is a file;
docs/tracking.md explains all that it can say. Each pass over its questions is a sweep.

Exit status: 0 it was done, 2 a sweep was skipped or lacks answers, 130 it was interrupted, 1 anything else.

Examples:
  printf 'name: shoes\nprompts: [best running shoes, lightest running shoes]\ntargets: [{provider: chatassistant, country: US}]\n' > shoes.yaml
  earshot tracker apply shoes.yaml
  earshot tracker run shoes --wait
  earshot tracker answers shoes
  earshot tracker delete shoes --yes`
}

// trackerArg is the argument that names a tracker, and the server that has it.
type trackerArg struct {
	Name string `arg:"" help:"The tracker's name, as 'earshot tracker list' lists it."`
	remote
}

// explain is that of remote, in words of trackers.
func (a *trackerArg) explain(err error) error {
	switch {
	case client.IsCode(err, earshot.CodeNotFound):
		missing, _ := client.Details[earshot.ResourceDetails](err)
		if missing.ID == "" || missing.ID == a.Name {
			return advised{err, fmt.Sprintf("there is no tracker %s; 'earshot tracker list' lists those that there are", oneLine(a.Name))}
		}
		return advised{err, fmt.Sprintf("the tracker %s has no %s; 'earshot tracker sweeps' and 'earshot tracker answers' list what it has", oneLine(a.Name), oneLine(missing.ID))}
	case client.IsCode(err, earshot.CodeConflict):
		var answer *client.Error
		if errors.As(err, &answer) {
			return advised{err, oneLine(answer.Message)}
		}
	}
	return a.remote.explain(err)
}

type trackerListCmd struct {
	JSON bool `name:"json" help:"Print one JSON object a tracker."`
	remote
}

// Help says what the columns are.
func (c *trackerListCmd) Help() string {
	return `Lists trackers by name: whether each follows its schedule, how much it asks, the most that a sweep can cost, what it spent or
set aside this month, when its next sweep is due, and how its last one went.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker list
  earshot tracker list --json | jq -r .name`
}

// Run lists.
func (c *trackerListCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	trackers, err := service.Trackers(in)
	if err != nil {
		return c.explain(err)
	}
	if c.JSON {
		return in.jsonLines(len(trackers), func(i int) any { return trackers[i] })
	}
	if len(trackers) == 0 {
		fmt.Fprintln(in.errOut, "there are no trackers; 'earshot tracker apply' makes one of a file")
		return nil
	}
	rows := [][]string{{"NAME", "STATE", "PROMPTS", "TARGETS", "BRANDS", "COST", "SPENT", "NEXT", "LAST"}}
	for _, t := range trackers {
		next := "-"
		if t.NextSweepAt != nil {
			next = t.NextSweepAt.Local().Format(time.DateTime)
		}
		rows = append(rows, []string{
			t.Name, trackerState(&t), thousands(int64(t.Prompts)), thousands(int64(t.Targets)), thousands(int64(t.Brands)),
			thousands(t.Cost.Sweep), thousands(t.Cost.Committed), next, lastOf(&t),
		})
	}
	return printTable(in.out, rows)
}

// jsonLines prints one JSON object a line.
func (in *invocation) jsonLines(n int, item func(i int) any) error {
	encoder := json.NewEncoder(in.out)
	for i := range n {
		if err := encoder.Encode(item(i)); err != nil {
			return err
		}
	}
	return nil
}

// trackerState is the state of a tracker, and whether its history is made up.
func trackerState(t *earshot.Tracker) string {
	if t.Demo {
		return string(t.State) + ", made up"
	}
	return string(t.State)
}

// lastOf is how the last sweep of a tracker went.
func lastOf(t *earshot.Tracker) string {
	if t.LastSweep == nil {
		return "-"
	}
	return string(t.LastSweep.State) + ", " + coverage(t.LastSweep)
}

// coverage is how much of a sweep is answered.
func coverage(s *earshot.Sweep) string {
	return fmt.Sprintf("%s of %s answered", thousands(int64(s.Progress.Answered)), thousands(int64(s.Progress.Planned)))
}

type trackerShowCmd struct {
	YAML bool `name:"yaml" help:"Print its definition as a file for 'earshot tracker apply'." xor:"format"`
	JSON bool `name:"json" help:"Print the tracker as JSON, with its definition." xor:"format"`
	trackerArg
}

// Help says how to edit it.
func (c *trackerShowCmd) Help() string {
	return `Prints how a tracker stands: what it asks, when its next five sweeps are due, what it can cost and what it spent, and how its last
sweep went. With --yaml it is the file that makes it, to edit and apply.

Exit status: 0 it was printed, 130 it was interrupted, 1 anything else, such as a tracker that does not exist.

Examples:
  printf 'name: hats\nprompts: [best hats]\ntargets: [{provider: genassistant, country: FR}]\n' | earshot tracker apply -
  earshot tracker show hats
  earshot tracker show hats --yaml > hats.yaml; earshot tracker apply hats.yaml
  earshot tracker show hats --json | jq .cost`
}

// Run prints the tracker.
func (c *trackerShowCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	t, err := service.Tracker(in, c.Name)
	if err != nil {
		return c.explain(err)
	}
	switch {
	case c.JSON:
		return in.json(t)
	case c.YAML:
		return in.yaml(t.Definition)
	}
	rows := [][]string{
		{"tracker", t.Name},
		{"state", trackerState(t)},
		{"version", fmt.Sprintf("%d, of %s", t.Version, t.UpdatedAt.Local().Format(time.DateTime))},
		{"asks", fmt.Sprintf("%s on %s, %s each", many(t.Prompts, "prompt"), many(t.Targets, "target"), many(max(1, t.Definition.Samples), "time"))},
		{"brands", thousands(int64(t.Brands))},
	}
	rows = append(rows, costOf(t)...)
	rows = append(rows, []string{"spent", thousands(t.Cost.Committed) + " this month, what running sweeps may still cost included"})
	rows = append(rows, []string{"next sweep", nextOf(t)})
	for i := 1; i < len(t.NextSlots); i++ {
		rows = append(rows, []string{"then", strings.Replace(t.NextSlots[i].Slot, "T", " ", 1)})
	}
	if t.LastSweep != nil {
		rows = append(rows, []string{"last sweep", fmt.Sprintf("%s, %s (%s)", t.LastSweep.Slot, lastOf(t), t.LastSweep.ID)})
	}
	return printTable(in.out, append(rows, scheduledOf(t)...))
}

// costOf tells what a tracker can cost.
func costOf(t *earshot.Tracker) [][]string {
	cost := "at most " + many(t.Cost.Sweep, "credit") + " a sweep"
	if t.Definition != nil && t.Definition.Schedule != nil {
		cost += ", " + thousands(t.Cost.Month) + " a month by its schedule"
	}
	rows := [][]string{{"cost", cost}}
	limit := t.Cost.Ceiling
	if limit == nil {
		return rows
	}
	ceiling := many(*limit, "credit") + " a month"
	switch {
	case t.Cost.Sweep > *limit:
		ceiling += ", which is less than one sweep can cost: every sweep will be skipped"
	case t.Cost.Month > *limit:
		ceiling += fmt.Sprintf(", enough for %s", many(*limit/t.Cost.Sweep, "full sweep"))
	}
	return append(rows, []string{"ceiling", ceiling})
}

// nextOf is when the next sweep is due, in the schedule's time zone.
func nextOf(t *earshot.Tracker) string {
	switch {
	case t.State == earshot.TrackerPaused:
		return "none while it is paused"
	case t.NextSweepAt == nil:
		return "none by a schedule; 'earshot tracker run " + t.Name + "' starts one"
	}
	zone, at := "UTC", t.NextSweepAt.UTC()
	if t.Definition != nil && t.Definition.Schedule != nil && t.Definition.Schedule.Timezone != "" {
		if place, err := time.LoadLocation(t.Definition.Schedule.Timezone); err == nil { // else this machine does not know it
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
	// simple are texts that can stand in YAML without quotes.
	simple = regexp.MustCompile(`^\p{L}[\p{L}\p{M}\p{N} .,;:!?'"()/&%+=_@-]*$`)
	// ambiguous are texts that some readers of YAML take for truth values.
	ambiguous = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off)$`)
)

// quoted puts quotes around the texts in a value that are not simple.
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

type trackerPauseCmd struct{ trackerArg }

// Help says what goes on.
func (c *trackerPauseCmd) Help() string {
	return `Stops a tracker from following its schedule. Sweeps that run go on, its answers stay, and 'earshot tracker run' still works.

Exit status: 0 it is paused, 130 it was interrupted, 1 anything else.

Examples:
  printf 'prompts: [best belts]\ntargets: [{provider: genassistant, country: FR}]\n' | earshot tracker apply --name belts - && earshot tracker pause belts`
}

// Run pauses it.
func (c *trackerPauseCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	if _, err := service.PauseTracker(in, c.Name); err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "tracker %s is paused; 'earshot tracker resume %s' lets it go on\n", c.Name, c.Name)
	return err
}

type trackerResumeCmd struct{ trackerArg }

// Help says with what it goes on.
func (c *trackerResumeCmd) Help() string {
	return `Lets a tracker follow its schedule again, from the next time on that is due. What was due meanwhile is not asked.

Exit status: 0 it is active, 130 it was interrupted, 1 anything else.

Examples:
  printf 'prompts: [best scarves]\ntargets: [{provider: genassistant, country: FR}]\n' | earshot tracker apply --name scarves - && earshot tracker resume scarves`
}

// Run resumes it.
func (c *trackerResumeCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	t, err := service.ResumeTracker(in, c.Name)
	if err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "tracker %s is active; next sweep: %s\n", c.Name, nextOf(t))
	return err
}

type trackerDeleteCmd struct {
	Yes bool `help:"Do it."`
	trackerArg
}

// Help says what is lost.
func (c *trackerDeleteCmd) Help() string {
	return `Deletes a tracker with its sweeps and all its answers, which cannot be undone: 'earshot tracker export' keeps them, and
'earshot tracker show --yaml' its file. What is queued of it is removed, what runs goes on and is charged.

Exit status: 0 it is gone, 130 it was interrupted, 1 anything else, such as --yes missing.

Examples:
  printf 'prompts: [best gloves]\ntargets: [{provider: genassistant, country: FR}]\n' | earshot tracker apply --name gloves - && earshot tracker delete gloves --yes`
}

// Run deletes it.
func (c *trackerDeleteCmd) Run(in *invocation) error {
	if !c.Yes {
		return fmt.Errorf("this deletes the tracker %s and all its answers: say so with --yes", oneLine(c.Name))
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
