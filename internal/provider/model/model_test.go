package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/model"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream"
	"earshot/internal/upstream/lab"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(document []byte) (any, error) {
	return model.Read(document, answer.Options{Country: "DE", Markdown: true})
}

// parseText parses a document, or a text within an answer.
var parseText = providertest.Within(func(text string) []byte {
	data, _ := json.Marshal(text) // a string always marshals
	return fmt.Appendf(nil, `{"object":"chat.completion","citations":["https://a.example/"],"choices":[{"message":{"content":%s}}]}`, data)
}, parse)

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, parse)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	providertest.Hostile(t, providertest.AnswerText, parseText)
	rep := strings.Repeat
	whole := func(text, annotations, further string) string {
		return `{"choices":[{"finish_reason":"stop","message":{"content":"` + text + `","annotations":[` + annotations + `]}}]` + further + `}`
	}
	note := `{"type":"url_citation","url_citation":{"url":"https://a.example/` + rep("x", 3000) + `","title":7,"start_index":1,"end_index":2}},`
	for name, document := range map[string]string{
		"wrong kinds":      `{"choices":[7,{"message":{"content":{},"annotations":{}}},{"message":[]}],"citations":{},"search_results":[7],"usage":7}`,
		"wrong content":    `{"choices":[{"message":{"content":[7,{"text":{}},{"text":"x"}]},"finish_reason":7}]}`,
		"many annotations": whole(rep("word ", 5000), rep(note, 2000)+"0", ""),
		"wrong ranges":     whole("some text", `{"url_citation":{"url":"https://a.example/","start_index":-5,"end_index":1e99}},{"url_citation":{"url":"https://a.example/","start_index":5,"end_index":1e9}}`, ""),
		"many numbers":     whole(rep("[1]", 30_000), "", `,"citations":["https://a.example/"]`),
		"open brackets":    whole(rep("[1", 30_000), "", `,"citations":["https://a.example/"]`),
		"many citations":   whole("x[1]", "", `,"citations":[`+rep(`"https://a.example/",`, 40_000)+`0]`),
		"other links":      whole("x[1][2]", "", `,"citations":["javascript:alert(1)","//x",{"url":7}]`),
		"deep":             `{"choices":` + rep("[", 9000) + rep("]", 9000) + `}`,
		"many chunks":      strings.Repeat(`{"object":"chat.completion.chunk","choices":[{"delta":{"content":"x"}}]}`+"\n", 60_000),
		"large cost":       whole("x", "", `,"usage":{"cost":1e300}`),
	} {
		t.Run(name, func(t *testing.T) { providertest.Survives(t, document, parse) })
	}
}

func FuzzParse(f *testing.F) { providertest.Fuzz(f, providertest.AnswerText, parseText) }

// body returns a request with all flags set.
func body(prompt, country string) string {
	return fmt.Sprintf(`{"model":"lab","prompt":%q,"country":%q,"include":{"html":true,"markdown":true,"rawResponse":true}}`, prompt, country)
}

func TestAgainstLab(t *testing.T) {
	t.Parallel()
	providertest.AgainstLab(t, model.New(), body)
}

func TestLabAnswer(t *testing.T) {
	t.Parallel()
	a := providertest.StartLab(t, model.New()).Answer(t, model.New(), body("lamps", "GB"))
	if a.Surface != earshot.SurfaceLab || a.Via != "" || *a.Model != "lab-1" || len(a.Sources) < 3 || len(a.CitationPills) < 3 || a.HTML == "" || a.Markdown == "" || len(a.RawResponse) != 1 {
		t.Errorf("%+v", a)
	}
	if a.Location == nil || a.Location.Country != "GB" || strings.Contains(a.Text, "](") {
		t.Errorf("location %v, text %s", a.Location, a.Text)
	}
}

func TestLabSite(t *testing.T) {
	providertest.LabSite{
		Provider: model.New(),
		Read:     model.Read,
		Stream: &providertest.LabStream{
			Path: "/chat/completions",
			Question: func(prompt string) any {
				return map[string]any{"messages": []any{map[string]string{"role": "user", "content": prompt}}}
			},
			Wrong: `{"messages":[]}`,
			Type:  lab.TypeJSON,
			End:   `"object":"chat.completion"}`,
		},
	}.Check(t)
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	about := model.New().Definition()
	if about.Name != "model" || about.TaskType != "MODEL" || about.Prices[0].Credits != 3 || !about.Serves("US") || about.Serves("XX") {
		t.Errorf("%+v", about)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	p := model.New(model.Model{Name: "small"}, model.Model{Name: "large", Search: model.SearchOpenRouter})
	for body, want := range map[string][]string{
		`{}`: {"model: is required", "prompt: is required", "country: is required"},
		`{"model":"lab","prompt":"x","country":"US"}`:                              {"model: must be one of the models of this service: small, large"},
		`{"model":"","prompt":"x","country":"US"}`:                                 {"model: must not be empty"},
		`{"model":7,"prompt":"x","country":"US"}`:                                  {"model: must be a string"},
		`{"model":"small","prompt":"x","country":"DE","state":"CA"}`:               {"state: is only valid with country US"},
		`{"model":"small","prompt":"x","country":"US","include":{"ads":true}}`:     {"include.ads: unknown field"},
		`{"model":"` + strings.Repeat("x", 101) + `","prompt":"x","country":"US"}`: {"model: must have at most 100"},
	} {
		t.Run(body[:min(len(body), 40)], func(t *testing.T) { providertest.Refuses(t, p, body, want) })
	}
	r := providertest.Decode(t, p, `{"model":"large","prompt":"x","country":"US","state":"CA"}`)
	if provider.ModelOf(r) != "large" || !cmp.Equal(r.Bill(), provider.Bill{provider.ItemBase: 1, provider.ItemState: 1}) || r.Locale().State != "CA" {
		t.Errorf("%+v", r)
	}
}

// TestFailures checks how a response that is no answer is classified.
func TestFailures(t *testing.T) {
	t.Parallel()
	choice := func(finish, message string) string {
		return `{"object":"chat.completion","choices":[{"finish_reason":` + finish + `,"message":` + message + `}]}`
	}
	const said = `{"content":"It rains."}`
	for document, want := range map[string]upstream.Failure{
		choice(`"length"`, said):                               {Reason: earshot.ReasonUnavailable},
		choice(`"error"`, said):                                {Reason: earshot.ReasonUnavailable},
		choice(`"content_filter"`, `{"content":null}`):         {Reason: earshot.ReasonBlocked, Final: true},
		choice(`"stop"`, `{"content":"","refusal":"I won't"}`): {Reason: earshot.ReasonBlocked, Final: true},
		choice(`"stop"`, `{"content":" "}`):                    {Reason: earshot.ReasonEmpty},
		choice(`"stop"`, `{"content":"<think>Hm.</think>"}`):   {Reason: earshot.ReasonEmpty},

		"\n    \n" + `{"error":{"code":502,"message":"Upstream error","metadata":{}},"user_id":"u"}`:         {Reason: earshot.ReasonUnavailable},
		`{"error":{"code":402,"message":"Insufficient credits"}}`:                                            {Reason: earshot.ReasonBlocked, Final: true},
		`{"error":{"code":403,"message":"moderation"}}`:                                                      {Reason: earshot.ReasonBlocked, Final: true},
		`{"error":{"code":429,"message":"slow down"}}`:                                                       {Reason: earshot.ReasonBlocked},
		`{"choices":[{"error":{"code":503,"message":"no"},"finish_reason":"error","message":` + said + `}]}`: {Reason: earshot.ReasonUnavailable},
		`data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"It "}}]}` + "\n\n":          {Reason: earshot.ReasonUnavailable},
		`{"a":1}`: {Reason: earshot.ReasonUnreadable},
		`[]`:      {Reason: earshot.ReasonUnreadable},
	} {
		a, err := parse([]byte(document))
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || failure.Reason != want.Reason || failure.Final != want.Final {
			t.Errorf("%s\nis %+v, %v", document, a, err)
		}
	}
}

// TestStreamEqualsWhole compares streams with the same answers in one object.
func TestStreamEqualsWhole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ranges.json", "numbers.json"} {
		document := providertest.Stored(t, "testdata/"+name)
		var whole map[string]any
		if err := json.Unmarshal(document, &whole); err != nil {
			t.Fatal(err)
		}
		choice, _ := whole["choices"].([]any)[0].(map[string]any)
		message, _ := choice["message"].(map[string]any)
		text, _ := message["content"].(string)
		var stream strings.Builder
		stream.WriteString(": OPENROUTER PROCESSING\n\n")
		chunk := func(delta map[string]any, finish any) {
			whole["object"] = "chat.completion.chunk"
			whole["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
			data, _ := json.Marshal(whole)
			fmt.Fprintf(&stream, "data: %s\n\n", data)
		}
		for _, word := range strings.SplitAfter(text, " ") {
			chunk(map[string]any{"content": word}, nil)
		}
		chunk(map[string]any{"content": "", "annotations": message["annotations"]}, "stop")
		stream.WriteString("data: [DONE]\n\n")
		if diff := cmp.Diff(providertest.Yields(t, parse, document), providertest.Yields(t, parse, []byte(stream.String()))); diff != "" {
			t.Errorf("%s (-whole +streamed):\n%s", name, diff)
		}
	}
}
