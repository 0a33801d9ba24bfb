package main

import (
	"time"

	"earshot/client"
)

// balanceCmd is the command credits.
type balanceCmd struct {
	Show creditsShowCmd `cmd:"" default:"withargs" settings:"none" help:"Print the credits of your organization."`
	creditsCmd
}

type creditsShowCmd struct {
	output `set:"formats=table,json"`
	remote
}

// Help returns the command's long help.
func (c *creditsShowCmd) Help() string {
	return `Prints the credit balance of your organization and the credits of the billing cycle. With the scope admin, 'earshot api /v1/ledger'
prints what changed it.

Exit status: 0 it was printed, 130 it was interrupted, 1 anything else.

Examples:
  earshot credits
  earshot credits --jq .remaining`
}

// Run prints the balance.
func (c *creditsShowCmd) Run(in *invocation, service *client.Client) error {
	balance, err := service.Credits(in)
	if err != nil {
		return c.explain(err)
	}
	if printed, err := c.object(in, balance); printed {
		return err
	}
	return printTable(in.out, [][]string{
		{"credits", thousands(balance.Remaining) + " left, " + thousands(balance.Held) + " reserved for running jobs"},
		{"plan", balance.Plan},
		{"cycle", thousands(balance.CycleUsed) + " used of " + thousands(balance.PerCycle) + ", until " + balance.CycleResetsAt.Local().Format(time.DateTime)},
	})
}
