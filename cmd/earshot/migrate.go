package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"earshot/internal/app"
	"earshot/internal/store/transfer"
)

type migrateCmd struct {
	From string `help:"The database to copy." required:"" placeholder:"sqlite:FILE|postgres://…"`
	To   string `help:"The empty database to copy it into; --database by default." placeholder:"postgres://…|sqlite:FILE"`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help returns the command's long help.
func (c *migrateCmd) Help() string {
	return `Copies all data from one database into an empty one, SQLite or PostgreSQL: organizations, keys, credits, tasks, trackers with their
answers, alerts, webhooks. No server may run on either database. At the end, it compares the rows and a checksum of each table, the
audit, and the metrics of every tracker; before that, no server can start on the new database. The old database does not change.
If the command is interrupted, run it again to continue. Captures are files and are not copied; see docs/backup-and-upgrade.md.

Exit status: 0 everything was copied and is the same, 1 anything else.

Examples:
  earshot migrate --from sqlite:data/earshot.db --to postgres://earshot@db.example/earshot`
}

// Run copies the database and prints the progress.
func (c *migrateCmd) Run(in *invocation) error {
	to := cmp.Or(c.To, in.cfg.Database)
	if to == "" {
		return errors.New("the target database is missing: pass --to or --database, or set EARSHOT_DATABASE")
	}
	progress := transferProgress{out: in.errOut, terminal: isTerminal(in.errOut)}
	moved, err := app.Migrate(in, in.cfg, c.From, to, func(doing string, s transfer.State) { progress.show(doing, s, time.Now()) })
	if err != nil {
		return err
	}
	if c.JSON {
		return in.json(moved)
	}
	var rows int64
	for _, t := range moved.Tables {
		rows += t.Rows
	}
	fmt.Fprintf(in.out, "copied %d rows of %d tables; rows, audit and the metrics of %d trackers are the same in both databases\n", rows, len(moved.Tables), moved.Trackers)
	for _, f := range moved.Findings {
		fmt.Fprintf(in.out, "differs in both: %s: %s: stored %d, but computed %d\n", f.Organization, f.What, f.Stored, f.Actual)
	}
	for _, t := range moved.Untold {
		fmt.Fprintf(in.out, "metrics not compared: %s\n", t)
	}
	return nil
}

// transferProgress prints the progress of a table: in place on a terminal, otherwise as
// occasional lines.
type transferProgress struct {
	out      io.Writer
	terminal bool
	shown    time.Time
}

func (p *transferProgress) show(doing string, s transfer.State, now time.Time) {
	every := lineEvery
	if p.terminal {
		every = barEvery
	}
	if s.Rows < s.Of && now.Sub(p.shown) < every {
		return
	}
	p.shown = now
	text := fmt.Sprintf("%s %s: %d of %d rows", doing, s.Table, s.Rows, s.Of)
	if !p.terminal {
		fmt.Fprintln(p.out, text)
		return
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s", text)
	if s.Rows == s.Of {
		fmt.Fprintln(p.out)
	}
}
