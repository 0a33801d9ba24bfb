package main

import (
	"fmt"

	"earshot"
)

type trackerDemoCmd struct {
	Name    string `help:"Name of the tracker." default:"demo" placeholder:"NAME"`
	Days    int    `help:"How many days of history, with one sweep each." default:"90" placeholder:"N"`
	Prompts int    `help:"How many questions, at most 20." default:"20" placeholder:"N"`
	JSON    bool   `name:"json" help:"Print one JSON object."`
	remote
}

// Help says what is made and how to be rid of it.
func (c *trackerDemoCmd) Help() string {
	return `Fills a tracker with daily sweeps of the past, as if it had been asking for so long: three targets, five brands, answers by the
built-in lab, some of them missing, and a brand that loses ground on a known day. Nothing is asked outside and nothing is
charged. The tracker is marked as a demo; it asks nothing from now on. A demo of that name is replaced, any other tracker is
left alone.

To remove it: earshot tracker delete demo

Exit status: 0 it was made, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --days 10
  earshot tracker demo --name look-around --days 10 --prompts 5`
}

// Validate refuses values that make no sense.
func (c *trackerDemoCmd) Validate() error {
	if c.Days < 1 || c.Days > 365 {
		return fmt.Errorf("--days must be 1 to 365, but is %d", c.Days)
	}
	if c.Prompts < 1 || c.Prompts > 20 {
		return fmt.Errorf("--prompts must be 1 to 20, but is %d", c.Prompts)
	}
	return nil
}

// Run makes the tracker.
func (c *trackerDemoCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	made, err := service.MakeDemo(in, c.Name, earshot.DemoRequest{Days: c.Days, Prompts: c.Prompts})
	if err != nil {
		return c.explain(err)
	}
	if c.JSON {
		return in.json(made)
	}
	_, err = fmt.Fprintf(in.out, "%s: %d sweeps with %s answers, all made up; %d are missing.\n"+
		"What there is to find: from %s on, answers name %s in %.0f %% of the cases instead of %.0f %%.\n"+
		"To remove it: earshot tracker delete %s\n",
		made.Tracker.Name, made.Sweeps, thousands(int64(made.Answers)), made.Missing,
		made.Shift.Day, made.Shift.Brand, 100*made.Shift.To, 100*made.Shift.From, shellQuoted(made.Tracker.Name))
	return err
}
