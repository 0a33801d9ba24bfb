package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"earshot"
	"earshot/client"
)

type tasksCmd struct {
	List taskListCmd `cmd:"" default:"withargs" help:"List tasks, newest first."`
	Show taskShowCmd `cmd:"" help:"Print a task with its result."`
}

// Help returns the command's long help.
func (c *tasksCmd) Help() string {
	return `Lists and shows the tasks of your organization on a running server. Finished tasks are stored for 24 hours.

To remove a task that is still queued, use 'earshot api DELETE /v1/async/task/ID'; for all queued tasks of your organization,
'earshot api DELETE /v1/async/queue'. They are not charged.

Exit status: 0 it succeeded, 130 it was interrupted, 1 anything else.

Examples:
  earshot tasks
  earshot tasks --status FAILED --type chatgpt --limit 20
  earshot tasks --jq '.[].task.id'
  earshot tasks show --help`
}

type taskListCmd struct {
	Status string      `help:"Only tasks in this state: QUEUED, PROCESSING, COMPLETED or FAILED." placeholder:"STATUS"`
	Type   providerArg `help:"Only tasks of this type or provider, such as WEBSEARCH or websearch." placeholder:"TYPE" completion-predictor:"provider"`
	Limit  int         `help:"The maximum number of tasks; 0 for all." default:"50" placeholder:"N"`
	output
	remote
}

// Help returns the command's long help.
func (c *taskListCmd) Help() string {
	return `Lists tasks, newest first: when each was submitted, its status, type, cost in credits, id, prompt and error. In a table, long prompts
and errors are shortened.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tasks list
  earshot tasks ls --status COMPLETED --type websearch --limit 5 -o csv`
}

// Run lists the tasks.
func (c *taskListCmd) Run(in *invocation, service *client.Client) error {
	filter := earshot.TaskQuery{Status: earshot.Status(strings.ToUpper(c.Status)), TaskType: c.Type.TaskType}
	filter.Limit = page(c.Limit)
	tasks, err := firstOf(service.Tasks(in, filter), c.Limit)
	if err != nil {
		return c.explain(err)
	}
	t := tableOf("SUBMITTED|STATUS|TYPE|CREDITS|ID|PROMPT|ERROR", tasks, func(r *earshot.TaskRecord) []any {
		return []any{
			r.Task.CreatedAt, r.Task.Status, r.Task.TaskType, optional(r.Credits.CreditsCharged), r.Task.ID,
			brief(promptOf(r), promptColumns), brief(failureOf(r), errorColumns),
		}
	})
	t.none = "there are no such tasks; 'earshot batch' submits tasks"
	return c.print(in, t)
}

const (
	// pageSize is the service's maximum page size.
	pageSize = 100
	// promptColumns and errorColumns are the maximum widths of prompts and errors in tables.
	promptColumns = 40
	errorColumns  = 60
)

// page returns the size of the pages to request for a list with a limit, which may be 0 for all.
func page(limit int) int {
	if limit == 0 {
		return pageSize
	}
	return min(limit, pageSize)
}

// firstOf returns the first items of a list, or all if limit is 0.
func firstOf[T any](list iter.Seq2[*T, error], limit int) (items []T, err error) {
	if limit < 0 {
		return nil, fmt.Errorf("--limit must be at least 0, but is %d", limit)
	}
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		if items = append(items, *item); len(items) == limit {
			break
		}
	}
	return items, nil
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
