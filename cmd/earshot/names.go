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

// errDiffers makes the test of names exit with 1.
var errDiffers = errors.New("not all cases gave what they expect")

type namesCmd struct {
	Test namesTestCmd `cmd:"" help:"Find the brands of a file of cases in its texts and tell what differs from what is expected."`
}

type namesTestCmd struct {
	File   string `arg:"" help:"The cases, one JSON object a line; - is standard input." placeholder:"FILE"`
	Format string `help:"text tells which cases differ, ndjson prints what was found, one object a case." enum:"text,ndjson" default:"text"`
}

// Help says what a case is.
func (c *namesTestCmd) Help() string {
	return `Needs no server, and asks and charges nothing. A case has an id, a text (Markdown, or plain with "format":"plain"), brands with
their names, switches and domains, and where it matters the prompt and the sources of the answer. With "expect", the complete list
of mentions, it is compared: brand, kind (name, domain, absent), range in bytes, position and listRank.

Exit status: 0 every case gave what it expects, 1 one differs, or anything else.

Examples:
  echo '{"id":"a","text":"1. Ollaro","brands":[{"name":"Ollaro"}]}' | earshot names test - --format ndjson | jq '.mentions[].listRank'`
}

// Run goes through the file.
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
		fmt.Fprintf(in.out, "%d of %d cases gave what they expect\n", total-differ, total)
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
