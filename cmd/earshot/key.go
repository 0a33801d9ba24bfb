package main

import (
	"fmt"
	"time"

	"earshot/internal/account"
	"earshot/internal/store"
)

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Make a key."`
	Revoke keyRevokeCmd `cmd:"" help:"End a key. Every node knows within a second."`
}

type keyCreateCmd struct {
	Org     string        `required:"" help:"Whose key it is."`
	Scopes  string        `help:"What it may do, separated by commas: read, monitor, tasks, and admin for keys, ledger and webhook settings." default:"read,monitor,tasks"`
	Expires time.Duration `help:"End it by itself after this time, such as 720h." placeholder:"DURATION"`
	JSON    bool          `name:"json" help:"Print one JSON object."`
}

// Run makes the key.
func (c *keyCreateCmd) Run(in *invocation) error {
	scopes, err := account.ParseScopes(c.Scopes)
	if err != nil {
		return err
	}
	if c.Expires < 0 {
		return fmt.Errorf("a key cannot end %s ago", -c.Expires)
	}
	return withOrganization(in, c.Org, func(s *store.Store, o *account.Organization) error {
		now, expires := s.Now(), time.Time{}
		if c.Expires > 0 {
			expires = now.Add(c.Expires)
		}
		key := account.NewKey()
		if err := s.CreateKey(o.ID, key, scopes, expires, now); err != nil {
			return err
		}
		if c.JSON {
			return in.json(accountJSON{Organization: printable(o), Key: key.Text})
		}
		_, err := fmt.Fprintf(in.out, "key: %s\nIt is shown this once. Revoke it with: earshot key revoke %s\n", key.Text, key.ID)
		return err
	})
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"The key's id: the part between ear_live_ and the next underscore."`
}

// Run ends the key.
func (c *keyRevokeCmd) Run(in *invocation) error {
	return withStore(in, func(s *store.Store) error {
		if err := s.RevokeKey(c.ID, s.Now()); err != nil {
			return err
		}
		_, err := fmt.Fprintf(in.out, "key %s is revoked\n", c.ID)
		return err
	})
}

type webhookCmd struct {
	Rotate webhookRotateCmd `cmd:"" help:"Give an organization a new secret to verify its webhooks with. The old one stays valid for 24 hours: until then webhooks carry a signature of each."`
}

type webhookRotateCmd struct {
	Org  string `required:"" help:"Whose secret it is."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run makes the secret.
func (c *webhookRotateCmd) Run(in *invocation) error {
	return withOrganization(in, c.Org, func(s *store.Store, o *account.Organization) error {
		secret := account.NewWebhookSecret()
		if err := s.RotateSecret(o.ID, secret, s.Now()); err != nil {
			return err
		}
		if c.JSON {
			return in.json(accountJSON{Organization: printable(o), WebhookSecret: secret})
		}
		_, err := fmt.Fprintf(in.out, "webhook secret: %s\nIt is shown this once. The one before stays valid for 24 hours.\n", secret)
		return err
	})
}
