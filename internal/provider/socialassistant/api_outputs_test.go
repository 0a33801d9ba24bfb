package socialassistant_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/provider/providertest"
)

// TestChunksEqualOutputs tells stored answers in chunks, and wants them to be read
// as the whole is.
func TestChunksEqualOutputs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"outputs", "outputs_long", "outputs_empty"} {
		document, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		stream := chunksOf(t, document)
		want, wantErr := parse(document)
		for form, stream := range map[string]string{
			"lines":  strings.Join(stream, "\n"),
			"events": "data: " + strings.Join(stream, "\n\ndata: ") + "\n\n",
			"list":   "[" + strings.Join(stream, ",") + "]",
		} {
			got, err := parse([]byte(stream))
			if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s as %s: %v, want %v (-whole +chunks):\n%s", name, form, err, wantErr, diff)
			}
		}
	}
}

// chunksOf tells an answer letter by letter, and what else an output has with the
// last letter.
func chunksOf(t *testing.T, document []byte) []string {
	t.Helper()
	var whole map[string]any
	if err := json.Unmarshal(document, &whole); err != nil {
		t.Fatal(err)
	}
	var chunks []string
	add := func(chunk map[string]any) {
		data, err := json.Marshal(chunk)
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, string(data))
	}
	list, _ := whole["outputs"].([]any)
	for _, o := range list {
		output, _ := o.(map[string]any)
		message, _ := output["message"].(map[string]any)
		text, _ := message["content"].(string)
		for _, letter := range text {
			delta := map[string]any{"role": message["role"], "content": string(letter)}
			add(map[string]any{"model": whole["model"], "outputs": []any{map[string]any{"index": output["index"], "delta": delta}}})
		}
		delete(message, "content")
		delete(output, "message")
		output["delta"] = message
		add(map[string]any{"outputs": []any{output}})
	}
	add(map[string]any{"citations": whole["citations"], "model": whole["model"], "outputs": []any{}})
	return chunks
}

// TestHostileOutputs parses answers that were made to break this parser.
func TestHostileOutputs(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	message := func(fields string) string {
		return `{"outputs":[{"finish_reason":"REASON_STOP","message":{"role":"ROLE_ASSISTANT",` + fields + `}}]}`
	}
	for name, document := range map[string]string{
		"many marks":     message(`"content":"` + rep(`a[[1]](https://a.example/) `, 2000) + `"`),
		"many chunks":    rep(`{"outputs":[{"delta":{"role":"ROLE_ASSISTANT","content":"x"}}]}`+"\n", 40_000),
		"many indices":   `{"outputs":[` + rep(`{"index":1e300,"delta":{"role":"ROLE_ASSISTANT"}},`, 40_000) + `0]}`,
		"many calls":     message(`"tool_calls":[` + rep(`{"function":{"name":"web_search","arguments":"{\"query\":\"a\"}"}},`, 20_000) + `0],"content":"x"`),
		"deep arguments": message(`"tool_calls":[{"function":{"name":"web_search","arguments":"` + rep("[", 100_000) + `"}}],"content":"x"`),
		"many citations": message(`"citations":[` + rep(`{"web_citation":{"url":"https://a.example/"},"start_index":1,"end_index":2},`, 20_000) + `0],"content":"some text"`),
		"wrong kinds": message(`"content":{},"tool_calls":{},"citations":[0,{"web_citation":7},{"x_citation":{"url":{}}}]`) +
			`{"model":{},"citations":[{},7,[]],"outputs":[7,{},{"index":"x","message":[]},{"index":-7,"delta":{"role":7,"content":7},"finish_reason":{}}]}`,
		"no role told": `{"outputs":[{"delta":{"role":"ROLE_"}}]}` + "\n" + `{"outputs":[{"delta":{"content":"x"},"finish_reason":"REASON_STOP"}]}`,
		"deep":         `{"outputs":[{"message":{"role":"ROLE_ASSISTANT","content":"x","citations":` + rep("[", 9000) + rep("]", 9000) + `}}]}`,
	} {
		t.Run(name, func(t *testing.T) { providertest.Survives(t, document, parse) })
	}
}
