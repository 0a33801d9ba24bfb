package main

import (
	"fmt"
	"os"
	"time"

	"earshot/internal/app"
)

type captureCmd struct {
	Reduce captureReduceCmd `cmd:"" help:"Cut a stored page to a small one that is parsed in the same way."`
}

type captureReduceCmd struct {
	File     string        `arg:"" help:"The page, which may be gzipped, or a recording of it." placeholder:"FILE"`
	Provider providerArg   `help:"The provider of the page; by default, it is recognised: ${providers}." placeholder:"PROVIDER" completion-predictor:"provider"`
	Keep     []string      `help:"Path of a value in the result that must keep its shape or stay absent, such as organicResults[0].snippet." placeholder:"PATH"`
	Text     []string      `help:"A text that must stay on the page, such as a value that the parser does not find." placeholder:"TEXT" sep:"none"`
	Country  string        `help:"The country it was asked from; used to distinguish currencies." default:"US" completion-predictor:"country"`
	Time     time.Duration `help:"The maximum time." default:"1m"`
	Out      string        `short:"o" help:"Where to write the reduced page; standard output by default." placeholder:"FILE"`
}

// Help returns the command's long help.
func (c *captureReduceCmd) Help() string {
	return `Removes elements, attributes and texts of a page as long as the parser finds the values of --keep, and replaces the texts by
neutral ones of the same shape: letters by x, digits by 1, hosts by example.com. The reduced page shows how the parser reads
such a page and can become a fixture. It never contains e-mail addresses, names of accounts, tokens or the query: the command
fails if the values depend on these. Words on which the parser depends stay, so read the page before you publish it.

If the parser finds a wrong value, name its path. If it misses a value, name the path and the text on the page. If it
does not understand the page, name nothing: the page keeps the reason.

Exit status: 0 the reduced page was written, 1 anything else.

Examples:
  earshot capture reduce page.html --keep 'shoppingCards[0].products[2].merchant' -o fixture.html
  earshot capture reduce page.html --keep 'organicResults[1].rating' --text '4.6 (120)'`
}

// Run reads the page and writes the reduced page.
func (c *captureReduceCmd) Run(in *invocation) error {
	read := parseCmd{File: c.File}
	document, err := read.read(in)
	if err != nil {
		return err
	}
	stored := app.Stored{Provider: c.Provider.Name, Document: document, Request: map[string]any{"country": c.Country}}
	if stored.Provider == "" {
		if stored.Provider, err = app.Recognise(in, stored); err != nil {
			return fmt.Errorf("%w with --provider", err)
		}
	}
	page, err := app.Reduce(in, stored, app.Reduction{Keep: c.Keep, Text: c.Text, Time: c.Time})
	if err != nil {
		return err
	}
	fmt.Fprintf(in.errOut, "%d bytes before, %d bytes after\n", len(document), len(page))
	if c.Out == "" {
		_, err = in.out.Write(page)
		return err
	}
	return os.WriteFile(c.Out, page, 0o600)
}
