package answerengine_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream"
)

// chunksOf splits a whole answer into the chunks of a stream. In full mode each chunk repeats the
// message so far and all other fields.
func chunksOf(t *testing.T, whole []byte, full bool) []string {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(whole, &object); err != nil {
		t.Fatal(err)
	}
	choices, _ := object["choices"].([]any)
	choice, _ := choices[0].(map[string]any)
	message, _ := choice["message"].(map[string]any)
	text, _ := message["content"].(string)
	var chunks []string
	add := func(said, piece string, last bool) {
		chunk := map[string]any{"object": "chat.completion.chunk", "model": object["model"]}
		if full || last {
			maps.Copy(chunk, object)
			chunk["object"] = "chat.completion.chunk"
		}
		delta := map[string]any{"role": "assistant", "content": piece}
		next := map[string]any{"index": 0, "delta": delta}
		if full {
			next["message"] = map[string]any{"role": "assistant", "content": said}
		}
		if last {
			next["finish_reason"] = choice["finish_reason"]
			delta["annotations"] = message["annotations"]
		}
		chunk["choices"] = []any{next}
		data, err := json.Marshal(chunk)
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, string(data))
	}
	for at := 0; at < len(text); {
		end := min(at+9, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		add(text[:end], text[at:end], false)
		at = end
	}
	add(text, "", true)
	return chunks
}

func TestAPIStreamsEqualWholeAnswers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"api_plain.json", "api_router.json"} {
		whole := providertest.Stored(t, "testdata/"+name)
		want := providertest.Yields(t, parse, whole)
		for _, full := range []bool{false, true} {
			chunks := chunksOf(t, whole, full)
			for form, stream := range map[string]string{
				"event stream": "data: " + strings.Join(chunks, "\r\n\r\ndata: ") + "\r\n\r\n",
				"JSON lines":   strings.Join(chunks, "\n"),
			} {
				if diff := cmp.Diff(want, providertest.Yields(t, parse, []byte(stream))); diff != "" {
					t.Errorf("%s as %s, full %t (-whole +streamed):\n%s", name, form, full, diff)
				}
				if _, err := parse([]byte(stream[:len(stream)/2])); err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnavailable) {
					t.Errorf("%s as %s, full %t, cut off: %v", name, form, full, err)
				}
			}
		}
	}
}

func TestAPIFiltersAreFinal(t *testing.T) {
	t.Parallel()
	_, err := parse(providertest.Stored(t, "testdata/api_filtered.json"))
	if failure, ok := errors.AsType[*upstream.Failure](err); !ok || !failure.Final || failure.Reason != earshot.ReasonBlocked {
		t.Errorf("%v", err)
	}
}

func TestAPIHostile(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	long := `"https://a.test/` + rep("x", 1000) + `"`
	whole := func(text, fields string) string {
		return `{"object":"chat.completion",` + fields + `"choices":[{"finish_reason":"stop","message":{"content":"` + text + `"}}]}`
	}
	for name, document := range map[string]string{
		"wrong kinds":    `{"object":"chat.completion","citations":{"0":1},"search_results":["x",1,null],"images":1,"related_questions":{},"choices":[1,{"message":[],"delta":"x","finish_reason":1}]}`,
		"wrong pages":    whole("x[1][2][3]", `"citations":[1,null,{"url":"javascript:x"},["https://a.test/"]],`),
		"many numbers":   whole(rep("word[1] ", 3_000), `"citations":[`+long+`],`),
		"many pictures":  whole("x", `"images":["https://a.test/`+rep(`","https://a.test/x`, 50_000)+`"],`),
		"many links":     whole(rep(rep("[1][2]", 20)+" x ", 300), `"citations":[`+long+`,"https://b.test/`+rep("x", 3000)+`"],`),
		"many pages":     whole("x[1]", `"citations":[`+rep(`"https://a.test/",`, 100_000)+long+`],`),
		"endless link":   whole("x[1]", `"citations":["https://a.test/`+rep("x", 1<<20)+`"],`),
		"open thoughts":  whole(rep("<think>", 30_000), ""),
		"growing":        rep(`{"object":"chat.completion.chunk","choices":[{"message":{"content":"`+rep("x", 200)+`"},"delta":{"content":"x"}}]}`+"\n", 9000),
		"parts":          `{"object":"chat.completion","choices":[{"finish_reason":"stop","message":{"content":[{"type":"text","text":"a"},1,{"text":2}]}}]}`,
		"deep":           `{"choices":` + rep("[", 100_000),
		"many questions": whole("x", `"search_queries":["a`+rep(`","b`, 100_000)+`"],`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Survives(t, document, parse)
		})
	}
}

func TestAPIRefusal(t *testing.T) {
	t.Parallel()
	request := agentQuestion(t, chat.Question{Prompt: "a", Model: "m"})
	for name, tt := range map[string]struct {
		status int
		body   string
		reason earshot.Reason
		final  bool
	}{
		"wrong key":  {401, "<html>Authorization Required</html>", earshot.ReasonBlocked, true},
		"too long":   {400, `{"error":{"message":"The total length is too long.","type":"too_many_prompt_tokens","code":400}}`, earshot.ReasonBlocked, true},
		"limit":      {429, `{"error":{"message":"Request rate limit exceeded","type":"request_rate_limit_exceeded","code":429}}`, earshot.ReasonBlocked, false},
		"no credits": {401, `{"error":{"message":"You have insufficient credits","type":"insufficient_quota","code":401}}`, earshot.ReasonBlocked, true},
		"overloaded": {503, `{"detail":"try later"}`, earshot.ReasonUnavailable, false},
	} {
		failure := request.Refusal(tt.status, http.Header{}, []byte(tt.body))
		if failure.Reason != tt.reason || failure.Final != tt.final {
			t.Errorf("%s: %+v", name, failure)
		}
	}
}
