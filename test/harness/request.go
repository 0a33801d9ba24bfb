package harness

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"earshot"
	"earshot/client"
	"earshot/internal/app"
)

// The paths of the API.
const (
	ChatPath       = "/v1/monitor/chatassistant"
	GotoPath       = "/v1/monitor/websearch/goto"
	WebSearchPath  = "/v1/monitor/websearch"
	NewsPath       = "/v1/monitor/websearch/news"
	TaskPath       = "/v1/async/task"
	BatchPath      = "/v1/async/task/batch"
	TasksPath      = "/v1/async/tasks"
	StatusPath     = "/v1/async/status"
	QueuePath      = "/v1/async/queue"
	QuotePath      = "/v1/quote"
	PreviewPath    = BatchPath + "/preview"
	UsagePath      = "/v1/usage"
	StatsPath      = "/v1/stats"
	EventsPath     = "/v1/events"
	LivePath       = "/v1/live"
	DeliveriesPath = "/v1/webhooks/deliveries"
	RotatePath     = "/v1/webhooks/secret/rotate"
	TestPath       = "/v1/webhooks/test"
	KeysPath       = "/v1/keys"
	LedgerPath     = "/v1/ledger"
	AuditPath      = "/v1/audit"
	SessionPath    = "/v1/session"
)

// Requests that succeed.
const (
	// GoodCall is a call of the chat assistant, which costs 5 credits.
	GoodCall = `{"prompt":"best hats","country":"US"}`
	// GoodTask is GoodCall as a task.
	GoodTask = `{"taskType":"CHATASSISTANT","payload":` + GoodCall + `}`
	// EveryFlag is a call of the chat assistant with every option, which costs 7 credits.
	EveryFlag = `{"prompt":"best hats","country":"US","state":"CO","legacy":false,"disableWebSearch":false,` +
		`"include":{"html":true,"markdown":true,"rawResponse":true,"searchQueries":true,"ads":true,"shopping":true}}`
	// NoTask is an id that no task has.
	NoTask = "01a0805a-0000-7000-8000-000000000000"
)

// Reply is a response whose body has been read.
type Reply struct {
	*http.Response
	Body []byte
}

// Post sends a JSON text to a path of the node.
func (n *Node) Post(tb testing.TB, a *app.Account, path, body string) *Reply {
	tb.Helper()
	return n.Send(tb, a, http.MethodPost, path, body)
}

// Get requests a path of the node.
func (n *Node) Get(tb testing.TB, a *app.Account, path string) *Reply {
	tb.Helper()
	return n.Send(tb, a, http.MethodGet, path, "")
}

// Send makes a request. If a is nil, it sends no key.
func (n *Node) Send(tb testing.TB, a *app.Account, method, path, body string) *Reply {
	tb.Helper()
	return n.SendWith(tb, a, method, path, body, nil)
}

// SendWith makes a request with further headers. It fails the test if the response is not
// as documented in the node's OpenAPI document.
func (n *Node) SendWith(tb testing.TB, a *app.Account, method, path, body string, header map[string]string) *Reply {
	tb.Helper()
	req := n.Request(tb.Context(), tb, a, method, path, body)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	reply := Do(tb, req)
	n.asDocumented(tb, req, reply)
	return reply
}

// Request returns a request to the node. If a is nil, it has no key.
func (n *Node) Request(ctx context.Context, tb testing.TB, a *app.Account, method, path, body string) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(ctx, method, n.BaseURL+path, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	if a != nil {
		Authenticate(req, a)
	}
	return req
}

// Do makes a request on a new connection.
func Do(tb testing.TB, req *http.Request) *Reply {
	tb.Helper()
	req.Close = true
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return &Reply{resp, body}
}

// Code returns the error code of a reply.
func (r *Reply) Code(tb testing.TB) earshot.Code {
	tb.Helper()
	return r.Failure(tb).Code
}

// Failure returns the error of a reply. It fails the test if the reply is not an error.
func (r *Reply) Failure(tb testing.TB) client.Error {
	tb.Helper()
	var envelope struct {
		Success bool         `json:"success"`
		Error   client.Error `json:"error"`
	}
	if err := json.Unmarshal(r.Body, &envelope); err != nil || envelope.Success || envelope.Error.RequestID != r.Header.Get("X-Request-Id") {
		tb.Fatalf("not an error envelope: %s (%v)", r.Body, err)
	}
	return envelope.Error
}

// Number returns the value of a header, which must be a number.
func (r *Reply) Number(tb testing.TB, header string) int {
	tb.Helper()
	n, err := strconv.Atoi(r.Header.Get(header))
	if err != nil {
		tb.Fatalf("%s is %q on a %d: %s", header, r.Header.Get(header), r.StatusCode, r.Body)
	}
	return n
}

// Fields returns the fields that a validation error names, sorted.
func (r *Reply) Fields(tb testing.TB) []string {
	tb.Helper()
	var problems []earshot.FieldProblem
	if err := json.Unmarshal(r.Failure(tb).Details, &problems); err != nil {
		tb.Fatalf("%v in %s", err, r.Body)
	}
	var names []string
	for _, p := range problems {
		names = append(names, p.Field)
	}
	slices.Sort(names)
	return names
}

// Fails fails the test unless the reply is an error with that status and code.
func (r *Reply) Fails(tb testing.TB, what string, status int, code earshot.Code) {
	tb.Helper()
	if r.StatusCode != status || r.Header.Get("Content-Type") != "application/json" {
		tb.Errorf("%s: %d %s %.200s, want %d", what, r.StatusCode, r.Header.Get("Content-Type"), r.Body, status)
		return
	}
	if got := r.Code(tb); got != code {
		tb.Errorf("%s: %s, want %s", what, got, code)
	}
}

// FailsWith fails the test unless the reply is an error with that status, code and details.
func (r *Reply) FailsWith(tb testing.TB, what string, status int, code earshot.Code, details string) {
	tb.Helper()
	r.Fails(tb, what, status, code)
	if got := string(r.Failure(tb).Details); got != details {
		tb.Errorf("%s: the details are %s, want %s", what, got, details)
	}
}

// Invalid fails the test unless the reply is a validation error for these fields.
func (r *Reply) Invalid(tb testing.TB, what string, status int, fields ...string) {
	tb.Helper()
	r.Fails(tb, what, status, earshot.CodeValidation)
	if got := r.Fields(tb); !slices.Equal(got, fields) {
		tb.Errorf("%s: the fields are %q, want %q", what, got, fields)
	}
}

// Has fails the test unless the reply has that status.
func (r *Reply) Has(tb testing.TB, what string, status int) *Reply {
	tb.Helper()
	if r.StatusCode != status {
		tb.Errorf("%s: %d %.500s, want %d", what, r.StatusCode, r.Body, status)
	}
	return r
}

// Into decodes the body of a reply. It fails the test unless the status is 200.
func (r *Reply) Into(tb testing.TB, v any) {
	tb.Helper()
	if r.StatusCode != http.StatusOK {
		tb.Fatalf("%d %s", r.StatusCode, r.Body)
	}
	if err := json.Unmarshal(r.Body, v); err != nil {
		tb.Fatalf("%v in %.200s", err, r.Body)
	}
}

// Result calls a provider and returns its result.
func (n *Node) Result(tb testing.TB, a *app.Account, provider, body string) map[string]any {
	tb.Helper()
	var envelope struct{ Result map[string]any }
	n.Post(tb, a, "/v1/monitor/"+provider, body).Into(tb, &envelope)
	return envelope.Result
}

// IsFailure reports whether a client's error has that status and code.
func IsFailure(err error, status int, code earshot.Code) bool {
	failure, ok := errors.AsType[*client.Error](err)
	return ok && failure.Status == status && failure.Code == code
}

// JSON encodes a value as JSON.
func JSON(tb testing.TB, v any) string {
	tb.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}
