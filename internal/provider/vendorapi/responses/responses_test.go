package responses_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"earshot/internal/provider/answer"
	"earshot/internal/provider/providertest"
	"earshot/internal/provider/vendorapi/responses"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(document []byte) (any, error) {
	return responses.Read(document, answer.Options{Country: "US", Markdown: true})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
}

// TestStreamsEqualResponses turns each stored response into streams, which must be read like the
// response.
func TestStreamsEqualResponses(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "parts", "posts", "unplaced", "places", "commentary"} {
		document := read(t, name+".json")
		want, err := parse(document)
		if err != nil {
			t.Fatal(err)
		}
		var response map[string]any
		if err := json.Unmarshal(document, &response); err != nil {
			t.Fatal(err)
		}
		for form, stream := range streams(t, response) {
			got, err := parse([]byte(stream))
			if err != nil {
				t.Fatalf("%s as %s: %v", name, form, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s as %s differs (-response +stream):\n%s", name, form, diff)
			}
			if !responses.Recognises([]byte(stream)) {
				t.Errorf("%s as %s is not recognised", name, form)
			}
		}
	}
}

// streams returns the forms in which servers stream a response.
func streams(t *testing.T, response map[string]any) map[string]string {
	t.Helper()
	sparse := map[string]any{}
	for field, value := range response {
		sparse[field] = value
	}
	sparse["output"] = []any{}
	return map[string]string{
		"events":              encode(t, "data: %s\n\n", events(response, true, response)),
		"lines":               encode(t, "%s\n", events(response, true, response)),
		"no output at last":   encode(t, "data: %s\n\n", events(response, true, sparse)),
		"messages not closed": encode(t, "data: %s\n\n", events(response, false, sparse)),
		"ended twice":         encode(t, "data: %s\n\n", events(response, true, response)) + "data: [DONE]\n\n",
	}
}

func encode(t *testing.T, form string, events []map[string]any) string {
	t.Helper()
	var stream strings.Builder
	for _, event := range events {
		data, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&stream, form, data)
	}
	return stream.String()
}

// events returns the events that describe a response. Unless closed, no event contains a finished
// message: its text comes only in deltas.
func events(response map[string]any, closed bool, last map[string]any) []map[string]any {
	told := []map[string]any{{"type": "response.created", "response": map[string]any{"object": "response", "status": "in_progress"}}}
	output, _ := response["output"].([]any)
	for i, item := range output {
		item, _ := item.(map[string]any)
		parts, _ := item["content"].([]any)
		if phase := item["phase"]; phase != nil {
			opened := map[string]any{"type": "message", "role": "assistant", "phase": phase, "content": []any{}}
			told = append(told, map[string]any{"type": "response.output_item.added", "output_index": i, "item": opened})
		}
		for j, part := range parts {
			told = append(told, pieces(i, j, part)...)
		}
		if closed || parts == nil {
			told = append(told, map[string]any{"type": "response.output_item.done", "output_index": i, "item": item})
		}
	}
	return append(told, map[string]any{"type": "response.completed", "response": last})
}

// pieces returns the events of a part, one delta for each character.
func pieces(item, index int, part any) []map[string]any {
	var told []map[string]any
	event := func(kind, field string, value any) {
		told = append(told, map[string]any{"type": "response.output_text." + kind, "output_index": item, "content_index": index, field: value})
	}
	content, _ := part.(map[string]any)
	text, _ := content["text"].(string)
	for _, letter := range text {
		event("delta", "delta", string(letter))
	}
	annotations, _ := content["annotations"].([]any)
	for _, annotation := range annotations {
		event("annotation.added", "annotation", annotation)
	}
	return told
}

// TestCitationPositionsInUTF16 counts the positions of citations in UTF-16 units, as some servers might.
// Each citation must stay with its mark.
func TestCitationPositionsInUTF16(t *testing.T) {
	t.Parallel()
	document := read(t, "plain.json")
	want, err := parse(document)
	if err != nil {
		t.Fatal(err)
	}
	var whole any
	if err := json.Unmarshal(document, &whole); err != nil {
		t.Fatal(err)
	}
	recount(whole, nil)
	document, err = json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-characters +UTF-16):\n%s", diff)
	}
}

// recount converts positions in the text from characters to UTF-16 units.
func recount(value any, text []rune) {
	switch v := value.(type) {
	case []any:
		for _, inner := range v {
			recount(inner, text)
		}
	case map[string]any:
		if said, ok := v["text"].(string); ok {
			text = []rune(said)
		}
		for field, inner := range v {
			if place, ok := inner.(float64); ok && strings.HasSuffix(field, "_index") {
				v[field] = len(utf16.Encode(text[:int(place)]))
			}
			recount(inner, text)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestRecognises(t *testing.T) {
	t.Parallel()
	for _, path := range providertest.Documents(t) {
		name := filepath.Base(path)
		if got, want := responses.Recognises(read(t, name)), name != "garbage.txt"; got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
	for _, folder := range []string{"chatassistant", "socialassistant", "answerengine"} {
		others, err := filepath.Glob(filepath.Join("..", "..", folder, "testdata", "*"))
		if err != nil || len(others) == 0 {
			t.Fatalf("no documents of %s (%v)", folder, err)
		}
		for _, path := range others {
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			agent := strings.HasPrefix(filepath.Base(path), "agent") && !strings.HasSuffix(path, "error.sse") // Perplexity's Agent API has the same envelope
			if responses.Recognises(document) != agent && !strings.HasSuffix(path, ".golden") {
				t.Errorf("%s is recognised: %t", path, !agent)
			}
		}
	}
	for _, document := range []string{
		"", "{}", "[]", `{"output":"text"}`, `{"output":[{"kind":"message"}]}`, `{"error":"no"}`, `{"error":{"message":"no"}}`,
		`{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}`,
		`{"error":{"message":"too long","type":"too_many_prompt_tokens","code":400}}`,
		`{"error":{"code":8,"message":"too many requests","details":[]}}`,
		`{"type":"error"}`, `{"mapping":{},"title":"x"}`,
		`data: {"id":"1","object":"chat.completion.chunk","choices":[]}` + "\n\n",
		"event: delta\n" + `data: {"p":"","o":"add","v":{"message":{}}}` + "\n\n",
	} {
		if responses.Recognises([]byte(document)) {
			t.Errorf("%q is recognised", document)
		}
	}
}
