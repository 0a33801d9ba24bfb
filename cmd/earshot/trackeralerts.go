package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"earshot"
	"earshot/client"
)

type trackerAlertsCmd struct {
	List trackerAlertListCmd `cmd:"" default:"withargs" help:"List its alerts, newest first."`
	Ack  trackerAlertAckCmd  `cmd:"" help:"Acknowledge an alert."`
	Test trackerAlertTestCmd `cmd:"" help:"Send a test to its channels, or to one."`
}

// Help shows how to begin.
func (c *trackerAlertsCmd) Help() string {
	return `An alert tells of something about a tracker that a person should look at: a number that moved and stays there, sources that are
cited more or less than before, targets of which too much is missing, a ceiling that is near, a sweep that did not take place.
It is sent to the channels that the tracker's file names; 'earshot channel' says where these lead. docs/alerts.md has the rules.

Exit status: 0 it was done, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name moved --days 20 --prompts 3
  earshot tracker alerts list moved`
}

type trackerAlertListCmd struct {
	Open  bool              `help:"Only those that nobody has acknowledged."`
	Kind  earshot.AlertKind `help:"Only those of a kind: shift, source, coverage, blocked, unreadable, ceiling or sweep." placeholder:"KIND"`
	Limit int               `help:"How many at most." default:"20" placeholder:"N"`
	JSON  bool              `name:"json" help:"Print one JSON object a line."`
	trackerArg
}

// Help says what is listed.
func (c *trackerAlertListCmd) Help() string {
	return `Lists what moved in a tracker, and what else is worth a look, each in a sentence. As long as an alert is open, no other is
raised that tells the same.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name shifted --days 20 --prompts 3
  earshot tracker alerts shifted --open
  earshot tracker alerts shifted --kind shift --json | jq -r '.shift.prompts[].name'`
}

// Run lists alerts.
func (c *trackerAlertListCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	rows, n := [][]string{{"RAISED", "KIND", "STATE", "ID", "WHAT"}}, 0
	for a, err := range service.Alerts(in, c.Name, earshot.AlertQuery{Open: c.Open, Kind: c.Kind, Limit: min(max(c.Limit, 1), 100)}) {
		if err != nil {
			return c.explain(err)
		}
		if n++; n > c.Limit {
			break
		}
		if c.JSON {
			if err := in.json(a); err != nil {
				return err
			}
			continue
		}
		state := "open"
		if !a.Open {
			state = "acknowledged"
		}
		if a.MadeUp {
			state += ", made up"
		}
		rows = append(rows, []string{a.RaisedAt.Local().Format(time.DateTime), string(a.Kind), state, a.ID, oneLine(a.Summary)})
	}
	if c.JSON {
		return nil
	}
	if len(rows) == 1 {
		_, err := fmt.Fprintln(in.out, "There are none.")
		return err
	}
	return printTable(in.out, rows)
}

type trackerAlertAckCmd struct {
	trackerArg
	ID string `arg:"" help:"The alert's id, as 'earshot tracker alerts' lists it."`
}

// Help says what follows.
func (c *trackerAlertAckCmd) Help() string {
	return `Notes that you have seen an alert. From then on the next one that tells the same is raised again.

Exit status: 0 it was noted, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name seen --days 20 --prompts 3
  until earshot tracker alerts seen --open | grep -q missed; do sleep 1; done
  earshot tracker alerts ack seen "$(earshot tracker alerts seen --open --json | jq -r .id | head -1)"`
}

// Run acknowledges it.
func (c *trackerAlertAckCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	a, err := service.AcknowledgeAlert(in, c.Name, c.ID)
	if err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "acknowledged: %s\n", oneLine(a.Summary))
	return err
}

type trackerAlertTestCmd struct {
	Channel string `help:"Name of a channel; all that the tracker's file names unless given." placeholder:"NAME"`
	trackerArg
}

// Help says what is sent.
func (c *trackerAlertTestCmd) Help() string {
	return `Sends a test to every channel of a tracker, or to one, and tells how each went. It is sent as an alert is, but once.

Exit status: 0 all arrived, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker alerts test shoes --channel ops`
}

// Run sends it.
func (c *trackerAlertTestCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	tests, err := service.TestAlerts(in, c.Name, c.Channel)
	if err != nil {
		return c.explain(err)
	}
	failed := 0
	for _, t := range tests {
		outcome := "it arrived"
		switch {
		case t.Delivered:
		case t.Error != nil:
			failed++
			outcome = "failed: " + *t.Error
		default:
			failed++
			outcome = fmt.Sprintf("failed: the receiver answered %d", *t.Status)
		}
		if _, err := fmt.Fprintf(in.out, "%s (%s): %s\n", t.Channel, t.Kind, outcome); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%s of %d did not arrive", many(failed, "test"), len(tests))
	}
	return nil
}

type channelCmd struct {
	List   channelListCmd   `cmd:"" help:"List the channels."`
	Set    channelSetCmd    `cmd:"" help:"Make a channel, or change where it leads."`
	Delete channelDeleteCmd `cmd:"" help:"Delete a channel that no tracker names."`
}

type channelListCmd struct{ remote }

// Help says what is shown.
func (c *channelListCmd) Help() string {
	return `Lists where alerts of trackers can be sent. Of the URL of a webhook only the host is shown.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot channel list`
}

// Run lists channels.
func (c *channelListCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	channels, err := service.Channels(in)
	if err != nil {
		return c.explain(err)
	}
	rows := [][]string{{"NAME", "KIND", "RECEIVER"}}
	for _, channel := range channels {
		rows = append(rows, []string{channel.Name, string(channel.Kind), oneLine(channel.Receiver)})
	}
	return printTable(in.out, rows)
}

type channelSetCmd struct {
	Name     string              `arg:"" help:"Name of the channel: lower-case letters, digits and hyphens."`
	Kind     earshot.ChannelKind `help:"What it is: webhook, slack, discord or mail." required:"" placeholder:"KIND"`
	Receiver string              `help:"URL of a webhook, of Slack's or of Discord's; - reads it from standard input, since it is a secret." placeholder:"URL"`
	To       []string            `help:"Addresses of mail." placeholder:"ADDRESS"`
	remote
}

// Help says who may do it.
func (c *channelSetCmd) Help() string {
	return `Makes a channel, or changes where it leads. It needs a key with the scope admin. Trackers name their channels in
'alerts: {channels: [NAME]}', so that no secret stands in a tracker's file.

Exit status: 0 it was saved, 130 it was interrupted, 1 anything else.

Examples:
  earshot channel set ops --kind slack --receiver - < slack.url
  earshot channel set board --kind mail --to ada@example.com`
}

// Run saves it.
func (c *channelSetCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	address := c.Receiver
	if address == "-" {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, 4096))
		if err != nil {
			return fmt.Errorf("read the receiver: %w", err)
		}
		address = strings.TrimSpace(string(text))
	}
	saved, err := service.SaveChannel(in, c.Name, earshot.ChannelRequest{Kind: c.Kind, URL: address, To: c.To})
	if err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "channel %s leads to %s\n", saved.Channel.Name, oneLine(saved.Channel.Receiver))
	return err
}

type channelDeleteCmd struct {
	Name string `arg:"" help:"Name of the channel."`
	remote
}

// Help says what is lost.
func (c *channelDeleteCmd) Help() string {
	return `Deletes a channel that no tracker names. What waits to be sent to it is not sent. It needs a key with the scope admin.

Exit status: 0 it is gone, 130 it was interrupted, 1 anything else.

Examples:
  earshot channel delete ops`
}

// Run deletes it.
func (c *channelDeleteCmd) Run(in *invocation) error {
	service, err := c.connect()
	if err != nil {
		return err
	}
	if err := service.DeleteChannel(in, c.Name); err != nil {
		if client.IsCode(err, earshot.CodeNotFound) {
			return advised{err, fmt.Sprintf("there is no channel %s; 'earshot channel list' lists those that there are", oneLine(c.Name))}
		}
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "channel %s is deleted\n", c.Name)
	return err
}
