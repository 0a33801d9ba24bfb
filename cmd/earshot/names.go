package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"earshot/internal/track/mention"
)

// errDiffers is returned if a case fails.
var errDiffers = errors.New("not all cases gave the expected mentions")

type namesCmd struct {
	Test namesTestCmd `cmd:"" help:"Find the brands of test cases in their texts, and compare with the expected mentions."`
}

type namesTestCmd struct {
	File   string `arg:"" help:"The cases, one JSON object per line; - is standard input." placeholder:"FILE"`
	Format string `help:"text prints the cases that differ; ndjson prints all mentions, one JSON object per case." enum:"text,ndjson" default:"text"`
}

// Help returns the command's long help.
func (c *namesTestCmd) Help() string {
	return `Finds brand names in the texts of test cases. It needs no server and charges nothing. A case has an id, a text (Markdown, or plain
with "format":"plain"), brands with their names, matching options and domains and, if they matter, the prompt and the sources of
the answer. If a case has "expect", the complete list of mentions, the mentions are compared by brand, kind (name, domain,
absent), byte range, position and listRank.

Exit status: 0 all cases gave the expected mentions, 1 one differs, or anything else.

Examples:
  echo '{"id":"a","text":"1. Ollaro","brands":[{"name":"Ollaro"}]}' | earshot names test - --format ndjson | jq '.mentions[].listRank'`
}

// Run runs the cases of the file.
func (c *namesTestCmd) Run(in *invocation) error {
	file, err := c.read()
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
		if err := c.print(in, test, outcome, differences); err != nil {
			return err
		}
	}
	if c.Format == "text" {
		fmt.Fprintf(in.out, "%d of %d cases gave the expected mentions\n", total-differ, total)
	}
	if differ > 0 {
		return errDiffers
	}
	return nil
}

func (c *namesTestCmd) read() ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(c.File)
}

func (c *namesTestCmd) print(in *invocation, test mention.Case, outcome mention.Outcome, differences []string) error {
	if c.Format == "ndjson" {
		return json.NewEncoder(in.out).Encode(outcome)
	}
	if len(differences) == 0 {
		return nil
	}
	fmt.Fprintf(in.out, "%s  %s\n  %q\n", test.ID, test.Why, test.Text)
	for _, difference := range differences {
		fmt.Fprintf(in.out, "  %s\n", difference)
	}
	return nil
}
