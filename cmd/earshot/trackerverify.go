package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"earshot/internal/track/proof"
)

// errUnproven makes the verification exit with 1.
var errUnproven = errors.New("not all numbers are what their answers give")

type trackerVerifyCmd struct {
	File string `arg:"" help:"What 'earshot tracker export NAME --table numbers' wrote; - is standard input." placeholder:"FILE"`
	tableFlags
}

// Help says what is checked.
func (c *trackerVerifyCmd) Help() string {
	return `Needs no server. Looks for the names of the export in the results of its answers, adds up what it finds, and holds every number against
the one that the export states: values, counts, both intervals, series, stability. A number may differ by 0.000000000001. Prints the
value of each number as stated and as computed, and all that differs.

Exit status: 0 every number is what its answers give, 1 one is not, or anything else.

Examples:
  earshot tracker export shoes --table numbers -o shoes.ndjson
  earshot tracker verify shoes.ndjson`
}

// Run verifies.
func (c *trackerVerifyCmd) Run(in *invocation) error {
	file, err := c.open()
	if err != nil {
		return fmt.Errorf("open the export: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	head, checks, err := proof.Verify(file)
	if err != nil {
		return fmt.Errorf("%s is no export of numbers: %w", c.File, err)
	}
	rows := [][]string{{"NUMBER", "FIELD", "STATED", "COMPUTED", ""}}
	differ := 0
	for _, check := range checks {
		note := ""
		if !check.Agrees {
			differ++
			note = "differs"
		}
		if check.Agrees && check.Field != "value" && !c.CSV {
			continue
		}
		rows = append(rows, []string{oneLine(check.What), check.Field, plainValue(check.Stated), plainValue(check.Recomputed), note})
	}
	switch {
	case c.JSON:
		err = in.json(checks)
	case c.CSV:
		err = csv.NewWriter(in.out).WriteAll(rows)
	default:
		if err = printTable(in.out, rows); err == nil {
			_, err = fmt.Fprintf(in.out, "\n%s, rules %s: %d of %d numbers are what the answers give\n", oneLine(head.Tracker), head.Rules, len(checks)-differ, len(checks))
		}
	}
	if err == nil && differ > 0 {
		return errUnproven
	}
	return err
}

func (c *trackerVerifyCmd) open() (io.ReadCloser, error) {
	if c.File == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	return os.Open(c.File)
}

func plainValue(value any) string {
	switch value := value.(type) {
	case nil:
		return "-"
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	default:
		return oneLine(fmt.Sprint(value))
	}
}
