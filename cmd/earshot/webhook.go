package main

import (
	"fmt"

	"earshot/internal/account"
	"earshot/internal/store"
)

type webhookCmd struct {
	Rotate webhookRotateCmd `cmd:"" help:"Give an organization a new secret to verify its webhooks with."`
}

type webhookRotateCmd struct {
	Org  string `required:"" help:"Whose secret it is." placeholder:"NAME"`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help says what becomes of the old one.
func (c *webhookRotateCmd) Help() string {
	return `The old secret stays valid for 24 hours: until then webhooks carry a signature of each.`
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
