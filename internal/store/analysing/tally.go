package analysing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Tally is the aggregation of a closed sweep's answers by one version of the rules.
type Tally struct {
	Organization string
	Tracker      string
	Rules        int
	Sweep        string
	Answers      int    // number of aggregated answers
	Weights      int64  // hash of the prompt weights that Sums were computed with
	Sums         []byte // by target, over all prompts
	Cells        []byte // by prompt and target
	Domains      []byte // cited by each answer; nil in tallies of older versions
	URLs         []byte // cited by each answer

	packed, packedDomains, packedURLs []byte // Cells, Domains and URLs, compressed
}

// TallySpan has the aggregated cells of all sweeps that were due in a range of days.
type TallySpan struct {
	Organization string
	Tracker      string
	Rules        int
	Days         int    // length of the range
	Number       int    // index of the range since 1970
	Sweeps       []byte // ids of the aggregated sweeps
	Cells        []byte

	packed []byte
}

// Range returns the index of the range of the given length that contains a moment.
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
		engine.Field("cells", "bytea", func(t *Tally) *[]byte { return &t.packed }),
		engine.Field("domains", "bytea", func(t *Tally) *[]byte { return &t.packedDomains }),
		engine.Field("urls", "bytea", func(t *Tally) *[]byte { return &t.packedURLs }))
	insertTallies = talliesTable.Insert(`ON CONFLICT (organization, tracker, rules, sweep) DO UPDATE
		SET answers = excluded.answers, weights = excluded.weights, sums = excluded.sums, cells = excluded.cells, domains = excluded.domains, urls = excluded.urls`)
	tallySums  = talliesTable.Without("cells", "domains", "urls")
	tallyCells = engine.NewTable("tallies", talliesTable.Only("sweep", "cells")...)

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

// SaveTally inserts or replaces a tally. It does nothing if answers of the sweep were deleted
// meanwhile or the rules are no longer used.
func (s *Store) SaveTally(t *Tally) error {
	t.packed, t.packedDomains, t.packedURLs = store.Pack(t.Cells), store.Pack(t.Domains), store.Pack(t.URLs)
	err := s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		ok, err := canTally(ctx, tx, s.Dialect.ForUpdate, t.Organization, t.Tracker, t.Rules, t.Sweep)
		if err != nil || !ok {
			return err
		}
		return engine.Each(ctx, tx, insertTallies, []*Tally{t}, nil)
	})
	return engine.Wrap(err, "store a tally")
}

// canTally reports whether the sweep has all its answers and the rules are in use. It locks the
// row of the sweep, so that answers are not deleted meanwhile.
func canTally(ctx context.Context, t *engine.Tx, forUpdate, organization, tracker string, rules int, sweep string) (bool, error) {
	found, err := engine.FindValues[string](ctx, t, `SELECT id FROM sweeps WHERE organization = $1 AND tracker = $2 AND id = $3 AND state = 'closed' AND pruned = 0 `+forUpdate,
		organization, tracker, sweep)
	if err != nil || len(found) == 0 {
		return false, err
	}
	used, err := engine.FindValues[int](ctx, t, `SELECT version FROM tracker_rules WHERE organization = $1 AND tracker = $2 AND version = $3 AND state <> 'old' `+forUpdate,
		organization, tracker, rules)
	return len(used) > 0, err
}

// SaveTallySpan inserts or replaces the cells of a range. sweeps are the ids of the aggregated
// sweeps.
func (s *Store) SaveTallySpan(t *TallySpan, sweeps []string) error {
	t.packed = store.Pack(t.Cells)
	err := s.ShardOf(t.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		for _, sweep := range sweeps {
			ok, err := canTally(ctx, tx, s.Dialect.ForUpdate, t.Organization, t.Tracker, t.Rules, sweep)
			if err != nil || !ok {
				return err
			}
		}
		return engine.Each(ctx, tx, insertSpans, []*TallySpan{t}, nil)
	})
	return engine.Wrap(err, "store the tally of a range of days")
}

// fewTallies is the number of tallies up to which they are read one by one.
const fewTallies = 40

// Tallies returns the tallies of rules, without their cells. If few sweeps are given, it reads
// only theirs.
func (s *Store) Tallies(ctx context.Context, r *Rules, sweeps ...string) (found []*Tally, err error) {
	read := func(clause string, args ...any) {
		some, failed := engine.FindRows(ctx, s.ShardOf(r.Organization).Reports, tallySums, `WHERE organization = $1 AND tracker = $2 AND rules = $3`+clause,
			append([]any{r.Organization, r.Tracker, r.Version}, args...)...)
		found, err = append(found, some...), errors.Join(err, failed)
	}
	if len(sweeps) == 0 || len(sweeps) > fewTallies {
		read(``)
		sweeps = nil
	}
	for _, id := range sweeps {
		read(` AND sweep = $4`, id)
	}
	return found, engine.Wrap(err, "read tallies")
}

// TallyCells returns the cells of sweeps by rules. It omits sweeps without a tally.
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
	return found, engine.Wrap(err, "read the cells of tallies")
}

// WithoutSources returns the sweeps whose tallies by rules do not have the sources of answers.
func (s *Store) WithoutSources(ctx context.Context, r *Rules) ([]string, error) {
	sweeps, err := engine.FindValues[string](ctx, s.ShardOf(r.Organization).Reports,
		`SELECT sweep FROM tallies WHERE organization = $1 AND tracker = $2 AND rules = $3 AND domains IS NULL`, r.Organization, r.Tracker, r.Version)
	return sweeps, engine.Wrap(err, "list tallies without sources")
}

// TallySources returns the domains or the URLs that the answers of a sweep cite, by rules. It
// returns nil if the sweep has no such tally.
func (s *Store) TallySources(ctx context.Context, r *Rules, sweep string, urls bool) (sources []byte, err error) {
	column := `domains`
	if urls {
		column = `urls`
	}
	err = engine.First(ctx, s.ShardOf(r.Organization).Reports, func(row engine.Scanner) error { return row.Scan(&sources) },
		`SELECT `+column+` FROM tallies WHERE organization = $1 AND tracker = $2 AND rules = $3 AND sweep = $4`, r.Organization, r.Tracker, r.Version, sweep)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err == nil {
		sources, err = store.Unpack(sources)
	}
	return sources, engine.Wrap(err, "read the sources of a sweep")
}

// TallySpans returns the spans of rules, without their cells, longest ranges first.
func (s *Store) TallySpans(ctx context.Context, r *Rules) ([]*TallySpan, error) {
	all, err := engine.FindRows(ctx, s.ShardOf(r.Organization).Reports, spanSweeps, `WHERE organization = $1 AND tracker = $2 AND rules = $3 ORDER BY days DESC, number`, r.Organization, r.Tracker, r.Version)
	return all, engine.Wrap(err, "list tallies of ranges of days")
}

// ReadSpanCells sets the cells of a span, unless the span has changed since it was read.
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

// RulesToTally returns current rules that lack a tally of a closed sweep, or whose newest repeat
// was not compared with the sweep that it repeats.
func (s *Store) RulesToTally(ctx context.Context) ([]*Rules, error) {
	all, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]*Rules, error) {
		return engine.FindRows(ctx, p.Reports, rulesTable, `WHERE state = 'current' AND EXISTS (
		SELECT 1 FROM sweeps s WHERE s.organization = tracker_rules.organization AND s.tracker = tracker_rules.tracker
			AND s.state = 'closed' AND s.pruned = 0 AND s.answered > 0 AND (s.repeats IS NULL AND NOT EXISTS (
				SELECT 1 FROM tallies t WHERE t.organization = s.organization AND t.tracker = s.tracker AND t.rules = tracker_rules.version AND t.sweep = s.id AND t.domains IS NOT NULL)
			OR s.repeats IS NOT NULL AND s.facts IS NULL AND NOT EXISTS (
				SELECT 1 FROM sweeps n WHERE n.organization = s.organization AND n.tracker = s.tracker AND n.state = 'closed' AND n.repeats IS NOT NULL AND n.answered > 0 AND n.id > s.id)))
		ORDER BY organization, tracker, version`)
	})
	return all, engine.Wrap(err, "list rules without tallies")
}

// DropTallies is DeleteTallies in a transaction of its own.
func (s *Store) DropTallies(organization, tracker, sweep string, due time.Time) error {
	err := s.ShardOf(organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		return DeleteTallies(ctx, tx, organization, tracker, sweep, due)
	})
	return engine.Wrap(err, "delete the tallies of a sweep")
}

// DeleteTallies deletes the tallies of a sweep, and the spans that begin no later than the day on
// which the sweep was due.
func DeleteTallies(ctx context.Context, t *engine.Tx, organization, tracker, sweep string, due time.Time) error {
	// With the rules, the primary key finds the rows.
	if _, err := t.ExecContext(ctx, `DELETE FROM tallies WHERE organization = $1 AND tracker = $2 AND sweep = $3
		AND rules IN (SELECT version FROM tracker_rules WHERE organization = $1 AND tracker = $2)`, organization, tracker, sweep); err != nil {
		return err
	}
	_, err := t.ExecContext(ctx, `DELETE FROM tally_spans WHERE organization = $1 AND tracker = $2 AND days * number <= $3`,
		organization, tracker, Range(due, 1))
	return err
}
