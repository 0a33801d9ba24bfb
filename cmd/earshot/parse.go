package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/provider/explain"
	"earshot/internal/upstream"
)

type parseCmd struct {
	Provider providerOrFile `arg:"" help:"The provider of the document: ${providers}. Without it, the provider is recognised if only one can have sent the document." completion-predictor:"provider"`
	File     string         `arg:"" optional:"" help:"The document, which may be gzipped, or a recording of it (HAR, serve --record); standard input by default or with -." placeholder:"FILE"`
	Surface  string         `help:"The kind of upstream that it came from; by default, it is detected." enum:"web,api,lab," default:"" placeholder:"web|api|lab"`
	Country  string         `help:"The country it was asked from; used to distinguish currencies." default:"US" completion-predictor:"country"`
	Device   string         `help:"The device it was requested for, if the provider has that option." placeholder:"desktop|mobile|…"`
	URL      string         `help:"The search URL of the document, instead of country and device." placeholder:"URL"`
	Explain  bool           `help:"Print which code found which part of the document instead of the result."`
	JSON     bool           `name:"json" help:"Print the explanation as JSON. The result is always JSON."`
}

// providerOrFile is a provider, or the document if it is the only argument.
type providerOrFile struct {
	providerArg

	file string
}

// UnmarshalText sets the provider with the given name, or the file if there is no such provider.
func (p *providerOrFile) UnmarshalText(name []byte) error {
	err := p.providerArg.UnmarshalText(name)
	if info, missing := os.Stat(string(name)); err != nil && missing == nil && !info.IsDir() {
		p.file, err = string(name), nil
	}
	return err
}

// Help returns the command's long help.
func (c *parseCmd) Help() string {
	return `Parses a stored page, stream or API response and prints the result as JSON. It needs no server, network or credits.

With --explain, it prints the parts that were found in the order of the document: the kind, the title or first words, the
functions and source lines that found the part, and the element. Blocks of search pages that were not understood have the
kind unknown.

Exit status: 0 it was understood, 3 the provider refused (blocked), 4 it was not understood, 5 it contains no answer,
6 it is truncated or reports an error of the upstream, 1 anything else.

Examples:
  earshot parse websearch page.html --country DE
  earshot parse websearch page.html --explain
  curl -s "$CAPTURE" | earshot parse chatassistant | jq .sources`
}

// statusOf is the exit status for a document without a result, by reason.
var statusOf = map[earshot.Reason]int{
	earshot.ReasonBlocked: 3, earshot.ReasonUnreadable: 4, earshot.ReasonEmpty: 5, earshot.ReasonUnavailable: 6,
}

// exitError is an error with its own exit status.
type exitError struct {
	error
	status int
}

// Run reads the document and prints the result.
func (c *parseCmd) Run(in *invocation) error {
	document, err := c.read(in)
	if err != nil {
		return err
	}
	request := map[string]any{"country": c.Country}
	if c.Device != "" {
		request["device"] = c.Device
	}
	if c.URL != "" {
		request = map[string]any{"url": c.URL}
	}
	stored := app.Stored{Provider: c.Provider.Name, Document: document, Surface: earshot.Surface(c.Surface), Request: request}
	if c.Provider.file != "" {
		if stored.Provider, err = app.Recognise(in, stored); err != nil {
			return fmt.Errorf("%w: earshot parse PROVIDER %s", err, c.Provider.file)
		}
		fmt.Fprintf(in.errOut, "reading it as %s; name another provider before the file to change this\n", stored.Provider)
	}
	if c.Explain {
		found, err := app.Explain(in, stored)
		return errors.Join(c.print(in, found), withStatus(err))
	}
	result, err := app.Parse(in, stored)
	if err != nil {
		return withStatus(err)
	}
	return in.json(result)
}

// withStatus returns an error with the exit status of its reason.
func withStatus(err error) error {
	if failure, ok := errors.AsType[*upstream.Failure](err); ok {
		return exitError{fmt.Errorf("%s: %w", failure.Reason, failure.Err), max(1, statusOf[failure.Reason])}
	}
	return err
}

// print prints an explanation.
func (c *parseCmd) print(in *invocation, found []explain.Finding) error {
	if c.JSON {
		return in.json(append([]explain.Finding{}, found...)) // a list even without findings
	}
	table := tabwriter.NewWriter(in.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tTITLE\tRULE\tELEMENT")
	for _, f := range found {
		title := []rune(oneLine(f.Title))
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", f.Kind, string(title[:min(len(title), maxExplained)]), f.Rule, oneLine(f.Element))
	}
	return table.Flush()
}

// maxExplained is the maximum number of characters of a title in the table of an explanation.
const maxExplained = 40

// maxDocument is large enough for a recording of many exchanges.
const maxDocument = 256 << 20

// read reads the document from the file or from standard input.
func (c *parseCmd) read(in *invocation) (document []byte, err error) {
	switch {
	case c.Provider.file != "" && c.File != "":
		return nil, fmt.Errorf("%s is not a provider", c.Provider.file)
	case c.Provider.file != "":
		document, err = readFile(c.Provider.file, maxDocument)
	case c.File == "" || c.File == "-":
		document, err = in.readInput("the document", maxDocument)
	default:
		document, err = readFile(c.File, maxDocument)
	}
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(document, []byte{0x1f, 0x8b}) {
		return document, nil
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("unpack the document: %w", err)
	}
	document, err = readLimited(unpacked, maxDocument)
	if err != nil {
		return nil, fmt.Errorf("unpack the document: %w", err)
	}
	return document, nil
}
