package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"earshot/internal/app"
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
	for _, p := range app.Providers() {
		name := strings.ReplaceAll(p.Definition().Name, "/", "_")
		if !slices.ContainsFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == name }) {
			t.Errorf("there is no tool %s", name)
		}
	}
	result := called(t, session, "chatassistant", `{"prompt":"best tents","country":"US"}`)
	answer, _ := result.StructuredContent.(map[string]any)
	if result.IsError || answer["model"] != "lab-1" || answer["text"] == "" {
		t.Errorf("it answers %v", answer)
	}
	if result := called(t, session, "credits", `{}`); result.IsError || !strings.Contains(textOf(result), "249995 credits are left") {
		t.Errorf("then %s", textOf(result))
	}
	const definition = `{"name":"tents","dryRun":true,"prompts":["best tents"],"targets":[{"provider":"websearch","country":"US"}]}`
	if result := called(t, session, "tracker_apply", definition); result.IsError || !strings.HasPrefix(textOf(result), "Dry run, nothing was stored. tents ") {
		t.Errorf("applying says %s", textOf(result))
	}
	if err := session.Close(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	if text := logged.String(); text == "" || strings.Contains(text, key) {
		t.Errorf("it logs %s", text)
	}

	session, _ = started(t, binary, base, "ear_live_wrong")
	if result := called(t, session, "credits", `{}`); !result.IsError || !strings.HasPrefix(textOf(result), "INVALID_API_KEY: ") {
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
