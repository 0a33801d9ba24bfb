package genassistant_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream"
)

// generated is an answer of generateContent.
type generated struct {
	Candidates []struct {
		Content struct {
			Parts []map[string]any `json:"parts"`
			Role  string           `json:"role,omitempty"`
		} `json:"content"`
		FinishReason      string          `json:"finishReason,omitempty"`
		GroundingMetadata json.RawMessage `json:"groundingMetadata,omitempty"`
	} `json:"candidates"`
	UsageMetadata json.RawMessage `json:"usageMetadata,omitempty"`
	ModelVersion  string          `json:"modelVersion,omitempty"`
}

// chunksOf splits a whole answer into the chunks of a stream: a few characters of text in each, and
// everything else in the last one.
func chunksOf(t *testing.T, whole []byte) []string {
	t.Helper()
	var g generated
	if err := json.Unmarshal(whole, &g); err != nil {
		t.Fatal(err)
	}
	var chunks []string
	add := func(g generated) {
		chunk, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, string(chunk))
	}
	for _, part := range g.Candidates[0].Content.Parts {
		for _, piece := range piecesOf(part) {
			next := generated{ModelVersion: g.ModelVersion, UsageMetadata: g.UsageMetadata}
			next.Candidates = slices.Clone(g.Candidates[:1])
			next.Candidates[0].FinishReason, next.Candidates[0].GroundingMetadata = "", nil
			next.Candidates[0].Content.Parts = []map[string]any{piece}
			add(next)
		}
	}
	last := g
	last.Candidates = slices.Clone(g.Candidates)
	last.Candidates[0].Content.Parts = []map[string]any{{"text": ""}}
	add(last)
	return chunks
}

func piecesOf(part map[string]any) []map[string]any {
	text, ok := part["text"].(string)
	if !ok {
		return []map[string]any{part}
	}
	var pieces []map[string]any
	for len(text) > 0 {
		end := min(7, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		piece := map[string]any{"text": text[:end]}
		if part["thought"] == true {
			piece["thought"] = true
		}
		pieces = append(pieces, piece)
		text = text[end:]
	}
	return pieces
}

// streams lists the formats in which a stream can be stored.
var streams = map[string]func(chunks []string) string{
	"event stream": func(chunks []string) string { return "data: " + strings.Join(chunks, "\r\n\r\ndata: ") + "\r\n\r\n" },
	"JSON lines":   func(chunks []string) string { return strings.Join(chunks, "\n") + "\n" },
	"JSON list":    func(chunks []string) string { return "[" + strings.Join(chunks, "\n,\n") + "\n]\n" },
}

func TestAPIStreamsEqualWholeAnswers(t *testing.T) {
	t.Parallel()
	whole := providertest.Stored(t, "testdata/api_plain.json")
	want := providertest.Yields(t, parse, whole)
	for form, write := range streams {
		stream := write(chunksOf(t, whole))
		if diff := cmp.Diff(want, providertest.Yields(t, parse, []byte(stream))); diff != "" {
			t.Errorf("as %s (-whole +streamed):\n%s", form, diff)
		}
		cut, err := parse([]byte(stream[:len(stream)/2]))
		if err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnavailable) {
			t.Errorf("as %s, cut off: %v, %v", form, cut, err)
		}
	}
}

// TestAPIClaimsInCode checks that a claim which ends inside code gets a chip and leaves the code
// unchanged.
func TestAPIClaimsInCode(t *testing.T) {
	t.Parallel()
	a := providertest.Yields(t, parse, []byte(`{"candidates":[{"content":{"parts":[{"text":"See:\n\n`+"```\\n{\\\"a\\\": 1}\\n```"+`\n"}]},"finishReason":"STOP","groundingMetadata":{`+
		`"groundingChunks":[{"web":{"uri":"https://a.example/","title":"A"}}],"groundingSupports":[{"segment":{"startIndex":10,"endIndex":18},"groundingChunkIndices":[0]}]}}]}`))
	if len(a.CitationPills) != 1 || !strings.Contains(a.Markdown, "```\n{\"a\": 1}\n```") || a.Text != "See:\n\n{\"a\": 1}" {
		t.Errorf("%d pills, Markdown %q, text %q", len(a.CitationPills), a.Markdown, a.Text)
	}
}

// TestAPIRepeatedGrounding repeats the grounding metadata in a stream.
func TestAPIRepeatedGrounding(t *testing.T) {
	t.Parallel()
	whole := providertest.Stored(t, "testdata/api_plain.json")
	chunks := chunksOf(t, whole)
	last := chunks[len(chunks)-1]
	early := strings.Replace(last, `"finishReason":"STOP",`, "", 1)
	repeated := slices.Concat(chunks[:len(chunks)-1], []string{early, last})
	if diff := cmp.Diff(providertest.Yields(t, parse, whole), providertest.Yields(t, parse, []byte(streams["event stream"](repeated)))); diff != "" {
		t.Errorf("(-once +repeated):\n%s", diff)
	}
}

func TestAPIBlocksAreFinal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"api_blocked.sse", "api_blocked_prompt.json"} {
		_, err := parse(providertest.Stored(t, "testdata/"+name))
		if failure, ok := errors.AsType[*upstream.Failure](err); !ok || !failure.Final || failure.Reason != earshot.ReasonBlocked {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPIHostile(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	whole := func(text, metadata string) string {
		return `{"candidates":[{"content":{"parts":[{"text":"` + text + `"}]},"finishReason":"STOP","groundingMetadata":{` + metadata + `}}]}`
	}
	chunk := `{"web":{"uri":"https://a.test/` + rep("x", 3000) + `","title":"` + rep("t", 3000) + `"}}`
	support := `{"segment":{"startIndex":1,"endIndex":2},"groundingChunkIndices":[` + rep("0,", 30) + `0]}`
	var pages, supports strings.Builder
	for i := range 20 {
		fmt.Fprintf(&pages, `{"web":{"uri":"https://a.test/%d/%s"}},`, i, rep("x", 3000))
	}
	for i := range 500 {
		fmt.Fprintf(&supports, `{"segment":{"endIndex":%d},"groundingChunkIndices":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]},`, i)
	}
	documents := map[string]string{
		"many links":       whole(rep("word ", 500), `"groundingChunks":[`+pages.String()+chunk+`],"groundingSupports":[`+supports.String()+support+`]`),
		"wrong kinds":      `{"candidates":{"0":[]},"promptFeedback":[],"usageMetadata":1,"error":null}`,
		"wrong parts":      `{"candidates":[{"content":{"parts":[1,{"text":2},{"text":["x"]},null]},"finishReason":7}]}`,
		"wrong offsets":    whole("äöü", `"groundingChunks":[{"web":{"uri":"https://a.test/"}}],"groundingSupports":[{"segment":{"startIndex":-5,"endIndex":1e300,"partIndex":-1},"groundingChunkIndices":[0,-1,1e99,"0"]},{"segment":{"startIndex":9,"endIndex":1},"groundingChunkIndices":[0]},{"segment":{"endIndex":1,"partIndex":99},"groundingChunkIndices":[0]}]`),
		"many supports":    whole(rep("word ", 20_000), `"groundingChunks":[`+chunk+`],"groundingSupports":[`+rep(support+",", 5000)+support+`]`),
		"absent stretches": whole(rep("a", 100_000), `"groundingChunks":[`+chunk+`],"groundingSupports":[`+rep(`{"segment":{"endIndex":3,"text":"`+rep("a", 500)+`b"},"groundingChunkIndices":[0]},`, 600)+support+`]`),
		"many queries":     whole("x", `"webSearchQueries":["a`+rep(`","b`, 100_000)+`"]`),
		"private use":      whole(rep(`\ue202`, 80_000), `"groundingChunks":[`+chunk+`],"groundingSupports":[`+support+`]`),
		"own marks":        whole(`a\ue2000\ue201b\ue200`, `"groundingChunks":[`+chunk+`],"groundingSupports":[`+support+`]`),
		"other links":      whole("x", `"groundingChunks":[{"web":{"uri":"javascript:alert(1)"}},{"web":{"uri":"//x"}},{"web":{}}],"groundingSupports":[`+support+`]`),
		"deep":             `{"candidates":` + rep("[", 100_000),
		"many objects":     rep(`{"candidates":[]}`, 100_000),
		"list of lists":    rep("[", 100_000) + `{"candidates":[]}`,
	}
	for name, document := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Survives(t, document, parse)
		})
	}
}

// TestOtherDocumentsAreNotReadAsAPIAnswers checks that other documents are not read as answers of the API.
func TestOtherDocumentsAreNotReadAsAPIAnswers(t *testing.T) {
	t.Parallel()
	for _, document := range []string{`{"error":"no"}`, `{"a":{"candidates":1}}`, "candidates", ")]}'\n\n[[\"candidates\"]]", "data: 1\n\n"} {
		if _, err := parse([]byte(document)); err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnreadable) {
			t.Errorf("%s: %v", document, err)
		}
	}
}
