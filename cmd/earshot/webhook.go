package main

import (
	"fmt"

	"earshot"
)

type webhookCmd struct {
	Rotate webhookRotateCmd `cmd:"" help:"Replace the webhook secret of an organization."`
}

type webhookRotateCmd struct {
	Org  string `required:"" help:"The name of the organization." placeholder:"NAME"`
	JSON bool   `name:"json" help:"Print one JSON object."`
	operator
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
	return c.forOrganization(in, c.Org, func(s *service, o *earshot.Organization) error {
		rotated, err := s.RotateWebhookSecret(in)
		if err != nil {
			return err
		}
		if c.JSON {
			return in.json(accountJSON{Organization: printable(o), WebhookSecret: rotated.Secret})
		}
		_, err = fmt.Fprintf(in.out, "webhook secret: %s\nStore it now. It is not shown again. The previous secret stays valid for 24 hours.\n", rotated.Secret)
		return err
	})
}
