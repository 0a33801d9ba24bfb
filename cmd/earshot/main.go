// Command earshot is the service and the tool to operate it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"earshot/internal/app"
)

// cli is the command line. Every flag can also be given as an EARSHOT_
// variable or in the settings file, in that order of strength.
type cli struct {
	Config              settingsFile `help:"Settings file (YAML): any flag below by its name, and the sections providers, plans, prices, apis and web." placeholder:"FILE"`
	Data                string       `help:"Folder for the SQLite database and the captures." default:"data" placeholder:"DIR"`
	Database            string       `help:"PostgreSQL to use instead of SQLite, for many nodes." placeholder:"postgres://…"`
	AllowUnsafeDatabase bool         `help:"Use a PostgreSQL that may lose acknowledged commits."`
	LogLevel            string       `help:"Least level to log." enum:"debug,info,warn,error" default:"info"`

	Serve   serveCmd   `cmd:"" help:"Run the service."`
	Ask     askCmd     `cmd:"" help:"Ask one question through a running server and print the answer."`
	Batch   batchCmd   `cmd:"" help:"Ask the questions of a file through a running server and write the results."`
	Tasks   tasksCmd   `cmd:"" help:"List, show and remove the tasks of a running server."`
	Status  statusCmd  `cmd:"" help:"Tell how a running server and your organization stand."`
	Org     orgCmd     `cmd:"" help:"Manage organizations."`
	Key     keyCmd     `cmd:"" help:"Manage API keys."`
	Credits creditsCmd `cmd:"" help:"Manage credits."`
	Webhook webhookCmd `cmd:"" help:"Manage webhooks."`
	Listen  listenCmd  `cmd:"" help:"Print tasks as they end."`
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Let an AI agent ask, by the Model Context Protocol on standard input and output."`
	Check   checkCmd   `cmd:"" help:"Ask once through every configured upstream and tell what works."`
	Parse   parseCmd   `cmd:"" help:"Print what a stored document yields."`
	Reparse reparseCmd `cmd:"" help:"Read all stored captures again and tell what changed."`
	Names   namesCmd   `cmd:"" help:"Test how names of brands are found in answers."`
	Audit   auditCmd   `cmd:"" help:"Recompute every balance and counter from the rows. Exits with 1 when one is off."`

	Settings   configCmd     `cmd:"" name:"config" help:"Print every setting, its value and where it comes from."`
	Completion completionCmd `cmd:"" help:"Print a script that completes commands in a shell."`
}

// invocation is the argument of every command's Run.
type invocation struct {
	context.Context
	cfg    app.Config
	out    io.Writer
	errOut io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "earshot:", err)
		status := 1
		if special, ok := errors.AsType[exitError](err); ok {
			status = special.status
		}
		os.Exit(status) //nolint:gocritic // the deferred stop is of no use to a process that ends
	}
}

// run is the whole program, for main and for tests.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	var c cli
	file := &fileSettings{}
	parser, err := kong.New(&c,
		kong.Name("earshot"),
		kong.Description("Asks AI chat assistants and search engines on your behalf and returns what they answered as structured data."),
		kong.UsageOnError(),
		kong.DefaultEnvars("EARSHOT"),
		helpVars(),
		kong.Resolvers(file),
		kong.Bind(file, &c),
		kong.Writers(out, errOut),
	)
	if err != nil {
		return fmt.Errorf("define the command line: %w", err)
	}
	command, err := parser.Parse(args)
	if err != nil {
		return fmt.Errorf("%w%s", err, seeHelp(err))
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return fmt.Errorf("log level: %w", err)
	}
	return command.Run(&invocation{Context: ctx, out: out, errOut: errOut, cfg: app.Config{
		Data:                c.Data,
		Database:            c.Database,
		AllowUnsafeDatabase: c.AllowUnsafeDatabase,
		Settings:            file.Settings,
		Log:                 slog.New(slog.NewTextHandler(errOut, &slog.HandlerOptions{Level: level})),
	}})
}

// seeHelp names the help text to read after a mistake on the command line.
func seeHelp(err error) string {
	mistaken, ok := errors.AsType[*kong.ParseError](err)
	if !ok {
		return ""
	}
	command := mistaken.Context.Model.Name
	if selected := mistaken.Context.Selected(); selected != nil {
		command = selected.FullPath()
	}
	return "; '" + command + " --help' tells more"
}
