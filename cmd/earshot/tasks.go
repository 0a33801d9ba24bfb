package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/client"
)

type tasksCmd struct {
	List   taskListCmd   `cmd:"" default:"withargs" help:"List tasks, newest first."`
	Show   taskShowCmd   `cmd:"" help:"Print a task with its result."`
	Cancel taskCancelCmd `cmd:"" help:"Remove a task that is still queued."`
	Clear  taskClearCmd  `cmd:"" help:"Remove all tasks that are still queued."`
}

// Help returns the command's long help.
func (c *tasksCmd) Help() string {
	return `Lists, shows and removes the tasks of your organization on a running server. Finished tasks are stored for 24 hours.

Exit status: 0 it succeeded, 130 it was interrupted, 1 anything else.

Examples:
  earshot tasks
  earshot tasks --status FAILED --type CHATASSISTANT --limit 20
  earshot tasks --json | jq -r .task.id
  earshot tasks show --help
  earshot tasks clear --yes`
}

type taskListCmd struct {
	Status string      `help:"Only tasks in this state: QUEUED, PROCESSING, COMPLETED or FAILED." placeholder:"STATUS"`
	Type   providerArg `help:"Only tasks of this type or provider, such as WEBSEARCH or websearch." placeholder:"TYPE" completion-predictor:"provider"`
	Limit  int         `help:"The maximum number of tasks; 0 for all." default:"50" placeholder:"N"`
	JSON   bool        `name:"json" help:"Print one JSON object per task."`
	remote
}

// Help returns the command's long help.
func (c *taskListCmd) Help() string {
	return `Lists tasks, newest first: when each was submitted, its status, type, cost in credits, id, prompt and error. Long prompts and
errors are shortened; 'earshot tasks show' and --json print them in full.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tasks list
  earshot tasks list --status COMPLETED --type websearch --limit 5 --json`
}

// Run lists the tasks.
func (c *taskListCmd) Run(in *invocation, service *client.Client) error {
	filter := earshot.TaskQuery{Status: earshot.Status(strings.ToUpper(c.Status)), TaskType: c.Type.TaskType}
	list := listing{
		explain: c.explain, limit: c.Limit, json: c.JSON, none: "there are no such tasks; 'earshot batch' submits tasks",
		header: []string{"SUBMITTED", "STATUS", "TYPE", "CREDITS", "ID", "PROMPT", "ERROR"},
	}
	filter.Limit = list.page()
	return printList(in, list, service.Tasks(in, filter), taskRow)
}

const (
	// pageSize is the service's maximum page size.
	pageSize = 100
	// promptColumns and errorColumns are the maximum widths of prompts and errors in lists.
	promptColumns = 40
	errorColumns  = 60
)

// taskRow returns the table row of a task.
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

// promptOf returns the prompt, query or URL of a task.
func promptOf(record *earshot.TaskRecord) string {
	var request struct{ Prompt, Query, URL string }
	_ = json.Unmarshal(record.Task.Payload, &request) // missing fields stay empty
	return oneLine(cmp.Or(request.Prompt, request.Query, request.URL))
}

// failureOf returns the error message of a task, or "".
func failureOf(record *earshot.TaskRecord) string {
	var failure earshot.Error
	if record.Error == nil || json.Unmarshal(record.Error, &failure) != nil {
		return oneLine(string(record.Error))
	}
	return oneLine(failure.Message)
}

type taskCancelCmd struct {
	ID string `arg:"" help:"The task's id, as listed by 'earshot tasks'."`
	remote
}

// Help returns the command's long help.
func (c *taskCancelCmd) Help() string {
	return `Removes a task that is still queued. It is not charged, and its idempotency key can be used again. A running task cannot be
canceled.

Exit status: 0 it was removed, 130 it was interrupted, 1 anything else, such as a task that is no longer queued.

Examples:
  id=$(earshot tasks --status QUEUED --limit 1 --json | jq -r .task.id); [ -z "$id" ] || earshot tasks cancel "$id"`
}

// Run cancels the task.
func (c *taskCancelCmd) Run(in *invocation, service *client.Client) error {
	if err := service.Cancel(in, c.ID); err != nil {
		return c.explain(err)
	}
	_, err := fmt.Fprintf(in.out, "task %s is canceled\n", c.ID)
	return err
}

type taskClearCmd struct {
	Yes bool `help:"Confirm the removal."`
	remote
}

// Help returns the command's long help.
func (c *taskClearCmd) Help() string {
	return `Removes all queued tasks of your organization, whoever submitted them. They are not charged, and their idempotency keys can be
used again. Running and finished tasks do not change.

Exit status: 0 they were removed, 130 it was interrupted, 1 anything else, such as a missing --yes.

Examples:
  earshot tasks clear --yes`
}

// Run clears the queue.
func (c *taskClearCmd) Run(in *invocation) error {
	if !c.Yes {
		return errors.New("this removes all queued tasks of your organization; to confirm, pass --yes")
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
