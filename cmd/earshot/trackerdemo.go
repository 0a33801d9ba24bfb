package main

import (
	"fmt"

	"earshot"
	"earshot/client"
)

type trackerDemoCmd struct {
	Name    string `help:"The name of the tracker." default:"demo" placeholder:"NAME"`
	Days    int    `help:"How many days of history, with one sweep each." default:"90" placeholder:"N"`
	Prompts int    `help:"How many prompts, at most 20." default:"20" placeholder:"N"`
	output  `set:"formats=table,json"`
	remote
}

// Help returns the command's long help.
func (c *trackerDemoCmd) Help() string {
	return `Creates a tracker with a made-up history of daily sweeps: three targets, five brands, answers of the built-in lab, some missing
answers, and one brand that loses visibility from a known day on. No provider is asked and nothing is charged. The tracker is
marked as a demo and runs no sweeps. A demo with the same name is replaced; any other tracker is not changed.

To delete it: earshot tracker delete demo --yes

Exit status: 0 it was created, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --days 10
  earshot tracker demo --name look-around --days 10 --prompts 5`
}

// Validate refuses invalid values.
func (c *trackerDemoCmd) Validate() error {
	if c.Days < 1 || c.Days > 365 {
		return fmt.Errorf("--days must be between 1 and 365, but is %d", c.Days)
	}
	if c.Prompts < 1 || c.Prompts > 20 {
		return fmt.Errorf("--prompts must be between 1 and 20, but is %d", c.Prompts)
	}
	return nil
}

// Run creates the tracker.
func (c *trackerDemoCmd) Run(in *invocation, service *client.Client) error {
	made, err := service.MakeDemo(in, c.Name, earshot.DemoRequest{Days: c.Days, Prompts: c.Prompts})
	if err != nil {
		return c.explain(err)
	}
	if printed, err := c.object(in, made); printed {
		return err
	}
	_, err = fmt.Fprintf(in.out, "%s: %d sweeps with %s answers, all made up; %d are missing.\n"+
		"The change to find: from %s on, %s is named in %.0f %% of the answers instead of %.0f %%.\n"+
		"To delete it: earshot tracker delete %s --yes\n",
		made.Tracker.Name, made.Sweeps, thousands(int64(made.Answers)), made.Missing,
		made.Shift.Day, made.Shift.Brand, 100*made.Shift.To, 100*made.Shift.From, shellQuoted(made.Tracker.Name))
	return err
}
