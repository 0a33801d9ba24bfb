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

// refused is a row that is not submitted, or not to one provider.
type refused struct {
	line              int
	provider, country string
	reason            string
}

// question is a row for one provider and country.
type question struct {
	batchfile.Row
	provider provider.Definition
	payload  map[string]any
	priority int // 0 for the priority of the batch
	webhook  string
	key      string // "" until it is derived
	price    int64  // its maximum cost
	earlier  bool   // an earlier run submitted its task
}

// readRows reads a file of prompts. Rows that cannot be read are returned in bad.
func readRows(path string) (rows []batchfile.Row, bad []refused, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read the prompts: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	return readQuestions(file, path, strings.ToLower(filepath.Ext(path)))
}

// readQuestions reads rows in the format of files with the given ending.
func readQuestions(from io.Reader, path, ending string) (rows []batchfile.Row, bad []refused, err error) {
	var problems []batchfile.Problem
	switch ending {
	case ".csv", ".tsv":
		rows, problems, err = batchfile.ReadTable(from)
	case ".jsonl", ".ndjson":
		rows, problems, err = batchfile.ReadObjects(from)
	default:
		return nil, nil, fmt.Errorf("the format of %s is unknown: its name must end in .csv, .tsv, .jsonl or .ndjson", path)
	}
	if err == nil && len(rows)+len(problems) == 0 {
		err = errors.New("it contains no prompts")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, p := range problems {
		bad = append(bad, refused{line: p.Line, reason: p.Reason})
	}
	return rows, bad, nil
}

// questionsOf returns a question for each provider and country of the row or, if the row
// names none, of the arguments.
func questionsOf(r batchfile.Row, providers []providerArg, countries []code) ([]*question, error) {
	asked, err := r.Question()
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
		return nil, errors.New("it names no provider: add a column provider, or pass --providers")
	}
	if asked.NamesPlace() || len(countries) == 0 {
		countries = []code{""}
	}
	var all []*question
	for _, p := range providers {
		for _, country := range countries {
			all = append(all, &question{
				Row: r, provider: p.Definition, priority: asked.Priority, webhook: asked.Webhook, key: asked.Key,
				payload: asked.For(p.TextField(), string(country)),
			})
		}
	}
	return all, nil
}

// country returns the country of the question, or "".
func (q *question) country() string {
	country, _ := q.payload["country"].(string)
	return country
}

// task returns the task to submit.
func (q *question) task() earshot.TaskRequest {
	task := earshot.TaskRequest{TaskType: q.provider.TaskType, Payload: q.payload, Priority: q.priority, IdempotencyKey: q.key}
	if q.webhook != "" {
		task.Webhook = &earshot.WebhookRequest{URL: q.webhook}
	}
	return task
}
