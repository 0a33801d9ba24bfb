package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"earshot/internal/app"
)

type checkCmd struct {
	Provider []providerArg `arg:"" optional:"" help:"The providers to check; all by default: ${providers}." completion-predictor:"provider"`
	Country  string        `help:"The country to ask from." default:"US" completion-predictor:"country"`
	Upstream []string      `help:"As for serve. The official APIs are ${apis}." placeholder:"lab|web|api:NAME|replay:DIR" env:"EARSHOT_UPSTREAM"`
	JSON     bool          `name:"json" help:"Print one JSON object for each upstream."`
}

// Help returns the command's long help.
func (c *checkCmd) Help() string {
	return `Asks each provider once through each of its upstreams and prints which of them work. It needs no running server and charges no
credits. An official API charges the owner of the API key for the call.

Exit status: 0 all upstreams work, 1 one does not, or anything else.

Examples:
  earshot check
  earshot check chatassistant --country DE
  EARSHOT_OPENAI_API_KEY=… earshot check chatassistant --upstream api:openai`
}

var errCheck = errors.New("at least one upstream does not work")

// Run prints a line for each provider and upstream.
func (c *checkCmd) Run(in *invocation) error {
	in.cfg.Upstreams = c.Upstream
	table := tabwriter.NewWriter(in.out, 0, 0, 2, ' ', 0)
	if !c.JSON {
		fmt.Fprintln(table, "PROVIDER\tUPSTREAM\tSTATE\tTIME\tFOUND")
	}
	var names []string
	for _, p := range c.Provider {
		names = append(names, p.Name)
	}
	works := true
	err := app.Check(in, in.cfg, c.Country, names, func(one app.Checked) error {
		works = works && one.Works
		if c.JSON {
			return json.NewEncoder(in.out).Encode(one)
		}
		state, found := "works", summary(one)
		if !one.Works {
			state, found = "fails", one.Error
			if one.Reason != "" {
				state = string(one.Reason)
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", one.Provider, one.Upstream, state, one.Took.Round(time.Millisecond), found)
		return nil
	})
	if err := errors.Join(err, table.Flush()); err != nil {
		return err
	}
	if !works {
		return errCheck
	}
	return nil
}

// summary returns the content of an answer in a few words.
func summary(one app.Checked) string {
	var parts []string
	if one.Model != "" {
		parts = append(parts, "model "+one.Model)
	}
	if one.Location != nil {
		parts = append(parts, "for "+one.Location.Country)
	} else {
		parts = append(parts, "for an unknown place")
	}
	for _, field := range slices.Sorted(maps.Keys(one.Found)) {
		parts = append(parts, fmt.Sprintf("%d %s", one.Found[field], field))
	}
	return strings.Join(parts, ", ")
}
