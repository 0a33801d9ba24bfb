package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"earshot/internal/account"
)

// ErrExists is returned when the name is taken.
var ErrExists = errors.New("exists already")

var organizationsTable = newTable("organizations",
	field("id", "uuid", func(o *account.Organization) *string { return &o.ID }),
	textField("name", func(o *account.Organization) *string { return &o.Name }),
	textField("plan", func(o *account.Organization) *string { return &o.Plan.Name }),
	intField("slots", func(o *account.Organization) *int { return &o.Plan.Slots }),
	intField("requests_per_second", func(o *account.Organization) *int { return &o.Plan.RequestsPerSecond }),
	intField("queue_capacity", func(o *account.Organization) *int { return &o.Plan.QueueCapacity }),
	intField("credits_per_cycle", func(o *account.Organization) *int64 { return &o.Plan.CreditsPerCycle }),
	intField("created_at", func(o *account.Organization) *int64 { return &o.CreatedAt }),
	intField("queued", func(o *account.Organization) *int { return &o.Queued }),
	intField("running", func(o *account.Organization) *int { return &o.Running }),
	intField("balance", func(o *account.Organization) *int64 { return &o.Balance }),
	intField("held", func(o *account.Organization) *int64 { return &o.Held }),
	intField("events", func(o *account.Organization) *int64 { return &o.Events }),
	intField("cycle_started_at", func(o *account.Organization) *int64 { return &o.CycleStartedAt }),
	intField("cycle_resets_at", func(o *account.Organization) *int64 { return &o.CycleResetsAt }),
	intField("cycle_grant", func(o *account.Organization) *int64 { return &o.CycleGrant }),
	intField("cycle_used", func(o *account.Organization) *int64 { return &o.CycleUsed }),
	intField("key_budgets", func(o *account.Organization) *int { return &o.KeyBudgets }))

// NewOrganization is an organization to be created, with its first key.
type NewOrganization struct {
	Name          string
	Plan          account.Plan
	FirstGrant    int64 // credits of its first cycle
	WebhookSecret string
	Key           account.Key // its first, which may do everything
}

// CreateOrganization stores an organization and grants its first credits.
// Returns ErrExists when the name is taken.
func (s *Store) CreateOrganization(n NewOrganization, now time.Time) (*account.Organization, error) {
	start, end := account.Cycle(now, now)
	created := &newOrganizationRow{webhookSecret: n.WebhookSecret, Organization: account.Organization{
		ID: newID(), Name: n.Name, Plan: n.Plan, CreatedAt: millis(now), Balance: n.FirstGrant,
		CycleStartedAt: millis(start), CycleResetsAt: millis(end), CycleGrant: n.FirstGrant,
	}}
	if s.spread() {
		if err := s.reserve(created, now); err != nil {
			return nil, err
		}
	}
	err := s.of(created.ID).write(write{across: true, apply: inWork(func(ctx context.Context, w *work) error {
		err := each(ctx, w.tx, insertOrganization, []*newOrganizationRow{created}, nil)
		if s.dialect.duplicate(err) {
			return fmt.Errorf("organization %q: %w", n.Name, ErrExists)
		}
		if err != nil {
			return fmt.Errorf("create organization %q: %w", n.Name, err)
		}
		w.addEntry(entry{organization: created.ID, kind: kindGrant, amount: n.FirstGrant, at: millis(now)})
		return insertKey(ctx, w.tx, created.ID, n.Key, account.DefaultScopes(), time.Time{}, now)
	})})
	if err != nil {
		return nil, err
	}
	return &created.Organization, nil
}

// reservedTime is how long a name stays taken of which no organization came: nobody is that
// slow to make one.
const reservedTime = time.Minute

// reserve takes the name of an organization that is about to be created, and has the keys'
// table know of it. Returns ErrExists when the name is taken.
func (s *Store) reserve(o *newOrganizationRow, now time.Time) error {
	err := s.execute(func(ctx context.Context, tx *tx) error {
		// A node that was killed in between leaves a name without its organization.
		left, err := findRows(ctx, tx, organizationsTable, `WHERE name = $1 AND created_at < $2`, o.Name, millis(now.Add(-reservedTime)))
		if err != nil {
			return err
		}
		for _, one := range left {
			_, err := firstRow(ctx, s.of(one.ID).lookups, organizationsTable, `WHERE id = $1`, one.ID)
			if errors.Is(err, ErrNotFound) {
				_, err = tx.ExecContext(ctx, `DELETE FROM organizations WHERE id = $1`, one.ID)
			}
			if err != nil {
				return err
			}
		}
		return each(ctx, tx, insertOrganization, []*newOrganizationRow{o}, nil)
	})
	if s.dialect.duplicate(err) {
		return fmt.Errorf("organization %q: %w", o.Name, ErrExists)
	}
	if err != nil {
		return fmt.Errorf("create organization %q: %w", o.Name, err)
	}
	return nil
}

// newOrganizationRow is an organization and what only its creation stores.
type newOrganizationRow struct {
	account.Organization
	webhookSecret string
}

var insertOrganization = newTable("organizations", append(
	lift(organizationsTable.columns, func(o *newOrganizationRow) *account.Organization { return &o.Organization }),
	textField("webhook_secret", func(o *newOrganizationRow) *string { return &o.webhookSecret }))...).insert("")

// Organizations are all organizations by name.
func (s *Store) Organizations(ctx context.Context) ([]*account.Organization, error) {
	all, err := everywhere(s.db, func(p *part) ([]*account.Organization, error) {
		return findRows(ctx, p.reports, organizationsTable, `ORDER BY name`)
	})
	if err != nil {
		return nil, fmt.Errorf("list organizations: %w", err)
	}
	if len(s.parts) > 1 {
		slices.SortFunc(all, func(a, b *account.Organization) int { return cmp.Compare(a.Name, b.Name) })
	}
	return all, nil
}

// OrganizationByName finds an organization. Returns ErrNotFound.
func (s *Store) OrganizationByName(ctx context.Context, name string) (*account.Organization, error) {
	// Names are unique over all parts.
	o, err := firstRow(ctx, s.lookups, organizationsTable, `WHERE name = $1`, name)
	if err == nil && s.spread() {
		o, err = firstRow(ctx, s.of(o.ID).lookups, organizationsTable, `WHERE id = $1`, o.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("organization %q: %w", name, err)
	}
	return o, nil
}

// Organization finds an organization and brings it into its current cycle.
// Returns ErrNotFound.
func (s *Store) Organization(ctx context.Context, id string, now time.Time) (*account.Organization, error) {
	o, err := firstRow(ctx, s.of(id).lookups, organizationsTable, `WHERE id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("organization %s: %w", id, err)
	}
	if now, err = s.clock.decisive(now); err != nil || millis(now) < o.CycleResetsAt {
		return o, nil //nolint:nilerr // while the clock is not trusted, the cycle goes on
	}
	return s.change(id, now, func(*work, *lockedOrganization) error { return nil })
}

// SetPlan moves an organization to a plan. The next cycle grants its credits.
func (s *Store) SetPlan(id string, plan account.Plan) error {
	return s.commit(change{organization: id, apply: func(ctx context.Context, w *work) error {
		_, err := w.ExecContext(ctx, `
			UPDATE organizations SET plan = $2, slots = $3, requests_per_second = $4, queue_capacity = $5, credits_per_cycle = $6
			WHERE id = $1`,
			id, plan.Name, plan.Slots, plan.RequestsPerSecond, plan.QueueCapacity, plan.CreditsPerCycle)
		if err != nil {
			return fmt.Errorf("set plan of organization %s: %w", id, err)
		}
		return nil
	}})
}

// ApplyPlans brings the limits that organizations carry in line with the plans
// they are on.
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
		if err := s.SetPlan(o.ID, plan); err != nil {
			return err
		}
	}
	return nil
}

// CountRequests adds n requests to the organization's window, which opens with
// its first request and lasts for length, and returns how many are in it then.
// All nodes share the window, by the database's clock. PostgreSQL only: on
// SQLite one process sees every request and counts in memory.
func (s *Store) CountRequests(ctx context.Context, organization string, n int, length time.Duration) (used int, err error) {
	// The table is unlogged, so the commit waits for no disk. A request whose connection was lost
	// may be counted twice, which the client notices only when its window is nearly full.
	err = s.lookups.find(ctx, func(found scanner) error { return found.Scan(&used) }, `
		INSERT INTO rate_windows AS w (organization, opened_at, used) VALUES ($1, `+s.dialect.now+`, $2)
		ON CONFLICT (organization) DO UPDATE SET
			used      = excluded.used + CASE WHEN abs(excluded.opened_at - w.opened_at) >= $3 THEN 0 ELSE w.used END,
			opened_at = CASE WHEN abs(excluded.opened_at - w.opened_at) >= $3 THEN excluded.opened_at ELSE w.opened_at END
		RETURNING used`, organization, n, length.Milliseconds())
	if err != nil {
		return 0, fmt.Errorf("count requests of organization %s: %w", organization, err)
	}
	return used, nil
}
