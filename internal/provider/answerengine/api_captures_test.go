package answerengine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
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

// apiFacts is what a simple look at an answer's JSON finds.
type apiFacts struct {
	Model   string
	Letters string // letters and digits of the text, which Markdown does not change
	Links   []string
	Dates   []string
	Pills   []string // the pages that numbers in the text refer to
}

// captured has the fields of an answer, or of one chunk of a stream.
type captured struct {
	Model         string
	Citations     []string
	SearchResults []struct{ URL, Date string } `json:"search_results"`
	Choices       []struct {
		Delta   struct{ Content string }
		Message struct {
			Content     string
			Annotations []struct {
				Cited struct{ URL string } `json:"url_citation"`
			}
		}
	}
}

var citation = regexp.MustCompile(`\[([0-9]+)\]`)

// factsIn returns the facts of an answer. The last chunk that has a field wins.
func factsIn(t *testing.T, body []byte) apiFacts {
	t.Helper()
	var found apiFacts
	var text, whole string
	var cited []string
	pieces := [][]byte{body}
	if !json.Valid(body) {
		pieces = bytes.Split(body, []byte("\n"))
	}
	for _, piece := range pieces {
		piece = bytes.TrimPrefix(bytes.TrimSpace(piece), []byte("data: "))
		if len(piece) == 0 {
			continue
		}
		var c captured
		if err := json.Unmarshal(piece, &c); err != nil {
			t.Fatal(err)
		}
		found.Model, cited = c.Model, c.Citations
		found.Links, found.Dates = nil, nil
		for _, result := range c.SearchResults {
			if result.URL != "" {
				found.Links = append(found.Links, result.URL)
				found.Dates = append(found.Dates, result.Date)
			}
		}
		text += c.Choices[0].Delta.Content
		whole = c.Choices[0].Message.Content
		for _, note := range c.Choices[0].Message.Annotations {
			cited = append(cited, note.Cited.URL)
		}
	}
	if whole != "" {
		text = whole
	}
	for _, match := range citation.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(match[1]); err == nil && n >= 1 && n <= len(cited) {
			found.Pills = append(found.Pills, cited[n-1])
		}
	}
	for _, link := range cited {
		if !slices.Contains(found.Links, link) {
			found.Links = append(found.Links, link)
			found.Dates = append(found.Dates, "")
		}
	}
	found.Letters = providertest.Letters(citation.ReplaceAllString(text, ""))
	return found
}

// factsOf returns the same facts of an answer that was read.
func factsOf(a *earshot.Answer) apiFacts {
	found := apiFacts{Model: *a.Model, Letters: providertest.Letters(a.Text)}
	for _, source := range a.Sources {
		found.Links = append(found.Links, source.URL)
		found.Dates = append(found.Dates, source.DatePublished)
	}
	for _, pill := range a.CitationPills {
		found.Pills = append(found.Pills, pill.URL)
	}
	return found
}

// TestAPICaptures compares what is read from captured answers with what a simple look at their JSON
// finds.
func TestAPICaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "api_answerengine/*") {
		for i, e := range providertest.Exchanges(t, path) {
			if e.Method == http.MethodGet {
				continue // a page that the question is about
			}
			t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
				t.Parallel()
				if e.Status != 200 {
					if _, err := parse(e.Body); err == nil || providertest.Reason(t, err) != string(earshot.ReasonBlocked) {
						t.Errorf("an error answer is read as: %v", err)
					}
					return
				}
				a := providertest.Yields(t, parse, e.Body)
				if diff := cmp.Diff(factsIn(t, e.Body), factsOf(a)); diff != "" {
					t.Errorf("(-JSON +read):\n%s", diff)
				}
				providertest.CheckNoMarkup(t, a.Text)
			})
		}
	}
}
