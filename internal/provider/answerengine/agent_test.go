package answerengine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/answerengine"
	"earshot/internal/provider/chat"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream"
	"earshot/test/captures"
)

// expected is what the description of a captured response says that it holds.
type expected struct {
	HTTPStatus int `json:"http_status"`
	Outcome    string
	Model      string
	Text       string
	Sources    []struct{ URL, Title, Date string }
	Citations  []string
	Queries    []string `json:"search_queries"`
	CostUSD    *float64 `json:"cost_usd"`
	Headers    map[string]string
}

// TestAgentCaptures compares what is read from responses of the Agent API with their descriptions.
func TestAgentCaptures(t *testing.T) {
	t.Parallel()
	for _, path := range captures.Find(t, "api_answerengine_agent/*.expected.json") {
		name := strings.TrimSuffix(path, ".expected.json")
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			var want expected
			if err := json.Unmarshal(providertest.Stored(t, path), &want); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(filepath.Base(name), "stream") {
				name += ".sse"
			} else {
				name += ".json"
			}
			checkAgent(t, providertest.Stored(t, name), want)
		})
	}
}

func checkAgent(t *testing.T, document []byte, want expected) {
	t.Helper()
	if want.HTTPStatus != http.StatusOK {
		checkAgentRefusal(t, document, want)
		return
	}
	var cost float64
	a, err := answerengine.Read(document, answer.Options{Markdown: true, USD: &cost})
	if want.CostUSD != nil && cost != *want.CostUSD {
		t.Errorf("the cost is %v, want %v", cost, *want.CostUSD)
	}
	if want.Outcome != "answer" {
		if err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnavailable) {
			t.Errorf("%s is read as %+v, %v", want.Outcome, a, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, a)
	if *a.Model != want.Model || a.Surface != earshot.SurfaceAPI {
		t.Errorf("model %s, surface %s", *a.Model, a.Surface)
	}
	if got := providertest.Letters(a.Text); got != providertest.Letters(leftOver.ReplaceAllString(want.Text, "")) {
		t.Errorf("the text is %q", a.Text)
	}
	var sources, wantSources [][]string
	for _, s := range a.Sources {
		sources = append(sources, []string{s.URL, s.Label, s.DatePublished})
	}
	for _, s := range want.Sources {
		wantSources = append(wantSources, []string{s.URL, s.Title, s.Date})
	}
	cited := []string{}
	for _, pill := range a.CitationPills {
		cited = append(cited, pill.URL)
	}
	for _, diff := range []string{cmp.Diff(wantSources, sources), cmp.Diff(want.Citations, cited), cmp.Diff(want.Queries, append([]string{}, a.SearchQueries...))} {
		if diff != "" {
			t.Error(diff)
		}
	}
}

func checkAgentRefusal(t *testing.T, document []byte, want expected) {
	t.Helper()
	header := http.Header{"Date": {"Tue, 17 Nov 2026 15:00:31 GMT"}} // 30 s before the reset of the captured limit
	for name, value := range want.Headers {
		header.Set(name, value)
	}
	question := agentQuestion(t, chat.Question{Prompt: "a", Model: "m"})
	failure := question.Refusal(want.HTTPStatus, header, document)
	wantFailure := map[int]upstream.Failure{
		400: {Reason: earshot.ReasonUnavailable, Final: true},
		401: {Reason: earshot.ReasonBlocked, Final: true, Setting: upstream.SettingKey},
		403: {Reason: earshot.ReasonUnavailable, Final: true},
		429: {Reason: earshot.ReasonBlocked, RetryAfter: 30 * time.Second},
	}[want.HTTPStatus]
	wantFailure.Err = failure.Err
	if *failure != wantFailure {
		t.Errorf("%d: %+v", want.HTTPStatus, failure)
	}
	if want.HTTPStatus == http.StatusForbidden && !strings.Contains(failure.Error(), "has ended") {
		t.Errorf("the error does not say that the API has ended: %v", failure)
	}
}

func agentQuestion(t *testing.T, q chat.Question) *upstream.Request {
	t.Helper()
	request, err := answerengine.New().API.Question(q)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// The API refuses unknown fields, so the whole body is compared.
func TestAgentQuestion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		locale   geo.Locale
		noStream bool
		location string
	}{
		"country": {geo.Locale{Country: "DE"}, false, `,"user_location":{"country":"DE"}`},
		"state":   {geo.Locale{Country: "US", State: "NH"}, true, `,"user_location":{"country":"US","region":"New Hampshire"}`},
		"nowhere": {},
	} {
		request := agentQuestion(t, chat.Question{Prompt: "a", Model: "perplexity/sonar", Locale: test.locale, NoStream: test.noStream})
		want := `{"input":"a","model":"perplexity/sonar","store":false,"stream":` + strconv.FormatBool(!test.noStream) +
			`,"tool_choice":{"type":"web_search"},"tools":[{"type":"web_search"` + test.location + `}]}`
		accept := map[bool]string{false: "text/event-stream", true: "application/json"}[test.noStream]
		if request.Site != "perplexity" || request.Path != "/v1/agent" || string(request.Body) != want || request.Header.Get("Accept") != accept {
			t.Errorf("%s: %s%s %v\n%s", name, request.Site, request.Path, request.Header, request.Body)
		}
	}
}

func TestAgentHostile(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	whole := func(output string) string {
		return `{"object":"response","status":"completed","output":[` + output + `]}`
	}
	said := func(text string) string {
		return `{"type":"message","content":[{"type":"output_text","text":"` + text + `"}]}`
	}
	results := func(list string) string { return `{"type":"search_results","results":[` + list + `]},` }
	for name, document := range map[string]string{
		"wrong kinds":  whole(`1,{"type":"search_results","queries":{},"results":{"0":1}},{"type":"fetch_url_results","contents":1},{"type":"message","content":"x"}`),
		"wrong ids":    whole(results(`{"id":-1,"url":"https://a.test/"},{"id":1e99,"url":"https://b.test/"},{"id":"x"},{"id":{}},{"id":999999999999}`) + said("x[1][2][3]")),
		"many results": whole(results(rep(`{"id":1,"url":"https://a.test/"},`, 50_000)+`{"id":2}`) + said("x[1]")),
		"many marks":   whole(results(`{"id":1,"url":"https://a.test/`+rep("x", 1000)+`"}`) + said(rep("word[1] ", 3_000))),
		"many notes":   whole(`{"type":"message","content":[{"text":"x","annotations":[` + rep(`{"url":"https://a.test/"},`, 50_000) + `1]}]}`),
		"wrong usage":  `{"object":"response","usage":{"cost":{"currency":1,"total_cost":"x"}},"output":[` + said("x") + `]}`,
		"wrong steps":  "data: " + strings.Join([]string{`{"type":"response.reasoning.search_results","results":1}`, `{"type":"response.completed","response":1,"usage":[]}`}, "\n\ndata: ") + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Survives(t, document, parse)
		})
	}
}

// A stream means the same as the whole response in its last event, and is incomplete without it.
func TestAgentStreamsEqualWholeAnswers(t *testing.T) {
	t.Parallel()
	whole := providertest.Stored(t, "testdata/agent.json")
	var response map[string]any
	if err := json.Unmarshal(whole, &response); err != nil {
		t.Fatal(err)
	}
	want := providertest.Yields(t, parse, whole)
	text, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	begun := `data: {"type":"response.created","response":{"object":"response","status":"in_progress","output":[]}}` + "\n\n"
	ended := fmt.Sprintf("data: {\"type\":\"response.completed\",\"response\":%s}\n\n", text)
	if diff := cmp.Diff(want, providertest.Yields(t, parse, []byte(begun+ended))); diff != "" {
		t.Errorf("(-whole +streamed):\n%s", diff)
	}
	if _, err := parse([]byte(begun + ended[:len(ended)/2])); err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnavailable) {
		t.Errorf("cut off: %v", err)
	}
}

func TestAgentCancelledIsNotCutOff(t *testing.T) {
	t.Parallel()
	_, err := parse(providertest.Stored(t, "testdata/agent_cancelled.sse"))
	if err == nil || !strings.Contains(err.Error(), `"cancelled"`) {
		t.Errorf("%v", err)
	}
}

func TestAgentAnswerWithoutTextIsEmpty(t *testing.T) {
	t.Parallel()
	var cost float64
	_, err := answerengine.Read(providertest.Stored(t, "testdata/agent_empty.json"), answer.Options{USD: &cost})
	if failure, ok := errors.AsType[*upstream.Failure](err); !ok || failure.Reason != earshot.ReasonEmpty || cost != 0.0027 {
		t.Errorf("%v, %v USD", err, cost)
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
