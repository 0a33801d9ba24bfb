package claude_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/claude"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(document []byte) (any, error) {
	return claude.Read(document, answer.Options{Country: "DE", Markdown: true})
}

// parseText parses a document, or a text within a message.
var parseText = providertest.Within(func(text string) []byte {
	data, _ := json.Marshal(text) // a string always marshals
	return fmt.Appendf(nil, `{"type":"message","stop_reason":"end_turn","content":[{"type":"text","text":%s,"citations":[{"url":"https://a.example/","title":"A"}]}]}`, data)
}, parse)

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, providertest.AnswerText, parseText)
	rep := strings.Repeat
	message := func(content string) string {
		return `{"type":"message","stop_reason":"end_turn","content":[` + content + `{"type":"text","text":"x"}]}`
	}
	cited := `{"url":"https://a.example/` + rep("x", 3000) + `","title":"` + rep("t", 3000) + `","cited_text":7},`
	for name, document := range map[string]string{
		"wrong kinds":     `{"type":"message","stop_reason":"end_turn","content":[7,[],{"type":7},{"type":"text","text":{},"citations":{}},{"type":"server_tool_use","input":[]},{"type":"web_search_tool_result","content":7}]}`,
		"many citations":  message(`{"type":"text","text":"a","citations":[` + rep(cited, 2000) + `0]},`),
		"many blocks":     message(rep(`{"type":"text","text":"a","citations":[{"url":"https://a.example/"}]},`, 40_000)),
		"many queries":    message(rep(`{"type":"server_tool_use","input":{"query":"a"}},`, 40_000)),
		"deltas alone":    rep(`{"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}}`+"\n", 9000),
		"wrong deltas":    `{"type":"message_start"}` + rep("\n"+`{"type":"content_block_start","content_block":{"type":"text","text":7}}`+"\n"+`{"type":"content_block_delta","delta":{"type":"citations_delta","citation":5}}`, 3000) + "\n" + `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
		"many messages":   rep(`{"type":"message","stop_reason":"pause_turn","content":[]}`+"\n", 40_000),
		"deep":            `{"type":"message","content":` + rep("[", 9000) + rep("]", 9000) + `}`,
		"too many events": strings.Repeat(`{"type":"ping"}`+"\n", 60_000),
	} {
		t.Run(name, func(t *testing.T) { providertest.Survives(t, document, parse) })
	}
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, providertest.AnswerText, parseText) }

func TestChat(t *testing.T) {
	t.Parallel()
	providertest.Chat(t, claude.New())
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	about := claude.New().Definition()
	if about.Name != "claude" || about.TaskType != "CLAUDE" || about.Prices[0].Credits != 4 || !about.Serves("US") || about.Serves("XX") {
		t.Errorf("%+v", about)
	}
}

func TestLabSite(t *testing.T) {
	providertest.LabSite{
		Provider: claude.New(),
		Read:     claude.Read,
		Stream: &providertest.LabStream{
			Path: "/messages",
			Question: func(prompt string) any {
				return map[string]any{"messages": []any{map[string]string{"role": "user", "content": prompt}}}
			},
			Wrong: `{"messages":[]}`,
			Type:  lab.TypeEvents,
			End:   `data: {"type":"message_stop"}` + "\n\n",
		},
	}.Check(t)
}

// TestFailures checks how a response that is no answer is classified.
func TestFailures(t *testing.T) {
	t.Parallel()
	message := func(stop, content string) string {
		return `{"type":"message","model":"m","stop_reason":` + stop + `,"content":[` + content + `]}`
	}
	const said = `{"type":"text","text":"It rains."}`
	failed := func(code string) string {
		return `{"type":"web_search_tool_result","content":{"type":"web_search_tool_result_error","error_code":"` + code + `"}}`
	}
	for document, want := range map[string]upstream.Failure{
		message(`"max_tokens"`, said):                               {Reason: earshot.ReasonUnavailable},
		message(`"pause_turn"`, said):                               {Reason: earshot.ReasonUnavailable},
		message(`null`, said):                                       {Reason: earshot.ReasonUnavailable},
		message(`"refusal"`, said):                                  {Reason: earshot.ReasonBlocked, Final: true},
		message(`"end_turn"`, ``):                                   {Reason: earshot.ReasonEmpty},
		message(`"end_turn"`, failed("too_many_requests")+`,`+said): {Reason: earshot.ReasonUnavailable},
		`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`:                                                    {Reason: earshot.ReasonUnavailable},
		`{"type":"error","error":{"type":"billing_error","message":"no"}}`:                                                               {Reason: earshot.ReasonBlocked, Final: true},
		`{"type":"error","error":{"type":"rate_limit_error","message":"no"}}`:                                                            {Reason: earshot.ReasonBlocked},
		`{"type":"error","error":{"type":"invalid_request_error","message":"no"}}`:                                                       {Reason: earshot.ReasonUnavailable, Final: true},
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}\n\n":   {Reason: earshot.ReasonBlocked, Final: true},
		string(providertest.Stored(t, "testdata/stream.sse"))[:900]:                                                                      {Reason: earshot.ReasonUnavailable},
		string(providertest.Stored(t, "testdata/stream.sse"))[:900] + "\n\nevent: error\ndata: {\"error\":{\"type\":\"api_error\"}}\n\n": {Reason: earshot.ReasonUnavailable},
		`{"a":1}`: {Reason: earshot.ReasonUnreadable},
		`[]`:      {Reason: earshot.ReasonUnreadable},
	} {
		a, err := parse([]byte(document))
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || failure.Reason != want.Reason || failure.Final != want.Final {
			t.Errorf("%s\nis %+v, %v", document, a, err)
		}
	}
	a, err := parse([]byte(message(`"end_turn"`, `{"type":"web_search_tool_result","content":[]},`+failed("max_uses_exceeded")+`,`+said)))
	if err != nil {
		t.Errorf("a failed search after one that worked: %+v, %v", a, err)
	}
}

// TestStreamEqualsWhole compares a stream with the same message as one object.
func TestStreamEqualsWhole(t *testing.T) {
	t.Parallel()
	whole := providertest.Yields(t, parse, providertest.Stored(t, "testdata/whole.json"))
	stream := providertest.Stored(t, "testdata/stream.sse")
	if diff := cmp.Diff(whole, providertest.Yields(t, parse, stream)); diff != "" {
		t.Errorf("(-whole +streamed):\n%s", diff)
	}
	var lines []string
	for line := range strings.Lines(string(stream)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			lines = append(lines, data)
		}
	}
	if diff := cmp.Diff(whole, providertest.Yields(t, parse, []byte(strings.Join(lines, "")))); diff != "" {
		t.Errorf("(-whole +JSON lines):\n%s", diff)
	}
}

// TestTrimRemovesOnlyEncryptedFields checks that a trimmed document has every other field.
func TestTrimRemovesOnlyEncryptedFields(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"encrypted_content":"x"}`:                                          `{}`,
		`{"encrypted_content":"x","a":1}`:                                    `{"a":1}`,
		`{"a":1, "encrypted_index" : "x\"y"}`:                                `{"a":1}`,
		`{"a":1,"encrypted_index":"x","b":2}`:                                `{"a":1,"b":2}`,
		`{"text":"\"encrypted_content\":\"x\""}`:                             `{"text":"\"encrypted_content\":\"x\""}`,
		"data: {\"a\":[{\"encrypted_content\":\"x\"}]}\n\ndata: {\"b\":2}\n": "data: {\"a\":[{}]}\n\ndata: {\"b\":2}\n",
	} {
		if got := claude.New().Trim([]byte(document)); !bytes.Equal(got, []byte(want)) {
			t.Errorf("%s becomes %s, want %s", document, got, want)
		}
	}
}
