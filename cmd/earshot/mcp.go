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

// Help shows how a client of the protocol starts it.
func (c *mcpCmd) Help() string {
	return `Lets an AI agent on this machine ask through a running service: speaks the Model Context Protocol on
standard input and output, with one tool for each provider, and countries, states, quote and credits.
Calls are checked, limited and charged like those of the API. Logs go to standard error.

Example, in the configuration of an MCP client:
  {"mcpServers": {"earshot": {"command": "earshot", "args": ["mcp"],
    "env": {"EARSHOT_URL": "http://127.0.0.1:8080", "EARSHOT_API_KEY": "ear_live_…"}}}}

A client that speaks HTTP needs no program: it can use the service's own /mcp with the same key.`
}

// Run serves the client that started the program, until it closes standard input.
func (c *mcpCmd) Run(in *invocation) error {
	if _, err := c.connect(); err != nil { // the address and the key must be there
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
