// Command cases computes metrics and finds names in files, so that others can compare the
// results with their own:
//
//	go run ./test/cases metrics DIR
//	go run ./test/cases names FILE
//
// metrics reads definition.json and answers.ndjson from a folder, and prints every metric by
// brand and target with both intervals, the comparison of the definition's periods, the series
// with their change detector, and stability. docs/statistics.md explains the files.
//
// names reads cases, one JSON object per line; - is standard input. A case has an id, a text
// (Markdown, or plain with "format":"plain"), brands with their names, matching options and
// domains and, if they matter, the prompt and the sources of the answer. If a case has
// "expect", the complete list of mentions, the mentions are compared by brand, kind (name,
// domain, absent), byte range, position and listRank. --format text prints the cases that
// differ, --format ndjson all mentions, one JSON object per case.
//
// The exit status is 0, or 1 if a file is missing or not valid, or if a case differs.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"earshot/internal/track/mention"
	"earshot/internal/track/metric"
)

// errDiffers is returned if a case fails.
var errDiffers = errors.New("not all cases gave the expected mentions")

type cli struct {
	Metrics metricsCmd `cmd:"" help:"Compute the metrics of a folder with a definition and answers."`
	Names   namesCmd   `cmd:"" help:"Find the brands of cases in their texts, and compare with the expected mentions."`
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "earshot:", err)
		os.Exit(1)
	}
}

// run is the whole program, for main and for tests.
func run(args []string, in io.Reader, out io.Writer) error {
	parser, err := kong.New(&cli{}, kong.Name("cases"), kong.BindTo(in, (*io.Reader)(nil)), kong.BindTo(out, (*io.Writer)(nil)), kong.Writers(out, out))
	if err != nil {
		return err
	}
	command, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return command.Run()
}

type metricsCmd struct {
	Dir string `arg:"" help:"Folder with definition.json and answers.ndjson."`
}

// Run prints the report.
func (c *metricsCmd) Run(out io.Writer) error {
	definition, err := os.ReadFile(filepath.Join(c.Dir, "definition.json"))
	if err != nil {
		return fmt.Errorf("read the definition: %w", err)
	}
	answers, err := os.Open(filepath.Join(c.Dir, "answers.ndjson"))
	if err != nil {
		return fmt.Errorf("open the answers: %w", err)
	}
	defer func() { _ = answers.Close() }() // it was only read
	dataset, err := metric.Read(bytes.NewReader(definition), answers)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Dir, err)
	}
	report, err := dataset.Report()
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

type namesCmd struct {
	File   string `arg:"" help:"The cases, one JSON object per line; - is standard input."`
	Format string `help:"text prints the cases that differ; ndjson prints all mentions, one JSON object per case." enum:"text,ndjson" default:"text"`
}

// Run runs the cases of the file.
func (c *namesCmd) Run(in io.Reader, out io.Writer) error {
	file, err := c.read(in)
	if err != nil {
		return fmt.Errorf("read the cases: %w", err)
	}
	total, differ := 0, 0
	for number, line := range bytes.Split(file, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var test mention.Case
		if err := json.Unmarshal(line, &test); err != nil {
			return fmt.Errorf("line %d: %w", number+1, err)
		}
		outcome, err := test.Run()
		if err != nil {
			return fmt.Errorf("line %d, case %q: %w", number+1, test.ID, err)
		}
		total++
		differences := test.Differences(outcome)
		if len(differences) > 0 {
			differ++
		}
		if err := c.print(out, test, outcome, differences); err != nil {
			return err
		}
	}
	if c.Format == "text" {
		fmt.Fprintf(out, "%d of %d cases gave the expected mentions\n", total-differ, total)
	}
	if differ > 0 {
		return errDiffers
	}
	return nil
}

func (c *namesCmd) read(in io.Reader) ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(c.File)
}

func (c *namesCmd) print(out io.Writer, test mention.Case, outcome mention.Outcome, differences []string) error {
	if c.Format == "ndjson" {
		return json.NewEncoder(out).Encode(outcome)
	}
	if len(differences) == 0 {
		return nil
	}
	fmt.Fprintf(out, "%s  %s\n  %q\n", test.ID, test.Why, test.Text)
	for _, difference := range differences {
		fmt.Fprintf(out, "  %s\n", difference)
	}
	return nil
}
