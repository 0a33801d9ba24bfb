package responses_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"earshot/internal/provider/providertest"
)

// parseText parses a document, or a text within a response.
var parseText = providertest.Within(func(text string) []byte {
	return []byte(response(text, `{"type":"url_citation","url":"https://a.example/","start_index":2,"end_index":9}`))
}, parse)

// response returns a response with the text and annotations.
func response(text, annotations string) string {
	data, _ := json.Marshal(text) // a string always marshals
	return fmt.Sprintf(`{"object":"response","output":[{"type":"message","content":[{"type":"output_text","text":%s,"annotations":[%s]}]}]}`, data, annotations)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, providertest.AnswerText, parseText)
}

// TestHostileResponses parses responses that are designed to break this parser.
func TestHostileResponses(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	output := func(items string) string { return `{"object":"response","output":[` + items + `]}` }
	cited := `{"type":"url_citation","url":"https://a.example/","start_index":1,"end_index":2},`
	for name, document := range map[string]string{
		"many marks":        response(rep("a ([a.example](https://a.example/)) ", 2000), ""),
		"one long run":      response(rep("([b](https://a.example/))", 3000), ""),
		"open run":          response("("+rep("[b](https://a.example/) ", 3000), ""),
		"open marks":        response(rep("([b](https://a.example/", 3000), ""),
		"open brackets":     response(rep("[[1", 30_000), ""),
		"open parentheses":  response(rep("([", 40_000), ""),
		"nested labels":     response("["+rep("[b]", 30_000), ""),
		"private starts":    response(rep("\ue200", 30_000), ""),
		"many numbers":      response(rep("a[[1]](https://a.example/)", 3000), ""),
		"many annotations":  response(rep("a", 9000), rep(cited, 20_000)+"0"),
		"backward places":   response("some text", `{"url":"https://a.example/","start_index":5,"end_index":1},{"url":"https://a.example/","start_index":-5,"end_index":1e99},{"url":"https://b.example/","start_index":1,"end_index":1e9}`),
		"many queries":      output(rep(`{"type":"web_search_call","action":{"queries":["a","b"]}},`, 20_000) + `0`),
		"different queries": output(`{"type":"web_search_call","action":{"queries":[` + numbers(60_000) + `]}}`),
		"many sources":      output(`{"type":"web_search_call","action":{"sources":[` + rep(`{"url":"https://a.example/"},`, 60_000) + `0]}},{"type":"message","content":[{"text":"a"}]}`),
		"many parts":        output(`{"type":"message","content":[` + rep(`{"text":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},`, 40_000) + `0]}`),
		"wrong kinds":       output(`7,[],{"type":7},{"type":"message","content":{}},{"type":"message","role":7,"content":[{"text":{},"annotations":{}},{"text":"x","annotations":[{"url":7},5]}]},{"type":"web_search_call","action":[]},{"type":"x_search_call","arguments":7}`),
		"far parts":         rep(`{"type":"response.output_text.delta","output_index":1e300,"content_index":-7,"delta":"x"}`+"\n", 9000) + `{"type":"response.completed"}`,
		"parts of nothing":  `{"type":"response.content_part.done"}` + "\n" + `{"type":"response.output_item.done","output_index":0}` + "\n" + `{"type":"response.refusal.delta","delta":7}` + "\n" + `{"type":"response.completed"}`,
		"item of nothing":   `{"type":"response.output_item.done","output_index":0,"item":null}` + "\n" + `{"type":"response.output_text.delta","output_index":0,"delta":"x"}` + "\n" + `{"type":"response.completed","response":null}`,
		"deep":              `{"object":"response","output":` + rep("[", 9000) + rep("]", 9000) + `}`,
		"too many events":   strings.Repeat(`{"type":"response.output_text.delta","delta":"x"}`+"\n", 60_000),
	} {
		t.Run(name, func(t *testing.T) { providertest.Survives(t, document, parse) })
	}
}

// numbers returns count different strings, as JSON.
func numbers(count int) string {
	texts := make([]string, count)
	for i := range texts {
		texts[i] = fmt.Sprintf("%q", fmt.Sprint(i))
	}
	return strings.Join(texts, ",")
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, providertest.AnswerText, parseText) }
