package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
)

// withStore opens the database for work. A server may run on the same database.
func withStore(in *invocation, work func(*orgs.Store) error) error {
	s, err := app.OpenStore(in, in.cfg, false)
	if err != nil {
		return err
	}
	if err := work(orgs.New(s)); err != nil {
		_ = s.Close() // the first error is more useful
		return err
	}
	return s.Close()
}

// withOrganization is withStore for a command on one organization.
func withOrganization(in *invocation, name string, work func(*orgs.Store, *account.Organization) error) error {
	return withStore(in, func(s *orgs.Store) error {
		o, err := findOrganization(in, s, name)
		if err != nil {
			return err
		}
		return work(s, o)
	})
}

func findOrganization(in *invocation, s *orgs.Store, name string) (*account.Organization, error) {
	o, err := s.OrganizationByName(in, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("%w; 'earshot org list' lists all organizations", err)
	}
	return o, err
}

// organizations returns the organization with a name, or all of them if the name is "".
func organizations(in *invocation, s *orgs.Store, name string) ([]*account.Organization, error) {
	if name == "" {
		all, _, err := allOrganizations(in, s)
		return all, err
	}
	one, err := findOrganization(in, s, name)
	return []*account.Organization{one}, err
}

// allOrganizations returns all organizations. It returns the names of those whose shard of Citus
// cannot be reached separately, after a warning.
func allOrganizations(in *invocation, s *orgs.Store) (all []*account.Organization, unreachable []string, err error) {
	names, err := s.Names(in)
	if err != nil {
		return nil, nil, err
	}
	if all, err = s.Organizations(in); err != nil {
		return nil, nil, err
	}
	for _, o := range all {
		delete(names, o.Name)
	}
	if unreachable = slices.Sorted(maps.Keys(names)); len(unreachable) > 0 {
		fmt.Fprintf(in.errOut, "warning: the data of %d organizations cannot be reached: %s\n", len(unreachable), strings.Join(unreachable, ", "))
	}
	return all, unreachable, nil
}

// organizationJSON is the JSON of an organization.
type organizationJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Plan string `json:"plan"`
}

func printable(o *account.Organization) organizationJSON {
	return organizationJSON{ID: o.ID, Name: o.Name, Plan: o.Plan.Name}
}

// organizationsJSON is the output of 'earshot org list --json'.
type organizationsJSON struct {
	Organizations []accountJSON `json:"organizations"`
	Unreachable   []string      `json:"unreachable,omitempty"` // names
}

// accountJSON is the output of --json.
type accountJSON struct {
	Organization  organizationJSON `json:"organization"`
	Key           string           `json:"key,omitempty"`
	WebhookSecret string           `json:"webhookSecret,omitempty"`
	Credits       *int64           `json:"credits,omitempty"`
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
}

// Help returns the command's long help.
func (c *orgCreateCmd) Help() string {
	return `Creates an organization, a key with all scopes except admin, and a webhook secret. Both secrets are shown only once.

Exit status: 0 it was created, 1 anything else, such as a name that is already used.

Examples:
  earshot org create acme --plan hobby`
}

// maxCredits limits balances to numbers that JSON clients can represent exactly.
const maxCredits = 1_000_000_000_000_000

// checkCredits returns an error if a balance is out of range.
func checkCredits(credits *int64) error {
	if credits != nil && (*credits < 0 || *credits > maxCredits) {
		return fmt.Errorf("--credits must be between 0 and %s, but is %d", thousands(maxCredits), *credits)
	}
	return nil
}

// Run creates the organization.
func (c *orgCreateCmd) Run(in *invocation) error {
	if err := checkCredits(c.Credits); err != nil {
		return err
	}
	return withStore(in, func(s *orgs.Store) error {
		a, err := app.CreateOrganization(s, in.cfg.Settings, c.Name, c.Plan, c.Credits, account.Operator())
		if err != nil {
			return err
		}
		if c.JSON {
			return in.json(accountJSON{Organization: printable(a.Organization), Key: a.Key.Text, WebhookSecret: a.WebhookSecret})
		}
		_, err = fmt.Fprintf(in.out, "organization:   %s (%s)\nplan:           %s, %d credits\nkey:            %s\nwebhook secret: %s\nStore both secrets now. They are not shown again.\n",
			a.Organization.Name, a.Organization.ID, a.Organization.Plan.Name, a.Organization.Balance, a.Key.Text, a.WebhookSecret)
		return err
	})
}

type orgListCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help returns the command's long help.
func (c *orgListCmd) Help() string {
	return `Lists all organizations with their plan, credit balance, running jobs and id.

Exit status: 0 they were listed, 1 anything else.

Examples:
  earshot org list --json | jq -r .organizations[].organization.name`
}

// Run lists the organizations.
func (c *orgListCmd) Run(in *invocation) error {
	return withStore(in, func(s *orgs.Store) error {
		all, unreachable, err := allOrganizations(in, s)
		if err != nil {
			return err
		}
		if c.JSON {
			list := make([]accountJSON, len(all))
			for i, o := range all {
				list[i] = accountJSON{Organization: printable(o), Credits: &o.Balance}
			}
			return in.json(organizationsJSON{list, unreachable})
		}
		table := tabwriter.NewWriter(in.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "NAME\tPLAN\tCREDITS\tRUNNING\tID")
		for _, o := range all {
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", o.Name, o.Plan.Name, o.Balance, o.Running, o.ID)
		}
		return table.Flush()
	})
}

type orgSetCmd struct {
	Name    string `arg:"" help:"The name of the organization."`
	Plan    string `help:"The new plan."`
	Credits *int64 `help:"The new credit balance."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
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
	return withOrganization(in, c.Name, func(s *orgs.Store, o *account.Organization) error {
		if c.Plan != "" {
			if err := app.SetPlan(s, in.cfg.Settings, o.ID, c.Plan, account.Operator()); err != nil {
				return err
			}
		}
		if c.Credits != nil {
			if _, err := s.SetBalance(o.ID, *c.Credits, account.Operator(), s.Now()); err != nil {
				return err
			}
		}
		return in.printAccount(s, c.Name, c.JSON)
	})
}

// printAccount prints the plan and the credits of an organization.
func (in *invocation) printAccount(s *orgs.Store, name string, asJSON bool) error {
	o, err := s.OrganizationByName(in, name)
	if err != nil {
		return err
	}
	if asJSON {
		return in.json(accountJSON{Organization: printable(o), Credits: &o.Balance})
	}
	_, err = fmt.Fprintf(in.out, "%s: plan %s, %d credits\n", o.Name, o.Plan.Name, o.Balance)
	return err
}

type creditsCmd struct {
	Grant creditsGrantCmd `cmd:"" help:"Add credits to an organization's balance."`
}

type creditsGrantCmd struct {
	Org    string `required:"" help:"The name of the organization." placeholder:"NAME"`
	Amount int64  `arg:"" help:"How many credits to add, at least 1."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
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
	return withOrganization(in, c.Org, func(s *orgs.Store, o *account.Organization) error {
		if c.Amount > maxCredits-o.Balance {
			return fmt.Errorf("a grant of %s is too large: the maximum balance is %s", thousands(c.Amount), thousands(maxCredits))
		}
		if _, err := s.Grant(o.ID, c.Amount, account.Operator(), s.Now()); err != nil {
			return err
		}
		return in.printAccount(s, c.Org, c.JSON)
	})
}
