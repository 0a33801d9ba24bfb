package main

import (
	"errors"
	"fmt"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
)

// errFindings is returned if the audit finds differences.
var errFindings = errors.New("the audit found differences")

type auditCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help returns the command's long help.
func (c *auditCmd) Help() string {
	return `Recomputes all balances and counters from the stored rows and prints each one that differs. It changes nothing.

Exit status: 0 all of them agree, 1 one differs, or anything else.

Examples:
  earshot audit`
}

// Run prints the differences.
func (c *auditCmd) Run(in *invocation) error {
	return withStore(in, func(s *orgs.Store) error {
		findings, err := s.Audit(in)
		if err != nil {
			return err
		}
		if err := c.print(in, findings); err != nil {
			return err
		}
		if len(findings) > 0 {
			return errFindings
		}
		return nil
	})
}

func (c *auditCmd) print(in *invocation, findings []store.Finding) error {
	if c.JSON {
		return in.json(map[string]any{"ok": len(findings) == 0, "findings": earshot.List[store.Finding](findings)})
	}
	for _, f := range findings {
		fmt.Fprintf(in.out, "%s: %s: stored %d, but computed %d\n", f.Organization, f.What, f.Stored, f.Actual)
	}
	if len(findings) == 0 {
		fmt.Fprintln(in.out, "all balances and counters agree with the stored rows")
	}
	return nil
}
