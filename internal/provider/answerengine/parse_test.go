package answerengine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/answerengine"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream/lab"
)

func parse(document []byte) (any, error) {
	return answerengine.Read(document, answer.Options{Country: "DE", Markdown: true})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
	providertest.Unanswered(t, parse, "lab.sse")
}

// entry returns a stream with one entry that has the text.
func entry(text string) []byte {
	data, _ := json.Marshal(text) // a string always marshals
	return fmt.Appendf(nil, `data: {"blocks":[{"intended_usage":"ask_text","markdown_block":{"answer":%s}},`+
		`{"intended_usage":"web_results","web_result_block":{"web_results":[{"url":"https://a.example/"}]}}],"final_sse_message":true}`+"\n\n", data)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, providertest.AnswerText, providertest.Within(entry, parse))
}

// TestHostileStreams parses streams that are designed to break this parser.
func TestHostileStreams(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	block := func(field string) string {
		return `data: {"blocks":[{"intended_usage":"ask_text",` + field + `}],"final_sse_message":true}` + "\n\n"
	}
	patches := func(list string) string {
		return block(`"diff_block":{"field":"markdown_block","patches":[` + list + `]}`)
	}
	for name, document := range map[string]string{
		"many citations":     string(entry(rep("word[1][1][1] ", 20_000))),
		"one long run":       string(entry(rep("[1]", 80_000))),
		"spaces":             string(entry(rep(" \t", 120_000) + "[1]")),
		"many ticks":         string(entry(rep("`a``b```", 30_000))),
		"growing text":       patches(`{"op":"replace","path":"","value":{"chunks":["x"]}}` + rep(`,{"op":"add","path":"/chunks/-","value":"x"}`, 50_000)),
		"insert at front":    patches(`{"op":"replace","path":"","value":{"chunks":["x"]}}` + rep(`,{"op":"add","path":"/chunks/0","value":"x"}`, 50_000)),
		"deep path":          patches(`{"op":"replace","path":"` + rep("/a", 100_000) + `","value":1}`),
		"patches of nothing": patches(rep(`{},`, 100_000) + `{}`),
		"deep blocks":        block(`"x":` + rep(`{"x":`, 9000) + `1` + rep(`}`, 9000)),
		"wrong kinds":        block(`"markdown_block":{"answer":["a"],"chunks":{"0":"b"},"chunk_starting_offset":1e300}`),
		"text in text":       `{"text":"` + rep(`[{\"step_type\":\"FINAL\"},`, 20_000) + `"}`,
		"many rows":          `data: {"blocks":[{"intended_usage":"ask_text","markdown_block":{"answer":"a[1]"}},{"intended_usage":"sources_answer_mode","sources_mode_block":{"rows":[` + rep(`{"citation":1e9,"web_result":{"url":"https://a.example/"}},`, 20_000) + `{"citation":-1}]}}],"final_sse_message":true}` + "\n\n",
		"many entries":       `[` + rep(`{"blocks":[{}],"updated_datetime":"1"},`, 40_000) + `0]`,
		"many places":        block(`"places":[` + rep(`{"name":"a","address":["b"]},`, 20_000) + `0]`),
		"many named places":  block(`"places":[` + numberedPlaces(5000) + `]`),
		"named marks":        string(entry(rep("word[a_file:9] ", 20_000))),
		"nested envelopes":   rep(`{"a":[`, 4000) + rep(`]}`, 4000),
		"wide envelope":      `{"a":[` + rep(`{"b":0},`, 200_000) + `0]}`,
	} {
		t.Run(name, func(t *testing.T) { providertest.Survives(t, document, parse) })
	}
}

// numberedPlaces returns places with different names.
func numberedPlaces(count int) string {
	places := make([]string, count)
	for i := range places {
		places[i] = fmt.Sprintf(`{"name":"place %d"}`, i)
	}
	return strings.Join(places, ",")
}

func FuzzParse(f *testing.F) {
	providertest.Fuzz(f, providertest.AnswerText, providertest.Within(entry, parse))
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChat(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, answerengine.New())
}

func TestLabSite(t *testing.T) {
	providertest.LabSite{
		Provider: answerengine.New(),
		Read:     answerengine.Read,
		Pages:    []string{"/?q="},
		Box:      `textarea#ask-input`,
		Button:   `button[data-testid="submit-button"]`,
		Thread:   `main`,
		Done:     `.conversation [id^="markdown-content-"] ~ * button[aria-label="Copy"]`,
		Stream: &providertest.LabStream{
			Path:     "/rest/sse/perplexity_ask",
			Question: func(prompt string) any { return map[string]string{"query_str": prompt} },
			Wrong:    `{"query_str":1}`,
			Type:     lab.TypeEvents,
			End:      "event: end_of_stream\r\ndata: {}\r\n\r\n",
		},
	}.Check(t)
}

// TestRecordedStreamMustBeComplete reads the events of a stream that a tool stored as a list. The answer
// counts only if an event says that it is complete.
func TestRecordedStreamMustBeComplete(t *testing.T) {
	t.Parallel()
	event := func(status, text string) string {
		return `{"backend_uuid":"1","status":"` + status + `","blocks":[{"intended_usage":"ask_text","markdown_block":{"answer":"` + text + `"}}]}`
	}
	_, err := parse([]byte(`{"chunks":[` + event("PENDING", "Lamps") + `,` + event("PENDING", "Lamps are") + `]}`))
	if err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnavailable) {
		t.Errorf("all pending: %v", err)
	}
	result, err := parse([]byte(`{"chunks":[` + event("PENDING", "Lamps") + `,` + event("COMPLETED", "Lamps are bright.") + `]}`))
	if found, ok := result.(*earshot.Answer); err != nil || !ok || found.Text != "Lamps are bright." {
		t.Errorf("complete: %+v, %v", result, err)
	}
}
