package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"earshot"
	"earshot/internal/files/batchfile"
	"earshot/internal/provider"
)

// row is one row of a file of questions.
type row struct {
	line   int
	fields map[string]any // as they are in the file
}

// refused is a row that will not be answered, or not by one provider.
type refused struct {
	line              int
	provider, country string
	reason            string
}

// question is a row for one provider and country.
type question struct {
	row
	provider provider.Definition
	payload  map[string]any
	priority int // 0 to use that of the batch
	webhook  string
	key      string // "" until it is derived
	price    int64  // its maximum cost
	earlier  bool   // its task was submitted by an earlier run
}

// readRows reads a file of questions. Rows that cannot be read are in bad; an error
// means that the rest of the file cannot be read.
func readRows(path string) (rows []row, bad []refused, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read the questions: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	return readQuestions(file, path, strings.ToLower(filepath.Ext(path)))
}

// readQuestions reads questions that are written as a file of that ending would have
// them.
func readQuestions(from io.Reader, path, ending string) (rows []row, bad []refused, err error) {
	var read []batchfile.Row
	var problems []batchfile.Problem
	switch ending {
	case ".csv", ".tsv":
		read, problems, err = batchfile.ReadTable(from)
	case ".jsonl", ".ndjson":
		read, problems, err = batchfile.ReadObjects(from)
	default:
		return nil, nil, fmt.Errorf("%s: the name must end in .csv, .tsv, .jsonl or .ndjson, to say how it is to be read", path)
	}
	if err == nil && len(read)+len(problems) == 0 {
		err = errors.New("there are no questions in it")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, r := range read {
		rows = append(rows, row{r.Line, r.Fields})
	}
	for _, p := range problems {
		bad = append(bad, refused{line: p.Line, reason: p.Reason})
	}
	return rows, bad, nil
}

// questions makes a question of the row for each provider and country: its own, or else
// the given ones.
func (r row) questions(providers []providerArg, countries []string) ([]*question, error) {
	asked, err := batchfile.Row{Line: r.line, Fields: r.fields}.Question()
	if err != nil {
		return nil, err
	}
	if asked.Provider != "" {
		var own providerArg
		if err := own.UnmarshalText([]byte(asked.Provider)); err != nil {
			return nil, err
		}
		providers = []providerArg{own}
	}
	if len(providers) == 0 {
		return nil, errors.New("it names no provider: add a column provider, or --providers")
	}
	if asked.NamesPlace() || len(countries) == 0 {
		countries = []string{""}
	}
	var all []*question
	for _, p := range providers {
		for _, country := range countries {
			all = append(all, &question{
				row: r, provider: p.Definition, priority: asked.Priority, webhook: asked.Webhook, key: asked.Key,
				payload: asked.For(p.TextField(), country),
			})
		}
	}
	return all, nil
}

// country is where the question is asked from, "" where it does not say.
func (q *question) country() string {
	country, _ := q.payload["country"].(string)
	return country
}

// task is the question as it is submitted.
func (q *question) task() earshot.TaskRequest {
	task := earshot.TaskRequest{TaskType: q.provider.TaskType, Payload: q.payload, Priority: q.priority, IdempotencyKey: q.key}
	if q.webhook != "" {
		task.Webhook = &earshot.WebhookRequest{URL: q.webhook}
	}
	return task
}
