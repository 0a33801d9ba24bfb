package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"earshot/internal/account"
)

// ErrNotFound is returned when what was asked for does not exist.
var ErrNotFound = errors.New("not found")

// ErrExists is returned when the name is taken.
var ErrExists = errors.New("exists already")

const organizationColumns = `id, name, plan, slots, requests_per_second, queue_capacity, credits_per_cycle,
	created_at, queued, running, balance, held, events, cycle_started_at, cycle_resets_at, cycle_grant, cycle_used`

type scanner interface{ Scan(into ...any) error }

func scanOrganization(row scanner) (*account.Organization, error) {
	o := &account.Organization{}
	err := row.Scan(&o.ID, &o.Name, &o.Plan.Name, &o.Plan.Slots, &o.Plan.RequestsPerSecond, &o.Plan.QueueCapacity,
		&o.Plan.CreditsPerCycle, &o.CreatedAt, &o.Queued, &o.Running, &o.Balance, &o.Held, &o.Events,
		&o.CycleStartedAt, &o.CycleResetsAt, &o.CycleGrant, &o.CycleUsed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	return o, err
}

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
	id := newID()
	start, end := account.Cycle(now, now)
	created := &account.Organization{
		ID: id, Name: n.Name, Plan: n.Plan, CreatedAt: millis(now), Balance: n.FirstGrant,
		CycleStartedAt: millis(start), CycleResetsAt: millis(end), CycleGrant: n.FirstGrant,
	}
	err := s.write(write{apply: func(ctx context.Context, w *work) error {
		_, err := w.ExecContext(ctx, `
			INSERT INTO organizations (id, name, plan, slots, requests_per_second, queue_capacity, credits_per_cycle,
				webhook_secret, created_at, cycle_started_at, cycle_resets_at, cycle_grant, balance)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			id, n.Name, n.Plan.Name, n.Plan.Slots, n.Plan.RequestsPerSecond, n.Plan.QueueCapacity, n.Plan.CreditsPerCycle,
			n.WebhookSecret, millis(now), millis(start), millis(end), n.FirstGrant, n.FirstGrant)
		if s.dialect.duplicate(err) {
			return fmt.Errorf("organization %q: %w", n.Name, ErrExists)
		}
		if err != nil {
			return fmt.Errorf("create organization %q: %w", n.Name, err)
		}
		w.entries = append(w.entries, entry{organization: id, kind: kindGrant, amount: n.FirstGrant, at: millis(now)})
		return insertKey(ctx, w.tx, id, n.Key, account.AllScopes(), time.Time{}, now)
	}})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// Organizations are all organizations by name.
func (s *Store) Organizations(ctx context.Context) ([]*account.Organization, error) {
	var all []*account.Organization
	err := s.find(ctx, func(r scanner) error {
		o, err := scanOrganization(r)
		all = append(all, o)
		return err
	}, `SELECT `+organizationColumns+` FROM organizations ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("list organizations: %w", err)
	}
	return all, nil
}

// OrganizationByName finds an organization. Returns ErrNotFound.
func (s *Store) OrganizationByName(ctx context.Context, name string) (*account.Organization, error) {
	o, err := s.findOrganization(ctx, `name = $1`, name)
	if err != nil {
		return nil, fmt.Errorf("organization %q: %w", name, err)
	}
	return o, nil
}

func (s *Store) findOrganization(ctx context.Context, where string, arg any) (o *account.Organization, err error) {
	err = s.first(ctx, func(r scanner) (err error) {
		o, err = scanOrganization(r)
		return err
	}, `SELECT `+organizationColumns+` FROM organizations WHERE `+where, arg)
	return o, err
}

// Organization tells how an organization stands now, in its current cycle.
// Returns ErrNotFound.
func (s *Store) Organization(ctx context.Context, id string, now time.Time) (*account.Organization, error) {
	o, err := s.findOrganization(ctx, `id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("organization %s: %w", id, err)
	}
	if millis(now) < o.CycleResetsAt {
		return o, nil
	}
	return s.change(id, now, func(*work, *row) error { return nil })
}

// SetPlan moves an organization to a plan. The next cycle grants its credits.
func (s *Store) SetPlan(id string, plan account.Plan) error {
	return s.write(write{organization: id, apply: func(ctx context.Context, w *work) error {
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
