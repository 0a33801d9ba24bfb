package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"earshot/internal/app"
	"earshot/internal/store"
)

type migrateCmd struct {
	From string `help:"The database to move." required:"" placeholder:"sqlite:FILE|postgres://…"`
	To   string `help:"The empty database to move it into; without it, the one that --database names." placeholder:"postgres://…|sqlite:FILE"`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help says what is moved, and what not.
func (c *migrateCmd) Help() string {
	return `Copies everything from one database into an empty one, SQLite or PostgreSQL: organizations, keys, credits, tasks, trackers with their
answers, alerts, webhooks. No server may run on either. Only after everything was compared (rows and a checksum of each table,
the audit, the numbers of every tracker) can a server start on the new one; the old one stays as it is. Stopped or killed at any moment, the same
command goes on where it was. Captures are files beside the database and are not moved: docs/operating.md tells what to do with them.

Examples:
  earshot migrate --from sqlite:data/earshot.db --to postgres://earshot@db.example/earshot`
}

// Run moves, and tells how far it is.
func (c *migrateCmd) Run(in *invocation) error {
	to := cmp.Or(c.To, in.cfg.Database)
	if to == "" {
		return errors.New("into which database? name it with --to, --database or EARSHOT_DATABASE")
	}
	progress := transferProgress{out: in.errOut, terminal: isTerminal(in.errOut)}
	moved, err := app.Migrate(in, in.cfg, c.From, to, func(doing string, s store.TransferState) { progress.show(doing, s, time.Now()) })
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
	fmt.Fprintf(in.out, "moved %d rows of %d tables; rows, audit and the numbers of %d trackers are the same in both databases\n", rows, len(moved.Tables), moved.Trackers)
	for _, f := range moved.Findings {
		fmt.Fprintf(in.out, "off in both: %s: %s: stored %d, but the rows say %d\n", f.Organization, f.What, f.Stored, f.Actual)
	}
	for _, t := range moved.Untold {
		fmt.Fprintf(in.out, "numbers not compared: %s\n", t)
	}
	return nil
}

// transferProgress prints how far a table is: in place on a terminal, else a line now and
// then.
type transferProgress struct {
	out      io.Writer
	terminal bool
	shown    time.Time
}

func (p *transferProgress) show(doing string, s store.TransferState, now time.Time) {
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
