package main

import (
	"fmt"

	"earshot/internal/account"
	"earshot/internal/store/orgs"
)

type webhookCmd struct {
	Rotate webhookRotateCmd `cmd:"" help:"Replace the webhook secret of an organization."`
}

type webhookRotateCmd struct {
	Org  string `required:"" help:"The name of the organization." placeholder:"NAME"`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help returns the command's long help.
func (c *webhookRotateCmd) Help() string {
	return `Creates a new webhook secret and prints it. The previous secret stays valid for 24 hours, during which webhooks are signed with
both.

Exit status: 0 the secret was replaced, 1 anything else.

Examples:
  earshot webhook rotate --org default`
}

// Run replaces the secret.
func (c *webhookRotateCmd) Run(in *invocation) error {
	return withOrganization(in, c.Org, func(s *orgs.Store, o *account.Organization) error {
		secret := account.NewWebhookSecret()
		if err := s.RotateSecret(o.ID, secret, account.Operator(), s.Now()); err != nil {
			return err
		}
		if c.JSON {
			return in.json(accountJSON{Organization: printable(o), WebhookSecret: secret})
		}
		_, err := fmt.Fprintf(in.out, "webhook secret: %s\nStore it now. It is not shown again. The previous secret stays valid for 24 hours.\n", secret)
		return err
	})
}
