package main

import (
	"encoding/json"
	"fmt"
	"time"

	"earshot"
	"earshot/client"
)

type statusCmd struct {
	output `set:"formats=table,json"`
	remote
}

// Help returns the command's long help.
func (c *statusCmd) Help() string {
	return `Prints the state of a running server and of your organization: readiness, credits and billing cycle, slots, queue, health of the
parsers, and the surface of the newest answer. It is free.

Exit status: 0 it is ready, 2 it answers but is not ready, 130 it was interrupted, 1 anything else, such as no server.

Examples:
  earshot status
  earshot status --jq .credits.remaining`
}

// serverStatus is the output of the command.
type serverStatus struct {
	URL     string               `json:"url"`
	Ready   bool                 `json:"ready"`
	Credits *earshot.Credits     `json:"credits,omitempty"`
	Queue   *earshot.QueueStatus `json:"queue,omitempty"`
	// Surface is the surface of the newest completed task, or "".
	Surface earshot.Surface `json:"surface,omitempty"`
}

// statusNotReady is the exit status for a server that answers but is not ready.
const statusNotReady = 2

// Run reads and prints the status.
func (c *statusCmd) Run(in *invocation, service *client.Client) error {
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
	if printed, err := c.object(in, now); printed {
		return err
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
	s.Surface, err = lastSurface(in, service)
	return err
}

// lastSurface returns the surface of the newest completed task.
func lastSurface(in *invocation, service *client.Client) (earshot.Surface, error) {
	for newest, err := range service.Tasks(in, earshot.TaskQuery{Status: earshot.StatusCompleted, PageQuery: earshot.PageQuery{Limit: 1}}) {
		if err != nil {
			return "", err
		}
		record, err := service.Task(in, newest.Task.ID)
		if client.IsCode(err, earshot.CodeNotFound) {
			return "", nil // it was just deleted
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
	var rows [][]string
	line := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	line("server", "%s, ready", s.URL)
	line("plan", "%s", s.Credits.Plan)
	line("credits", "%s left, %s reserved for running jobs", thousands(s.Credits.Remaining), thousands(s.Credits.Held))
	line("cycle", "%s credits until %s", thousands(s.Credits.PerCycle), s.Credits.CycleResetsAt.Local().Format(time.DateTime))
	line("slots", "%d of %d in use", s.Queue.Concurrency.Used, s.Queue.Concurrency.Max)
	line("queue", "%s queued, %d running, room for %s more", thousands(int64(s.Queue.QueuedTasks)), s.Queue.ProcessingTasks, thousands(int64(s.Queue.Queue.Remaining)))
	switch s.Surface {
	case "": // no task has completed yet
	case earshot.SurfaceLab:
		line("upstream", "lab: its answers are made up; for real answers, configure a provider's API key or --upstream on the server")
	case earshot.SurfaceWeb, earshot.SurfaceAPI, earshot.SurfaceVendor:
		line("upstream", "%s, by the newest completed task", s.Surface)
	}
	return printTable(in.out, rows)
}
