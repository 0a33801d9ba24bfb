package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/upstream"
)

type parseCmd struct {
	Provider providerArg `arg:"" help:"The provider of the document: ${providers}." completion-predictor:"provider"`
	File     string      `arg:"" optional:"" help:"The document, which may be gzipped, or a recording of it (HAR, serve --record); standard input by default or with -." placeholder:"FILE"`
	Surface  string      `help:"The kind of upstream that it came from; by default, it is detected." enum:"web,api,lab," default:"" placeholder:"web|api|lab"`
	Country  code        `help:"The country it was asked from; used to distinguish currencies." default:"US" completion-predictor:"country"`
	Device   string      `help:"The device it was requested for, if the provider has that option." placeholder:"desktop|mobile|…"`
	URL      string      `help:"The search URL of the document, instead of country and device." placeholder:"URL"`
	JQ       string      `name:"jq" help:"Print what this jq expression selects of the result, as 'jq -r -c' does." placeholder:"EXPRESSION"`
}

// Help returns the command's long help.
func (c *parseCmd) Help() string {
	return `Parses a stored page, stream or API response and prints the result as JSON. It needs no server, network or credits.

Exit status: 0 it was understood, 3 the provider refused (blocked), 4 it was not understood, 5 it contains no answer,
6 it is truncated or reports an error of the upstream, 1 anything else.

Examples:
  earshot parse websearch page.html --country de
  curl -s "$CAPTURE" | earshot parse chatgpt --jq .sources`
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
	request := map[string]any{"country": string(c.Country)}
	if c.Device != "" {
		request["device"] = c.Device
	}
	if c.URL != "" {
		request = map[string]any{"url": c.URL}
	}
	stored := app.Stored{Provider: c.Provider.Name, Document: document, Surface: earshot.Surface(c.Surface), Request: request}
	result, err := app.Parse(in, stored)
	if err != nil {
		return withStatus(err)
	}
	format := output{JQ: c.JQ}
	return format.json(in, result)
}

// withStatus returns an error with the exit status of its reason.
func withStatus(err error) error {
	if failure, ok := errors.AsType[*upstream.Failure](err); ok {
		return exitError{fmt.Errorf("%s: %w", failure.Reason, failure.Err), max(1, statusOf[failure.Reason])}
	}
	return err
}

// maxDocument is large enough for a recording of many exchanges.
const maxDocument = 256 << 20

// read reads the document from the file or from standard input.
func (c *parseCmd) read(in *invocation) (document []byte, err error) {
	switch {
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
