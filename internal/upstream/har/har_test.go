package har_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/upstream/har"
)

// saved returns a HAR file with these responses.
func saved(responses ...string) []byte {
	entries := make([]string, len(responses))
	for i, response := range responses {
		entries[i] = `{"request": {"method": "POST", "url": "https://site.test/ask"}, "response": ` + response + `}`
	}
	return []byte("\ufeff" + ` {"log": {"version": "1.2", "entries": [` + strings.Join(entries, ",") + "]}}\n")
}

func TestBodies(t *testing.T) {
	t.Parallel()
	const answer = `{"answer":"Käse <b>","id":"1"}`
	got := har.Bodies(saved(
		fmt.Sprintf(`{"status": 201, "headers": [{"name": "content-encoding", "value": "br"}], "content": {"mimeType": "application/json", "text": %q}}`, answer),
		fmt.Sprintf(`{"status": 200, "content": {"encoding": "base64", "text": %q}}`, base64.StdEncoding.EncodeToString([]byte(answer))),
		`{"status": 204, "content": {}}`,
		`{"status": 0, "content": {"text": "was not answered"}}`,
		`{"status": 200, "content": {"encoding": "base64", "text": "*"}}`,
		`{"status": "200"}`,
		`7`,
	))
	if diff := cmp.Diff([][]byte{[]byte(answer), []byte(answer), {}}, got); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
}

func TestOtherDocuments(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"nothing":      "",
		"page":         `<!doctype html><pre>{"log":{"entries":[]}}</pre>`,
		"event stream": "data: {\"log\":{\"entries\":[]}}\n\ndata: [DONE]\n\n",
		"answer":       `{"entries":[{"response":{"status":200,"content":{"text":"x"}}}]}`,
		"number":       "7",
		"deep":         `{"log":{"entries":` + strings.Repeat("[", 1_000_000),
		"cut":          string(saved(`{"status":200,"content":{"text":"x"}}`)[:100]),
		"too long":     string(saved(`{"status":200,"content":{"text":"` + strings.Repeat("x", 17<<20) + `"}}`)),
	} {
		if got := har.Bodies([]byte(document)); got != nil {
			t.Errorf("%s: got %d bodies", name, len(got))
		}
	}
}

func FuzzBodies(f *testing.F) {
	f.Add(saved(`{"status":200,"content":{"text":"x"}}`))
	f.Fuzz(func(_ *testing.T, document []byte) { har.Bodies(document) })
}
