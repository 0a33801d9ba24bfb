package orgs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// ErrExists is returned for a name that is taken.
var ErrExists = errors.New("exists already")

// NewOrganization describes an organization to create, with its first key.
type NewOrganization struct {
	Name          string
	Plan          account.Plan
	FirstGrant    int64 // credits of its first cycle
	WebhookSecret string
	Key           account.Key // the first key, with all default scopes
}

// Account is a new organization with its secrets, for its owner.
type Account struct {
	Organization  *account.Organization
	Key           account.Key
	WebhookSecret string
}

// CreateAccount creates an organization with its secrets. If credits is not nil, it replaces the first
// grant of the plan. CreateAccount returns ErrExists.
func (s *Store) CreateAccount(name string, plan account.Plan, credits *int64, by account.Actor) (*Account, error) {
	if err := account.CheckName(name); err != nil {
		return nil, err
	}
	grant := plan.CreditsPerCycle
	if credits != nil {
		grant = *credits
	}
	created := &Account{Key: account.NewKey(), WebhookSecret: account.NewWebhookSecret()}
	created.Key.Name = "first"
	var err error
	created.Organization, err = s.CreateOrganization(NewOrganization{
		Name: name, Plan: plan, FirstGrant: grant, WebhookSecret: created.WebhookSecret, Key: created.Key,
	}, by, s.Now())
	if err != nil {
		return nil, err
	}
	return created, nil
}

// CreateOrganization stores an organization and grants its first credits. It returns
// ErrExists.
func (s *Store) CreateOrganization(n NewOrganization, by account.Actor, now time.Time) (*account.Organization, error) {
	start, end := account.Cycle(now, now)
	created := &newOrganizationRow{webhookSecret: n.WebhookSecret, Organization: account.Organization{
		ID: store.NewID(), Name: n.Name, Plan: n.Plan, CreatedAt: engine.Millis(now), Balance: n.FirstGrant,
		CycleStartedAt: engine.Millis(start), CycleResetsAt: engine.Millis(end), CycleGrant: n.FirstGrant,
	}}
	if s.Sharded() {
		if err := s.reserve(created, now); err != nil {
			return nil, err
		}
	}
	err := s.ShardOf(created.ID).Write(engine.Write{Across: true, Apply: store.InWork(func(ctx context.Context, w *store.Work) error {
		err := engine.Each(ctx, w.Tx, insertOrganization, []*newOrganizationRow{created}, nil)
		if s.Dialect.Duplicate(err) {
			return fmt.Errorf("organization %q: %w", n.Name, ErrExists)
		}
		if err != nil {
			return fmt.Errorf("create organization %q: %w", n.Name, err)
		}
		w.AddEntry(store.Entry{Organization: created.ID, Kind: earshot.LedgerGrant, Amount: n.FirstGrant, At: engine.Millis(now)})
		if err := insertKey(ctx, w.Tx, created.ID, n.Key, account.DefaultScopes(), time.Time{}, now); err != nil {
			return err
		}
		after := map[string]any{"name": n.Name, "plan": n.Plan.Name, "credits": n.FirstGrant, "key": n.Key.ID}
		return w.Audit(created.ID, by, store.Audited{Action: "organization.create", Subject: created.ID, After: after}, now)
	})})
	if err != nil {
		return nil, err
	}
	return &created.Organization, nil
}

// reservedTime is how long a name stays reserved without its organization being stored. It is much
// longer than the creation takes.
const reservedTime = time.Minute

// reserve inserts a new organization into the coordinator's table, which makes names unique
// over all shards and which the table of keys refers to. It returns ErrExists.
func (s *Store) reserve(o *newOrganizationRow, now time.Time) error {
	err := s.Execute(func(ctx context.Context, tx *engine.Tx) error {
		// A node that was killed during the creation has left a name without an organization.
		left, err := engine.FindRows(ctx, tx, store.OrganizationsTable, `WHERE name = $1 AND created_at < $2`, o.Name, engine.Millis(now.Add(-reservedTime)))
		if err != nil {
			return err
		}
		for _, one := range left {
			_, err := engine.FirstRow(ctx, s.ShardOf(one.ID).Lookups, store.OrganizationsTable, `WHERE id = $1`, one.ID)
			if errors.Is(err, store.ErrNotFound) {
				_, err = tx.ExecContext(ctx, `DELETE FROM organizations WHERE id = $1`, one.ID)
			}
			if err != nil {
				return err
			}
		}
		return engine.Each(ctx, tx, insertOrganization, []*newOrganizationRow{o}, nil)
	})
	if s.Dialect.Duplicate(err) {
		return fmt.Errorf("organization %q: %w", o.Name, ErrExists)
	}
	return engine.Wrap(err, "create organization %q", o.Name)
}

// newOrganizationRow adds the columns that only the creation writes.
type newOrganizationRow struct {
	account.Organization
	webhookSecret string
}

var insertOrganization = engine.NewTable("organizations", append(
	engine.Lift(store.OrganizationsTable.Columns, func(o *newOrganizationRow) *account.Organization { return &o.Organization }),
	engine.TextField("webhook_secret", func(o *newOrganizationRow) *string { return &o.webhookSecret }))...).Insert("")

// Names returns the ids of all organizations by their names. It needs no shard.
func (s *Store) Names(ctx context.Context) (map[string]string, error) {
	ids, err := engine.FindMap[string, string](ctx, s.Lookups, `SELECT name, id FROM organizations`)
	return ids, engine.Wrap(err, "list organizations")
}

// Organizations returns all organizations, sorted by name. On Citus it omits organizations whose
// shards cannot be reached; Names has all.
func (s *Store) Organizations(ctx context.Context) ([]*account.Organization, error) {
	all, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]*account.Organization, error) {
		return engine.FindRows(ctx, p.Reports, store.OrganizationsTable, `ORDER BY name`)
	})
	if err != nil {
		return nil, fmt.Errorf("list organizations: %w", err)
	}
	if len(s.Shards) > 1 {
		slices.SortFunc(all, func(a, b *account.Organization) int { return cmp.Compare(a.Name, b.Name) })
	}
	return all, nil
}

// Oldest returns the oldest organization: the one that the first start of the service has created. It
// returns ErrNotFound.
func (s *Store) Oldest(ctx context.Context) (*account.Organization, error) {
	all, err := s.Organizations(ctx)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("the oldest organization: %w", store.ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	return slices.MinFunc(all, func(a, b *account.Organization) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	}), nil
}

// OrganizationByName returns an organization. It returns ErrNotFound.
func (s *Store) OrganizationByName(ctx context.Context, name string) (*account.Organization, error) {
	// The coordinator's table has the names of all organizations.
	o, err := engine.FirstRow(ctx, s.Lookups, store.OrganizationsTable, `WHERE name = $1`, name)
	if err == nil && s.Sharded() {
		o, err = engine.FirstRow(ctx, s.ShardOf(o.ID).Lookups, store.OrganizationsTable, `WHERE id = $1`, o.ID)
	}
	return o, engine.Wrap(err, "organization %q", name)
}

// Organization returns an organization and begins its next billing cycle if that is due.
// It returns ErrNotFound.
func (s *Store) Organization(ctx context.Context, id string, now time.Time) (*account.Organization, error) {
	o, err := engine.FirstRow(ctx, s.ShardOf(id).Lookups, store.OrganizationsTable, `WHERE id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("organization %s: %w", id, err)
	}
	if now, err = s.Clock.Decisive(now); err != nil || engine.Millis(now) < o.CycleResetsAt {
		return o, nil //nolint:nilerr // the cycle goes on while the clock is not trusted
	}
	return s.change(id, "", account.System(), now, func(*store.Work, *store.LockedOrganization) error { return nil })
}

// SetPlan moves an organization to a plan. The plan's credits are granted with the next cycle.
func (s *Store) SetPlan(id string, plan account.Plan, by account.Actor, now time.Time) error {
	err := s.Commit(store.Change{Organization: id, Apply: func(ctx context.Context, w *store.Work) error {
		// A cycle that is due gets the credits of the plan until now.
		if _, err := w.Organization(id, now); err != nil {
			return err
		}
		o, err := engine.FirstRow(ctx, w, store.OrganizationsTable, `WHERE id = $1`, id)
		if err != nil || o.Plan == plan {
			return err
		}
		_, err = w.ExecContext(ctx, `
			UPDATE organizations SET plan = $2, slots = $3, requests_per_second = $4, queue_capacity = $5, credits_per_cycle = $6
			WHERE id = $1`,
			id, plan.Name, plan.Slots, plan.RequestsPerSecond, plan.QueueCapacity, plan.CreditsPerCycle)
		if err != nil {
			return err
		}
		return w.Audit(id, by, store.Audited{Action: "plan.change", Subject: id, Before: o.Plan, After: plan}, now)
	}})
	return engine.Wrap(err, "set plan of organization %s", id)
}

// ApplyPlans updates the limits stored with each organization to the current limits of its
// plan.
func (s *Store) ApplyPlans(ctx context.Context, plans account.Plans) error {
	all, err := s.Organizations(ctx)
	if err != nil {
		return err
	}
	for _, o := range all {
		plan, err := plans.Find(o.Plan.Name)
		if err != nil {
			return fmt.Errorf("organization %q: %w", o.Name, err)
		}
		if plan == o.Plan {
			continue
		}
		if err := s.SetPlan(o.ID, plan, account.System(), s.Now()); err != nil {
			return err
		}
	}
	return nil
}

// Grant adds credits to an organization and returns the updated organization. Unlike the
// monthly credits of a plan, these credits do not expire.
func (s *Store) Grant(id string, credits int64, by account.Actor, now time.Time) (*account.Organization, error) {
	return s.change(id, "credits.grant", by, now, func(w *store.Work, o *store.LockedOrganization) error {
		w.Book(o, store.Entry{Kind: earshot.LedgerGrant, Amount: credits, At: engine.Millis(now)})
		by.Once.Answers(&earshot.ChangedOrganization{Organization: Shown(&o.Organization)})
		return nil
	})
}

// Shown returns what operators see of an organization.
func Shown(o *account.Organization) earshot.Organization {
	return earshot.Organization{ID: o.ID, Name: o.Name, Plan: o.Plan.Name, Credits: o.Balance, Running: o.Running}
}

// SetBalance sets an organization's balance. It fails if running jobs hold more than that.
func (s *Store) SetBalance(id string, credits int64, by account.Actor, now time.Time) (*account.Organization, error) {
	return s.change(id, "credits.set", by, now, func(w *store.Work, o *store.LockedOrganization) error {
		if credits < o.Held {
			return &earshot.Error{
				Code:    earshot.CodeConflict,
				Message: fmt.Sprintf("running jobs hold %d credits, so the balance cannot be set to %d now", o.Held, credits),
				Details: earshot.ConflictDetails{ID: id},
			}
		}
		if credits != o.Balance {
			w.Book(o, store.Entry{Kind: earshot.LedgerAdjust, Amount: credits - o.Balance, At: engine.Millis(now)})
		}
		return nil
	})
}

// change changes one organization and returns its new state. A new balance is audited as action.
func (s *Store) change(id, action string, by account.Actor, now time.Time, apply func(*store.Work, *store.LockedOrganization) error) (*account.Organization, error) {
	var after account.Organization
	err := s.Commit(store.Change{Organization: id, Apply: func(ctx context.Context, w *store.Work) error {
		o, err := w.Organization(id, now)
		if err != nil {
			return err
		}
		type audited struct {
			Balance int64 `json:"balance"`
		}
		before := audited{o.Balance}
		err = apply(w, o)
		after = o.Organization
		if err != nil || after.Balance == before.Balance {
			return err
		}
		if err := w.KeepAnswer(ctx, by.Once, now); err != nil {
			return err
		}
		return w.Audit(id, by, store.Audited{Action: action, Subject: id, Before: before, After: audited{after.Balance}}, now)
	}})
	if err != nil {
		return nil, err
	}
	return &after, nil
}

// CountRequests adds n requests to the organization's rate-limit window and returns the new
// count. The window opens with its first request and lasts for length. All nodes share it, by the
// database's clock. PostgreSQL only: on SQLite the single process counts in memory.
func (s *Store) CountRequests(ctx context.Context, organization string, n int, length time.Duration) (used int, err error) {
	// The table is unlogged, so the commit does not wait for the disk. A request may be counted
	// twice after a lost connection, which matters only to a client close to its limit.
	err = s.Lookups.Find(ctx, func(found engine.Scanner) error { return found.Scan(&used) }, `
		INSERT INTO rate_windows AS w (organization, opened_at, used) VALUES ($1, `+s.Dialect.Now+`, $2)
		ON CONFLICT (organization) DO UPDATE SET
			used      = excluded.used + CASE WHEN abs(excluded.opened_at - w.opened_at) >= $3 THEN 0 ELSE w.used END,
			opened_at = CASE WHEN abs(excluded.opened_at - w.opened_at) >= $3 THEN excluded.opened_at ELSE w.opened_at END
		RETURNING used`, organization, n, length.Milliseconds())
	return used, engine.Wrap(err, "count requests of organization %s", organization)
}
