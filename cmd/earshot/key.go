package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
)

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Make a key."`
	List   keyListCmd   `cmd:"" help:"List keys, without their secrets."`
	Limit  keyLimitCmd  `cmd:"" help:"Set what a key may spend."`
	Revoke keyRevokeCmd `cmd:"" help:"End a key. Every node knows within a second."`
}

// ceilingFlags are what a key may spend.
type ceilingFlags struct {
	CreditsPerDay   int64 `help:"The most credits that its calls and tasks may cost in a day of UTC; 0 for any number." default:"0" placeholder:"N"`
	CreditsPerMonth int64 `help:"The same for a month." default:"0" placeholder:"N"`
}

// Validate refuses values that make no sense.
func (c *ceilingFlags) Validate() error {
	if c.CreditsPerDay < 0 || c.CreditsPerMonth < 0 {
		return errors.New("--credits-per-day and --credits-per-month must not be below 0")
	}
	return nil
}

type keyCreateCmd struct {
	Org     string        `required:"" help:"Whose key it is." placeholder:"NAME"`
	Name    string        `help:"What to call it, such as the machine or the person that will use it." placeholder:"NAME"`
	Scopes  string        `help:"What it may do, separated by commas: read, monitor, tasks, track, and admin for keys, ledger and webhook settings." default:"${scopes}"`
	Expires time.Duration `help:"End it by itself after this time, such as 720h." placeholder:"DURATION"`
	JSON    bool          `name:"json" help:"Print one JSON object."`
	ceilingFlags
}

// Run makes the key.
func (c *keyCreateCmd) Run(in *invocation) error {
	scopes, err := account.ParseScopes(c.Scopes)
	if err != nil {
		return err
	}
	if err := account.CheckKeyName(c.Name); err != nil {
		return fmt.Errorf("--name: %w", err)
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
		key.Name, key.CreditsPerDay, key.CreditsPerMonth = c.Name, c.CreditsPerDay, c.CreditsPerMonth
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

type keyListCmd struct {
	Org  string `help:"Whose keys; without it those of all organizations." placeholder:"NAME"`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// listedKey is a key, and whose it is.
type listedKey struct {
	Organization string `json:"organization"`
	*earshot.Key
}

// Run lists the keys.
func (c *keyListCmd) Run(in *invocation) error {
	return withStore(in, func(s *store.Store) error {
		keys, err := c.find(in, s)
		if err != nil {
			return err
		}
		if c.JSON {
			return in.json(map[string]any{"keys": earshot.List[listedKey](keys)})
		}
		rows := [][]string{{"ORGANIZATION", "ID", "NAME", "SCOPES", "CREATED", "LAST USED", "MAY SPEND", "STATE"}}
		for _, k := range keys {
			rows = append(rows, []string{
				k.Organization, k.ID, cmp.Or(k.Name, "-"), strings.Join(k.Scopes, ","), timeOf(&k.CreatedAt), timeOf(k.LastUsedAt), budgetOf(k.Budget), stateOf(k.Key, s.Now()),
			})
		}
		return printTable(in.out, rows)
	})
}

// find reads the keys of the organization, or of all of them.
func (c *keyListCmd) find(in *invocation, s *store.Store) ([]listedKey, error) {
	all, err := s.Organizations(in)
	if err != nil {
		return nil, err
	}
	if c.Org != "" {
		one, err := findOrganization(in, s, c.Org)
		if err != nil {
			return nil, err
		}
		all = []*account.Organization{one}
	}
	var found []listedKey
	for _, o := range all {
		keys, err := s.Keys(in, o.ID, s.Now())
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			found = append(found, listedKey{o.Name, k})
		}
	}
	return found, nil
}

// timeOf writes a time for reading, and - for none.
func timeOf(at *earshot.Timestamp) string {
	if at == nil {
		return "-"
	}
	return at.Local().Format(time.DateTime)
}

// stateOf says whether a key is valid, and until when.
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

// budgetOf says what a key may spend, and what it has.
func budgetOf(b *earshot.KeyBudget) string {
	if b == nil {
		return "-"
	}
	return fmt.Sprintf("%s; %s today, %s this month", ceilingsOf(b.CreditsPerDay, b.CreditsPerMonth), thousands(b.UsedToday), thousands(b.UsedThisMonth))
}

// ceilingsOf says what a key may spend; 0 is any number.
func ceilingsOf(day, month int64) string {
	switch {
	case day > 0 && month > 0:
		return fmt.Sprintf("%s a day and %s a month", many(day, "credit"), thousands(month))
	case day > 0:
		return many(day, "credit") + " a day"
	case month > 0:
		return many(month, "credit") + " a month"
	default:
		return "any number of credits"
	}
}

type keyLimitCmd struct {
	ID  string `arg:"" help:"The key's id, as 'earshot key list' shows it: the part between ear_live_ and the next underscore."`
	Org string `required:"" help:"Whose key it is." placeholder:"NAME"`
	ceilingFlags
}

// Run sets the ceilings.
func (c *keyLimitCmd) Run(in *invocation) error {
	return withOrganization(in, c.Org, func(s *store.Store, o *account.Organization) error {
		_, err := s.SetKeyBudget(in, o.ID, c.ID, c.CreditsPerDay, c.CreditsPerMonth, s.Now())
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%w; 'earshot key list' lists those that there are", err)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(in.out, "key %s may spend %s\n", c.ID, ceilingsOf(c.CreditsPerDay, c.CreditsPerMonth))
		return err
	})
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"The key's id, as 'earshot key list' shows it: the part between ear_live_ and the next underscore."`
}

// Run ends the key.
func (c *keyRevokeCmd) Run(in *invocation) error {
	return withStore(in, func(s *store.Store) error {
		err := s.RevokeKey(c.ID, s.Now())
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%w; 'earshot key list' lists those that there are", err)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(in.out, "key %s is revoked\n", c.ID)
		return err
	})
}
