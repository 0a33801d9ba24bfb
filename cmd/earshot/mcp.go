package main

import (
	"io"
	"os"

	"earshot/internal/api/mcp"
	"earshot/internal/app"
)

type mcpCmd struct {
	remote
}

// Help returns the command's long help.
func (c *mcpCmd) Help() string {
	return `Gives an AI agent on this machine access to a running server. It speaks the Model Context Protocol on standard input and output,
with tools to ask providers and to read and change trackers, as far as the scopes of the key allow. Calls are checked,
limited and charged like API calls. Logs are written to standard error. An MCP client that speaks HTTP can use the server's /mcp instead.

Exit status: 0 the client closed standard input, 1 anything else.

Examples:
  {"mcpServers": {"earshot": {"command": "earshot", "args": ["mcp"], "env": {"EARSHOT_API_KEY": "ear_live_…"}}}}`
}

// Run serves the MCP client that started the program, until the client closes standard input.
func (c *mcpCmd) Run(in *invocation) error {
	if _, err := c.connect(); err != nil { // checks the address and the key
		return err
	}
	openAPI, err := app.OpenAPI(app.Providers())
	if err != nil {
		return err
	}
	server, err := mcp.New(mcp.Config{OpenAPI: openAPI, Caller: mcp.Remote{URL: c.URL, Key: c.APIKey}, Log: in.cfg.Log})
	if err != nil {
		return err
	}
	return server.Run(in, os.Stdin, noClose{in.out})
}

// noClose is a writer that must not be closed.
type noClose struct{ io.Writer }

// Close does nothing.
func (noClose) Close() error { return nil }
