package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/tracking"
	"earshot/internal/track"
)

// OpenStore opens the database of a configuration. With serve it makes one where there
// is none, and claims a SQLite file for this process. Without it, it fails where there
// is none.
func OpenStore(ctx context.Context, cfg Config, serve bool) (*store.Store, error) {
	url := cfg.Database
	switch {
	case url == "":
		url = filepath.Join(cfg.Data, "earshot.db")
	case !store.Shared(url):
		return nil, errors.New("the database must be a postgres:// URL; without one, SQLite in the data folder is used")
	}
	s, err := store.Open(ctx, store.Config{
		URL: url, Serve: serve, Existing: !serve, AllowUnsafe: cfg.AllowUnsafeDatabase, AcceptClock: cfg.AcceptClock, Log: cfg.Log,
	})
	if errors.Is(err, store.ErrNoDatabase) {
		return nil, fmt.Errorf("%w %s: name the server's folder with --data or EARSHOT_DATA, or its PostgreSQL with --database or EARSHOT_DATABASE; only 'earshot serve' makes a new one", err, lookedAt(cfg))
	}
	return s, err
}

// openReplica opens the database for reports, if there is one. A node serves without its
// answer: all but reports goes on.
func (a *App) openReplica(ctx context.Context) (err error) {
	if a.cfg.ReportsDatabase == "" {
		return nil
	}
	if a.replica, err = a.store.OpenReplica(a.cfg.ReportsDatabase); err != nil {
		return fmt.Errorf("--reports-database: %w", err)
	}
	if err := a.replica.Ping(ctx); err != nil {
		a.cfg.Log.Warn("the database for reports does not answer; until it does, reports are refused", "error", err)
	}
	return nil
}

// reports is what answers and numbers of trackers are read through.
func (a *App) reports() *track.Service {
	if a.replica == nil {
		return a.trackers
	}
	return a.trackers.On(tracking.New(a.replica))
}

// lookedAt says where the database of a configuration would be, without the secrets of
// its URL.
func lookedAt(cfg Config) string {
	if cfg.Database != "" {
		return "in the PostgreSQL that --database or EARSHOT_DATABASE names"
	}
	path := filepath.Join(cfg.Data, "earshot.db")
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return "at " + path
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
	created.Key.Name = "first"
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
