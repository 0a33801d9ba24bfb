package main

import (
	"cmp"
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
	Test trackerAlertTestCmd `cmd:"" help:"Send a test message to its channels, or to one."`
}

// Help returns the command's long help.
func (c *trackerAlertsCmd) Help() string {
	return `An alert reports a change or problem of a tracker: a lasting change of a metric, sources that are cited more or less often than
before, targets with too many missing answers, a monthly ceiling that is nearly reached, or a sweep that did not run. Alerts are
sent to the channels in the tracker's definition; 'earshot channel' manages channels. docs/alerts-and-reports.md describes the rules.

Exit status: 0 it succeeded, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name moved --days 20 --prompts 3
  earshot tracker alerts list moved`
}

type trackerAlertListCmd struct {
	Open  bool              `help:"Only alerts that have not been acknowledged."`
	Kind  earshot.AlertKind `help:"Only alerts of this kind: shift, source, coverage, blocked, unreadable, ceiling or sweep." placeholder:"KIND"`
	Limit int               `help:"The maximum number of alerts; 0 for all." default:"20" placeholder:"N"`
	JSON  bool              `name:"json" help:"Print one JSON object per alert."`
	trackerArg
}

// Help returns the command's long help.
func (c *trackerAlertListCmd) Help() string {
	return `Lists the alerts of a tracker, newest first, with a one-sentence summary. While an alert is open, the same change or problem raises
no second alert.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name shifted --days 20 --prompts 3
  earshot tracker alerts shifted --open
  earshot tracker alerts shifted --kind shift --json | jq -r '.shift.prompts[].name'`
}

// Run lists the alerts.
func (c *trackerAlertListCmd) Run(in *invocation, service *client.Client) error {
	q := earshot.AlertQuery{Open: c.Open, Kind: c.Kind}
	list := listing{
		explain: c.explain, limit: c.Limit, json: c.JSON, none: "there are no such alerts",
		header: []string{"RAISED", "KIND", "STATE", "ID", "WHAT"},
	}
	q.Limit = list.page()
	return printList(in, list, service.Alerts(in, c.Name, q), func(a *earshot.Alert) []string {
		state := "open"
		if !a.Open {
			state = "acknowledged"
		}
		if a.MadeUp {
			state += ", made up"
		}
		return []string{a.RaisedAt.Local().Format(time.DateTime), string(a.Kind), state, a.ID, oneLine(a.Summary)}
	})
}

type trackerAlertAckCmd struct {
	trackerArg
	ID string `arg:"" help:"The alert's id, as listed by 'earshot tracker alerts'."`
}

// Help returns the command's long help.
func (c *trackerAlertAckCmd) Help() string {
	return `Acknowledges an alert. From then on, the same change or problem can raise a new alert.

Exit status: 0 it was acknowledged, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name seen --days 20 --prompts 3
  until earshot tracker alerts seen --open | grep -q missed; do sleep 1; done
  earshot tracker alerts ack seen "$(earshot tracker alerts seen --open --json | jq -r .id | head -1)"`
}

// Run acknowledges the alert.
func (c *trackerAlertAckCmd) Run(in *invocation, service *client.Client) error {
	a, err := service.AcknowledgeAlert(in, c.Name, c.ID)
	if err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "acknowledged: %s\n", oneLine(a.Summary))
	return err
}

type trackerAlertTestCmd struct {
	Channel string `help:"The name of a channel; all channels of the tracker by default." placeholder:"NAME"`
	trackerArg
}

// Help returns the command's long help.
func (c *trackerAlertTestCmd) Help() string {
	return `Sends a test message to all channels of a tracker, or to one, and prints the results. The message is sent once, like an alert.

Exit status: 0 all messages arrived, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker alerts test shoes --channel ops`
}

// Run sends the test messages.
func (c *trackerAlertTestCmd) Run(in *invocation, service *client.Client) error {
	tests, err := service.TestAlerts(in, c.Name, c.Channel)
	if err != nil {
		return c.explain(err)
	}
	return printTests(in, tests)
}

// printTests prints the results of tests and returns an error if one failed.
func printTests(in *invocation, tests []earshot.ChannelTest) error {
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
			outcome = fmt.Sprintf("failed: the receiver answered %d %s", *t.Status, oneLine(t.Answer))
		}
		if _, err := fmt.Fprintf(in.out, "%s (%s): %s\n", t.Channel, t.Kind, strings.TrimSpace(outcome)); err != nil {
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
	Set    channelSetCmd    `cmd:"" help:"Create or change a channel."`
	Test   channelTestCmd   `cmd:"" help:"Send a test message to a channel."`
	Delete channelDeleteCmd `cmd:"" help:"Delete a channel that no tracker uses."`
}

type channelListCmd struct{ remote }

// Help returns the command's long help.
func (c *channelListCmd) Help() string {
	return `Lists the channels to which alerts and reports of trackers can be sent. URLs, tokens and keys are not shown.

Exit status: 0 they were listed, 130 it was interrupted, 1 anything else.

Examples:
  earshot channel list`
}

// Run lists the channels.
func (c *channelListCmd) Run(in *invocation, service *client.Client) error {
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
	Name     string              `arg:"" help:"The name of the channel: lower-case letters, digits and hyphens."`
	Kind     earshot.ChannelKind `help:"The kind of the channel: webhook, slack, discord, teams, telegram, pagerduty or mail." required:"" placeholder:"KIND"`
	Receiver string              `help:"The URL of the webhook, the token of the Telegram bot, or the integration key of PagerDuty. It is a secret; - reads it from standard input." placeholder:"SECRET"`
	To       []string            `help:"The mail addresses." placeholder:"ADDRESS"`
	Chat     string              `help:"The Telegram chat: its number, or @ and the name of a public channel." placeholder:"CHAT"`
	Server   string              `help:"The URL of your own Telegram Bot API server, or the PagerDuty endpoint of another service region." placeholder:"URL"`
	remote
}

// Help returns the command's long help.
func (c *channelSetCmd) Help() string {
	return `Creates a channel or changes its receiver. It needs a key with the scope admin. Trackers name their channels in
'alerts: {channels: [NAME]}', so their definitions contain no secrets.

Exit status: 0 it was saved, 130 it was interrupted, 1 anything else.

Examples:
  earshot channel set ops --kind slack --receiver - < slack.url
  earshot channel set phone --kind telegram --receiver - --chat @shoes < bot.token
  earshot channel set board --kind mail --to ada@example.com`
}

// Run saves the channel.
func (c *channelSetCmd) Run(in *invocation, service *client.Client) error {
	secret := c.Receiver
	if secret == "-" {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, 4096))
		if err != nil {
			return fmt.Errorf("read the receiver: %w", err)
		}
		secret = strings.TrimSpace(string(text))
	}
	request := earshot.ChannelRequest{Kind: c.Kind, URL: c.Server, To: c.To, ChatID: c.Chat}
	switch c.Kind {
	case earshot.ChannelTelegram:
		request.BotToken = secret
	case earshot.ChannelPagerDuty:
		request.RoutingKey = secret
	default:
		request.URL = cmp.Or(secret, c.Server)
	}
	saved, err := service.SaveChannel(in, c.Name, request)
	if err != nil {
		return c.explain(err)
	}
	_, err = fmt.Fprintf(in.out, "channel %s sends to %s\n", saved.Channel.Name, oneLine(saved.Channel.Receiver))
	return err
}

type channelTestCmd struct {
	Name string `arg:"" help:"The name of the channel."`
	remote
}

// Help returns the command's long help.
func (c *channelTestCmd) Help() string {
	return `Sends a test message to a channel and prints the result. The message is sent once, like an alert. It needs a key with the scope admin.

Exit status: 0 the message arrived, 130 it was interrupted, 1 anything else.

Examples:
  earshot channel test ops`
}

// Run sends the test message.
func (c *channelTestCmd) Run(in *invocation, service *client.Client) error {
	test, err := service.TestChannel(in, c.Name)
	if err != nil {
		return c.explain(err)
	}
	return printTests(in, []earshot.ChannelTest{*test})
}

type channelDeleteCmd struct {
	Name string `arg:"" help:"The name of the channel."`
	remote
}

// Help returns the command's long help.
func (c *channelDeleteCmd) Help() string {
	return `Deletes a channel that no tracker uses. Pending deliveries to it are dropped. It needs a key with the scope admin.

Exit status: 0 it was deleted, 130 it was interrupted, 1 anything else.

Examples:
  earshot channel delete ops`
}

// Run deletes the channel.
func (c *channelDeleteCmd) Run(in *invocation, service *client.Client) error {
	if err := service.DeleteChannel(in, c.Name); err != nil {
		if client.IsCode(err, earshot.CodeNotFound) {
			return advised{err, fmt.Sprintf("there is no channel %s; 'earshot channel list' lists all channels", oneLine(c.Name))}
		}
		return c.explain(err)
	}
	_, err := fmt.Fprintf(in.out, "channel %s is deleted\n", c.Name)
	return err
}
