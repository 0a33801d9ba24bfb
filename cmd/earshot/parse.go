package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/upstream"
)

type parseCmd struct {
	Provider providerArg `arg:"" help:"Whose document it is: ${providers}." completion-predictor:"provider"`
	File     string      `arg:"" optional:"" help:"The document, also gzipped, or a recording of it (HAR, serve --record). Without one, or with -, it is read from standard input." placeholder:"FILE"`
	Surface  string      `help:"What kind of upstream it came from. Without it, the document tells." enum:"web,api,lab," default:"" placeholder:"web|api|lab"`
	Country  string      `help:"Where it was asked from; tells currencies apart." default:"US" completion-predictor:"country"`
	Device   string      `help:"The device it was made for, where the provider has that choice." placeholder:"desktop|mobile|…"`
	URL      string      `help:"The search URL that it answers, instead of country and device." placeholder:"URL"`
}

// Help explains the exit status.
func (c *parseCmd) Help() string {
	return `Prints what a stored page, stream or API answer yields, without network, credits or a server.

Exit status: 0 it was understood, 3 it refuses us (blocked), 4 it was not understood, 5 it holds no answer,
6 it breaks off or reports an error of the upstream, 1 anything else.

Examples:
  earshot parse websearch page.html --country DE
  curl -s "$CAPTURE" | earshot parse chatassistant | jq .sources`
}

// statusOf is the exit status for a document that gives no result.
var statusOf = map[earshot.Reason]int{
	earshot.ReasonBlocked: 3, earshot.ReasonUnreadable: 4, earshot.ReasonEmpty: 5, earshot.ReasonUnavailable: 6,
}

// exitError is an error with an exit status of its own.
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
	result, err := app.Parse(in, app.Stored{
		Provider: c.Provider.Name, Document: document, Surface: earshot.Surface(c.Surface), Request: request,
	})
	if failure, ok := errors.AsType[*upstream.Failure](err); ok {
		return exitError{fmt.Errorf("%s: %w", failure.Reason, failure.Err), max(1, statusOf[failure.Reason])}
	}
	if err != nil {
		return err
	}
	return in.json(result)
}

// maxDocument is enough for a recording of many exchanges.
const maxDocument = 256 << 20

// read takes the document from the file or from standard input.
func (c *parseCmd) read(in *invocation) (document []byte, err error) {
	if c.File == "" || c.File == "-" {
		document, err = in.readInput("the document", maxDocument)
	} else {
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

type reparseCmd struct {
	Captures string `help:"The bucket of the captures, as for serve." placeholder:"s3://…" env:"EARSHOT_CAPTURES"`
	JSON     bool   `name:"json" help:"Print one JSON object a capture."`
}

// Help says what it compares.
func (c *reparseCmd) Help() string {
	return `After a parser was mended: reads every capture that is kept once more, with the request that it answered, and names the
fields of the result that differ. The results of synchronous calls are not kept, so of those it tells only whether they
are understood now. Nothing is changed or charged.

Examples:
  earshot reparse
  earshot reparse --json | jq 'select(.reason == "unreadable")'`
}

// Run prints a line for each capture.
func (c *reparseCmd) Run(in *invocation) error {
	in.cfg.Captures = c.Captures
	counts := map[string]int{}
	err := app.Reparse(in, in.cfg, func(r app.Reparsed) error {
		outcome := "unchanged"
		switch {
		case r.Reason != "":
			outcome = string(r.Reason)
		case r.Before == earshot.StatusFailed:
			outcome = "understood now"
		case len(r.Changes) > 0:
			outcome = "changed"
		}
		counts[outcome]++
		if c.JSON {
			return json.NewEncoder(in.out).Encode(r)
		}
		_, err := fmt.Fprintf(in.out, "%s  %-16s  %-14s  %s\n", r.Capture, r.Provider, outcome, strings.Join(r.Changes, "; "))
		return err
	})
	if err != nil || c.JSON {
		return err
	}
	var sums []string
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		sums = append(sums, fmt.Sprintf("%d %s", counts[outcome], outcome))
	}
	_, err = fmt.Fprintf(in.out, "%s\n", cmp.Or(strings.Join(sums, ", "), "there are no captures"))
	return err
}
