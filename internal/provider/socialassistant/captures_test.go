package socialassistant_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/provider/providertest"
	"earshot/test/captures"
)

// TestCaptures reads documents of the real site. They are not our fixtures, so the test checks only
// what must hold for all of them.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "web_socialassistant/*.json") {
		for i, e := range providertest.Exchanges(t, path) {
			t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
				t.Parallel()
				a := providertest.Yields(t, parse, e.Body)
				providertest.CheckNoMarkup(t, a.Text)
				message, related := lastResponse(e.Body)
				if a.Model == nil || len(a.Text) < 20 || a.Markdown != message || !slices.Equal(a.RelatedQueries, related) {
					t.Errorf("model %v, related %q, want %q, Markdown %q, want %q", a.Model, a.RelatedQueries, related, a.Markdown, message)
				}
			})
		}
	}
}

// lastResponse returns the message of the last complete response in a stream, and the related
// questions in its lines.
func lastResponse(stream []byte) (message string, related []string) {
	for line := range strings.Lines(string(stream)) {
		var l struct {
			Result struct {
				outcome

				Response outcome `json:"response"`
			} `json:"result"`
		}
		if json.Unmarshal([]byte(line), &l) != nil {
			continue
		}
		for _, o := range []outcome{l.Result.outcome, l.Result.Response} {
			message = cmp.Or(o.Whole.Message, message)
			for _, suggestion := range o.Metadata.Suggestions {
				related = append(related, suggestion.Label)
			}
		}
	}
	return message, related
}

type outcome struct {
	Whole struct {
		Message string `json:"message"`
	} `json:"modelResponse"`
	Metadata struct {
		Suggestions []struct {
			Label string `json:"label"`
		} `json:"followUpSuggestions"`
	} `json:"finalMetadata"`
}

func TestCapturedPages(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "web_pages/*grok*.html") {
		a := providertest.Yields(t, parse, providertest.Stored(t, path))
		providertest.CheckNoMarkup(t, a.Text)
		if len(a.Text) < 20 || a.Markdown == "" {
			t.Errorf("%s: text %q", path, a.Text)
		}
	}
}

func TestFidelity(t *testing.T) {
	t.Parallel()
	const otherProtocol = "calls of gRPC, which is not asked"
	providertest.Fidelity(t, parse, map[string]string{
		"x_search_tool_stream.xai.yaml": otherProtocol, "xai_builtin_web_search_tool.xai.yaml": otherProtocol, "user_location_recorded.xai.yaml": otherProtocol,
	}, "web_socialassistant/*", "web_pages/*grok*", "api_socialassistant/*")
}
