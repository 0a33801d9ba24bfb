package claude_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/claude"
	"earshot/internal/provider/providertest"
	"earshot/internal/upstream"
)

const key = "sk-ant-test-key"

// call is the body of a call to the API.
type call struct {
	Model     string
	MaxTokens int `json:"max_tokens"`
	Stream    bool
	Tools     []struct {
		Type, Name   string
		MaxUses      int               `json:"max_uses"`
		UserLocation map[string]string `json:"user_location"`
	}
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
}

// ask asks a stand-in of the API, which answers each call with what respond writes.
func ask(t *testing.T, body string, respond func(w http.ResponseWriter, n int, c call)) (*earshot.Answer, error) {
	t.Helper()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		var c call
		if err := json.Unmarshal(text, &c); err != nil {
			t.Error(err)
		}
		if r.Method+r.URL.Path != "POST/v1/messages" || r.Header.Get("X-Api-Key") != key || r.Header.Get("Anthropic-Version") != "2023-06-01" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		respond(w, int(calls.Add(1)), c)
	}))
	defer server.Close()
	client, err := upstream.NewClient(upstream.Config{
		Surface: earshot.SurfaceAPI, Sites: map[string]string{"anthropic": server.URL + "/v1"},
		API: &upstream.API{Name: "anthropic", Model: "claude-test", KeyHeader: "x-api-key", Key: key},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	outcome, err := providertest.Decode(t, claude.New(), body).Ask(t.Context(), client.NewSession(1, providertest.CaptureURL))
	if err != nil {
		return nil, err
	}
	return providertest.Answer(t, outcome.Result), nil
}

// part returns the part of testdata/paused.json that the call number n gets.
func part(t *testing.T, n int) []byte {
	t.Helper()
	parts := bytes.Split(bytes.TrimSpace(providertest.Stored(t, "testdata/paused.json")), []byte("\n\n"))
	return parts[n-1]
}

func TestAskContinuesAPausedAnswer(t *testing.T) {
	t.Parallel()
	const question = `{"prompt":"light tents","country":"US","state":"CA","include":{"markdown":true,"rawResponse":true,"html":true}}`
	a, err := ask(t, question, func(w http.ResponseWriter, n int, c call) {
		if len(c.Messages) != n || c.Model != "claude-test" || !c.Stream || c.MaxTokens != 32000 || len(c.Tools) != 1 ||
			c.Tools[0].Type != "web_search_20250305" || c.Tools[0].UserLocation["country"] != "US" || c.Tools[0].UserLocation["region"] != "California" {
			t.Errorf("call %d: %+v", n, c)
		}
		if string(c.Messages[0].Content) != `"light tents"` || c.Messages[0].Role != "user" {
			t.Errorf("call %d asks %s", n, c.Messages[0].Content)
		}
		if n == 2 {
			var sent struct{ Content []any }
			_ = json.Unmarshal(part(t, 1), &sent)
			var repeated []any
			if err := json.Unmarshal(c.Messages[1].Content, &repeated); err != nil || len(repeated) != len(sent.Content) || c.Messages[1].Role != "assistant" {
				t.Errorf("the paused turn comes back as %s", c.Messages[1].Content)
			}
			if !bytes.Contains(c.Messages[1].Content, []byte(`"signature":"c2ln"`)) {
				t.Errorf("the paused turn has no signature: %s", c.Messages[1].Content)
			}
		}
		_, _ = w.Write(part(t, n))
	})
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, a)
	if a.Surface != earshot.SurfaceAPI || a.Via != "" || a.Location == nil || a.Location.State != "CA" || len(a.Sources) != 2 || len(a.SearchQueries) != 2 || len(a.RawResponse) != 2 {
		t.Errorf("%+v", a)
	}
	for _, raw := range a.RawResponse {
		if bytes.Contains(raw, []byte("encrypted_")) || !json.Valid(raw) {
			t.Errorf("raw response %s", raw)
		}
	}
}

// TestAskKeepsEncryptedContentForTheAPI pauses after a search whose results the API needs again, and
// after thoughts that it needs unchanged.
func TestAskKeepsEncryptedContentForTheAPI(t *testing.T) {
	t.Parallel()
	paused := `event: message_start
data: {"type":"message_start","message":{"model":"m","content":[]}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"q\"}"}}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","url":"https://a.example/","encrypted_content":"QUJD"}]}}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"text","text":""}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"pause_turn"}}

event: message_stop
data: {"type":"message_stop"}
`
	a, err := ask(t, `{"prompt":"x","country":"DE"}`, func(w http.ResponseWriter, n int, c call) {
		if n == 1 {
			_, _ = io.WriteString(w, paused)
			return
		}
		const want = `[{"signature":"c2ln","thinking":"","type":"thinking"},{"id":"s","input":{"query":"q"},"name":"web_search","type":"server_tool_use"},` +
			`{"content":[{"encrypted_content":"QUJD","type":"web_search_result","url":"https://a.example/"}],"tool_use_id":"s","type":"web_search_tool_result"}]`
		if got := string(c.Messages[1].Content); got != want {
			t.Errorf("the paused turn comes back as\n%s, want\n%s", got, want)
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(strings.Replace(paused, "pause_turn", "end_turn", 1), `"text":""`, `"text":"Rain."`))
	})
	if err != nil || a.Text != "Rain." || len(a.Sources) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAskStopsAfterManyPauses(t *testing.T) {
	t.Parallel()
	calls := 0
	_, err := ask(t, `{"prompt":"x","country":"DE"}`, func(w http.ResponseWriter, n int, _ call) {
		calls = n
		_, _ = io.WriteString(w, `{"type":"message","stop_reason":"pause_turn","content":[{"type":"text","text":"Wait."}]}`)
	})
	if err == nil || providertest.Reason(t, err) != string(earshot.ReasonUnavailable) || calls != 6 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestRefusalNamesItsCategory(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		`{"type":"message","content":[{"type":"text","text":"I am"}],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"No."}}`,
		`data: {"type":"message_start","message":{"content":[]}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I am"}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"No."}}}` + "\n\n",
	} {
		_, err := claude.Read([]byte(document), answer.Options{})
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || failure.Reason != earshot.ReasonBlocked || !failure.Final || !strings.Contains(err.Error(), `"cyber"`) {
			t.Errorf("%v", err)
		}
	}
}

func TestAskReportsErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status     int
		kind       string
		retryAfter string
		want       upstream.Failure
	}{
		{400, "invalid_request_error", "", upstream.Failure{Reason: earshot.ReasonUnavailable, Final: true}},
		{401, "authentication_error", "", upstream.Failure{Reason: earshot.ReasonBlocked, Final: true}},
		{402, "billing_error", "", upstream.Failure{Reason: earshot.ReasonBlocked, Final: true}},
		{404, "not_found_error", "", upstream.Failure{Reason: earshot.ReasonUnavailable, Final: true}},
		{413, "request_too_large", "", upstream.Failure{Reason: earshot.ReasonUnavailable, Final: true}},
		{429, "rate_limit_error", "7", upstream.Failure{Reason: earshot.ReasonBlocked, RetryAfter: 7 * time.Second}},
		{500, "api_error", "", upstream.Failure{Reason: earshot.ReasonUnavailable}},
		{529, "overloaded_error", "", upstream.Failure{Reason: earshot.ReasonUnavailable}},
		{200, "overloaded_error", "", upstream.Failure{Reason: earshot.ReasonUnavailable}},
	} {
		// The second call of a paused answer fails.
		_, err := ask(t, `{"prompt":"x","country":"DE"}`, func(w http.ResponseWriter, n int, _ call) {
			if n == 1 {
				_, _ = w.Write(part(t, 1))
				return
			}
			w.Header().Set("Retry-After", test.retryAfter)
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"`+test.kind+`","message":"The key `+key+` is refused."}}`)
		})
		failure, ok := errors.AsType[*upstream.Failure](err)
		if !ok || failure.Reason != test.want.Reason || failure.Final != test.want.Final || failure.RetryAfter != test.want.RetryAfter || !strings.Contains(err.Error(), test.kind) {
			t.Errorf("%d %s: %+v", test.status, test.kind, err)
		}
		if strings.Contains(err.Error(), key) {
			t.Errorf("the error has the key: %v", err)
		}
	}
}
