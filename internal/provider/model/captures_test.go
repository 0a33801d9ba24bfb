package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/test/captures"
)

// facts is what a simple look at the JSON of an answer finds.
type facts struct {
	Model   string
	Letters string // letters and digits of the text, which Markdown does not change
	Links   []string
	Pills   []string // the pages that ranges and numbers in the text cite
}

// recorded has the fields of a whole answer, or of one chunk of a stream.
type recorded struct {
	Model   string
	Choices []struct{ Message, Delta part }
}

type part struct {
	Content     string
	Annotations []struct {
		Cited struct {
			URL        string
			Start, End int
		} `json:"url_citation"`
	}
}

var (
	numeral = regexp.MustCompile(`\[([0-9]+)\]`)
	mark    = regexp.MustCompile(`\(\[[^\]]*\]\([^)]*\)\)`)
)

func factsIn(t *testing.T, body []byte) facts {
	t.Helper()
	var found facts
	text := ""
	pieces := [][]byte{body}
	if !json.Valid(body) {
		pieces = bytes.Split(body, []byte("\n"))
	}
	for _, piece := range pieces {
		piece = bytes.TrimSpace(bytes.TrimPrefix(piece, []byte("data:")))
		if !bytes.HasPrefix(piece, []byte("{")) {
			continue
		}
		// The recordings have the names start_index and end_index.
		piece = bytes.ReplaceAll(bytes.ReplaceAll(piece, []byte(`"start_index"`), []byte(`"start"`)), []byte(`"end_index"`), []byte(`"end"`))
		var r recorded
		if err := json.Unmarshal(piece, &r); err != nil {
			t.Fatal(err)
		}
		found.Model = r.Model
		for _, p := range []part{r.Choices[0].Message, r.Choices[0].Delta} {
			text += p.Content
			for _, note := range p.Annotations {
				if !slices.Contains(found.Links, note.Cited.URL) {
					found.Links = append(found.Links, note.Cited.URL)
				}
				if note.Cited.End > note.Cited.Start {
					found.Pills = append(found.Pills, note.Cited.URL)
				}
			}
		}
	}
	if found.Pills == nil && found.Links != nil {
		for _, match := range numeral.FindAllStringSubmatch(text, -1) {
			if n, err := strconv.Atoi(match[1]); err == nil && n >= 1 && n <= len(found.Links) {
				found.Pills = append(found.Pills, found.Links[n-1])
			}
		}
		text = numeral.ReplaceAllString(text, "")
	}
	found.Letters = providertest.Letters(mark.ReplaceAllString(text, ""))
	return found
}

// factsOf returns the same facts of an answer that was read.
func factsOf(a *earshot.Answer) facts {
	found := facts{Model: *a.Model, Letters: providertest.Letters(a.Text)}
	for _, source := range a.Sources {
		found.Links = append(found.Links, source.URL)
	}
	for _, pill := range a.CitationPills {
		found.Pills = append(found.Pills, pill.URL)
	}
	return found
}

// TestCaptures compares what is read from recorded answers of OpenRouter with what a simple look at
// their JSON finds.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "vendors/openrouter/*") {
		for i, e := range providertest.Exchanges(t, path) {
			t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
				t.Parallel()
				a := providertest.Yields(t, parse, e.Body)
				if diff := cmp.Diff(factsIn(t, e.Body), factsOf(a)); diff != "" {
					t.Errorf("(-JSON +read):\n%s", diff)
				}
				providertest.CheckNoMarkup(t, a.Text)
			})
		}
	}
}
