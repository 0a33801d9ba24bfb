package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"earshot"
	"earshot/client"
)

type listenCmd struct {
	URL    string        `help:"The service." env:"EARSHOT_URL" default:"http://127.0.0.1:8080"`
	APIKey string        `help:"A key with the scope read." env:"EARSHOT_API_KEY" required:""`
	Cursor string        `help:"Begin after this place instead of now; \"\" begins with the oldest task that is kept." default:"latest"`
	JSON   bool          `name:"json" help:"Print each event whole, as its webhook would carry it, one a line."`
	Every  time.Duration `help:"How often to ask." default:"1s" hidden:""`
}

// Help shows what it is for.
func (c *listenCmd) Help() string {
	return `Prints tasks as they end, without a public address to send webhooks to.

Examples:
  EARSHOT_API_KEY=ear_live_… earshot listen
  earshot listen --json --cursor "" | jq .result.text`
}

// Run prints events until it is stopped.
func (c *listenCmd) Run(in *invocation) error {
	service := client.New(c.URL, c.APIKey)
	cursor := c.Cursor
	for {
		page, err := service.Events(in, cursor, 100)
		if in.Err() != nil {
			return nil //nolint:nilerr // to be stopped is no failure
		}
		switch {
		case err != nil && !isTemporary(err):
			return err
		case err == nil:
			for _, event := range page.Events {
				if err := c.print(in, event); err != nil {
					return err
				}
			}
			if page.NextCursor != nil {
				cursor = *page.NextCursor
			}
			if len(page.Events) == 100 {
				continue // there are more
			}
		}
		select {
		case <-in.Done():
			return nil
		case <-time.After(c.Every):
		}
	}
}

// isTemporary tells whether another try may succeed after the error.
func isTemporary(err error) bool {
	var answer *client.Error
	if !errors.As(err, &answer) {
		return !errors.Is(err, context.Canceled) // no answer at all
	}
	return answer.Status >= http.StatusInternalServerError || answer.Status == http.StatusTooManyRequests
}

func (c *listenCmd) print(in *invocation, event earshot.TaskRecord) error {
	if c.JSON {
		return json.NewEncoder(in.out).Encode(event)
	}
	var failure earshot.Error
	if event.Error != nil {
		if err := json.Unmarshal(event.Error, &failure); err != nil {
			return fmt.Errorf("read the error of task %s: %w", event.Task.ID, err)
		}
	}
	var finished, credits string
	if event.Task.FinishedAt != nil {
		finished = event.Task.FinishedAt.Local().Format(time.TimeOnly)
	}
	if event.Credits.CreditsCharged != nil {
		credits = fmt.Sprintf("%d credits", *event.Credits.CreditsCharged)
	}
	_, err := fmt.Fprintf(in.out, "%s  %-9s  %-15s  %s  %s\n", finished, event.Task.Status, event.Task.TaskType, event.Task.ID,
		cmp.Or(failure.Message, credits))
	return err
}
