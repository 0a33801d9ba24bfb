package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// provider returns the provider in the arguments, by the name of the provider or of the product.
func (c *call) provider() (*operation, error) {
	var known []string
	for _, o := range c.providers {
		names := provider.Names(o.Provider, o.TaskType, o.Product)
		if provider.IsNamed(c.args["provider"], names) {
			return o, nil
		}
		known = append(append(known, o.Provider), names...)
	}
	problem := "is not known"
	if near := schema.Nearest(c.args["provider"], known); near != "" {
		problem += fmt.Sprintf(", did you mean %q?", near)
	}
	return nil, schema.Invalid("provider", "%s; known are %s", problem, c.choices())
}

// choices lists the providers with their products.
func (d *description) choices() string {
	var all []string
	for _, o := range d.providers {
		name := o.Provider
		if o.Product != "" {
			name += " (" + o.Product + ")"
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

// ask asks a provider, or submits a task, or returns the price.
func ask(c *call) (*view, error) {
	o, err := c.provider()
	if err != nil {
		return nil, err
	}
	payload := map[string]any{}
	if options := c.raw["options"]; options != nil && json.Unmarshal(options, &payload) != nil {
		return nil, schema.Invalid("options", "must be an object")
	}
	payload[o.TextField] = c.args["prompt"]
	if country := c.args["country"]; country != "" {
		payload["country"] = strings.ToUpper(country)
	}
	if state := c.args["state"]; state != "" {
		payload["state"] = strings.ToUpper(state)
	}
	task := map[string]any{"taskType": o.TaskType, "payload": payload}
	dry, err := c.flag("dryRun")
	if err != nil {
		return nil, err
	}
	later, err := c.flag("later")
	switch {
	case err != nil:
		return nil, err
	case dry:
		var quote earshot.Quote
		answer, _, err := c.send(http.MethodPost, "/v1/quote", nil, task)
		if err == nil {
			err = read(answer, &quote)
		}
		return &view{data: quote, head: []string{fmt.Sprintf("It costs at most %d credits.", quote.CreditsToCharge)}}, err
	case later:
		var submitted earshot.TaskSubmitted
		submit := c.operation("POST /v1/async/task")
		err := c.change(submit, submit.Path, nil, task, &submitted)
		return &view{data: submitted, head: []string{fmt.Sprintf("Task %s is %s; it costs at most %d credits. Read it with tasks and its id.",
			submitted.Task.ID, submitted.Task.Status, submitted.Credits.CreditsToCharge)}}, err
	}
	var answered struct {
		Result json.RawMessage `json:"result"`
	}
	if err := c.change(o, o.Path, nil, payload, &answered); err != nil {
		return nil, err
	}
	text, err := resultText(answered.Result)
	v := &view{data: answered.Result, head: []string{text}}
	if charged := c.meta["earshot/creditsCharged"]; charged != nil {
		v.tail = append(v.tail, fmt.Sprintf("\n%v credits charged, %v left. The whole answer: tasks with id=%v.", charged, c.meta["earshot/creditsRemaining"], c.meta["earshot/requestId"]))
	}
	return v, err
}

// tasks lists calls and tasks, or shows one.
func tasks(c *call) (*view, error) {
	if c.args["provider"] != "" {
		o, err := c.provider()
		if err != nil {
			return nil, err
		}
		c.args["provider"] = o.Provider
	}
	if c.args["id"] == "" {
		return plain(c)
	}
	path, err := c.path(c.operation("GET /v1/requests/{id}"))
	if err != nil {
		return nil, err
	}
	var record earshot.RequestRecord
	if err := c.get(path, nil, &record); err != nil {
		return nil, err
	}
	v := &view{data: record, head: []string{fmt.Sprintf("%s %s of %s: %s", record.Mode, record.ID, record.Provider, record.Status)}}
	if record.Error != nil {
		v.head = append(v.head, string(record.Error))
	}
	if record.Result == nil {
		return v, nil
	}
	text, err := resultText(record.Result)
	v.head = append(v.head, "", text)
	return v, err
}

// usage returns the balance and what the providers have cost.
func usage(c *call) (*view, error) {
	var credits earshot.Credits
	var spent earshot.Usage
	if err := c.get("/v1/credits", nil, &credits); err != nil {
		return nil, err
	}
	if err := c.get("/v1/usage", c.query(c.operation("GET /v1/usage")), &spent); err != nil {
		return nil, err
	}
	rows, total := spent.Usage, int64(0)
	for _, row := range rows {
		total += row.CreditsCharged
	}
	if c.args["by"] != "day" {
		rows = byProvider(rows)
	}
	return &view{
		data: map[string]any{"credits": credits, "usage": spent},
		head: []string{
			fmt.Sprintf("%d credits left (%d of them held), plan %s; %d a cycle, %d used, resets %s.", credits.Remaining, credits.Held, credits.Plan, credits.PerCycle, credits.CycleUsed, cell(generic(credits.CycleResetsAt))),
			fmt.Sprintf("%s to %s: %d credits charged.", spent.From, spent.To, total),
		},
		tables: []table{{rows: listOf(rows), columns: "date provider completed failed creditsCharged"}},
	}, nil
}

// byProvider adds the days together.
func byProvider(days []earshot.DayUsage) (sums []earshot.DayUsage) {
	place := map[string]int{}
	for _, day := range days {
		i, ok := place[day.Provider]
		if !ok {
			i = len(sums)
			place[day.Provider] = i
			sums = append(sums, earshot.DayUsage{Provider: day.Provider})
		}
		sums[i].Completed += day.Completed
		sums[i].Failed += day.Failed
		sums[i].CreditsCharged += day.CreditsCharged
	}
	return sums
}

// countries lists the countries that can be asked.
func countries(c *call) (*view, error) {
	query := map[string][]string{}
	if c.args["provider"] != "" {
		o, err := c.provider()
		if err != nil {
			return nil, err
		}
		query["model"] = []string{strings.ReplaceAll(o.Provider, "/", "_")}
	}
	var codes []string
	err := c.get("/v1/countries", query, &codes)
	return &view{data: codes, head: []string{fmt.Sprintf("%d countries: %s", len(codes), strings.Join(codes, " "))}}, err
}
