package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/tracking"
	"earshot/internal/store/transfer"
	"earshot/internal/track"
)

// Migrated is the result of moving a database. The contents of both databases were
// compared.
type Migrated struct {
	Tables earshot.List[transfer.State] `json:"tables"`
	// Trackers is the number of trackers whose metrics are the same in both databases.
	Trackers int `json:"trackers"`
	// Untold are the trackers whose metrics cannot be computed yet, with the reason.
	Untold earshot.List[string] `json:"untold"`
	// Findings are the audit findings, which are the same in both databases.
	Findings earshot.List[earshot.BalanceFinding] `json:"findings"`
}

// Migrate moves the content of a database into an empty one, or continues an interrupted
// move, and compares the two. A database is a postgres:// URL, the path of a SQLite file,
// or the path of its data folder; a path may have the prefix sqlite:. Migrate calls report
// with the current step and the progress of a table.
func Migrate(ctx context.Context, cfg Config, from, to string, report func(doing string, s transfer.State)) (_ *Migrated, err error) {
	t, err := transfer.Begin(ctx,
		store.Config{URL: databaseAddress(from), AllowUnsafe: cfg.AllowUnsafeDatabase},
		store.Config{URL: databaseAddress(to), AllowUnsafe: cfg.AllowUnsafeDatabase})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if err := t.Copy(ctx, func(s transfer.State) { report("copied", s) }); err != nil {
		return nil, err
	}
	moved := &Migrated{}
	err = t.Verify(ctx, func(s transfer.State) {
		moved.Tables = append(moved.Tables, s)
		report("compared", s)
	})
	if err != nil {
		return nil, err
	}
	if moved.Findings, err = sameFindings(ctx, t.From, t.To); err != nil {
		return nil, err
	}
	if err := moved.compareNumbers(ctx, t.From, t.To); err != nil {
		return nil, err
	}
	return moved, t.Finish(ctx)
}

// databaseAddress converts an argument of Migrate to a URL of store.Config.
func databaseAddress(text string) string {
	path := strings.TrimPrefix(text, "sqlite:")
	if info, err := os.Stat(path); err == nil && info.IsDir() && !store.Shared(path) {
		return filepath.Join(path, "earshot.db")
	}
	return path
}

// sameFindings returns the audit findings of both databases. It returns an error if they
// differ.
func sameFindings(ctx context.Context, from, to *store.Store) ([]earshot.BalanceFinding, error) {
	var found [2][]earshot.BalanceFinding
	for i, s := range []*store.Store{from, to} {
		var err error
		if found[i], err = s.Audit(ctx); err != nil {
			return nil, err
		}
		slices.SortFunc(found[i], func(a, b earshot.BalanceFinding) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	if !slices.Equal(found[0], found[1]) {
		return nil, fmt.Errorf("the audit of the old database finds %+v, and the audit of the new one %+v", found[0], found[1])
	}
	return found[1], nil
}

// compareNumbers computes the metrics of every tracker from both databases. It returns an
// error if they differ.
func (m *Migrated) compareNumbers(ctx context.Context, from, to *store.Store) error {
	organizations, err := orgs.New(from).Organizations(ctx)
	if err != nil {
		return err
	}
	for _, o := range organizations {
		trackers, err := tracking.New(from).Trackers(ctx, o.ID)
		if err != nil {
			return err
		}
		for _, t := range trackers {
			name := o.Name + "/" + t.Name
			want, err := numbersOf(ctx, from, t)
			if told, ok := errors.AsType[*earshot.Error](err); ok {
				m.Untold = append(m.Untold, name+": "+told.Message)
				continue
			}
			if err != nil {
				return fmt.Errorf("compute the metrics of tracker %s: %w", name, err)
			}
			got, err := numbersOf(ctx, to, t)
			if err != nil {
				return fmt.Errorf("compute the metrics of tracker %s in the new database: %w", name, err)
			}
			if !bytes.Equal(want, got) {
				return fmt.Errorf("the metrics of tracker %s are %s in the old database, but %s in the new one", name, want, got)
			}
			m.Trackers++
		}
	}
	return nil
}

// numbersOf returns the metrics of a tracker over its whole history, as in the API. It uses a new service, which
// has nothing cached and lacks the components for sweeps.
func numbersOf(ctx context.Context, s *store.Store, t *tracking.Tracker) ([]byte, error) {
	service := track.New(track.Config{Store: tracking.New(s), Catalogue: &provider.Catalogue{}, Log: slog.New(slog.DiscardHandler)})
	numbers, err := service.Metrics(ctx, t.Organization, t.Name, &earshot.MetricQuery{MetricFilter: earshot.MetricFilter{From: "2000-01-01"}})
	if err != nil {
		return nil, err
	}
	return json.Marshal(numbers)
}
