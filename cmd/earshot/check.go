package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot/internal/app"
)

type checkCmd struct {
	Provider []providerArg `arg:"" optional:"" help:"The providers to check; all by default: ${providers}." completion-predictor:"provider"`
	Country  code          `help:"The country to ask from." default:"US" completion-predictor:"country"`
	Upstream []string      `help:"As for serve. The official APIs are ${apis}." placeholder:"lab|web|api:NAME|via:NAME|replay:DIR" env:"EARSHOT_UPSTREAM"`
	output
}

// Help returns the command's long help.
func (c *checkCmd) Help() string {
	return `Asks each provider once through each of its upstreams, and prints which of them work, what the answers cost in USD, and which setting
to change where one fails. It waits for vendors that answer later. It needs no running server and charges no credits. Official APIs and
vendors charge the owner of the key. A price with ~ was not reported by the upstream; it comes from the settings or from the list price.
A model that its vendor ends within 60 days is a warning, and fails from the announced date on, also if it still answers.

Exit status: 0 all upstreams work, 1 one does not, or anything else.

Examples:
  earshot check
  earshot check chatgpt --country de
  EARSHOT_OPENAI_API_KEY=… earshot check chatassistant --upstream api:openai`
}

var errCheck = errors.New("at least one upstream does not work")

// Run prints a line for each provider and upstream, then the cost and the settings to change.
func (c *checkCmd) Run(in *invocation) error {
	in.cfg.Upstreams = c.Upstream
	var names []string
	for _, p := range c.Provider {
		names = append(names, p.Name)
	}
	var done checked
	var all []app.Checked
	err := app.Check(in, in.cfg, string(c.Country), names, func(one app.Checked) error {
		done.add(one)
		all = append(all, one)
		return nil
	})
	t := tableOf("PROVIDER|UPSTREAM|STATE|TIME=SECONDS|USD=USD/ESTIMATED|FOUND", all, func(one *app.Checked) []any {
		state, found := "works", summary(*one)
		if !one.Works {
			state, found = "fails", one.Error
			if one.Reason != "" {
				state = string(one.Reason)
			}
		}
		took := one.Took.Round(time.Millisecond)
		return []any{one.Provider, one.Upstream, state, cell{took.String(), []any{took.Seconds()}}, cell{price(*one), []any{optional(one.USD), one.Estimated}}, found}
	})
	t.none = "there are no upstreams"
	if len(all) > 0 || err == nil {
		err = errors.Join(err, c.print(in, t))
	}
	if err != nil {
		return err
	}
	if c.isTable() {
		done.print(in.out)
	}
	if done.failed {
		return errCheck
	}
	return nil
}

// checked is what all upstreams together cost and lack.
type checked struct {
	failed, paid, estimated bool
	usd                     float64
	unknown, fixes          []string // upstreams without a price; settings to change
	warnings                []string
}

func (c *checked) add(one app.Checked) {
	c.failed = c.failed || !one.Works
	c.paid = c.paid || one.Paid
	c.estimated = c.estimated || one.Estimated
	if one.USD != nil {
		c.usd += *one.USD
	} else if one.Paid && one.Works && !slices.Contains(c.unknown, one.Upstream) {
		c.unknown = append(c.unknown, one.Upstream)
	}
	if one.Warning != "" && !slices.Contains(c.warnings, one.Warning) {
		c.warnings = append(c.warnings, one.Warning)
	}
	if one.Fix != "" && !slices.Contains(c.fixes, one.Fix) {
		c.fixes = append(c.fixes, one.Fix)
	}
}

// print writes the cost if something was paid for, the warnings and the settings to change.
func (c *checked) print(out io.Writer) {
	if c.paid {
		fmt.Fprintf(out, "\nThis check cost %s USD", usd(c.usd))
		if c.estimated {
			fmt.Fprint(out, ", partly estimated")
		}
		if len(c.unknown) > 0 {
			fmt.Fprintf(out, ", and an unknown amount for %s, whose prices you can set in `costs`", strings.Join(c.unknown, ", "))
		}
		fmt.Fprintln(out, ".")
	}
	printLines(out, "Warnings:", c.warnings)
	printLines(out, "Settings to change:", c.fixes)
}

func printLines(out io.Writer, title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(out, "\n%s\n  %s\n", title, strings.Join(lines, "\n  "))
	}
}

// price returns the cost of an answer, with ~ if it is estimated and ? if it is unknown.
func price(one app.Checked) string {
	switch {
	case !one.Paid:
		return "-"
	case one.USD == nil:
		return "?"
	case one.Estimated:
		return "~" + usd(*one.USD)
	default:
		return usd(*one.USD)
	}
}

func usd(amount float64) string { return strconv.FormatFloat(math.Round(amount*1e6)/1e6, 'f', -1, 64) }

// summary returns the content of an answer in a few words.
func summary(one app.Checked) string {
	var parts []string
	switch {
	case one.Model != "" && one.Asked != "" && one.Model != one.Asked:
		parts = append(parts, "model "+one.Model+" (asked for "+one.Asked+")")
	case one.Model != "":
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
