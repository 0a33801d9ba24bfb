package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/client"
)

type trackerShareCmd struct {
	trackerArg
	Title         string        `help:"The heading of the page." placeholder:"TEXT"`
	Days          int           `help:"The page shows this many days up to now; 28 by default." placeholder:"N"`
	From          string        `help:"First day of a fixed period, instead of --days." placeholder:"DAY"`
	To            string        `help:"Last day of a fixed period." placeholder:"DAY"`
	Expires       time.Duration `help:"The link stops working after this time." default:"720h" placeholder:"DURATION"`
	PasswordStdin bool          `help:"Read a password for the page from standard input."`
	List          bool          `help:"List the links of the tracker instead of creating one." xor:"do"`
	Revoke        string        `help:"Revoke the link with this id instead of creating one." placeholder:"ID" xor:"do"`
	JSON          bool          `name:"json" help:"Print JSON."`
}

// Help returns the command's long help.
func (c *trackerShareCmd) Help() string {
	return `Creates an address at which anybody can read the tracker's report without a key, and prints it. It is not shown again. The link ends
when it expires or is revoked, and when the tracker is deleted.

Exit status: 0 it succeeded, 130 it was interrupted, 1 anything else.

Examples:
  earshot tracker demo --name client --days 3 --prompts 1
  earshot tracker share client --title 'Visibility of Ollaro' --expires 168h
  echo 'correct horse' | earshot tracker share client --from 2026-11-01 --to 2026-11-14 --password-stdin
  earshot tracker share client --revoke "$(earshot tracker share client --list --json | jq -r '.[0].id')"`
}

// Validate refuses flags that would be ignored.
func (c *trackerShareCmd) Validate() error {
	if (c.List || c.Revoke != "") && (c.PasswordStdin || c.Days != 0 || c.Title+c.From+c.To != "") {
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
		if c.JSON {
			return in.json(link)
		}
		_, err = fmt.Fprintf(in.out, "revoked: %s\n", link.ID)
		return err
	}
	request := earshot.ShareRequest{Tracker: c.Name, Title: c.Title, Days: c.Days, From: c.From, To: c.To, ExpiresAt: time.Now().Add(c.Expires)}
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
	if c.JSON {
		return in.json(made)
	}
	_, err = fmt.Fprintf(in.out, "%s\nStore it now. It is not shown again. To revoke it: earshot tracker share %s --revoke %s\n", made.URL, c.Name, made.Share.ID)
	return err
}

// list prints the links of the tracker.
func (c *trackerShareCmd) list(in *invocation, service *client.Client) error {
	all, err := service.Shares(in)
	if err != nil {
		return c.explain(err)
	}
	var own earshot.List[*earshot.ShareLink]
	rows := [][]string{{"ID", "TITLE", "PERIOD", "PASSWORD", "VIEWS", "STATE"}}
	for _, l := range all {
		if l.Tracker != c.Name {
			continue
		}
		own = append(own, l)
		period, password := many(l.Days, "day"), "no"
		if l.From != nil && l.To != nil {
			period = *l.From + " to " + *l.To
		}
		if l.HasPassword {
			password = "yes"
		}
		state := stateOf(&earshot.Key{RevokedAt: l.RevokedAt, ExpiresAt: &l.ExpiresAt}, time.Now())
		rows = append(rows, []string{l.ID, cmp.Or(oneLine(l.Title), "-"), period, password, strconv.FormatInt(l.Views, 10), state})
	}
	if c.JSON {
		return in.json(own)
	}
	return printTable(in.out, rows)
}
