package tracking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Tally is what the answers of a closed sweep add up to, by rules.
type Tally struct {
	Organization string
	Tracker      string
	Rules        int
	Sweep        string
	Answers      int    // that were added up
	Weights      int64  // of the questions, as a hash: Sums are made by them
	Sums         []byte // over the questions of each target
	Cells        []byte // by question and target

	packed []byte // the cells as they are stored
}

// TallySpan are the cells of all sweeps that were due in a range of days, added up.
type TallySpan struct {
	Organization string
	Tracker      string
	Rules        int
	Days         int    // length of the range
	Number       int    // of the range, since 1970
	Sweeps       []byte // ids of those that are in it
	Cells        []byte

	packed []byte
}

// Range is the number of the range of so many days that a moment lies in.
func Range(at time.Time, days int) int { return int(at.Unix() / (24 * 60 * 60) / int64(days)) }

var (
	talliesTable = engine.NewTable("tallies",
		engine.Field("organization", "uuid", func(t *Tally) *string { return &t.Organization }),
		engine.Field("tracker", "uuid", func(t *Tally) *string { return &t.Tracker }),
		engine.IntField("rules", func(t *Tally) *int { return &t.Rules }),
		engine.Field("sweep", "uuid", func(t *Tally) *string { return &t.Sweep }),
		engine.IntField("answers", func(t *Tally) *int { return &t.Answers }),
		engine.IntField("weights", func(t *Tally) *int64 { return &t.Weights }),
		engine.Field("sums", "bytea", func(t *Tally) *[]byte { return &t.Sums }),
		engine.Field("cells", "bytea", func(t *Tally) *[]byte { return &t.packed }))
	insertTallies = talliesTable.Insert(`ON CONFLICT (organization, tracker, rules, sweep) DO UPDATE SET weights = excluded.weights, sums = excluded.sums, cells = excluded.cells`)
	tallySums     = talliesTable.Without("cells")
	tallyCells    = engine.NewTable("tallies", talliesTable.Only("sweep", "cells")...)

	spansTable = engine.NewTable("tally_spans",
		engine.Field("organization", "uuid", func(t *TallySpan) *string { return &t.Organization }),
		engine.Field("tracker", "uuid", func(t *TallySpan) *string { return &t.Tracker }),
		engine.IntField("rules", func(t *TallySpan) *int { return &t.Rules }),
		engine.IntField("days", func(t *TallySpan) *int { return &t.Days }),
		engine.IntField("number", func(t *TallySpan) *int { return &t.Number }),
		engine.Field("sweeps", "bytea", func(t *TallySpan) *[]byte { return &t.Sweeps }),
		engine.Field("cells", "bytea", func(t *TallySpan) *[]byte { return &t.packed }))
	insertSpans = spansTable.Insert(`ON CONFLICT (organization, tracker, rules, days, number) DO UPDATE SET sweeps = excluded.sweeps, cells = excluded.cells`)
	spanSweeps  = spansTable.Without("cells")
)

// SaveTally writes a tally, in the place of the one that was there. It writes nothing where
// answers of the sweep are gone meanwhile, or its rules no longer used.
func (s *Store) SaveTally(t *Tally) error {
	t.packed = store.Pack(t.Cells)
	err := s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		ok, err := isCountable(ctx, tx, s.Dialect.ForUpdate, t.Organization, t.Tracker, t.Rules, t.Sweep)
		if err != nil || !ok {
			return err
		}
		return engine.Each(ctx, tx, insertTallies, []*Tally{t}, nil)
	})
	if err != nil {
		return fmt.Errorf("store a tally: %w", err)
	}
	return nil
}

// isCountable tells whether the sweep and the rules of a tally are still there. The row of
// the sweep keeps its answers from being deleted meanwhile.
func isCountable(ctx context.Context, t *engine.Tx, forUpdate, organization, tracker string, rules int, sweep string) (bool, error) {
	found, err := engine.FindValues[string](ctx, t, `SELECT id FROM sweeps WHERE organization = $1 AND tracker = $2 AND id = $3 AND state = 'closed' AND pruned = 0 `+forUpdate,
		organization, tracker, sweep)
	if err != nil || len(found) == 0 {
		return false, err
	}
	used, err := engine.FindValues[int](ctx, t, `SELECT version FROM tracker_rules WHERE organization = $1 AND tracker = $2 AND version = $3 AND state <> 'old' `+forUpdate,
		organization, tracker, rules)
	return len(used) > 0, err
}

// SaveTallySpan writes the cells of a range, in the place of those that were there. sweeps
// are the ids of those that it has.
func (s *Store) SaveTallySpan(t *TallySpan, sweeps []string) error {
	t.packed = store.Pack(t.Cells)
	err := s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		for _, sweep := range sweeps {
			ok, err := isCountable(ctx, tx, s.Dialect.ForUpdate, t.Organization, t.Tracker, t.Rules, sweep)
			if err != nil || !ok {
				return err
			}
		}
		return engine.Each(ctx, tx, insertSpans, []*TallySpan{t}, nil)
	})
	if err != nil {
		return fmt.Errorf("store the tally of a range of days: %w", err)
	}
	return nil
}

// Tallies reads those of rules, without their cells.
func (s *Store) Tallies(ctx context.Context, r *Rules) ([]*Tally, error) {
	all, err := engine.FindRows(ctx, s.ShardOf(r.Organization).Reports, tallySums, `WHERE organization = $1 AND tracker = $2 AND rules = $3`, r.Organization, r.Tracker, r.Version)
	if err != nil {
		return nil, fmt.Errorf("read tallies: %w", err)
	}
	return all, nil
}

// fewTallies is how many are read one by one rather than with all others.
const fewTallies = 40

// TallyCells reads the cells of some sweeps by rules. Those that have none are left out.
func (s *Store) TallyCells(ctx context.Context, r *Rules, sweeps []string) (map[string][]byte, error) {
	wanted, found := make(map[string]bool, len(sweeps)), make(map[string][]byte, len(sweeps))
	for _, id := range sweeps {
		wanted[id] = true
	}
	scan := func(row engine.Scanner) error {
		var t Tally
		if err := row.Scan(tallyCells.Targets(&t)...); err != nil || !wanted[t.Sweep] {
			return err
		}
		var err error
		found[t.Sweep], err = store.Unpack(t.packed)
		return err
	}
	query := `SELECT ` + tallyCells.List + ` FROM tallies WHERE organization = $1 AND tracker = $2 AND rules = $3`
	var err error
	if len(sweeps) > fewTallies {
		err = s.ShardOf(r.Organization).Reports.Find(ctx, scan, query, r.Organization, r.Tracker, r.Version)
		sweeps = nil
	}
	for _, id := range sweeps {
		err = errors.Join(err, s.ShardOf(r.Organization).Reports.Find(ctx, scan, query+` AND sweep = $4`, r.Organization, r.Tracker, r.Version, id))
	}
	if err != nil {
		return nil, fmt.Errorf("read the cells of tallies: %w", err)
	}
	return found, nil
}

// TallySpans lists those of rules, without their cells: the longest ranges first.
func (s *Store) TallySpans(ctx context.Context, r *Rules) ([]*TallySpan, error) {
	all, err := engine.FindRows(ctx, s.ShardOf(r.Organization).Reports, spanSweeps, `WHERE organization = $1 AND tracker = $2 AND rules = $3 ORDER BY days DESC, number`, r.Organization, r.Tracker, r.Version)
	if err != nil {
		return nil, fmt.Errorf("list tallies of ranges of days: %w", err)
	}
	return all, nil
}

// ReadSpanCells adds the cells of a range, which stay empty where it is no longer as it was.
func (s *Store) ReadSpanCells(ctx context.Context, t *TallySpan) error {
	err := engine.First(ctx, s.ShardOf(t.Organization).Reports, func(r engine.Scanner) error { return r.Scan(&t.packed) },
		`SELECT cells FROM tally_spans WHERE organization = $1 AND tracker = $2 AND rules = $3 AND days = $4 AND number = $5 AND sweeps = $6`,
		t.Organization, t.Tracker, t.Rules, t.Days, t.Number, t.Sweeps)
	if err == nil {
		t.Cells, err = store.Unpack(t.packed)
		t.packed = nil
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("read the tally of a range of days: %w", err)
	}
	return nil
}

// RulesToTally are current rules that have no tally of some closed sweep, or whose newest
// repeated sweep was not compared with the one that it repeats.
func (s *Store) RulesToTally(ctx context.Context) ([]*Rules, error) {
	all, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]*Rules, error) {
		return engine.FindRows(ctx, p.Reports, rulesTable, `WHERE state = 'current' AND EXISTS (
		SELECT 1 FROM sweeps s WHERE s.organization = tracker_rules.organization AND s.tracker = tracker_rules.tracker
			AND s.state = 'closed' AND s.pruned = 0 AND s.answered > 0 AND (s.repeats IS NULL AND NOT EXISTS (
				SELECT 1 FROM tallies t WHERE t.organization = s.organization AND t.tracker = s.tracker AND t.rules = tracker_rules.version AND t.sweep = s.id)
			OR s.repeats IS NOT NULL AND s.facts IS NULL AND NOT EXISTS (
				SELECT 1 FROM sweeps n WHERE n.organization = s.organization AND n.tracker = s.tracker AND n.state = 'closed' AND n.repeats IS NOT NULL AND n.answered > 0 AND n.id > s.id)))
		ORDER BY organization, tracker, version`)
	})
	if err != nil {
		return nil, fmt.Errorf("list rules without tallies: %w", err)
	}
	return all, nil
}

// pruneTallies notes that answers of sweeps are gone, and removes what was added up with them.
func pruneTallies(ctx context.Context, t *engine.Tx, answers []*Answer) error {
	pruned := map[string]bool{}
	for _, a := range answers {
		if pruned[a.Sweep] {
			continue
		}
		pruned[a.Sweep] = true
		if err := pruneSweepTallies(ctx, t, &Sweep{Organization: a.Organization, Tracker: a.Tracker, ID: a.Sweep}); err != nil {
			return fmt.Errorf("remove tallies: %w", err)
		}
	}
	return nil
}

func pruneSweepTallies(ctx context.Context, t *engine.Tx, sweep *Sweep) error {
	due, err := engine.FindValues[int64](ctx, t, `UPDATE sweeps SET pruned = 1 WHERE organization = $1 AND tracker = $2 AND id = $3 AND pruned = 0 RETURNING due_at`,
		sweep.Organization, sweep.Tracker, sweep.ID)
	if err != nil || len(due) == 0 {
		return err
	}
	if _, err := t.ExecContext(ctx, `DELETE FROM tallies WHERE organization = $1 AND tracker = $2 AND sweep = $3`, sweep.Organization, sweep.Tracker, sweep.ID); err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, `DELETE FROM tally_spans WHERE organization = $1 AND tracker = $2 AND days * number <= $3`,
		sweep.Organization, sweep.Tracker, Range(time.UnixMilli(due[0]), 1))
	return err
}

// Prune notes that answers of a sweep are gone.
func (s *Store) Prune(sweep *Sweep) error {
	return s.ShardOf(sweep.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error { return pruneSweepTallies(ctx, tx, sweep) })
}
