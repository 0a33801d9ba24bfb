package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"earshot"
)

type tasksCmd struct {
	List   taskListCmd   `cmd:"" default:"withargs" help:"List tasks, newest first."`
	Show   taskShowCmd   `cmd:"" help:"Print a task with its result."`
	Cancel taskCancelCmd `cmd:"" help:"Remove a task that is still queued."`
	Clear  taskClearCmd  `cmd:"" help:"Remove all tasks that are still queued."`
}

// Help shows what there is.
func (c *tasksCmd) Help() string {
	return `Lists, shows and removes the tasks of your organization on a running server. Tasks that ended are kept for 24 hours.

Exit status: 0 it was done, 130 it was interrupted, 1 anything else.

Examples:
  earshot tasks
  earshot tasks --status FAILED --type CHATASSISTANT --limit 20
  earshot tasks --json | jq -r .task.id
  earshot tasks show --help
  earshot tasks clear --yes`
}

type taskListCmd struct {
	Status string      `help:"Only those that are QUEUED, PROCESSING, COMPLETED or FAILED." placeholder:"STATUS"`
	Type   providerArg `help:"Only those of this type or provider, such as WEBSEARCH or websearch." placeholder:"TYPE" completion-predictor:"provider"`
	Limit  int         `help:"How many to list at most; 0 for all." default:"50" placeholder:"N"`
	JSON   bool        `name:"json" help:"Print one JSON object a task."`
	remote
}

// Help says what the columns are.
func (c *taskListCmd) Help() string {
	return `Lists tasks, newest first: when each was submitted, where it stands, its type, what it cost in credits, its id, what was
asked, and what went wrong. Long prompts and errors are cut; 'earshot tasks show' and --json have all of them.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tasks list
  earshot tasks list --status COMPLETED --type websearch --limit 5 --json`
}

// Run lists.
func (c *taskListCmd) Run(in *invocation) error {
	if c.Limit < 0 {
		return fmt.Errorf("--limit must be at least 0, but is %d", c.Limit)
	}
	service, err := c.connect()
	if err != nil {
		return err
	}
	filter := earshot.TaskQuery{Status: earshot.Status(strings.ToUpper(c.Status)), TaskType: c.Type.TaskType}
	if c.Limit > 0 {
		filter.Limit = min(c.Limit, pageSize)
	}
	rows := [][]string{{"SUBMITTED", "STATUS", "TYPE", "CREDITS", "ID", "PROMPT", "ERROR"}}
	count := 0
	for record, err := range service.Tasks(in, filter) {
		if err != nil {
			return c.explain(err)
		}
		if !c.JSON {
			rows = append(rows, taskRow(record))
		} else if err := json.NewEncoder(in.out).Encode(record); err != nil {
			return err
		}
		if count++; count == c.Limit {
			break
		}
	}
	switch {
	case c.JSON:
		return nil
	case count == 0:
		fmt.Fprintln(in.errOut, "there are no such tasks; 'earshot batch' submits some")
		return nil
	default:
		return printTable(in.out, rows)
	}
}

const (
	// pageSize is the maximum that the service lists at once.
	pageSize = 100
	// promptColumns and errorColumns are how much of a prompt and of an error a list shows.
	promptColumns = 40
	errorColumns  = 60
)

// taskRow is the line of a task.
func taskRow(record *earshot.TaskRecord) []string {
	credits := "-"
	if charged := record.Credits.CreditsCharged; charged != nil {
		credits = thousands(*charged)
	}
	return []string{
		record.Task.CreatedAt.Local().Format(time.DateTime), string(record.Task.Status), record.Task.TaskType, credits, record.Task.ID,
		shortened(promptOf(record), promptColumns), shortened(failureOf(record), errorColumns),
	}
}

// promptOf is what a task asked.
func promptOf(record *earshot.TaskRecord) string {
	var request struct{ Prompt, Query, URL string }
	_ = json.Unmarshal(record.Task.Payload, &request) // what it does not hold is left out
	return oneLine(cmp.Or(request.Prompt, request.Query, request.URL))
}

// failureOf is why a task failed, "" if it did not.
func failureOf(record *earshot.TaskRecord) string {
	var failure earshot.Error
	if record.Error == nil || json.Unmarshal(record.Error, &failure) != nil {
		return oneLine(string(record.Error))
	}
	return oneLine(failure.Message)
}

type taskCancelCmd struct {
	ID string `arg:"" help:"The task's id, as 'earshot tasks' lists it."`
	remote
}

// Help says which tasks it is for.
func (c *taskCancelCmd) Help() string {
	return `Removes a task that is still queued. It costs nothing, and its idempotency key is free again. A task that is being worked on
cannot be stopped.

Exit status: 0 it is gone, 130 it was interrupted, 1 anything else, such as a task that is no longer queued.

Examples:
  id=$(earshot tasks --status QUEUED --limit 1 --json | jq -r .task.id); [ -z "$id" ] || earshot tasks cancel "$id"`
}

// Run cancels the task.
func (c *taskCancelCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	if err := service.Cancel(in, c.ID); err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "task %s is cancelled\n", c.ID)
	return err
}

type taskClearCmd struct {
	Yes bool `help:"Do it."`
	remote
}

// Help says what is lost.
func (c *taskClearCmd) Help() string {
	return `Removes every task of your organization that is still queued, whoever submitted it. They cost nothing, and their
idempotency keys are free again. Tasks that are being worked on or have ended stay.

Exit status: 0 they are gone, 130 it was interrupted, 1 anything else, such as --yes missing.

Examples:
  earshot tasks clear --yes`
}

// Run clears the queue.
func (c *taskClearCmd) Run(in *invocation) error {
	if !c.Yes {
		return errors.New("this removes every queued task of your organization: say so with --yes")
	}
	service, err := c.connect()
	if err != nil {
		return err
	}
	cleared, err := service.ClearQueue(in)
	if err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "%s removed\n", many(cleared, "task"))
	return err
}
