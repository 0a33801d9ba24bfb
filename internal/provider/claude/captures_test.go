package claude_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/claude"
	"earshot/internal/provider/providertest"
	"earshot/test/captures"
)

// facts is what a simple look at the JSON of a response finds.
type facts struct {
	Model   string
	Letters string // letters and digits of the text, which Markdown does not change
	Queries []string
	Links   []string   // cited pages, in the order of their first use
	Quotes  []string   // the first quote of each cited page
	Chips   [][]string // the pages of each chip
}

type citation struct {
	URL   string
	Quote string `json:"cited_text"`
}

// recorded has the fields of a whole response, or of one event of a stream.
type recorded struct {
	Type, Model string
	StopReason  string `json:"stop_reason"`
	Content     []struct {
		Type, Text string
		Input      struct{ Query string }
		Citations  []citation
	}
	Message struct{ Model string }
	Block   struct{ Type string } `json:"content_block"`
	Delta   struct {
		Type, Text  string
		StopReason  string `json:"stop_reason"`
		PartialJSON string `json:"partial_json"`
		Citation    citation
	}
}

// factsIn returns the facts of a document, and its last stop reason.
func factsIn(t *testing.T, body []byte) (found facts, stop string) {
	t.Helper()
	input := ""
	var cited []citation
	chip := func() {
		var links []string
		for _, c := range cited {
			if !slices.Contains(links, c.URL) {
				links = append(links, c.URL)
			}
			if !slices.Contains(found.Links, c.URL) {
				found.Links = append(found.Links, c.URL)
				found.Quotes = append(found.Quotes, strings.Join(strings.Fields(c.Quote), " "))
			}
		}
		if links != nil {
			found.Chips = append(found.Chips, links)
		}
		cited = nil
	}
	query := func(text string) {
		if text != "" && !slices.Contains(found.Queries, text) {
			found.Queries = append(found.Queries, text)
		}
	}
	for _, object := range split(body) {
		var r recorded
		if err := json.Unmarshal(object, &r); err != nil {
			t.Fatal(err)
		}
		switch r.Type {
		case "message":
			found.Model, stop = r.Model, r.StopReason
			for _, block := range r.Content {
				found.Letters += providertest.Letters(block.Text)
				query(block.Input.Query)
				cited = block.Citations
				chip()
			}
		case "message_start":
			found.Model = r.Message.Model
		case "content_block_delta":
			found.Letters += providertest.Letters(r.Delta.Text)
			input += r.Delta.PartialJSON
			if r.Delta.Citation.URL != "" {
				cited = append(cited, r.Delta.Citation)
			}
		case "content_block_stop":
			var asked struct{ Query string }
			_ = json.Unmarshal([]byte(input), &asked)
			query(asked.Query)
			input = ""
			chip()
		case "message_delta":
			stop = r.Delta.StopReason
		}
	}
	return found, stop
}

// split returns the objects of a document: events, lines, or the only object.
func split(body []byte) (objects [][]byte) {
	if json.Valid(body) {
		return [][]byte{body}
	}
	for line := range bytes.Lines(body) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:")))
		if bytes.HasPrefix(line, []byte("{")) {
			objects = append(objects, line)
		}
	}
	return objects
}

// factsOf returns the same facts of an answer that was read.
func factsOf(a *earshot.Answer) facts {
	found := facts{Model: *a.Model, Letters: providertest.Letters(a.Text), Queries: a.SearchQueries}
	for _, source := range a.Sources {
		found.Links = append(found.Links, source.URL)
		found.Quotes = append(found.Quotes, source.Description)
	}
	last := ""
	for _, pill := range a.CitationPills {
		if pill.CitationPillID != last {
			found.Chips = append(found.Chips, nil)
			last = pill.CitationPillID
		}
		chip := &found.Chips[len(found.Chips)-1]
		*chip = append(*chip, pill.URL)
	}
	return found
}

// TestCaptures compares what is read from recorded responses with what a simple look at their JSON
// finds. A response that pauses is read together with the one that continues it.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "vendors/anthropic/*") {
		var before []byte
		for i, e := range providertest.Exchanges(t, path) {
			body := slices.Concat(before, e.Body)
			want, stop := factsIn(t, e.Body)
			before = nil
			if stop == "pause_turn" {
				before = slices.Concat(body, []byte("\n\n"))
				continue
			}
			if len(body) > len(e.Body) {
				want, _ = factsIn(t, bytes.ReplaceAll(body, []byte("\n\n"), []byte("\n")))
			}
			t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
				t.Parallel()
				a := providertest.Yields(t, parse, body)
				if diff := cmp.Diff(want, factsOf(a)); diff != "" {
					t.Errorf("(-JSON +read):\n%s", diff)
				}
				providertest.CheckNoMarkup(t, a.Text)
				trimmed := claude.New().Trim(body)
				if bytes.Contains(trimmed, []byte("encrypted_")) {
					t.Error("the trimmed document has encrypted content")
				}
				if diff := cmp.Diff(a, providertest.Yields(t, parse, trimmed)); diff != "" {
					t.Errorf("trimming changes the answer (-whole +trimmed):\n%s", diff)
				}
			})
		}
	}
}
