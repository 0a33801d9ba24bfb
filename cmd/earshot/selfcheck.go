package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"text/tabwriter"

	"earshot/internal/track/selfcheck"
)

type selfcheckCmd struct {
	Repeats int    `help:"How often each setting is simulated. More repeats take longer and find smaller deviations." default:"2000"`
	Seed    uint64 `help:"The random seed; equal seeds give equal results." default:"1"`
}

// Help returns the command's long help.
func (c *selfcheckCmd) Help() string {
	return `Simulates texts and answers with known ground truth, and compares the accuracy that the service states with the accuracy that is
measured: precision and recall of brand detection, coverage of each confidence interval, false positive rate and power of
comparisons, and the false alarms per year and the detected drops of the alerts.
It needs no server and no network. The default size takes about a minute and a half on two processors.

Exit status: 0 all measurements agree with the stated accuracy, 1 one does not, or anything else.

Examples:
  earshot selfcheck --repeats 20`
}

var errSelfcheck = errors.New("not all measurements agree with the stated accuracy")

// subjects are the groups of checks, in the order of the output. They are functions of
// internal/track/selfcheck.
var subjects = []func(repeats int, seed uint64, report func(selfcheck.Check)){
	selfcheck.Detection,
	selfcheck.Statistics,
}

// Run prints a line for each check.
func (c *selfcheckCmd) Run(in *invocation) error {
	if c.Repeats < 1 {
		return fmt.Errorf("--repeats must be at least 1, but is %d", c.Repeats)
	}
	// Simulations allocate many short-lived objects: collecting them less often saves a third of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	table := tabwriter.NewWriter(in.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CHECK\tSETTING\tSTATED\tMEASURED\t± ERROR\tAGREES")
	var broken []selfcheck.Check
	for _, subject := range subjects {
		subject(c.Repeats, c.Seed, func(check selfcheck.Check) {
			word := "yes"
			if !check.Passed() {
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
		fmt.Fprintf(in.out, "DOES NOT AGREE: %s, %s. It guards %s.\n", check.Subject, check.Setting, check.Guards)
	}
	return errSelfcheck
}

// amount formats a number in the unit of its check.
func amount(unit selfcheck.Unit, value float64) string {
	if unit == selfcheck.Share {
		return fmt.Sprintf("%.1f %%", 100*value)
	}
	return fmt.Sprintf("%.2f %s", value, unit)
}
