package genassistant_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/test/captures"
)

// TestCaptures reads pages of the real site. They are not our fixtures, so the test checks only
// what must hold for all of them.
func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "web_pages/*gemini*.html") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			result, err := parse(document)
			if err != nil {
				// A fragment of an answer is not readable.
				if !bytes.Contains(document, []byte("<model-response")) && providertest.Reason(t, err) == string(earshot.ReasonUnreadable) {
					return
				}
				t.Fatal(err)
			}
			providertest.Check(t, result)
			a := providertest.Answer(t, result)
			providertest.CheckNoMarkup(t, a.Text)
			if a.Model == nil || len(a.Text) < 20 || a.Markdown == "" {
				t.Errorf("model %v, text %q", a.Model, a.Text)
			}
		})
	}
}

// TestCapturedStreams reads streams of the real site and compares them with a simple look at their
// lines.
func TestCapturedStreams(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "web_genassistant/*.json") {
		for i, e := range providertest.Exchanges(t, path) {
			t.Run(fmt.Sprint(filepath.Base(path), i), func(t *testing.T) {
				t.Parallel()
				want := said(e.Body)
				result, err := parse(e.Body)
				if want == "" {
					if err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnreadable) {
						t.Errorf("got %v, %v from a stream without an answer", result, err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				providertest.Check(t, result)
				a := providertest.Answer(t, result)
				if a.Model == nil || a.Markdown != want || len(a.Text) < len(want)/2 {
					t.Errorf("model %v, Markdown %q, text %q, want %q", a.Model, a.Markdown, a.Text, want)
				}
				providertest.CheckNoMarkup(t, a.Text)
			})
		}
	}
}

// drafts matches the beginning of the first draft's text in a message, which is JSON in JSON.
var drafts = regexp.MustCompile(`\[\["rc_[0-9a-f]+",\["((?:[^"\\]|\\.)*)"\]`)

// said returns the text of the last message that has a text.
func said(stream []byte) string {
	last := ""
	for line := range strings.Lines(string(stream)) {
		var frames [][]any
		if json.Unmarshal([]byte(line), &frames) != nil || len(frames[0]) < 3 {
			continue
		}
		message, _ := frames[0][2].(string)
		if found := drafts.FindStringSubmatch(message); found != nil {
			last, _ = strconv.Unquote(`"` + found[1] + `"`)
		}
	}
	return last
}

func TestFidelity(t *testing.T) {
	t.Parallel()
	const (
		ofThePage = "what the page asks beside the question: lists and limits"
		aCall     = "a call of a function, which is not offered"
	)
	unanswered := map[string]string{
		"samples_mermaid_gemini.html 0":                         "a diagram that was cut out of a page",
		"grounding_citations_when_search_is_enabled.yml 0":      "a token for the call that follows",
		"test_function_tools_with_builtin_tools.yaml 0":         aCall,
		"omits_include_server_side_tool_invocations.yaml 0":     aCall,
		"test_auto_mode_with_function_and_builtin_tools.yaml 0": aCall,
		"test_auto_mode_with_function_and_builtin_tools.yaml 1": aCall,
		"test_tool_output_with_builtin_tools.yaml 0":            aCall,
		"interactions___fixtures___google-search.chunks.txt 0":  "an answer of another API, which is not asked",
	}
	for _, i := range []int{0, 1, 2, 4, 5, 6, 7, 8, 9} {
		unanswered[fmt.Sprintf("fixtures_gemini.json %d", i)] = ofThePage
	}
	providertest.Fidelity(t, parse, unanswered, "web_genassistant/*", "web_pages/*gemini*", "api_genassistant/*")
}
