package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
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
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "websearch_news", Arguments: json.RawMessage(`{"query":"<tents>"}`)})
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
			r.Header.Get("Authorization") != "Bearer ear_live_secret" || r.Header.Get("Content-Type") != "application/json" {
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

// Each error says what to do. Its data is not in structuredContent, which clients compare
// with the tool's output schema.
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
				_, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "credits"})
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

func (s slow) Call(context.Context, string, string, any) (int, []byte, http.Header, error) {
	time.Sleep(time.Duration(s)) // of the bubble's clock
	return http.StatusOK, []byte(`{"remaining":3}`), http.Header{}, nil
}

func TestLongCallReportsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []float64
		session := connect(t, slow(35*time.Second), &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				heard = append(heard, r.Params.Progress)
			},
		})
		params := &sdk.CallToolParams{Name: "credits"}
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
	for answer, want := range map[string]struct{ credits, run bool }{
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
		if has("credits") != want.credits || has("tracker_run") != want.run {
			t.Errorf("%s: credits %t, tracker_run %t", answer, has("credits"), has("tracker_run"))
		}
	}
}

// The schemas of the tools contain no keywords that many clients do not support.
func TestSchemasAreSimple(t *testing.T) {
	t.Parallel()
	list, err := connect(t, mcp.Remote{}, nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const budget = 120_000 // agents pay for every byte
	if whole, err := json.Marshal(list); err != nil || len(whole) > budget {
		t.Errorf("the list of tools has %d bytes (%v)", len(whole), err)
	}
	for _, tool := range list.Tools {
		schema, err := json.Marshal([]any{tool.InputSchema, tool.OutputSchema})
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{`"$ref"`, `"if"`, `"then"`, `"allOf"`, `"dependentSchemas"`} {
			if strings.Contains(string(schema), word) {
				t.Errorf("%s has %s: %s", tool.Name, word, schema)
			}
		}
		for _, property := range map[string][]string{
			"chatassistant": {`"prompt"`, `"shopping"`}, "websearch": {`"query"`, `"markdown"`}, "quote": {`"taskType"`, `"payload"`, `"WEBSEARCH_NEWS"`},
			"countries": {`"model"`, `"searchoverview"`}, "states": {`"required":["country"]`},
		}[tool.Name] {
			if !strings.Contains(string(schema), property) {
				t.Errorf("%s lacks %s: %s", tool.Name, property, schema)
			}
		}
		if len(tool.Description) < 20 {
			t.Errorf("%s is described as %q", tool.Name, tool.Description)
		}
	}
}

func TestInvalidOpenAPIDocumentIsAnError(t *testing.T) {
	t.Parallel()
	// with returns a document whose one tool has these schemas as input and output.
	with := func(input, output, components string) string {
		return `{"paths":{"/a":{"post":{"x-tool":"a","requestBody":{"content":{"application/json":{"schema":` + input + `}}},
			"responses":{"200":{"content":{"application/json":{"schema":` + output + `}}}}}}},"components":{"schemas":` + components + `}}`
	}
	const object, ref = `{"type":"object"}`, `{"$ref":"#/components/schemas/A"}`
	if _, err := mcp.New(mcp.Config{OpenAPI: []byte(with(ref, ref, `{"A":`+object+`}`))}); err != nil {
		t.Fatalf("a valid document: %v", err)
	}
	for name, c := range map[string]struct{ document, want string }{
		"nothing":          {``, "unexpected end"},
		"no object":        {`[]`, "cannot unmarshal"},
		"no tools":         {`{}`, "has no tools"},
		"missing input":    {with(ref, object, `{}`), "there is no #/components/schemas/A"},
		"missing output":   {with(object, ref, `{}`), "there is no #/components/schemas/A"},
		"cyclic":           {with(ref, object, `{"A":`+ref+`}`), "nested more than"},
		"nested":           {with(object, ref, `{"A":{"type":"object","properties":{"a":`+ref+`}}}`), "nested more than"},
		"input is a text":  {with(`{"type":"string"}`, object, `{}`), "instead of an object"},
		"output is a text": {with(object, `{"type":"string"}`, `{}`), "instead of an object"},
	} {
		if _, err := mcp.New(mcp.Config{OpenAPI: []byte(c.document)}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
