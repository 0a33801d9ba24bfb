package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"earshot/internal/account"
	"earshot/internal/store"
)

// OpenStore opens the database of a configuration. With serve it claims a
// SQLite file for this process.
func OpenStore(ctx context.Context, cfg Config, serve bool) (*store.Store, error) {
	url := cfg.Database
	switch {
	case url == "":
		url = filepath.Join(cfg.Data, "earshot.db")
	case !store.Shared(url):
		return nil, errors.New("the database must be a postgres:// URL; without one, SQLite in the data folder is used")
	}
	return store.Open(ctx, store.Config{URL: url, Serve: serve, AllowUnsafe: cfg.AllowUnsafeDatabase, AcceptClock: cfg.AcceptClock})
}

// Account is an organization as it is handed over to its owner.
type Account struct {
	Organization  *account.Organization
	Key           account.Key
	WebhookSecret string
}

// CreateOrganization makes an organization with a key that may do everything.
// credits, when not nil, takes the place of the plan's first grant.
func CreateOrganization(s *store.Store, settings Settings, name, planName string, credits *int64) (*Account, error) {
	plans, err := settings.plans()
	if err != nil {
		return nil, err
	}
	plan, err := plans.Find(planName)
	if err != nil {
		return nil, err
	}
	if err := account.CheckName(name); err != nil {
		return nil, err
	}
	grant := plan.CreditsPerCycle
	if credits != nil {
		grant = *credits
	}
	if grant < 0 {
		return nil, fmt.Errorf("credits must not be negative, but are %d", grant)
	}
	created := &Account{Key: account.NewKey(), WebhookSecret: account.NewWebhookSecret()}
	created.Organization, err = s.CreateOrganization(store.NewOrganization{
		Name: name, Plan: plan, FirstGrant: grant, WebhookSecret: created.WebhookSecret, Key: created.Key,
	}, s.Now())
	if err != nil {
		return nil, err
	}
	return created, nil
}

// SetPlan moves an organization to one of the plans that the configuration
// offers.
func SetPlan(s *store.Store, settings Settings, organization, planName string) error {
	plans, err := settings.plans()
	if err != nil {
		return err
	}
	plan, err := plans.Find(planName)
	if err != nil {
		return err
	}
	return s.SetPlan(organization, plan)
}
