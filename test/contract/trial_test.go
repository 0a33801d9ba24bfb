package contract_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"earshot/test/captures"
	"earshot/test/harness"
)

// TestHostileTrials tries whatever a body can hold as names.
func TestHostileTrials(t *testing.T) {
	t.Parallel()
	n := harness.Start(t)
	a := n.Organization(t, "enterprise-5k", 10_000)
	n.Send(t, a, http.MethodPut, hatsPath, strings.Replace(goodTracker, `"prompts"`, `"brands":[{"name":"Ollaro"}],"prompts"`, 1)).Has(t, "apply", http.StatusOK)
	names := hatsPath + "/names/try"
	for line := range bytes.Lines(captures.Sample(t, "hostile_bodies.jsonl")) {
		var h hostileRow
		if err := json.Unmarshal(line, &h); err != nil {
			t.Fatal(err)
		}
		body, err := h.body()
		if err != nil {
			t.Fatalf("%s: %v", h.ID, err)
		}
		hostile(t, n, a, h.ID+" "+h.Why, "POST "+names, body, h.Headers, http.StatusBadRequest, http.StatusUnsupportedMediaType)
	}
	for _, name := range []string{"\x00", "\u202eabc", "a\u0301\u0301\u0301", "=cmd|' /C calc'!A0", "<script>", strings.Repeat("x", 200), "💥", "\ufffd", "ß", "[[fail]]", "**", "%"} {
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		if r := n.Post(t, a, names, `{"brand":"Ollaro","names":[`+string(quoted)+`]}`); r.StatusCode != http.StatusOK && r.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %d %s", name, r.StatusCode, r.Body)
		}
	}
	for body, field := range map[string]string{
		`{"names":["` + strings.Repeat("x", 201) + `"]}`: "names[0].name", `{"names":[" "]}`: "names[0].name", `{"names":"x"}`: "names", `{"names":[1]}`: "names[0]",
		`{"names":["x"],"limit":0}`: "limit", `{"names":["x"],"limit":5001}`: "limit", `{"names":[{"name":"x","match":{"within":101}}]}`: "names[0].match.within",
		`{"names":[{"name":"x","match":{"suffixes":["\u200b"]}}]}`: "names[0].match.suffixes[0]",
	} {
		n.Post(t, a, names, body).Invalid(t, body, http.StatusBadRequest, field)
	}
	unharmed(t, n)
}
