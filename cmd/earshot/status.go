package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"earshot"
	"earshot/client"
)

type statusCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
	remote
}

// Help explains what is printed.
func (c *statusCmd) Help() string {
	return `Tells how a running server and your organization stand: whether it takes requests, credits and their cycle, slots, queue,
how well it understands what providers answer, and where its last answer came from. It costs nothing.

Exit status: 0 it is ready, 2 it answers but is not ready, 130 it was interrupted, 1 anything else, such as no server.

Examples:
  earshot status
  earshot status --json | jq .credits.remaining`
}

// serverStatus is what the command prints.
type serverStatus struct {
	URL        string                   `json:"url"`
	Ready      bool                     `json:"ready"`
	Credits    *earshot.Credits         `json:"credits,omitempty"`
	Queue      *earshot.QueueStatus     `json:"queue,omitempty"`
	Extraction []earshot.ProviderHealth `json:"extraction,omitempty"`
	// Surface is that of the newest completed task; "" when there is none.
	Surface earshot.Surface `json:"surface,omitempty"`
}

// statusNotReady is the exit status for a server that answers but is not ready.
const statusNotReady = 2

// Run asks and prints.
func (c *statusCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	now := serverStatus{URL: c.URL}
	if err := service.Ready(in); err != nil {
		if client.IsCode(err, earshot.CodeServerUnavailable) {
			return exitError{fmt.Errorf("%s is not ready: %w", c.URL, c.explain(err)), statusNotReady}
		}
		return c.explain(err)
	}
	now.Ready = true
	if err := now.read(in, service); err != nil {
		return c.explain(err)
	}
	if c.JSON {
		return in.json(now)
	}
	return now.print(in)
}

func (s *serverStatus) read(in *invocation, service *client.Client) (err error) {
	if s.Credits, err = service.Credits(in); err != nil {
		return err
	}
	if s.Queue, err = service.QueueStatus(in); err != nil {
		return err
	}
	health, err := service.ExtractionHealth(in)
	if err != nil {
		return err
	}
	s.Extraction = health.Providers
	s.Surface, err = lastSurface(in, service)
	return err
}

// lastSurface is where the answer of the newest completed task came from.
func lastSurface(in *invocation, service *client.Client) (earshot.Surface, error) {
	for newest, err := range service.Tasks(in, earshot.TaskQuery{Status: earshot.StatusCompleted, PageQuery: earshot.PageQuery{Limit: 1}}) {
		if err != nil {
			return "", err
		}
		record, err := service.Task(in, newest.Task.ID)
		if client.IsCode(err, earshot.CodeNotFound) {
			return "", nil // just removed
		}
		if err != nil {
			return "", err
		}
		var about struct {
			Surface earshot.Surface `json:"surface"`
		}
		return about.Surface, json.Unmarshal(record.Result, &about)
	}
	return "", nil
}

func (s *serverStatus) print(in *invocation) error {
	table := tabwriter.NewWriter(in.out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("server", "%s, ready", s.URL)
	line("plan", "%s", s.Credits.Plan)
	line("credits", "%s left, %s set aside for running jobs", thousands(s.Credits.Remaining), thousands(s.Credits.Held))
	line("cycle", "%s credits until %s", thousands(s.Credits.PerCycle), s.Credits.CycleResetsAt.Local().Format(time.DateTime))
	line("slots", "%d of %d in use", s.Queue.Concurrency.Used, s.Queue.Concurrency.Max)
	line("queue", "%s queued, %d running, room for %s more", thousands(int64(s.Queue.QueuedTasks)), s.Queue.ProcessingTasks, thousands(int64(s.Queue.Queue.Remaining)))
	if known := knownHealth(s.Extraction); len(known) > 0 {
		line("extraction", "%s", strings.Join(known, "; "))
	}
	switch s.Surface {
	case "": // no task has completed yet
	case earshot.SurfaceLab:
		line("upstream", "lab: its answers are made up; for real ones give the server a provider's API key or --upstream")
	case earshot.SurfaceWeb, earshot.SurfaceAPI:
		line("upstream", "%s, by the newest completed task", s.Surface)
	}
	return table.Flush()
}

// knownHealth says of each provider that was read lately how well it is understood.
func knownHealth(providers []earshot.ProviderHealth) []string {
	var known []string
	for _, p := range providers {
		if p.State != earshot.HealthUnknown {
			known = append(known, fmt.Sprintf("%s (%s) %s%s", p.Provider, p.Surface, p.State, weakFields(p)))
		}
	}
	return known
}

// weakFields names the fields of a provider that are not filled often enough.
func weakFields(p earshot.ProviderHealth) string {
	text := ""
	for _, f := range p.Fields {
		if f.State == "low" || f.State == "alarm" {
			text += fmt.Sprintf(", %s %s", f.Field, f.State)
		}
	}
	return text
}
