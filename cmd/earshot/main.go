// Command earshot is the Earshot service and its command line.
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

	"earshot/client"
	"earshot/internal/app"
)

// cli is the command line. Settings of the server can also be set by EARSHOT_ environment
// variables, which take precedence over the settings file. They are flags of the program,
// so that they may precede the command. The tag settings lists the settings that a command
// reads; an empty tag means all.
type cli struct {
	Config              settingsFile `help:"Settings file (YAML): the settings of 'earshot serve' by name, and the sections providers, plans, prices, apis, vendors and web." placeholder:"FILE" env:"EARSHOT_CONFIG" group:"settings"`
	Data                string       `help:"Folder for the SQLite database and the captures." default:"data" placeholder:"DIR" env:"EARSHOT_DATA" group:"settings"`
	Database            string       `help:"PostgreSQL database to use instead of SQLite, for several nodes." placeholder:"postgres://…" env:"EARSHOT_DATABASE" group:"settings"`
	AllowUnsafeDatabase bool         `help:"Accept a PostgreSQL that may lose acknowledged commits." env:"EARSHOT_ALLOW_UNSAFE_DATABASE" group:"settings"`
	LogLevel            string       `help:"Lowest level to log." enum:"debug,info,warn,error" default:"info" env:"EARSHOT_LOG_LEVEL" group:"settings"`
	LogFormat           string       `help:"Format of log lines." enum:"text,json" default:"text" env:"EARSHOT_LOG_FORMAT" group:"settings"`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Serve    serveCmd    `cmd:"" settings:"" help:"Run the service."`
	Ask      askCmd      `cmd:"" help:"Send one prompt to a provider and print the answer."`
	Batch    batchCmd    `cmd:"" help:"Ask the prompts of a file and write the results."`
	API      apiCmd      `cmd:"" name:"api" help:"Call any operation of the API and print the answer."`
	Tasks    tasksCmd    `cmd:"" help:"List and show the tasks of a running server."`
	Tracker  trackerCmd  `cmd:"" help:"Ask the same prompts on a schedule, and analyse the answers."`
	Status   statusCmd   `cmd:"" help:"Show the state of a running server and of your organization."`
	Listen   listenCmd   `cmd:"" help:"Print tasks when they end."`
	MCP      mcpCmd      `cmd:"" settings:"log-level,log-format" name:"mcp" help:"Serve AI agents with the Model Context Protocol on standard input and output."`
	Org      orgCmd      `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Manage organizations."`
	Key      keyCmd      `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Manage API keys."`
	User     userCmd     `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Manage users of the dashboard."`
	Credits  balanceCmd  `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Print and manage credits."`
	Webhook  webhookCmd  `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Manage webhooks."`
	Audit    auditCmd    `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Check all balances and counters against the stored rows."`
	AuditLog auditLogCmd `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"List changes and sign-ins: who, what, when and from where."`
	Migrate  migrateCmd  `cmd:"" settings:"config,database,allow-unsafe-database" help:"Copy a database into an empty one, such as SQLite into PostgreSQL."`
	Check    checkCmd    `cmd:"" settings:"config,log-level,log-format" help:"Test every configured upstream."`
	Parse    parseCmd    `cmd:"" help:"Parse a stored page and print the result."`

	Settings   configCmd     `cmd:"" settings:"" name:"config" help:"Print every setting, its value and its source."`
	Completion completionCmd `cmd:"" help:"Print a script that completes commands in a shell."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
}

// invocation is the first argument of every command's Run. Commands that call a server also
// take a *client.Client, which run creates from the command's flags.
type invocation struct {
	context.Context
	cfg    app.Config
	out    io.Writer
	errOut io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "earshot:", err)
		status := 1
		if special, ok := errors.AsType[exitError](err); ok {
			status = special.status
		}
		os.Exit(status) // the deferred stop does not matter when the process ends
	}
}

// description is the beginning of the program's help.
const description = `Asks AI assistants and search engines and returns their answers as structured data.

To begin, start a server. In another shell, run the "export" line that it prints, then ask:

  earshot serve
  earshot ask chatassistant "best running shoes"`

// run is the whole program, for main and for tests.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	var c cli
	file := &fileSettings{}
	printed := false // the help or the version was printed; there is nothing left to do
	parser, err := kong.New(&c,
		kong.Name("earshot"),
		kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, NoExpandSubcommands: len(args) == 0}),
		kong.Help(printHelp),
		kong.ExplicitGroups([]kong.Group{{Key: "settings", Title: "Settings of the server:"}}),
		kong.Exit(func(int) { printed = true }),
		helpVars(),
		kong.Vars{"version": version()},
		kong.Resolvers(file),
		kong.Bind(file, &c),
		kong.Writers(out, errOut),
	)
	if err != nil {
		return fmt.Errorf("define the command line: %w", err)
	}
	addAliases(parser.Model.Node)
	if done, err := completed(parser); done || err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := parser.Parse(withNegatives(parser.Model, args))
	if printed {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w%s", err, seeHelp(err))
	}
	if err := checkSettings(command); err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return fmt.Errorf("log level: %w", err)
	}
	if server, ok := command.Selected().Target.Addr().Interface().(interface {
		connect(options ...client.Option) (*client.Client, error)
	}); ok {
		if err := command.BindToProvider(func() (*client.Client, error) { return server.connect() }); err != nil {
			return fmt.Errorf("bind the client: %w", err)
		}
	}
	return command.Run(&invocation{Context: ctx, out: out, errOut: errOut, cfg: app.Config{
		Data:                c.Data,
		Database:            c.Database,
		AllowUnsafeDatabase: c.AllowUnsafeDatabase,
		Settings:            file.Settings,
		Log:                 slog.New(c.logHandler(errOut, level)),
		Version:             release,
	}})
}

// addAliases lets the commands below a node that list, show or delete be called ls, get or rm.
func addAliases(node *kong.Node) {
	for _, child := range node.Children {
		if alias := map[string]string{"list": "ls", "show": "get", "delete": "rm", "remove": "rm"}[child.Name]; alias != "" {
			child.Aliases = append(child.Aliases, alias)
		}
		addAliases(child)
	}
}

// logHandler returns the handler that writes log lines. Durations are text such as 28s in both
// formats; by default, JSON would have nanoseconds.
func (c *cli) logHandler(to io.Writer, level slog.Level) slog.Handler {
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "text" {
		return slog.NewTextHandler(to, options)
	}
	options.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			a.Value = slog.StringValue(a.Value.String())
		}
		return a
	}
	return slog.NewJSONHandler(to, options)
}
