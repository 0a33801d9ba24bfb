package main

import (
	"encoding/json"
	"fmt"

	"earshot"
)

// organizationJSON is the JSON of an organization.
type organizationJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Plan string `json:"plan"`
}

func printable(o *earshot.Organization) *organizationJSON {
	if o == nil {
		return nil
	}
	return &organizationJSON{ID: o.ID, Name: o.Name, Plan: o.Plan}
}

// organizationsJSON is the output of 'earshot org list --json'.
type organizationsJSON struct {
	Organizations []accountJSON `json:"organizations"`
	Unreachable   []string      `json:"unreachable,omitempty"` // names
}

// accountJSON is the output of --json.
type accountJSON struct {
	Organization  *organizationJSON `json:"organization,omitempty"` // nil for an operator key
	Key           string            `json:"key,omitempty"`
	WebhookSecret string            `json:"webhookSecret,omitempty"`
	Credits       *int64            `json:"credits,omitempty"`
}

func (in *invocation) json(v any) error {
	encoder := json.NewEncoder(in.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

type orgCmd struct {
	Create orgCreateCmd `cmd:"" help:"Create an organization and its first key."`
	List   orgListCmd   `cmd:"" help:"List the organizations."`
	Set    orgSetCmd    `cmd:"" help:"Change an organization's plan or correct its balance."`
}

type orgCreateCmd struct {
	Name    string `arg:"" help:"The name of the new organization."`
	Plan    string `help:"Its plan." default:"free"`
	Credits *int64 `help:"Credits to start with, instead of the plan's first grant."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
	operator
}

// Help returns the command's long help.
func (c *orgCreateCmd) Help() string {
	return `Creates an organization, a key with all scopes except admin, and a webhook secret. Both secrets are shown only once.

Exit status: 0 it was created, 1 anything else, such as a name that is already used.

Examples:
  earshot org create acme --plan hobby`
}

// checkCredits returns an error if a balance is out of range.
func checkCredits(credits *int64) error {
	if credits != nil && (*credits < 0 || *credits > earshot.MaxCredits) {
		return fmt.Errorf("--credits must be between 0 and %s, but is %d", thousands(earshot.MaxCredits), *credits)
	}
	return nil
}

// Run creates the organization.
func (c *orgCreateCmd) Run(in *invocation) error {
	if err := checkCredits(c.Credits); err != nil {
		return err
	}
	return c.with(in, func(s *service) error {
		made, err := s.CreateOrganization(in, earshot.OrganizationRequest{Name: c.Name, Plan: c.Plan, Credits: c.Credits})
		if err != nil {
			return err
		}
		o := &made.Organization
		if c.JSON {
			return in.json(accountJSON{Organization: printable(o), Key: made.Key, WebhookSecret: made.WebhookSecret})
		}
		_, err = fmt.Fprintf(in.out, "organization:   %s (%s)\nplan:           %s, %d credits\nkey:            %s\nwebhook secret: %s\nStore both secrets now. They are not shown again.\n",
			o.Name, o.ID, o.Plan, o.Credits, made.Key, made.WebhookSecret)
		return err
	})
}

type orgListCmd struct {
	output
	operator
}

// Help returns the command's long help.
func (c *orgListCmd) Help() string {
	return `Lists all organizations with their plan, credit balance, running jobs and id.

Exit status: 0 they were listed, 1 anything else.

Examples:
  earshot org list --jq .organizations[].organization.name`
}

// Run lists the organizations.
func (c *orgListCmd) Run(in *invocation) error {
	return c.with(in, func(s *service) error {
		all, err := s.all(in)
		if err != nil {
			return err
		}
		list := make([]accountJSON, len(all.Organizations))
		for i, o := range all.Organizations {
			list[i] = accountJSON{Organization: printable(&o), Credits: &o.Credits}
		}
		t := tableOf("NAME|PLAN|CREDITS|RUNNING|ID", all.Organizations, func(o *earshot.Organization) []any {
			return []any{o.Name, o.Plan, o.Credits, o.Running, o.ID}
		})
		t.items, t.report = itemsOf(list), organizationsJSON{list, all.Unreachable}
		return c.print(in, t)
	})
}

type orgSetCmd struct {
	Name    string `arg:"" help:"The name of the organization."`
	Plan    string `help:"The new plan."`
	Credits *int64 `help:"The new credit balance."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
	operator
}

// Help returns the command's long help.
func (c *orgSetCmd) Help() string {
	return `Changes the plan of an organization, its credit balance, or both. The ledger records a changed balance as an adjustment.

Exit status: 0 it was changed, 1 anything else.

Examples:
  earshot org set default --plan hobby --credits 1000`
}

// Run changes the organization.
func (c *orgSetCmd) Run(in *invocation) error {
	if err := checkCredits(c.Credits); err != nil {
		return err
	}
	return c.forOrganization(in, c.Name, func(s *service, o *earshot.Organization) error {
		changed, err := s.ChangeOrganization(in, o.ID, earshot.OrganizationPatch{Plan: c.Plan, Credits: c.Credits})
		if err != nil {
			return err
		}
		return in.printAccount(changed, c.JSON)
	})
}

// printAccount prints the plan and the credits of an organization.
func (in *invocation) printAccount(o *earshot.Organization, asJSON bool) error {
	if asJSON {
		return in.json(accountJSON{Organization: printable(o), Credits: &o.Credits})
	}
	_, err := fmt.Fprintf(in.out, "%s: plan %s, %d credits\n", o.Name, o.Plan, o.Credits)
	return err
}

type creditsCmd struct {
	Grant creditsGrantCmd `cmd:"" help:"Add credits to an organization's balance."`
}

type creditsGrantCmd struct {
	Org    string `required:"" help:"The name of the organization." placeholder:"NAME"`
	Amount int64  `arg:"" help:"How many credits to add, at least 1."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
	operator
}

// Help returns the command's long help.
func (c *creditsGrantCmd) Help() string {
	return `Adds credits to the balance of an organization. They do not expire at the end of the billing cycle. To reduce a balance, use
'earshot org set --credits'.

Exit status: 0 they were added, 1 anything else.

Examples:
  earshot credits grant --org default 1000`
}

// Run adds the credits.
func (c *creditsGrantCmd) Run(in *invocation) error {
	if c.Amount <= 0 {
		return fmt.Errorf("the amount must be at least 1, but is %d; to reduce a balance, use 'earshot org set --credits'", c.Amount)
	}
	return c.forOrganization(in, c.Org, func(s *service, o *earshot.Organization) error {
		if c.Amount > earshot.MaxCredits-o.Credits {
			return fmt.Errorf("a grant of %s is too large: the maximum balance is %s", thousands(c.Amount), thousands(earshot.MaxCredits))
		}
		changed, err := s.GrantCredits(in, o.ID, c.Amount)
		if err != nil {
			return err
		}
		return in.printAccount(changed, c.JSON)
	})
}
