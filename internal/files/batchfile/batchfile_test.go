package batchfile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/files/batchfile"
)

// vectors are files with their rows and keys, which must stay the same in every release.
type vectors struct {
	TextFields map[string]string `json:"textFields"` // by provider
	Files      []vector          `json:"files"`
}

type vector struct {
	Name     string     `json:"name"`
	Format   string     `json:"format"`
	Run      string     `json:"run,omitempty"`
	Provider string     `json:"provider"` // for rows without a provider
	Country  string     `json:"country"`  // for rows without a place
	Text     string     `json:"text"`
	Rows     []expected `json:"rows"`
}

type expected struct {
	Line     int            `json:"line"`
	Provider string         `json:"provider"`
	Priority int            `json:"priority,omitempty"`
	Webhook  string         `json:"webhook,omitempty"`
	Key      string         `json:"key"`
	Payload  map[string]any `json:"payload"`
}

func readVectors(t *testing.T) (all vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// read returns the questions of a file with their keys.
func (v vector) read(t *testing.T, textFields map[string]string) (all []expected) {
	t.Helper()
	read := batchfile.ReadTable
	if v.Format == "ndjson" {
		read = batchfile.ReadObjects
	}
	rows, bad, err := read(strings.NewReader(v.Text))
	if err != nil || len(bad) > 0 {
		t.Fatalf("%s: %v, %v", v.Name, bad, err)
	}
	keys := batchfile.Keys{Run: v.Run}
	for _, row := range rows {
		q, err := row.Question()
		if err != nil {
			t.Fatalf("%s: line %d: %v", v.Name, row.Line, err)
		}
		one := expected{Line: row.Line, Provider: v.Provider, Priority: q.Priority, Webhook: q.Webhook, Key: q.Key}
		for name := range textFields {
			if taskType := strings.ToUpper(strings.ReplaceAll(name, "/", "_")); q.Provider == name || q.Provider == taskType {
				one.Provider = name
			}
		}
		payload := q.For(textFields[one.Provider], v.Country)
		if one.Key == "" {
			one.Key = keys.Next(one.Provider, payload)
		}
		// Convert numbers to the types of the vectors.
		text, err := json.Marshal(payload)
		if err == nil {
			err = json.Unmarshal(text, &one.Payload)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

func TestRowsAndKeysStayTheSame(t *testing.T) {
	t.Parallel()
	all := readVectors(t)
	keys := map[string]string{}
	for _, v := range all.Files {
		got := v.read(t, all.TextFields)
		if diff := cmp.Diff(v.Rows, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", v.Name, diff)
		}
		for _, row := range got {
			if len(row.Key) != len("earshot-batch-")+40 && row.Key != "mine" {
				t.Errorf("%s: line %d has the key %s", v.Name, row.Line, row.Key)
			}
			keys[row.Key] = v.Name
		}
	}
	// A table row and a JSON object with the same content have the same key.
	if first, last := all.Files[0].Rows[0].Key, all.Files[4].Rows[0].Key; first != last {
		t.Errorf("a table's row has the key %s, the object %s", first, last)
	}
	if len(keys) < 10 {
		t.Errorf("there are only %d keys", len(keys))
	}
}

func TestReadDetectsTheFormat(t *testing.T) {
	t.Parallel()
	prompts := func(rows []batchfile.Row) (all []string) {
		for _, row := range rows {
			all = append(all, fmt.Sprintf("%d %v", row.Line, row.Fields["prompt"]))
		}
		return all
	}
	for _, tt := range []struct {
		name, text, format string
		want               []string
	}{
		{"objects", "\ufeff {\"prompt\":\"a\"}\n", "", []string{"1 a"}},
		{"objects by their name", "\n{\"prompt\":\"a\"}\n", batchfile.FormatObjects, []string{"2 a"}},
		{"a table by its header", "country;PROMPT\nDE;a, b\n", "", []string{"2 a, b"}},
		{"a list of prompts", "\ufeffshoes, red\n\n\"two\nlines\"\n5\" pipe\r\n", "", []string{"1 shoes, red", "3 two\nlines", "5 5\" pipe"}},
		{"lines as they are", "{\"prompt\"}\r\n \r\"one\nprompt, country", batchfile.FormatLines, []string{`1 {"prompt"}`, `3 "one`, "4 prompt, country"}},
		{"nothing", " \n", "", nil},
	} {
		rows, bad, err := batchfile.Read(tt.text, tt.format)
		if diff := cmp.Diff(tt.want, prompts(rows)); diff != "" || err != nil || len(bad) > 0 {
			t.Errorf("%s: %v, %v, (-want +got):\n%s", tt.name, err, bad, diff)
		}
	}
}

func TestInvalidRows(t *testing.T) {
	t.Parallel()
	_, bad, err := batchfile.ReadTable(strings.NewReader("prompt,include,include.html\nx,{\"html\":true},\ny\nz,7,1\n"))
	want := []batchfile.Problem{{3, "the row has 1 cells, but the header has 3"}, {4, "include.html: include is not an object"}}
	if diff := cmp.Diff(want, bad); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for text, want := range map[string]string{
		`{"provider":7}`:                           "provider must be a provider's name",
		`{"prompt":"x","priority":11}`:             "priority must be from 1 to 10",
		`{"prompt":"x","priority":1.5}`:            "priority must be from 1 to 10",
		`{"prompt":"x","webhook":{}}`:              "webhook must be a URL",
		`{"prompt":"x","idempotencyKey":1}`:        "idempotencyKey must be a string",
		`{"payload":{"prompt":"x"},"pages":2}`:     "pages is outside of payload: move it into payload or remove it",
		`{"prompt":"x","include":1,"include.b":1}`: "include.b: include is not an object",
		`{"a.b.c.d.e.f.g.h.i.j":1}`:                "a.b.c.d.e.f.g.h.i.j: a name may have at most 8 dots",
		`[1]`:                                      "the line is not a JSON object",
	} {
		rows, bad, err := batchfile.ReadObjects(strings.NewReader(text))
		got := ""
		switch {
		case err != nil:
			t.Error(err)
		case len(bad) > 0:
			got = bad[0].Reason
		default:
			if _, err := rows[0].Question(); err != nil {
				got = err.Error()
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
