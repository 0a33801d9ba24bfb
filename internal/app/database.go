package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/tracking"
	"earshot/internal/track"
)

// OpenStore opens the database of a configuration. If serve is true, it creates a missing
// database, and locks a SQLite file for this process. If serve is false, it fails if the
// database is missing.
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
		return nil, fmt.Errorf("%w %s: name the server's folder with --data or EARSHOT_DATA, or its PostgreSQL with --database or EARSHOT_DATABASE; only 'earshot serve' creates a database", err, lookedAt(cfg))
	}
	return s, err
}

// openReplica opens the database for reports, if one is configured. If it does not answer,
// the node starts nevertheless and refuses only reports.
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

// reports returns the service that reads answers and metrics of trackers, from the
// database for reports if there is one.
func (a *App) reports() *track.Service {
	if a.replica == nil {
		return a.trackers
	}
	return a.trackers.On(tracking.New(a.replica))
}

// lookedAt describes where the database of a configuration should be, without the secrets
// of its URL.
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

// Account is a new organization with its secrets, for its owner.
type Account = orgs.Account

// CreateOrganization creates an organization on one of the configured plans.
func CreateOrganization(s *orgs.Store, settings Settings, name, planName string, credits *int64, by account.Actor) (*Account, error) {
	plans, err := settings.plans()
	if err != nil {
		return nil, err
	}
	plan, err := plans.Find(planName)
	if err != nil {
		return nil, err
	}
	return s.CreateAccount(name, plan, credits, by)
}
