package main

import (
	"errors"
	"fmt"

	"earshot"
)

// errFindings is returned if the audit finds differences.
var errFindings = errors.New("the audit found differences")

type auditCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
	operator
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
	return c.with(in, func(s *service) error {
		found, err := s.AuditBalances(in)
		if err != nil {
			return err
		}
		if err := c.print(in, found); err != nil {
			return err
		}
		if !found.OK {
			return errFindings
		}
		return nil
	})
}

func (c *auditCmd) print(in *invocation, found *earshot.BalanceAudit) error {
	if c.JSON {
		return in.json(found)
	}
	for _, f := range found.Findings {
		fmt.Fprintf(in.out, "%s: %s: stored %d, but computed %d\n", f.Organization, f.What, f.Stored, f.Actual)
	}
	if found.OK {
		fmt.Fprintln(in.out, "all balances and counters agree with the stored rows")
	}
	return nil
}
