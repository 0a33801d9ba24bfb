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

// errUnproven is returned if a recomputed value differs.
var errUnproven = errors.New("not all values agree with the recomputed values")

type trackerVerifyCmd struct {
	File string `arg:"" help:"The output of 'earshot tracker export NAME --table numbers'; - is standard input." placeholder:"FILE"`
	tableFlags
}

// Help returns the command's long help.
func (c *trackerVerifyCmd) Help() string {
	return `Recomputes the metrics of an export without a server. It finds the brand names in the exported results, computes all values, and
compares them with the exported ones: values, counts, both intervals, series, stability. The tolerance is 0.000000000001. It prints
the stated and the computed value of each metric, and everything that differs.

Exit status: 0 all values agree, 1 one differs, or anything else.

Examples:
  earshot tracker export shoes --table numbers -o shoes.ndjson
  earshot tracker verify shoes.ndjson`
}

// Run verifies the export.
func (c *trackerVerifyCmd) Run(in *invocation) error {
	file, err := c.open()
	if err != nil {
		return fmt.Errorf("open the export: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	head, checks, err := proof.Verify(file)
	if err != nil {
		return fmt.Errorf("%s is not an export with --table numbers: %w", c.File, err)
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
			_, err = fmt.Fprintf(in.out, "\n%s, rules %s: %d of %d values agree with the recomputed values\n", oneLine(head.Tracker), head.Rules, len(checks)-differ, len(checks))
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
