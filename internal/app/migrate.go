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
	"earshot/internal/store/tracking"
	"earshot/internal/track"
)

// Migrated is what was moved into another database, and found to be the same there.
type Migrated struct {
	Tables earshot.List[store.TransferState] `json:"tables"`
	// Trackers is of how many the numbers were computed in both.
	Trackers int `json:"trackers"`
	// Untold are trackers whose numbers nobody can compute yet, in either.
	Untold earshot.List[string] `json:"untold"`
	// Findings are what an audit finds off, in both.
	Findings earshot.List[store.Finding] `json:"findings"`
}

// Migrate moves everything from a database into an empty one, or goes on with that, and
// compares the two. An address is postgres://…, or the path of a SQLite file or of the
// data folder with it, with or without sqlite: before it. It calls report with what it is
// doing and how far a table is.
func Migrate(ctx context.Context, cfg Config, from, to string, report func(doing string, s store.TransferState)) (_ *Migrated, err error) {
	t, err := store.BeginTransfer(ctx,
		store.Config{URL: databaseAddress(from), AllowUnsafe: cfg.AllowUnsafeDatabase},
		store.Config{URL: databaseAddress(to), AllowUnsafe: cfg.AllowUnsafeDatabase})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if err := t.Copy(ctx, func(s store.TransferState) { report("copied", s) }); err != nil {
		return nil, err
	}
	moved := &Migrated{}
	err = t.Verify(ctx, func(s store.TransferState) {
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

// databaseAddress is what the store knows a database by.
func databaseAddress(text string) string {
	path := strings.TrimPrefix(text, "sqlite:")
	if info, err := os.Stat(path); err == nil && info.IsDir() && !store.Shared(path) {
		return filepath.Join(path, "earshot.db")
	}
	return path
}

// sameFindings are what an audit finds off in both databases. That they are the same says
// that moving added nothing.
func sameFindings(ctx context.Context, from, to *store.Store) ([]store.Finding, error) {
	var found [2][]store.Finding
	for i, s := range []*store.Store{from, to} {
		var err error
		if found[i], err = s.Audit(ctx); err != nil {
			return nil, err
		}
		slices.SortFunc(found[i], func(a, b store.Finding) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	if !slices.Equal(found[0], found[1]) {
		return nil, fmt.Errorf("the audit finds %+v off in the database that is moved, and %+v in the other", found[0], found[1])
	}
	return found[1], nil
}

// compareNumbers computes all metrics of every tracker from both databases.
func (m *Migrated) compareNumbers(ctx context.Context, from, to *store.Store) error {
	organizations, err := from.Organizations(ctx)
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
				return fmt.Errorf("compute the numbers of tracker %s: %w", name, err)
			}
			got, err := numbersOf(ctx, to, t)
			if err != nil {
				return fmt.Errorf("compute the moved numbers of tracker %s: %w", name, err)
			}
			if !bytes.Equal(want, got) {
				return fmt.Errorf("the numbers of tracker %s are %s, and after they were moved %s", name, want, got)
			}
			m.Trackers++
		}
	}
	return nil
}

// numbersOf computes the numbers of a tracker as the API answers them, by a service
// that keeps nothing of them and has no part that only sweeps need.
func numbersOf(ctx context.Context, s *store.Store, t *tracking.Tracker) ([]byte, error) {
	service := track.New(track.Config{Store: tracking.New(s), Catalogue: &provider.Catalogue{}, Log: slog.New(slog.DiscardHandler)})
	numbers, err := service.Metrics(ctx, t.Organization, t.Name, &earshot.MetricQuery{})
	if err != nil {
		return nil, err
	}
	return json.Marshal(numbers)
}
