package main

import (
	"earshot"
	"earshot/client"
)

type trackerAlertsCmd struct {
	Open  bool              `help:"Only alerts that have not been acknowledged."`
	Kind  earshot.AlertKind `help:"Only alerts of this kind: shift, source, coverage, blocked, unreadable, ceiling or sweep." placeholder:"KIND"`
	Limit int               `help:"The maximum number of alerts; 0 for all." default:"20" placeholder:"N"`
	output
	trackerArg
}

// Help returns the command's long help.
func (c *trackerAlertsCmd) Help() string {
	return `Lists the alerts of a tracker, newest first, with a one-sentence summary. An alert reports a change or problem: a lasting change of a
metric, sources that are cited more or less often than before, targets with too many missing answers, a monthly ceiling that is nearly
reached, or a sweep that did not run. While an alert is open, the same change or problem raises no second alert. Alerts are sent to
the channels in the tracker's definition; docs/alerts-and-reports.md describes the rules and how to manage channels.

To acknowledge an alert: earshot api POST /v1/trackers/NAME/alerts/ID/acknowledge

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name shifted --days 20 --prompts 3
  earshot tracker alerts shifted --open
  earshot tracker alerts shifted --kind shift --jq '.[].shift.prompts[].name'`
}

// Run lists the alerts.
func (c *trackerAlertsCmd) Run(in *invocation, service *client.Client) error {
	q := earshot.AlertQuery{Open: c.Open, Kind: c.Kind}
	q.Limit = page(c.Limit)
	alerts, err := firstOf(service.Alerts(in, c.Name, q), c.Limit)
	if err != nil {
		return c.explain(err)
	}
	t := tableOf("RAISED|KIND|STATE|ID|WHAT", alerts, func(a *earshot.Alert) []any {
		state := "open"
		if !a.Open {
			state = "acknowledged"
		}
		if a.MadeUp {
			state += ", made up"
		}
		return []any{a.RaisedAt, a.Kind, state, a.ID, a.Summary}
	})
	t.none = "there are no such alerts"
	return c.print(in, t)
}
