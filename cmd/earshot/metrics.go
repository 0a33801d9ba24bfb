package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"earshot/internal/track/metric"
)

type metricsCmd struct {
	Test metricsTestCmd `cmd:"" help:"Compute the metrics of a folder with a definition and answers."`
}

type metricsTestCmd struct {
	Dir string `arg:"" help:"Folder with definition.json and answers.ndjson." placeholder:"DIR"`
}

// Help returns the command's long help.
func (c *metricsTestCmd) Help() string {
	return `Computes the metrics of stored answers with the service's own code, without a server, network or credits: every metric by brand
and target with both intervals, the comparison of the definition's periods, the series with their change detector, and
stability. docs/statistics.md explains the metrics and the two files.

Exit status: 0 they were computed, 1 a file is missing or not valid.

Examples:
  earshot metrics test exported/
  earshot metrics test exported/ | jq '.metrics[] | select(.metric == "visibility@m1")'`
}

// Run prints the report.
func (c *metricsTestCmd) Run(in *invocation) error {
	definition, err := os.ReadFile(filepath.Join(c.Dir, "definition.json"))
	if err != nil {
		return fmt.Errorf("read the definition: %w", err)
	}
	answers, err := os.Open(filepath.Join(c.Dir, "answers.ndjson"))
	if err != nil {
		return fmt.Errorf("open the answers: %w", err)
	}
	defer func() { _ = answers.Close() }() // it was only read
	book, err := metric.Read(bytes.NewReader(definition), answers)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Dir, err)
	}
	report, err := book.Report()
	if err != nil {
		return err
	}
	return in.json(report)
}
