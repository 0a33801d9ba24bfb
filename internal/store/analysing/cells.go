package analysing

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// Counted is a closed sweep whose answers were counted by one version of the rules.
type Counted struct {
	Organization string
	Tracker      string
	Rules        int
	Sweep        string
	Answers      int    // number of counted answers
	Domains      []byte // that each answer retrieved and cited
	URLs         []byte // the same by URL; nil after the answers were deleted

	packedDomains, packedURLs []byte // compressed
}

// Cells are the counts of a family of the prompts of a target on a surface in a counted sweep.
type Cells struct {
	Organization string
	Tracker      string
	Rules        int
	Family       int
	Sweep        string
	Target       int
	Surface      string
	Answers      int // number of counted answers
	Content      []byte
}

var (
	countedTable = engine.NewTable("counted",
		engine.Field("organization", "uuid", func(c *Counted) *string { return &c.Organization }),
		engine.Field("tracker", "uuid", func(c *Counted) *string { return &c.Tracker }),
		engine.IntField("rules", func(c *Counted) *int { return &c.Rules }),
		engine.Field("sweep", "uuid", func(c *Counted) *string { return &c.Sweep }),
		engine.IntField("answers", func(c *Counted) *int { return &c.Answers }),
		engine.Field("domains", "bytea", func(c *Counted) *[]byte { return &c.packedDomains }),
		engine.Field("urls", "bytea", func(c *Counted) *[]byte { return &c.packedURLs }))
	insertCounted  = countedTable.Insert("")
	countedAnswers = countedTable.Without("domains", "urls")

	cellsTable = engine.NewTable("cells",
		engine.Field("organization", "uuid", func(c *Cells) *string { return &c.Organization }),
		engine.Field("tracker", "uuid", func(c *Cells) *string { return &c.Tracker }),
		engine.IntField("rules", func(c *Cells) *int { return &c.Rules }),
		engine.IntField("family", func(c *Cells) *int { return &c.Family }),
		engine.Field("sweep", "uuid", func(c *Cells) *string { return &c.Sweep }),
		engine.IntField("target", func(c *Cells) *int { return &c.Target }),
		engine.TextField("surface", func(c *Cells) *string { return &c.Surface }),
		engine.IntField("answers", func(c *Cells) *int { return &c.Answers }),
		engine.Field("content", "bytea", func(c *Cells) *[]byte { return &c.Content }))
	insertCells = cellsTable.Insert("")
	readCells   = engine.NewTable("cells", cellsTable.Only("sweep", "target", "surface", "answers", "content")...)
)

// SaveCounted stores a counted sweep with its cells in place of the stored ones. It does nothing if
// answers of the sweep were deleted meanwhile or the rules are no longer used.
func (s *Store) SaveCounted(c *Counted, cells []*Cells) error {
	c.packedDomains, c.packedURLs = store.Pack(c.Domains), store.Pack(c.URLs)
	err := s.ShardOf(c.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		ok, err := canCount(ctx, tx, s.Dialect.ForUpdate, c)
		if err == nil && ok {
			err = deleteCounted(ctx, tx, c)
		}
		if err != nil || !ok {
			return err
		}
		if err := engine.Each(ctx, tx, insertCounted, []*Counted{c}, nil); err != nil {
			return err
		}
		return engine.Each(ctx, tx, insertCells, cells, nil)
	})
	return engine.Wrap(err, "store a counted sweep")
}

// canCount reports whether the sweep has all its answers and the rules are in use. It locks the
// row of the sweep, so that answers are not deleted meanwhile.
func canCount(ctx context.Context, t *engine.Tx, forUpdate string, c *Counted) (bool, error) {
	found, err := engine.FindValues[string](ctx, t, `SELECT id FROM sweeps WHERE organization = $1 AND tracker = $2 AND id = $3 AND state = 'closed' AND pruned = 0 `+forUpdate,
		c.Organization, c.Tracker, c.Sweep)
	if err != nil || len(found) == 0 {
		return false, err
	}
	used, err := engine.FindValues[int](ctx, t, `SELECT version FROM tracker_rules WHERE organization = $1 AND tracker = $2 AND version = $3 AND state <> 'old' `+forUpdate,
		c.Organization, c.Tracker, c.Rules)
	return len(used) > 0, err
}

func deleteCounted(ctx context.Context, t *engine.Tx, c *Counted) error {
	_, err := t.ExecContext(ctx, `DELETE FROM counted WHERE organization = $1 AND tracker = $2 AND rules = $3 AND sweep = $4`, c.Organization, c.Tracker, c.Rules, c.Sweep)
	if err == nil { // with the families, the primary key finds the rows
		_, err = t.ExecContext(ctx, `DELETE FROM cells WHERE organization = $1 AND tracker = $2 AND rules = $3 AND family IN (0, 1, 2) AND sweep = $4`,
			c.Organization, c.Tracker, c.Rules, c.Sweep)
	}
	return err
}

// DropCounted deletes the counts of a sweep by rules, so that it is counted again.
func (s *Store) DropCounted(c *Counted) error {
	err := s.ShardOf(c.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		if err := deleteCounted(ctx, tx, c); err != nil {
			return err
		}
		return EnterWork(ctx, tx, c.Organization, c.Tracker, earshot.WorkCount)
	})
	return engine.Wrap(err, "delete the counts of a sweep")
}

// CountedSweeps returns the sweeps that were counted by rules or by older ones, newest rules first,
// without their sources.
func (s *Store) CountedSweeps(ctx context.Context, r *Rules) ([]*Counted, error) {
	all, err := engine.FindRows(ctx, s.ShardOf(r.Organization).Reports, countedAnswers, `WHERE organization = $1 AND tracker = $2 AND rules <= $3 ORDER BY rules DESC`,
		r.Organization, r.Tracker, r.Version)
	return all, engine.Wrap(err, "list counted sweeps")
}

// EachCells calls each with the cells of a family that were counted by rules, for the sweeps with
// ids from first to last. The Cells are reused for the next call.
func (s *Store) EachCells(ctx context.Context, r *Rules, family int, first, last string, each func(*Cells) error) error {
	c := Cells{Organization: r.Organization, Tracker: r.Tracker, Rules: r.Version, Family: family}
	targets := readCells.Targets(&c)
	targets[len(targets)-1] = (*sql.RawBytes)(&c.Content)
	err := s.ShardOf(r.Organization).Reports.Find(ctx, func(row engine.Scanner) error {
		if err := row.Scan(targets...); err != nil {
			return err
		}
		return each(&c)
	}, `SELECT `+readCells.List+` FROM cells WHERE organization = $1 AND tracker = $2 AND rules = $3 AND family = $4 AND sweep >= $5 AND sweep <= $6`,
		r.Organization, r.Tracker, r.Version, family, first, last)
	return engine.Wrap(err, "read cells")
}

// Sources returns the domains or the URLs that the answers of a counted sweep cite. It returns nil
// if they were deleted.
func (s *Store) Sources(ctx context.Context, c *Counted, urls bool) (sources []byte, err error) {
	column := `domains`
	if urls {
		column = `urls`
	}
	err = engine.First(ctx, s.ShardOf(c.Organization).Reports, func(row engine.Scanner) error { return row.Scan(&sources) },
		`SELECT `+column+` FROM counted WHERE organization = $1 AND tracker = $2 AND rules = $3 AND sweep = $4`, c.Organization, c.Tracker, c.Rules, c.Sweep)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err == nil {
		sources, err = store.Unpack(sources)
	}
	return sources, engine.Wrap(err, "read the sources of a sweep")
}

// RulesToCount returns current rules by which a closed sweep is not counted, or whose newest repeat
// was not compared with the sweep that it repeats.
func (s *Store) RulesToCount(ctx context.Context) ([]*Rules, error) {
	all, err := engine.FromAllShards(s.DB, func(p *engine.Shard) ([]*Rules, error) {
		return engine.FindRows(ctx, p.Reports, rulesTable, `WHERE state = 'current' AND EXISTS (
		SELECT 1 FROM sweeps s WHERE s.organization = tracker_rules.organization AND s.tracker = tracker_rules.tracker
			AND s.state = 'closed' AND s.pruned = 0 AND s.answered > 0 AND (s.repeats IS NULL AND NOT EXISTS (
				SELECT 1 FROM counted c WHERE c.organization = s.organization AND c.tracker = s.tracker AND c.rules = tracker_rules.version AND c.sweep = s.id)
			OR s.repeats IS NOT NULL AND s.facts IS NULL AND NOT EXISTS (
				SELECT 1 FROM sweeps n WHERE n.organization = s.organization AND n.tracker = s.tracker AND n.state = 'closed' AND n.repeats IS NOT NULL AND n.answered > 0 AND n.id > s.id)))
		ORDER BY organization, tracker, version`)
	})
	return all, engine.Wrap(err, "list rules that have not counted all sweeps")
}

// Uncounted returns the sweeps among ids whose answers must not be deleted yet, because the current
// rules have not counted all of them. Repeats are never counted.
func Uncounted(ctx context.Context, q engine.Querier, organization, tracker string, ids []string) ([]string, error) {
	all, err := engine.FindValues[string](ctx, q, `SELECT id FROM sweeps s WHERE organization = $1 AND tracker = $2 AND state = 'closed' AND pruned = 0 AND repeats IS NULL AND answered > 0
		AND EXISTS (SELECT 1 FROM tracker_rules r WHERE r.organization = s.organization AND r.tracker = s.tracker AND r.state = 'current')
		AND NOT EXISTS (SELECT 1 FROM counted c JOIN tracker_rules r ON r.organization = c.organization AND r.tracker = c.tracker AND r.version = c.rules AND r.state = 'current'
			WHERE c.organization = s.organization AND c.tracker = s.tracker AND c.sweep = s.id AND c.answers = s.answered)`, organization, tracker)
	return slices.DeleteFunc(all, func(id string) bool { return !slices.Contains(ids, id) }), engine.Wrap(err, "list uncounted sweeps")
}

// KeepCounts deletes what must end with the answers of a sweep: its URLs.
func KeepCounts(ctx context.Context, t *engine.Tx, organization, tracker, sweep string) error {
	_, err := t.ExecContext(ctx, `UPDATE counted SET urls = NULL WHERE organization = $1 AND tracker = $2 AND sweep = $3
		AND rules IN (SELECT version FROM tracker_rules WHERE organization = $1 AND tracker = $2)`, organization, tracker, sweep)
	return err
}

// DeleteCounts deletes the counts of a sweep by all rules.
func DeleteCounts(ctx context.Context, t *engine.Tx, organization, tracker, sweep string) error {
	for table, family := range map[string]string{"counted": "", "cells": " AND family IN (0, 1, 2)"} {
		if _, err := t.ExecContext(ctx, `DELETE FROM `+table+` WHERE organization = $1 AND tracker = $2 AND sweep = $3`+family+`
			AND rules IN (SELECT version FROM tracker_rules WHERE organization = $1 AND tracker = $2)`, organization, tracker, sweep); err != nil {
			return fmt.Errorf("delete the counts of a sweep: %w", err)
		}
	}
	return nil
}

// deleteOldCounts deletes the counts by old rules of sweeps that newer rules in use have counted, or
// still can count. They may be many, so that a transaction deletes only some of them.
func (s *Store) deleteOldCounts(organization, tracker string) error {
	const batch = 100
	for {
		found, err := engine.FindRows(context.Background(), s.ShardOf(organization).Lookups, countedAnswers, `WHERE organization = $1 AND tracker = $2
			AND rules IN (SELECT version FROM tracker_rules WHERE organization = $1 AND tracker = $2 AND state = 'old')
			AND (sweep IN (SELECT id FROM sweeps WHERE organization = $1 AND tracker = $2 AND pruned = 0)
				OR EXISTS (SELECT 1 FROM counted n WHERE n.organization = counted.organization AND n.tracker = counted.tracker AND n.sweep = counted.sweep AND n.rules > counted.rules
					AND n.rules <= (SELECT MAX(version) FROM tracker_rules WHERE organization = $1 AND tracker = $2 AND state = 'current')))
			LIMIT $3`, organization, tracker, batch)
		if err != nil || len(found) == 0 {
			return engine.Wrap(err, "list counts by old rules")
		}
		err = s.ShardOf(organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
			for _, c := range found {
				if err := deleteCounted(ctx, tx, c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("delete counts by old rules: %w", err)
		}
	}
}
