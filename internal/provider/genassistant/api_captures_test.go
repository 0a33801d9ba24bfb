package genassistant_test

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
	"earshot/internal/provider/providertest"
	"earshot/test/captures"
)

// apiFacts is what a simple look at an answer's JSON finds.
type apiFacts struct {
	Model   string
	Letters string // letters and digits of the text, which Markdown does not change
	Queries []string
	Links   []string // of all sources, in order
	Chips   [][]string
}

// captured has the fields of an answer, or of one chunk of a stream.
type captured struct {
	ModelVersion string
	Candidates   []struct {
		FinishReason string
		Content      struct {
			Parts []struct {
				Text     string
				Thought  bool
				ToolCall struct{ Args struct{ Queries []string } }
			}
		}
		GroundingMetadata struct {
			WebSearchQueries  []string
			GroundingChunks   []struct{ Web struct{ URI string } }
			GroundingSupports []struct {
				Segment               struct{ EndIndex int }
				GroundingChunkIndices []int
			}
		}
	}
}

func factsIn(t *testing.T, body []byte) apiFacts {
	t.Helper()
	type chip struct {
		end   int
		links []string
	}
	var found apiFacts
	var called []string
	var chips []chip
	for _, object := range split(body) {
		var c captured
		if err := json.Unmarshal(object, &c); err != nil {
			t.Fatal(err)
		}
		found.Model = c.ModelVersion
		for _, candidate := range c.Candidates {
			for _, part := range candidate.Content.Parts {
				called = append(called, part.ToolCall.Args.Queries...)
				if !part.Thought {
					found.Letters += providertest.Letters(part.Text)
				}
			}
			about := candidate.GroundingMetadata
			found.Queries = append(found.Queries, about.WebSearchQueries...)
			for _, chunk := range about.GroundingChunks {
				found.Links = append(found.Links, chunk.Web.URI)
			}
			for _, support := range about.GroundingSupports {
				next := chip{end: support.Segment.EndIndex}
				for _, i := range support.GroundingChunkIndices {
					next.links = append(next.links, about.GroundingChunks[i].Web.URI)
				}
				chips = append(chips, next)
			}
		}
	}
	found.Queries = distinct(append(found.Queries, called...))
	found.Links = distinct(found.Links)
	slices.SortStableFunc(chips, func(a, b chip) int { return a.end - b.end })
	for _, chip := range chips {
		found.Chips = append(found.Chips, distinct(chip.links))
	}
	return found
}

// factsOf returns the same facts of an answer that was read.
func factsOf(a *earshot.Answer) apiFacts {
	found := apiFacts{Model: *a.Model, Letters: providertest.Letters(a.Text), Queries: a.SearchQueries}
	for _, source := range a.Sources {
		found.Links = append(found.Links, source.URL)
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

// split returns the objects of a stream, or the only object.
func split(body []byte) [][]byte {
	if json.Valid(body) {
		return [][]byte{body}
	}
	var objects [][]byte
	for line := range bytes.Lines(body) {
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:"))); len(line) > 0 {
			objects = append(objects, line)
		}
	}
	return objects
}

// distinct returns the texts without duplicates, with spaces in URLs escaped.
func distinct(list []string) []string {
	var kept []string
	for _, text := range list {
		if strings.HasPrefix(text, "http") {
			text = strings.ReplaceAll(text, " ", "%20")
		}
		if text != "" && !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}

// TestAPICaptures compares what is read from captured answers with what a simple look at their JSON
// finds.
func TestAPICaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "api_genassistant/*") {
		for i, e := range providertest.Exchanges(t, path) {
			if strings.Contains(e.URL, "oauth2") || bytes.Contains(e.Body, []byte(`"event_type"`)) {
				continue // not an answer, or the answer to a call that we do not make
			}
			t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
				t.Parallel()
				body := e.Body
				want := factsIn(t, body)
				if want.Letters == "" {
					if _, err := parse(body); err == nil || providertest.Reason(t, err) != string(earshot.ReasonEmpty) {
						t.Errorf("an answer without text: %v", err)
					}
					return
				}
				a := providertest.Yields(t, parse, body)
				if diff := cmp.Diff(want, factsOf(a)); diff != "" {
					t.Errorf("(-JSON +read):\n%s", diff)
				}
				providertest.CheckNoMarkup(t, a.Text)
			})
		}
	}
}
