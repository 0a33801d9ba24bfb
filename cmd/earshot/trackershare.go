package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"earshot"
	"earshot/client"
)

type trackerShareCmd struct {
	trackerArg
	Title         string        `help:"The heading of the page." placeholder:"TEXT"`
	Days          int           `help:"The page shows this many days up to now; 28 by default." placeholder:"N"`
	From          dayArg        `help:"First day of a fixed period, instead of --days." placeholder:"DAY"`
	To            dayArg        `help:"Last day of a fixed period." placeholder:"DAY"`
	Expires       time.Duration `help:"The link stops working after this time." default:"720h" placeholder:"DURATION"`
	PasswordStdin bool          `help:"Read a password for the page from standard input."`
	List          bool          `help:"List the links of the tracker instead of creating one." xor:"do"`
	Revoke        string        `help:"Revoke the link with this id instead of creating one." placeholder:"ID" xor:"do"`
	Yes           bool          `help:"Publish without a question."`
	output
}

// Help returns the command's long help.
func (c *trackerShareCmd) Help() string {
	return `Creates an address at which anybody can read the tracker's report without a key, and prints it. It is not shown again. The link ends
when it expires or is revoked, and when the tracker is deleted. In a terminal, the command asks before it publishes; elsewhere, and with
--password-stdin, it needs --yes.

Exit status: 0 it succeeded, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name client --days 3 --prompts 1
  earshot tracker share client --yes --title 'Visibility of Ollaro' --expires 168h
  echo 'correct horse' | earshot tracker share client --yes --from -14d --to -1d --password-stdin
  earshot tracker share client --revoke "$(earshot tracker share client --list --jq '.[0].id')"`
}

// Validate refuses flags that would be ignored.
func (c *trackerShareCmd) Validate() error {
	if (c.List || c.Revoke != "") && (c.PasswordStdin || c.Days != 0 || c.Title+string(c.From+c.To) != "") {
		return errors.New("--list and --revoke cannot be combined with flags of a new link")
	}
	return nil
}

// Run creates, lists or revokes links.
func (c *trackerShareCmd) Run(in *invocation, service *client.Client) error {
	switch {
	case c.List:
		return c.list(in, service)
	case c.Revoke != "":
		link, err := service.RevokeShare(in, c.Revoke)
		if client.IsCode(err, earshot.CodeNotFound) {
			return advised{err, "there is no link with this id; 'earshot tracker share --list' lists links"}
		}
		if err != nil {
			return c.explain(err)
		}
		if !c.isTable() {
			return c.json(in, link)
		}
		_, err = fmt.Fprintf(in.out, "revoked: %s\n", link.ID)
		return err
	}
	if err := c.confirm(in); err != nil {
		return err
	}
	request := earshot.ShareRequest{Tracker: c.Name, Title: c.Title, Days: c.Days, From: string(c.From), To: string(c.To), ExpiresAt: time.Now().Add(c.Expires)}
	if c.PasswordStdin {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, 4096))
		if err != nil {
			return fmt.Errorf("read the password: %w", err)
		}
		if request.Password = strings.TrimSpace(string(text)); request.Password == "" {
			return errors.New("the password is empty")
		}
	}
	made, err := service.CreateShare(in, request)
	if err != nil {
		return c.explain(err)
	}
	if !c.isTable() {
		return c.json(in, made)
	}
	_, err = fmt.Fprintf(in.out, "%s\nStore it now. It is not shown again. To revoke it: earshot tracker share %s --revoke %s\n", made.URL, c.Name, made.Share.ID)
	return err
}

// confirm asks whether to publish the report, unless --yes says so.
func (c *trackerShareCmd) confirm(in *invocation) error {
	if c.Yes {
		return nil
	}
	warning := fmt.Sprintf("anybody with the link will be able to read the report on the tracker %s until %s", oneLine(c.Name), time.Now().Add(c.Expires).Format(time.DateTime))
	if c.PasswordStdin || !isTerminal(os.Stdin) || !isTerminal(in.errOut) {
		return errors.New(warning + "; to confirm, pass --yes")
	}
	fmt.Fprintf(in.errOut, "%s. Publish it? [y/N] ", warning)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("nothing was published")
	}
	return nil
}

// list prints the links of the tracker.
func (c *trackerShareCmd) list(in *invocation, service *client.Client) error {
	all, err := service.Shares(in)
	if err != nil {
		return c.explain(err)
	}
	var own []earshot.ShareLink
	for _, l := range all {
		if l.Tracker == c.Name {
			own = append(own, *l)
		}
	}
	t := tableOf("ID|TITLE|PERIOD|PASSWORD|VIEWS|STATE", own, func(l *earshot.ShareLink) []any {
		period, password := many(l.Days, "day"), "no"
		if l.From != nil && l.To != nil {
			period = *l.From + " to " + *l.To
		}
		if l.HasPassword {
			password = "yes"
		}
		return []any{l.ID, l.Title, period, password, l.Views, stateOf(&earshot.Key{RevokedAt: l.RevokedAt, ExpiresAt: &l.ExpiresAt}, time.Now())}
	})
	t.report, t.none = t.items, "the tracker has no links"
	return c.print(in, t)
}
