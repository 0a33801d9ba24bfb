package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/client"
)

type taskShowCmd struct {
	ID     string `arg:"" help:"The task's id, as listed by 'earshot tasks'."`
	output `set:"formats=table,json"`
	remote
}

// Help returns the command's long help.
func (c *taskShowCmd) Help() string {
	return `Prints a task: its status, prompt, cost, webhook, and its error or its result in the format of 'earshot ask'. With -o json, it prints
the API's response.

Exit status: 0 it was printed, 130 it was interrupted, 1 anything else, such as a task that does not exist.

Examples:
  echo '{"provider": "google", "query": "running shoes", "country": "us"}' > one.jsonl; earshot batch one.jsonl > /dev/null
  earshot tasks show "$(earshot tasks --limit 1 --jq '.[0].task.id')"
  earshot tasks get "$(earshot tasks --status COMPLETED --limit 1 --jq '.[0].task.id')" --jq .result`
}

// Run prints the task.
func (c *taskShowCmd) Run(in *invocation, service *client.Client) error {
	record, err := service.Task(in, c.ID)
	if err != nil {
		return c.explain(err)
	}
	if printed, err := c.object(in, record); printed {
		return err
	}
	if err := printTable(in.out, aboutTask(record)); err != nil || record.Result == nil {
		return err
	}
	var provider providerArg
	if err := provider.UnmarshalText([]byte(record.Task.TaskType)); err != nil {
		return err
	}
	fmt.Fprintln(in.out)
	return newPrinter(in.out).print(provider.Definition, record.Result)
}

// requestOf returns the fields of a task's request except the prompt.
func requestOf(record *earshot.TaskRecord) string {
	var request map[string]json.RawMessage
	_ = json.Unmarshal(record.Task.Payload, &request) // cannot fail: the service accepts only objects
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(request)) {
		if name != "prompt" && name != "query" {
			fields = append(fields, name+" "+strings.Trim(string(request[name]), `"`))
		}
	}
	return oneLine(strings.Join(fields, ", "))
}

// aboutTask returns the rows of names and values that describe a task.
func aboutTask(record *earshot.TaskRecord) [][]string {
	task := record.Task
	var lines [][]string
	line := func(name, format string, args ...any) {
		lines = append(lines, []string{name, fmt.Sprintf(format, args...)})
	}
	at := func(name string, when *earshot.Timestamp) {
		if when != nil {
			line(name, "%s", when.Local().Format(time.DateTime))
		}
	}
	line("task", "%s", task.ID)
	line("status", "%s", task.Status)
	if failure := failureOf(record); failure != "" {
		line("error", "%s", failure)
	}
	line("type", "%s", task.TaskType)
	line("prompt", "%s", promptOf(record))
	if rest := requestOf(record); rest != "" {
		line("request", "%s", rest)
	}
	at("submitted", &task.CreatedAt)
	at("started", task.StartedAt)
	at("ended", task.FinishedAt)
	if task.LatencyMs != nil {
		line("took", "%s, %s", time.Duration(*task.LatencyMs)*time.Millisecond, many(task.Attempts, "attempt"))
	}
	if charged := record.Credits.CreditsCharged; charged != nil {
		line("cost", "%s", many(*charged, "credit"))
	} else {
		line("cost", "at most %s", many(record.Credits.CreditsToCharge, "credit"))
	}
	if hook := record.Webhook; hook != nil {
		state := "not delivered yet"
		if hook.Delivered {
			state = "delivered"
		}
		line("webhook", "%s: %s, %s", oneLine(hook.URL), state, many(hook.Attempts, "attempt"))
	}
	return lines
}
