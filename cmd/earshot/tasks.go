package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
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
	Type   providerArg `help:"Only those of this type or provider, such as WEBSEARCH or websearch." placeholder:"TYPE" complete:"provider"`
	Limit  int         `help:"How many to list at most; 0 for all." default:"50"`
	JSON   bool        `name:"json" help:"Print one JSON object a task."`
	remote
}

// Help says what the columns are.
func (c *taskListCmd) Help() string {
	return `Lists tasks, newest first: when each was submitted, where it stands, its type, its id, what it cost, and what was asked or
went wrong.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tasks list
  earshot tasks list --status COMPLETED --type websearch --limit 5 --json`
}

// Run lists.
func (c *taskListCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	filter := earshot.TaskQuery{Status: earshot.Status(strings.ToUpper(c.Status)), TaskType: c.Type.TaskType}
	if c.Limit > 0 {
		filter.Limit = min(c.Limit, pageSize)
	}
	table := tabwriter.NewWriter(in.out, 0, 0, 2, ' ', 0)
	count := 0
	for record, err := range service.Tasks(in, filter) {
		if err != nil {
			return c.explain(err)
		}
		if c.JSON {
			err = json.NewEncoder(in.out).Encode(record)
		} else {
			err = printTask(table, record)
		}
		if err != nil {
			return err
		}
		if count++; count == c.Limit {
			break
		}
	}
	if count == 0 && !c.JSON {
		fmt.Fprintln(in.errOut, "there are no such tasks; 'earshot batch' submits some")
	}
	return table.Flush()
}

// pageSize is the maximum that the service lists at once.
const pageSize = 100

// printTask writes the line of a task.
func printTask(table *tabwriter.Writer, record *earshot.TaskRecord) error {
	credits := ""
	if charged := record.Credits.CreditsCharged; charged != nil {
		credits = many(*charged, "credit")
	}
	_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", record.Task.CreatedAt.Local().Format(time.DateTime), record.Task.Status,
		record.Task.TaskType, record.Task.ID, credits, subject(record))
	return err
}

// subject is what a task asked, or why it failed.
func subject(record *earshot.TaskRecord) string {
	var failure earshot.Error
	if record.Error != nil && json.Unmarshal(record.Error, &failure) == nil {
		return oneLine(failure.Message)
	}
	var request struct{ Prompt, Query, URL string }
	_ = json.Unmarshal(record.Task.Payload, &request) // what it does not hold is left out
	text := []rune(oneLine(request.Prompt + request.Query + request.URL))
	if len(text) > 60 {
		text = append(text[:59], '…')
	}
	return string(text)
}

type taskShowCmd struct {
	ID string `arg:"" help:"The task's id, as 'earshot tasks' lists it."`
	remote
}

// Help shows how to get at the result.
func (c *taskShowCmd) Help() string {
	return `Prints a task as JSON: where it stands, what it cost, its webhook, and its result or its error.

Exit status: 0 it was printed, 130 it was interrupted, 1 anything else, such as a task that does not exist.

Examples:
  echo '{"provider": "websearch", "query": "running shoes", "country": "US"}' > one.jsonl; earshot batch one.jsonl > /dev/null
  earshot tasks show "$(earshot tasks --limit 1 --json | jq -r .task.id)"
  earshot tasks show "$(earshot tasks --status COMPLETED --limit 1 --json | jq -r .task.id)" | jq .result`
}

// Run prints the task.
func (c *taskShowCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	record, err := service.Task(in, c.ID)
	if err != nil {
		return c.explain(err)
	}
	return in.json(record)
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
