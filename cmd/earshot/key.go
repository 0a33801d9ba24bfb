package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
)

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Create a key."`
	List   keyListCmd   `cmd:"" help:"List keys, without their secrets."`
	Limit  keyLimitCmd  `cmd:"" help:"Set the spending limits of a key."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key. Every node rejects it within one second."`
}

// ceilingFlags are the spending limits of a key.
type ceilingFlags struct {
	CreditsPerDay   int64 `help:"The most credits that the key's calls and tasks may cost per UTC day; 0 for no limit." default:"0" placeholder:"N"`
	CreditsPerMonth int64 `help:"The most credits that the key's calls and tasks may cost per UTC month; 0 for no limit." default:"0" placeholder:"N"`
}

// Validate refuses invalid values.
func (c *ceilingFlags) Validate() error {
	if c.CreditsPerDay < 0 || c.CreditsPerMonth < 0 {
		return errors.New("--credits-per-day and --credits-per-month must not be negative")
	}
	return nil
}

func (c *ceilingFlags) ceilings() earshot.KeyCeilings {
	return earshot.KeyCeilings{CreditsPerDay: int(c.CreditsPerDay), CreditsPerMonth: int(c.CreditsPerMonth)}
}

type keyCreateCmd struct {
	Org      string        `required:"" xor:"whose" help:"The organization of the key." placeholder:"NAME"`
	Operator bool          `required:"" xor:"whose" help:"Create an operator key, with which the commands that manage organizations call the service from elsewhere."`
	Name     string        `help:"A name for the key, such as the machine or the person that will use it." placeholder:"NAME"`
	Scopes   string        `help:"The scopes of the key, separated by commas: read, monitor, tasks, track, and admin for keys, ledger and webhook settings." default:"${scopes}"`
	Expires  time.Duration `help:"The key expires after this time, such as 720h." placeholder:"DURATION"`
	JSON     bool          `name:"json" help:"Print one JSON object."`
	ceilingFlags
	operator
}

// Help returns the command's long help.
func (c *keyCreateCmd) Help() string {
	return `Creates a key of an organization and prints its secret, which is not shown again. An operator key manages all
organizations with the commands org, key, credits, user, webhook, audit and audit-log. It cannot run calls or tasks.

Exit status: 0 it was created, 1 anything else.

Examples:
  earshot key create --org default --name laptop --scopes read,monitor --expires 720h
  earshot key create --operator --name terraform --expires 720h`
}

// Run creates the key.
func (c *keyCreateCmd) Run(in *invocation) error {
	scopes, err := account.ParseScopes(c.Scopes)
	if err != nil {
		return err
	}
	if err := account.CheckKeyName(c.Name); err != nil {
		return fmt.Errorf("--name: %w", err)
	}
	if c.Expires < 0 {
		return fmt.Errorf("--expires must not be negative, but is %s", c.Expires)
	}
	var expires time.Time
	if c.Expires > 0 {
		expires = time.Now().Add(c.Expires)
	}
	if c.Operator {
		return c.with(in, func(s *service) error {
			made, err := s.CreateOperatorKey(in, earshot.OperatorKeyRequest{Name: c.Name, ExpiresAt: expires})
			return c.print(in, nil, made, err)
		})
	}
	request := earshot.KeyRequest{Name: c.Name, ExpiresAt: expires, KeyCeilings: c.ceilings()}
	for _, scope := range scopes {
		request.Scopes = append(request.Scopes, string(scope))
	}
	return c.forOrganization(in, c.Org, func(s *service, o *earshot.Organization) error {
		made, err := s.CreateKey(in, request)
		return c.print(in, o, made, err)
	})
}

// print prints a new key of an organization, or of the operator if o is nil.
func (c *keyCreateCmd) print(in *invocation, o *earshot.Organization, made *earshot.NewKey, err error) error {
	if err != nil {
		return err
	}
	if c.JSON {
		return in.json(accountJSON{Organization: printable(o), Key: made.Secret})
	}
	_, err = fmt.Fprintf(in.out, "key: %s\nStore it now. It is not shown again. To revoke it: earshot key revoke %s\n", made.Secret, made.Key.ID)
	return err
}

type keyListCmd struct {
	Org string `help:"List only the keys of this organization." placeholder:"NAME"`
	output
	operator
}

// Help returns the command's long help.
func (c *keyListCmd) Help() string {
	return `Lists keys with their id, name, scopes, last use, spending limits and state. Secrets are never shown.

Exit status: 0 they were listed, 1 anything else.

Examples:
  earshot key list --org default`
}

// listedKey is a key with the name of its organization.
type listedKey struct {
	Organization string `json:"organization"`
	*earshot.Key
}

// Run lists the keys.
func (c *keyListCmd) Run(in *invocation) error {
	return c.with(in, func(s *service) error {
		all, err := s.organizations(in, c.Org)
		if err != nil {
			return err
		}
		var keys []listedKey
		for _, o := range all {
			found, err := s.actingFor(o.ID).Keys(in)
			if err != nil {
				return err
			}
			for _, k := range found {
				keys = append(keys, listedKey{o.Name, k})
			}
		}
		t := tableOf("ORGANIZATION|ID|NAME|SCOPES|CREATED|LAST USED|MAY SPEND|STATE", keys, func(k *listedKey) []any {
			return []any{k.Organization, k.ID, k.Name, strings.Join(k.Scopes, ","), k.CreatedAt, optional(k.LastUsedAt), budgetOf(k.Budget), stateOf(k.Key, time.Now())}
		})
		t.report = map[string]any{"keys": earshot.List[listedKey](keys)}
		return c.print(in, t)
	})
}

// timeOf formats a time, or returns "-" for nil.
func timeOf(at *earshot.Timestamp) string {
	if at == nil {
		return "-"
	}
	return at.Local().Format(time.DateTime)
}

// stateOf returns whether a key is valid, and until when.
func stateOf(k *earshot.Key, now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked " + timeOf(k.RevokedAt)
	case k.ExpiresAt == nil:
		return "valid"
	case k.ExpiresAt.After(now):
		return "valid until " + timeOf(k.ExpiresAt)
	default:
		return "expired " + timeOf(k.ExpiresAt)
	}
}

// budgetOf returns the spending limits of a key and what it has spent, or nil.
func budgetOf(b *earshot.KeyBudget) any {
	if b == nil {
		return nil
	}
	return fmt.Sprintf("%s; %s today, %s this month", ceilingsOf(b.CreditsPerDay, b.CreditsPerMonth), thousands(b.UsedToday), thousands(b.UsedThisMonth))
}

// ceilingsOf returns spending limits in words; 0 is no limit.
func ceilingsOf(day, month int64) string {
	switch {
	case day > 0 && month > 0:
		return fmt.Sprintf("%s per day and %s per month", many(day, "credit"), thousands(month))
	case day > 0:
		return many(day, "credit") + " per day"
	case month > 0:
		return many(month, "credit") + " per month"
	default:
		return "any number of credits"
	}
}

type keyLimitCmd struct {
	ID  string `arg:"" help:"The key's id, as listed by 'earshot key list': the part between ear_live_ and the next underscore."`
	Org string `required:"" help:"The organization of the key." placeholder:"NAME"`
	ceilingFlags
	operator
}

// Help returns the command's long help.
func (c *keyLimitCmd) Help() string {
	return `Sets the most credits that the calls and tasks of a key may cost per UTC day and month. A limit that is not given is removed.

Exit status: 0 the limits were set, 1 anything else, such as a key that does not exist.

Examples:
  earshot key limit "$(earshot key list --org default --jq '.keys[0].id')" --org default --credits-per-day 500`
}

// Run sets the limits.
func (c *keyLimitCmd) Run(in *invocation) error {
	return c.forOrganization(in, c.Org, func(s *service, _ *earshot.Organization) error {
		if _, err := s.ChangeKey(in, c.ID, earshot.KeyPatch{CreditsPerDay: &c.CreditsPerDay, CreditsPerMonth: &c.CreditsPerMonth}); err != nil {
			return orList(err, "earshot key list")
		}
		_, err := fmt.Fprintf(in.out, "key %s may spend %s\n", c.ID, ceilingsOf(c.CreditsPerDay, c.CreditsPerMonth))
		return err
	})
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"The key's id, as listed by 'earshot key list': the part between ear_live_ and the next underscore."`
	operator
}

// Help returns the command's long help.
func (c *keyRevokeCmd) Help() string {
	return `Revokes a key permanently. Every node rejects it within one second.

Exit status: 0 it was revoked, 1 anything else, such as a key that does not exist.

Examples:
  earshot key revoke "$(earshot key create --org default --json | jq -r .key | cut -d_ -f3)"`
}

// Run revokes the key.
func (c *keyRevokeCmd) Run(in *invocation) error {
	return c.with(in, func(s *service) error {
		if _, err := s.RevokeAnyKey(in, c.ID); err != nil {
			return orList(err, "earshot key list")
		}
		_, err := fmt.Fprintf(in.out, "key %s is revoked\n", c.ID)
		return err
	})
}
