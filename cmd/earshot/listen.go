package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"earshot"
	"earshot/client"
)

type listenCmd struct {
	Cursor string        `help:"Begin after this cursor instead of now; \"\" begins with the oldest task that is stored." default:"latest"`
	Every  time.Duration `help:"How often to ask." default:"1s" hidden:""`
	output `set:"formats=table,ndjson"`
	remote
}

// Help returns the command's long help.
func (c *listenCmd) Help() string {
	return `Prints tasks when they end: the time, the status, the type, the cost, the id, the prompt, and the error if the task failed. Unlike
webhooks, it needs no public address. If the server does not answer, it waits for the server.
With -o ndjson, each event has the format of its webhook.

Exit status: 0 it was stopped, such as by Ctrl-C, 1 anything else, such as a wrong key.

Examples:
  EARSHOT_API_KEY=ear_live_… earshot listen
  earshot listen --cursor "" --jq .result.text`
}

// Run prints events until it is stopped.
func (c *listenCmd) Run(in *invocation, service *client.Client) error {
	cursor, waits := c.Cursor, false
	for {
		page, err := service.Events(in, cursor, 100)
		if in.Err() != nil {
			return nil //nolint:nilerr // Ctrl-C is not a failure
		}
		switch {
		case err != nil && !isTemporary(err):
			return c.explain(err)
		case err != nil && !waits:
			waits = true // print the message once
			fmt.Fprintf(in.errOut, "waiting for the server: %v\n", c.explain(err))
		case err == nil:
			waits = false
			for _, event := range page.Events {
				if err := c.event(in, event); err != nil {
					return err
				}
			}
			if page.NextCursor != nil {
				cursor = *page.NextCursor
			}
			if len(page.Events) == 100 {
				continue // more pages follow
			}
		}
		select {
		case <-in.Done():
			return nil
		case <-time.After(c.Every):
		}
	}
}

// isTemporary reports whether a retry may succeed after the error.
func isTemporary(err error) bool {
	answer, ok := errors.AsType[*client.Error](err)
	if !ok {
		return !errors.Is(err, context.Canceled) // no response
	}
	return answer.Status >= http.StatusInternalServerError || answer.Status == http.StatusTooManyRequests
}

// event prints an event.
func (c *listenCmd) event(in *invocation, event earshot.TaskRecord) error {
	if !c.isTable() {
		return c.line(in, event)
	}
	finished, credits := "", "-"
	if event.Task.FinishedAt != nil {
		finished = event.Task.FinishedAt.Local().Format(time.TimeOnly)
	}
	if charged := event.Credits.CreditsCharged; charged != nil {
		credits = many(*charged, "credit")
	}
	line := fmt.Sprintf("%s  %-9s  %-15s  %-9s  %s  %s", finished, event.Task.Status, event.Task.TaskType, credits, event.Task.ID, shortened(promptOf(&event), promptColumns))
	if failure := failureOf(&event); failure != "" {
		line += ": " + failure
	}
	_, err := fmt.Fprintln(in.out, line)
	return err
}
