package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"text/tabwriter"

	"earshot/internal/track/selfcheck"
)

type selfcheckCmd struct {
	Repeats int    `help:"How often each setting is played. More take longer and tell smaller deviations." default:"2000"`
	Seed    uint64 `help:"Equal seeds give equal numbers." default:"1"`
}

// Help says what it measures.
func (c *selfcheckCmd) Help() string {
	return `Writes texts of which it is known whom they name, plays made-up worlds whose truth is known, and prints what the service says
of its own numbers beside what was found: how many of the brands that are found are named, and of those that are named
found; how often each interval holds the truth, how often a change is reported that is none, and how often one that is there is seen;
how many false alarms a tracker raises in a year, and how many falls it finds, at the threshold that follows from its number of series.
It needs no server and no network. The default size takes about a minute on two processors.

Exit status: 0 everything is kept, 1 something is not.

Examples:
  earshot selfcheck --repeats 20`
}

var errSelfcheck = errors.New("not everything that is stated was found")

// subjects are what is checked, in the order in which it is printed. A new one is a line
// here and a function in internal/track/selfcheck.
var subjects = []func(repeats int, seed uint64, report func(selfcheck.Check)){
	selfcheck.Detection,
	selfcheck.Statistics,
}

// Run prints a line for each check.
func (c *selfcheckCmd) Run(in *invocation) error {
	if c.Repeats < 1 {
		return fmt.Errorf("--repeats is %d, must be at least 1", c.Repeats)
	}
	// Worlds are small and short-lived: collecting them less often saves a third of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	table := tabwriter.NewWriter(in.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CHECK\tSETTING\tSTATED\tFOUND\t± ERROR\tKEPT")
	var broken []selfcheck.Check
	for _, subject := range subjects {
		subject(c.Repeats, c.Seed, func(check selfcheck.Check) {
			word := "yes"
			if !check.Kept() {
				word, broken = "NO", append(broken, check)
			}
			fmt.Fprintf(table, "%s\t%s\t%s to %s\t%s\t%s\t%s\n", check.Subject, check.Setting,
				amount(check.Unit, check.Stated[0]), amount(check.Unit, check.Stated[1]),
				amount(check.Unit, check.Found), amount(check.Unit, check.Error), word)
		})
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(broken) == 0 {
		return nil
	}
	fmt.Fprintln(in.out)
	for _, check := range broken {
		fmt.Fprintf(in.out, "NOT KEPT: %s, %s. It guards %s.\n", check.Subject, check.Setting, check.Guards)
	}
	return errSelfcheck
}

// amount writes a number in the unit of its check.
func amount(unit selfcheck.Unit, value float64) string {
	if unit == selfcheck.Share {
		return fmt.Sprintf("%.1f %%", 100*value)
	}
	return fmt.Sprintf("%.2f %s", value, unit)
}
