package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/files/batchfile"
	"earshot/internal/provider"
	"earshot/internal/schema"
)

// Limits of the memory for rows and cells. For larger files, there is the command line.
const (
	maxFileLines      = 20_000
	maxFileSeparators = 500_000
	rowsPerTurn       = 200 // rows to process before other requests get a turn
)

// previewBatch returns the tasks of a file of prompts with their prices, and the rows that
// cannot be submitted.
func (s *Server) previewBatch(c *call, _ none, in unchecked[earshot.BatchFile]) (*earshot.BatchPreview, error) {
	p := preview{server: s, ignored: map[string]bool{}, file: in.value}
	if p.byDefault = s.providerOf(p.file.TaskType); p.byDefault == nil && in.IsString("taskType") {
		in.Reject("taskType", "must be one of %s", strings.Join(s.taskTypes(), ", "))
	}
	lines, separators := strings.Count(p.file.Text, "\n"), 0
	for _, separator := range []string{",", ";", "\t"} {
		separators += strings.Count(p.file.Text, separator)
	}
	switch {
	case lines > maxFileLines:
		in.Reject("text", "must have at most %d lines", maxFileLines)
	case separators > maxFileSeparators:
		in.Reject("text", "must have at most %d separators", maxFileSeparators)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	rows, bad, err := batchfile.Read(p.file.Text, p.file.Format)
	if err != nil {
		return nil, schema.Invalid("text", "%v", err)
	}
	for _, one := range bad {
		p.refuse(one.Line, schema.Invalid("row", "%s", one.Reason))
	}
	p.keys.Run = p.file.Run
	for i, row := range rows {
		if i%rowsPerTurn == rowsPerTurn-1 {
			c.turn.Pause()
			if err := c.turn.Resume(c.r.Context()); err != nil {
				return nil, err
			}
		}
		if err := p.add(row); err != nil {
			p.refuse(row.Line, err)
		}
	}
	slices.SortFunc(p.answer.Problems, func(a, b earshot.BatchFileProblem) int { return cmp.Compare(a.Line, b.Line) })
	p.answer.Ignored = slices.Sorted(maps.Keys(p.ignored))
	return &p.answer, nil
}

// preview is the state of a preview.
type preview struct {
	server    *Server
	file      earshot.BatchFile
	byDefault provider.Provider // for rows that do not name one; may be nil
	keys      batchfile.Keys
	ignored   map[string]bool
	answer    earshot.BatchPreview
}

func (p *preview) refuse(line int, err error) {
	p.answer.Problems = append(p.answer.Problems, earshot.BatchFileProblem{Line: line, Error: *asClientError(err)})
}

// add adds the task of a row, or returns why the row cannot be submitted.
func (p *preview) add(row batchfile.Row) error {
	question, err := row.Question()
	if err != nil {
		return schema.Invalid("row", "%v", err)
	}
	asked, err := p.providerOf(question.Provider)
	if err != nil {
		return err
	}
	payload, unknown := schema.Fit(question.For(asked.TextField(), p.file.Country), asked.Request)
	for _, name := range unknown {
		p.ignored[name] = true
	}
	task := earshot.TaskRequest{
		TaskType: asked.TaskType, Payload: payload, Priority: cmp.Or(question.Priority, p.file.Priority),
		IdempotencyKey: question.Key, Webhook: p.file.Webhook,
	}
	if task.IdempotencyKey == "" {
		task.IdempotencyKey = p.keys.Next(asked.Name, payload)
	}
	if question.Webhook != "" {
		task.Webhook = &earshot.WebhookRequest{URL: question.Webhook}
	}
	text, err := json.Marshal(task)
	if err != nil {
		return fmt.Errorf("encode a row: %w", err)
	}
	valid, err := p.server.parseTask(text)
	if err != nil {
		return err
	}
	price := p.server.Jobs.Price(valid.Provider, valid.Request)
	p.answer.Rows = append(p.answer.Rows, earshot.BatchFileRow{Line: row.Line, Task: task, CreditsToCharge: price})
	p.answer.CreditsToCharge += price
	return nil
}

// providerOf returns the provider with the given name or task type, ignoring case, or the
// default provider for an empty name.
func (p *preview) providerOf(name string) (provider.Definition, error) {
	if name == "" && p.byDefault != nil {
		return p.byDefault.Definition(), nil
	}
	for _, one := range p.server.Catalogue.Providers() {
		about := one.Definition()
		if about.IsNamed(name) {
			return about, nil
		}
	}
	return provider.Definition{}, schema.Invalid("provider", "must be one of %s", strings.Join(p.server.taskTypes(), ", "))
}
