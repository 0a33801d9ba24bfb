package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"earshot"
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
	key      string
	price    int64 // its maximum cost
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
	in := bufio.NewReader(from)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" { // spreadsheets write one
		_, _ = in.Discard(len(mark))
	}
	switch ending {
	case ".csv", ".tsv":
		rows, bad, err = readTable(in)
	case ".jsonl", ".ndjson":
		rows, bad, err = readObjects(in)
	default:
		return nil, nil, fmt.Errorf("%s: the name must end in .csv, .tsv, .jsonl or .ndjson, to say how it is to be read", path)
	}
	if err == nil && len(rows)+len(bad) == 0 {
		err = errors.New("there are no questions in it")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, bad, nil
}

// readTable reads a table with a header.
func readTable(in *bufio.Reader) (rows []row, bad []refused, err error) {
	table := csv.NewReader(in)
	table.Comma = separator(in)
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for i, name := range header {
		header[i] = knownName(strings.TrimSpace(name))
	}
	for {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			return rows, bad, nil
		}
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			return nil, nil, err
		}
		line, _ := table.FieldPos(0)
		if err != nil {
			bad = append(bad, refused{line: line, reason: fmt.Sprintf("it has %d cells and the header %d", len(cells), len(header))})
			continue
		}
		fields, err := cellFields(header, cells)
		if err != nil {
			bad = append(bad, refused{line: line, reason: err.Error()})
			continue
		}
		rows = append(rows, row{line, fields})
	}
}

// separator finds the separator of a table: spreadsheets differ by country.
func separator(in *bufio.Reader) rune {
	start, _ := in.Peek(in.Size()) // a shorter file is fine
	header, _, _ := bytes.Cut(start, []byte("\n"))
	for _, r := range ",;\t" {
		if bytes.ContainsRune(header, r) {
			return r
		}
	}
	return ','
}

// knownName corrects the letter case of names that matter here.
func knownName(name string) string {
	for _, known := range []string{"prompt", "query", "country", "provider", "taskType", "priority", "include"} {
		if strings.EqualFold(name, known) {
			return known
		}
	}
	return name
}

func cellFields(header, cells []string) (map[string]any, error) {
	fields := map[string]any{}
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		if cell == "" || header[i] == "" {
			continue
		}
		var err error
		if value := fieldValue(header[i], cell); header[i] == "include" && value == any(cell) {
			include(fields, strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",; ", r) })...)
		} else {
			err = setField(fields, header[i], value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", header[i], err)
		}
	}
	return fields, nil
}

// maxLine limits a line of a .jsonl file; the service accepts 1 MiB.
const maxLine = 2 << 20

// readObjects reads one JSON object a line.
func readObjects(in io.Reader) (rows []row, bad []refused, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var fields map[string]any
		if err := decoder.Decode(&fields); err != nil || fields == nil || decoder.More() {
			bad = append(bad, refused{line: number, reason: "it is no JSON object"})
			continue
		}
		rows = append(rows, row{number, fields})
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("line %d: %w", number+1, err)
	}
	return rows, bad, nil
}

// questions makes a question of the row for each provider and country: its own, or else
// the given ones.
func (r row) questions(providers []providerArg, countries []string) ([]*question, error) {
	fields := map[string]any{}
	for name, value := range r.fields {
		fields[name] = value
	}
	own, priority, err := takeEnvelope(fields)
	if err != nil {
		return nil, err
	}
	if own != nil {
		providers = []providerArg{*own}
	}
	if len(providers) == 0 {
		return nil, errors.New("it names no provider: add a column provider, or --providers")
	}
	if fields["country"] != nil || len(countries) == 0 {
		countries = []string{""}
	}
	var all []*question
	for _, p := range providers {
		for _, country := range countries {
			q := &question{row: r, provider: p.Definition, priority: priority, payload: map[string]any{}}
			for name, value := range fields {
				q.payload[name] = value
			}
			if country != "" {
				q.payload["country"] = country
			}
			q.placeText()
			all = append(all, q)
		}
	}
	return all, nil
}

// takeEnvelope removes from the fields what does not belong to the provider's request,
// and replaces a payload by its fields. own is nil if the row names no provider.
func takeEnvelope(fields map[string]any) (own *providerArg, priority int, err error) {
	for _, name := range []string{"provider", "taskType"} {
		if value, has := fields[name]; has {
			text, ok := value.(string)
			if !ok || text == "" {
				return nil, 0, fmt.Errorf("%s must be a provider's name", name)
			}
			if own == nil {
				own = &providerArg{}
				if err := own.UnmarshalText([]byte(text)); err != nil {
					return nil, 0, err
				}
			}
			delete(fields, name)
		}
	}
	if value, has := fields["priority"]; has {
		if priority, err = strconv.Atoi(fmt.Sprint(value)); err != nil || priority < 1 || priority > 10 {
			return nil, 0, errors.New("priority must be from 1 to 10")
		}
		delete(fields, "priority")
	}
	payload, ok := fields["payload"].(map[string]any)
	if !ok {
		return own, priority, nil
	}
	delete(fields, "payload")
	for name := range fields {
		return nil, 0, fmt.Errorf("%s stands beside payload: it belongs inside, or nowhere", name)
	}
	for name, value := range payload {
		fields[name] = value
	}
	return own, priority, nil
}

// placeText moves the text to the field in which the provider expects it.
func (q *question) placeText() {
	here := q.provider.TextField()
	other := map[string]string{"prompt": "query", "query": "prompt"}[here]
	if text, has := q.payload[other]; has && q.payload[here] == nil {
		q.payload[here] = text
		delete(q.payload, other)
	}
}

// country is where the question is asked from, "" where it does not say.
func (q *question) country() string {
	country, _ := q.payload["country"].(string)
	return country
}

// content identifies a question.
func (q *question) content(run string) string {
	text, _ := json.Marshal([]any{run, q.provider.Name, q.payload}) // it came from JSON or text
	return string(text)
}

// idempotencyKey is the key of the n-th question of that content. It does not
// depend on the line: rows can be added anywhere without paying for the others
// again.
func idempotencyKey(content string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", n, content))
	return "earshot-batch-" + hex.EncodeToString(sum[:20])
}

// task is the question as it is submitted.
func (q *question) task() earshot.TaskRequest {
	return earshot.TaskRequest{TaskType: q.provider.TaskType, Payload: q.payload, Priority: q.priority, IdempotencyKey: q.key}
}
