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

// cli is the command line. The settings of a server can also be given as EARSHOT_
// variables or in the settings file, in that order of strength. They are flags of the
// program, so that they can stand before the command; the tag settings marks the
// commands that read them, or names which ones.
type cli struct {
	Config              settingsFile `help:"Settings file (YAML): any setting of 'earshot serve' by its name, and the sections providers, plans, prices, apis and web." placeholder:"FILE" env:"EARSHOT_CONFIG" group:"settings"`
	Data                string       `help:"Folder for the SQLite database and the captures." default:"data" placeholder:"DIR" env:"EARSHOT_DATA" group:"settings"`
	Database            string       `help:"PostgreSQL to use instead of SQLite, for many nodes." placeholder:"postgres://…" env:"EARSHOT_DATABASE" group:"settings"`
	AllowUnsafeDatabase bool         `help:"Use a PostgreSQL that may lose acknowledged commits." env:"EARSHOT_ALLOW_UNSAFE_DATABASE" group:"settings"`
	LogLevel            string       `help:"Least level to log." enum:"debug,info,warn,error" default:"info" env:"EARSHOT_LOG_LEVEL" group:"settings"`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Serve     serveCmd     `cmd:"" settings:"" help:"Run the service."`
	Ask       askCmd       `cmd:"" help:"Ask one question through a running server and print the answer."`
	Batch     batchCmd     `cmd:"" help:"Ask the questions of a file through a running server and write the results."`
	Tasks     tasksCmd     `cmd:"" help:"List, show and remove the tasks of a running server."`
	Tracker   trackerCmd   `cmd:"" help:"Ask the same questions again and again, and keep the answers."`
	Channel   channelCmd   `cmd:"" help:"Say where alerts of trackers are sent."`
	Status    statusCmd    `cmd:"" help:"Tell how a running server and your organization stand."`
	Listen    listenCmd    `cmd:"" help:"Print tasks as they end."`
	MCP       mcpCmd       `cmd:"" settings:"log-level" name:"mcp" help:"Let an AI agent ask, by the Model Context Protocol on standard input and output."`
	Org       orgCmd       `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Manage organizations."`
	Key       keyCmd       `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Manage API keys."`
	Credits   creditsCmd   `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Manage credits."`
	Webhook   webhookCmd   `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Manage webhooks."`
	Audit     auditCmd     `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Recompute every balance and counter from the rows. Exits with 1 when one is off."`
	Migrate   migrateCmd   `cmd:"" settings:"config,database,allow-unsafe-database" help:"Move a database into an empty one, such as a SQLite file into PostgreSQL."`
	Check     checkCmd     `cmd:"" settings:"config,log-level" help:"Ask once through every configured upstream and tell what works."`
	Parse     parseCmd     `cmd:"" help:"Print what a stored document yields."`
	Reparse   reparseCmd   `cmd:"" settings:"config,data,database,allow-unsafe-database" help:"Read all stored captures again and tell what changed."`
	Names     namesCmd     `cmd:"" help:"Test how names of brands are found in answers."`
	Metrics   metricsCmd   `cmd:"" help:"Compute what answers say of brands."`
	Selfcheck selfcheckCmd `cmd:"" help:"Simulate, and tell whether detection, intervals and alerts keep what they state. Exits with 1 when one does not."`

	Settings   configCmd     `cmd:"" settings:"" name:"config" help:"Print every setting, its value and where it comes from."`
	Completion completionCmd `cmd:"" help:"Print a script that completes commands in a shell."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
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

// description is the head of the program's help.
const description = `Asks AI chat assistants and search engines on your behalf and returns what they answered as structured data.

To begin, run a server, and in another shell the line with "export" that it prints; then ask:

  earshot serve
  earshot ask chatassistant "best running shoes"`

// run is the whole program, for main and for tests.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	var c cli
	file := &fileSettings{}
	told := false // the help or the version, and nothing is left to do
	parser, err := kong.New(&c,
		kong.Name("earshot"),
		kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, NoExpandSubcommands: len(args) == 0}),
		kong.Help(printHelp),
		kong.ExplicitGroups([]kong.Group{{Key: "settings", Title: "Settings of the server:"}}),
		kong.Exit(func(int) { told = true }),
		helpVars(),
		kong.Vars{"version": version()},
		kong.Resolvers(file),
		kong.Bind(file, &c),
		kong.Writers(out, errOut),
	)
	if err != nil {
		return fmt.Errorf("define the command line: %w", err)
	}
	if done, err := completed(parser); done || err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	command, err := parser.Parse(withNegatives(parser.Model, args))
	if told {
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
	return command.Run(&invocation{Context: ctx, out: out, errOut: errOut, cfg: app.Config{
		Data:                c.Data,
		Database:            c.Database,
		AllowUnsafeDatabase: c.AllowUnsafeDatabase,
		Settings:            file.Settings,
		Log:                 slog.New(slog.NewTextHandler(errOut, &slog.HandlerOptions{Level: level})),
	}})
}
