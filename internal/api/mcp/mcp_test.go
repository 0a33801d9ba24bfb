package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goccy/go-yaml"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"earshot"
	"earshot/internal/api/mcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openAPI generates the OpenAPI document once, because that is slow.
var openAPI = sync.OnceValues(func() ([]byte, error) {
	text, err := os.ReadFile("../../../docs/openapi.yaml")
	if err != nil {
		return nil, err
	}
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	return json.Marshal(document)
})

// connection is a connected MCP client.
type connection struct {
	*sdk.ClientSession
	hangUp func()
}

// connect starts a server that talks to the client over a pipe, as over stdio.
func connect(t *testing.T, api mcp.Caller, options *sdk.ClientOptions) connection {
	t.Helper()
	document, err := openAPI()
	if err != nil {
		t.Fatal(err)
	}
	server, err := mcp.New(mcp.Config{OpenAPI: document, Caller: api})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.Run(context.WithoutCancel(t.Context()), in, out) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).
		Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()                                                  // a test may have hung up
		if err := <-ended; err != nil && !errors.Is(err, io.ErrClosedPipe) { // that is how a test hangs up
			t.Errorf("the server ended with %v", err)
		}
	})
	return connection{session, func() {
		_ = toServer.Close() // a pipe cannot fail to close
		_ = fromServer.Close()
	}}
}

// standIn is a fake service with the answers of the test.
func standIn(t *testing.T, answer http.HandlerFunc) mcp.Remote {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(func() {
		server.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return mcp.Remote{URL: server.URL + "/", Key: "ear_live_secret"}
}

func ask(t *testing.T, session connection) *sdk.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask", Arguments: json.RawMessage(`{"provider":"Google News","prompt":"<tents>","idempotencyKey":"once"}`)})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func text(result *sdk.CallToolResult) string {
	content, _ := result.Content[0].(*sdk.TextContent)
	return content.Text
}

func TestToolCallIsARequest(t *testing.T) {
	t.Parallel()
	session := connect(t, standIn(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var sent map[string]string
		if json.Unmarshal(body, &sent) != nil || sent["query"] != "<tents>" || r.Method+" "+r.URL.String() != "POST /v1/monitor/websearch/news" ||
			r.Header.Get("Authorization") != "Bearer ear_live_secret" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Idempotency-Key") != "once" {
			t.Errorf("it sends %s %s %v %s", r.Method, r.URL, r.Header, body)
		}
		_, _ = io.WriteString(w, `{"success":true,"result":{"newsResults":[
			{"position":1,"title":"Tents\n[2] rise","link":"https://a.test/1","source":"A","date":"today","snippet":"up\r\n\r\nand up"},
			{"position":2,"title":"Tents fall","link":"https://b.test/2","snippet":""}]}}`)
	}), nil)
	const want = "[1] Tents [2] rise - https://a.test/1 (A, today)\n    up and up\n[2] Tents fall - https://b.test/2"
	if result := ask(t, session); result.IsError || text(result) != want {
		t.Errorf("it says %q", text(result))
	}
}

func TestResponseOfAnotherServerIsAToolError(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"502 <html>Bad Gateway</html>":      "the response, with status 502, is not from Earshot",
		"500 {}":                            "the response, with status 500, is not from Earshot",
		`500 {"error":[]}`:                  "the response, with status 500, is not from Earshot",
		"200 <html>":                        "the response of the service cannot be read",
		"200 {}":                            "the response of the service cannot be read",
		`200 {"result":[]}`:                 "the response of the service cannot be read",
		`200 {"result":{"newsResults":{}}}`: "the response of the service cannot be read",
		`403 {"error":{"code":"X","details":{"a":"b"}}}`: "{\"a\":\"b\"}",
	} {
		session := connect(t, standIn(t, func(w http.ResponseWriter, _ *http.Request) {
			status, body, _ := strings.Cut(answer, " ")
			w.WriteHeader(map[string]int{"200": 200, "403": 403, "500": 500, "502": 502}[status])
			_, _ = io.WriteString(w, body)
		}), nil)
		if result := ask(t, session); !result.IsError || !strings.Contains(text(result), want) {
			t.Errorf("%s: it says %q", answer, text(result))
		}
	}
}

// Each error says what to do.
func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	var code earshot.Code
	session := connect(t, standIn(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"success":false,"error":{"code":"`+string(code)+`","message":"no","requestId":"r1"}}`)
	}), nil)
	for _, code = range earshot.CodeInternal.Values() {
		want := string(code) + ": no (request r1)\nRetry-After: 5\nWhat to do: " + code.NextStep() + "."
		result := ask(t, session)
		data, _ := result.Meta["earshot/error"].(map[string]any)
		if !result.IsError || text(result) != want || result.StructuredContent != nil || data["code"] != string(code) {
			t.Errorf("it says %q, with the data %v", text(result), data)
		}
	}
}

func TestUnreachableServiceIsAToolError(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	result := ask(t, connect(t, mcp.Remote{URL: closed.URL, Key: "ear_live_secret"}, nil))
	if !result.IsError || !strings.Contains(text(result), "cannot be reached") || strings.Contains(text(result), "secret") {
		t.Errorf("it says %q", text(result))
	}
}

// The call ends when the client cancels it and when the client disconnects.
func TestClientEndsTheCall(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(cancel, hangUp func()){
		"cancels": func(cancel, _ func()) { cancel() },
		"goes":    func(_, hangUp func()) { hangUp() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, ended := make(chan struct{}), make(chan struct{})
			session := connect(t, standIn(t, func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // else the server does not see the client leave
				close(begun)
				<-r.Context().Done()
				close(ended)
			}), nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answered := make(chan error, 1)
			go func() {
				_, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "countries"})
				answered <- err
			}()
			<-begun
			leave(cancel, session.hangUp)
			<-ended
			if <-answered == nil {
				t.Error("the call was answered")
			}
		})
	}
}

// slow answers after a delay.
type slow time.Duration

func (s slow) Call(context.Context, string, string, http.Header, any) (int, []byte, http.Header, error) {
	time.Sleep(time.Duration(s)) // of the bubble's clock
	return http.StatusOK, []byte(`["DE"]`), http.Header{}, nil
}

func TestLongCallReportsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []float64
		session := connect(t, slow(35*time.Second), &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				heard = append(heard, r.Params.Progress)
			},
		})
		params := &sdk.CallToolParams{Name: "countries"}
		if _, err := session.CallTool(t.Context(), params); err != nil || len(heard) > 0 {
			t.Fatalf("unasked it reports %v (%v)", heard, err)
		}
		params.SetProgressToken("p")
		result, err := session.CallTool(t.Context(), params)
		if err != nil || result.IsError {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(heard) != 3 || heard[0] != 10 || heard[2] != 30 {
			t.Errorf("it reports %v", heard)
		}
		_ = session.Close() // within the bubble
	})
}

func TestToolsWithoutScopeAreHidden(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct{ usage, run bool }{
		`{"success":true,"session":{"scopes":["read"]}}`:         {true, false},
		`{"success":true,"session":{"scopes":["track"]}}`:        {false, true},
		`{"success":true,"session":{"scopes":["read","track"]}}`: {true, true},
		`{"success":true,"session":{"scopes":[]}}`:               {false, false},
		`{"success":true,"session":null}`:                        {true, true}, // a call says that the key is not valid
		`<html>`:                                                 {true, true},
	} {
		list, err := connect(t, standIn(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method+" "+r.URL.Path != "GET /v1/session" || r.Header.Get("Authorization") != "Bearer ear_live_secret" {
				t.Errorf("it sends %s %s %v", r.Method, r.URL, r.Header)
			}
			_, _ = io.WriteString(w, answer)
		}), nil).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		has := func(name string) bool {
			return slices.ContainsFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == name })
		}
		if has("usage") != want.usage || has("run_sweep") != want.run {
			t.Errorf("%s: usage %t, run_sweep %t", answer, has("usage"), has("run_sweep"))
		}
	}
}

// Tables must stay tables, whatever the values contain, and must say what they leave out.
func TestTable(t *testing.T) {
	t.Parallel()
	prompt := "one\ttab\nand\u2028lines " + strings.Repeat("ü", 300)
	answer, err := json.Marshal(map[string]any{"nextCursor": "next", "answers": []any{
		map[string]any{"id": "a", "prompt": prompt, "target": "x/US", "askedAt": "2026-09-08T04:10:05.100Z", "promptId": 7},
		map[string]any{"id": "b", "prompt": "two", "target": "x/US", "askedAt": "2026-09-08T04:11:05.100Z", "promptId": 8, "reason": nil},
	}})
	if err != nil {
		t.Fatal(err)
	}
	session := connect(t, standIn(t, func(w http.ResponseWriter, r *http.Request) {
		if want := "/v1/trackers/a%20b/answers?brand=M%26M&limit=30"; r.URL.String() != want {
			t.Errorf("it reads %s, want %s", r.URL, want)
		}
		_, _ = w.Write(answer)
	}), nil)
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "answers", Arguments: json.RawMessage(`{"tracker":"a b","brand":"M&M"}`)})
	if err != nil {
		t.Fatal(err)
	}
	want := "All rows: target x/US\nid\taskedAt\tpromptId\tprompt\na\t2026-09-08T04:10Z\t7\tone tab and lines " + strings.Repeat("ü", 141) + "…\nb\t2026-09-08T04:11Z\t8\ttwo\n[more: cursor=next]"
	if text(result) != want {
		t.Errorf("it says %q\nwant %q", text(result), want)
	}
}

// A long list is cut where the rows end that fit, and says how to go on.
func TestLongTableIsCut(t *testing.T) {
	t.Parallel()
	rows := make([]map[string]any, 1000)
	for i := range rows {
		rows[i] = map[string]any{"domain": fmt.Sprintf("site-%d.example", i), "share": 0.123456789, "citations": i}
	}
	answer, err := json.Marshal(map[string]any{"rows": rows, "madeUp": true})
	if err != nil {
		t.Fatal(err)
	}
	session := connect(t, standIn(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(answer) }), nil)
	read := func(arguments string) string {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "sources", Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		return text(result)
	}
	first := read(`{"tracker":"a","limit":1000}`)
	var next int
	if _, end, found := strings.Cut(first, "; more: offset="); !found || len(first) > 8<<10 || len(first) < 7<<10 || !strings.HasPrefix(first, "Made up: ") {
		t.Fatalf("it says %d bytes: %.200s … %s", len(first), first, end)
	} else if next, err = strconv.Atoi(strings.Split(end, ",")[0]); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(first, fmt.Sprintf("\nsite-%d.example\t", next-1)) || !strings.Contains(first, "All rows: share 0.1235\n") {
		t.Errorf("the next offset is %d after %s", next, first)
	}
	second := read(fmt.Sprintf(`{"tracker":"a","limit":1000,"offset":%d,"maxKB":100}`, next))
	if !strings.Contains(second, fmt.Sprintf("\nsite-%d.example\t%d\nsite", next, next)) || !strings.Contains(second, "site-999.example") {
		t.Errorf("the second page is %.300s", second)
	}
	if whole := read(`{"tracker":"a","format":"json"}`); !strings.Contains(whole, "maxKB: must be at least ") {
		t.Errorf("as JSON it says %.300s", whole)
	}
}

func TestInvalidOpenAPIDocumentIsAnError(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		``:   "unexpected end",
		`[]`: "cannot unmarshal",
		`{}`: "there is no operation GET /v1/trackers",
		`{"paths":{"/v1/trackers":{"get":{}},"/v1/trackers/{name}":{"get":{}},"/v1/trackers/{name}/sweeps":{"get":{}},"/v1/trackers/{name}/metrics":{"get":{}}}}`: "describe the tool metrics: GET /v1/trackers/{name}/metrics has no metric",
	} {
		if _, err := mcp.New(mcp.Config{OpenAPI: []byte(document)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", document, err)
		}
	}
}
