package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"earshot/test/harness"
	"earshot/test/harness/program"
)

// The built program, run as an MCP client runs it, prints only protocol messages.
func TestMCPClientStartsTheProgram(t *testing.T) {
	t.Parallel()
	binary := program.Earshot(t)
	base, key := served(t, "--data", newData(t))

	session, logged := started(t, binary, base, key)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == "ask" }) {
		t.Errorf("there is no tool ask")
	}
	if result := called(t, session, "ask", `{"provider":"chatgpt","prompt":"best tents","country":"US"}`); result.IsError || !strings.HasSuffix(textOf(result), "credits charged, 249995 left. The whole answer: tasks with id="+fmt.Sprint(result.Meta["earshot/requestId"])+".") {
		t.Errorf("it answers %s", textOf(result))
	}
	if result := called(t, session, "usage", `{}`); result.IsError || !strings.HasPrefix(textOf(result), "249995 credits left") {
		t.Errorf("then %s", textOf(result))
	}
	const definition = `{"tracker":"tents","definition":{"prompts":["best tents"],"targets":[{"provider":"websearch","country":"US"}]}}`
	if result := called(t, session, "apply_tracker", definition); result.IsError || !strings.HasPrefix(textOf(result), "Dry run: nothing was stored.") {
		t.Errorf("applying says %s", textOf(result))
	}
	if err := session.Close(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	if text := logged.String(); text == "" || strings.Contains(text, key) {
		t.Errorf("it logs %s", text)
	}

	session, _ = started(t, binary, base, "ear_live_wrong")
	if result := called(t, session, "usage", `{}`); !result.IsError || !strings.HasPrefix(textOf(result), "INVALID_API_KEY: ") {
		t.Errorf("with a wrong key it says %s", textOf(result))
	}
	if err := session.Close(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
}

// started runs the program for an MCP client.
func started(t *testing.T, binary, base, key string) (session *sdk.ClientSession, logged *harness.Logs) {
	t.Helper()
	logged = &harness.Logs{} // the program may still write while it is read
	command := program.Command(t, binary, "mcp")
	command.Env = append(os.Environ(), "EARSHOT_URL="+base, "EARSHOT_API_KEY="+key)
	command.Stderr = logged
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, logged)
	}
	return session, logged
}

func called(t *testing.T, session *sdk.ClientSession, tool, arguments string) *sdk.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func textOf(result *sdk.CallToolResult) string {
	text, _ := result.Content[0].(*sdk.TextContent)
	return text.Text
}
