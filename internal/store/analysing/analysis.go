package analysing

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/exporting"
)

// RulesState says how rules are used.
type RulesState string

// The states of rules.
const (
	RulesCurrent RulesState = "current" // metrics use them
	RulesPending RulesState = "pending" // existing answers are being analysed by them
	RulesOld     RulesState = "old"     // replaced by newer rules
)

// Rules define how brands are found in the answers of a tracker.
type Rules struct {
	Organization string
	Tracker      string
	Version      int
	State        RulesState
	Brands       []byte // JSON
	Code         int    // version of the code that applies them
	CreatedAt    time.Time
	FinishedAt   time.Time // when all existing answers were analysed; zero until then
	Cursor       string    // the last analysed answer
	Done         int       // number of analysed answers
	Report       []byte    // JSON: changes since the previous rules, or nil
}

// Analysis is the result of applying rules to an answer.
type Analysis struct {
	Organization string
	Tracker      string
	Answer       string
	Rules        int
	Sweep        string
	Prompt       int
	Target       int
	Sample       int
	Outcome      earshot.Outcome
	Surface      string
	Content      []byte
}

var (
	rulesTable = engine.NewTable("tracker_rules",
		engine.Field("organization", "uuid", func(r *Rules) *string { return &r.Organization }),
		engine.Field("tracker", "uuid", func(r *Rules) *string { return &r.Tracker }),
		engine.IntField("version", func(r *Rules) *int { return &r.Version }),
		engine.TextField("state", func(r *Rules) *RulesState { return &r.State }),
		engine.BytesAsText("brands", func(r *Rules) *[]byte { return &r.Brands }),
		engine.IntField("code", func(r *Rules) *int { return &r.Code }),
		engine.TimeField("created_at", func(r *Rules) *time.Time { return &r.CreatedAt }),
		engine.TimeField("finished_at", func(r *Rules) *time.Time { return &r.FinishedAt }),
		engine.Field("cursor", "uuid", func(r *Rules) *string { return &r.Cursor }),
		engine.IntField("done", func(r *Rules) *int { return &r.Done }),
		engine.BytesAsText("report", func(r *Rules) *[]byte { return &r.Report }))
	insertRules = rulesTable.Insert("")

	analysesTable = engine.NewTable("analyses",
		engine.Field("organization", "uuid", func(a *Analysis) *string { return &a.Organization }),
		engine.Field("tracker", "uuid", func(a *Analysis) *string { return &a.Tracker }),
		engine.Field("answer", "uuid", func(a *Analysis) *string { return &a.Answer }),
		engine.IntField("rules", func(a *Analysis) *int { return &a.Rules }),
		engine.Field("sweep", "uuid", func(a *Analysis) *string { return &a.Sweep }),
		engine.IntField("prompt", func(a *Analysis) *int { return &a.Prompt }),
		engine.IntField("target", func(a *Analysis) *int { return &a.Target }),
		engine.IntField("sample", func(a *Analysis) *int { return &a.Sample }),
		engine.TextField("outcome", func(a *Analysis) *earshot.Outcome { return &a.Outcome }),
		engine.NullField("surface", "text", func(a *Analysis) *string { return &a.Surface }),
		engine.Field("content", "bytea", func(a *Analysis) *[]byte { return &a.Content }))
	readAnalyses   = engine.NewTable("analyses", analysesTable.Only("answer", "sweep", "prompt", "target", "sample", "outcome", "surface", "content")...)
	insertAnalyses = analysesTable.Insert(`ON CONFLICT (organization, tracker, answer, rules) DO NOTHING`)
)

// InsertAnalyses inserts the analyses of new answers.
func InsertAnalyses(ctx context.Context, t *engine.Tx, all []*Analysis) error {
	return engine.Wrap(engine.Each(ctx, t, insertAnalyses, all, nil), "store analyses")
}

// InsertRules inserts rules with the next version. They become current if there are no other rules;
// otherwise they become pending and replace pending rules. newTracker says that the tracker is new.
func InsertRules(ctx context.Context, w *store.Work, r *Rules, newTracker bool) error {
	r.Version, r.State, r.Cursor = 1, RulesCurrent, uuid.Nil.String()
	known, err := engine.FindRows(ctx, w, rulesTable, `WHERE organization = $1 AND tracker = $2 ORDER BY version`, r.Organization, r.Tracker)
	if err != nil {
		return err
	}
	if len(known) > 0 {
		r.Version, r.State = known[len(known)-1].Version+1, RulesPending
	}
	if len(known) == 0 && newTracker {
		r.FinishedAt = r.CreatedAt // there are no answers
	} else if err := EnterWork(ctx, w.Tx, r.Organization, r.Tracker, earshot.WorkAnalyse); err != nil {
		return err
	}
	_, err = w.ExecContext(ctx, `UPDATE tracker_rules SET state = 'old', finished_at = $3 WHERE organization = $1 AND tracker = $2 AND state = 'pending'`,
		r.Organization, r.Tracker, engine.Millis(r.CreatedAt))
	if err != nil {
		return err
	}
	return engine.Each(ctx, w.Tx, insertRules, []*Rules{r}, nil)
}

// ExpectRules returns ErrChanged unless the newest rules of trackers have the given versions.
func ExpectRules(ctx context.Context, w *store.Work, organization string, newest map[string]int) error {
	for tracker, version := range newest {
		found, err := engine.FindValues[int](ctx, w, `SELECT COALESCE(MAX(version), 0) FROM tracker_rules WHERE organization = $1 AND tracker = $2`, organization, tracker)
		if err == nil && found[0] != version {
			err = engine.ErrChanged
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Rules lists all rules of a tracker by version, including old ones.
func (s *Store) Rules(ctx context.Context, organization, tracker string) ([]*Rules, error) {
	all, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, rulesTable, `WHERE organization = $1 AND tracker = $2 ORDER BY version`, organization, tracker)
	return all, engine.Wrap(err, "list rules")
}

// LiveRules returns the rules of a tracker that are current or pending, oldest first. The newest
// rules are always among them.
func (s *Store) LiveRules(ctx context.Context, organization, tracker string) ([]*Rules, error) {
	live, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, rulesTable, `WHERE organization = $1 AND tracker = $2 AND state <> 'old' ORDER BY version`, organization, tracker)
	return live, engine.Wrap(err, "list live rules")
}

// UnfinishedRules lists rules by which some answers are not analysed yet.
func (s *Store) UnfinishedRules(ctx context.Context) ([]*Rules, error) {
	all, err := engine.RowsFromAllShards(ctx, s.DB, rulesTable, `WHERE finished_at IS NULL AND state <> 'old' ORDER BY organization, tracker, version`)
	return all, engine.Wrap(err, "list unfinished rules")
}

// SaveAnalyses inserts analyses and moves the cursor of the rules. It returns ErrChanged, and
// changes nothing, if another node has moved the cursor since r was read. It also compares the
// number of analysed answers, because nodes of older releases restart the cursor at the end.
func (s *Store) SaveAnalyses(r *Rules, cursor string, found []*Analysis) error {
	err := s.ShardOf(r.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		err := engine.ExpectChange(tx.Run(ctx, `UPDATE tracker_rules SET cursor = $4, done = done + $5
			WHERE organization = $1 AND tracker = $2 AND version = $3 AND cursor = $6 AND done = $7 AND finished_at IS NULL`,
			r.Organization, r.Tracker, r.Version, cursor, len(found), r.Cursor, r.Done))
		if err != nil {
			return err
		}
		return engine.Each(ctx, tx, insertAnalyses, found, nil)
	})
	if err != nil {
		return fmt.Errorf("store analyses: %w", err)
	}
	r.Cursor, r.Done = cursor, r.Done+len(found)
	return nil
}

// FinishRules makes rules current when all answers are analysed, and stores their report. days
// must be exported again. It changes nothing if newer rules have replaced them.
func (s *Store) FinishRules(r *Rules, days []int64, now time.Time) error {
	err := s.Commit(store.Change{Organization: r.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		n, err := w.Run(ctx, `UPDATE tracker_rules SET finished_at = $4, report = $5 WHERE organization = $1 AND tracker = $2 AND version = $3 AND finished_at IS NULL AND state <> 'old'`,
			r.Organization, r.Tracker, r.Version, engine.Millis(now), engine.NullText(string(r.Report)))
		if err != nil || n == 0 {
			return err
		}
		_, err = w.ExecContext(ctx, `UPDATE tracker_rules SET state = 'old' WHERE organization = $1 AND tracker = $2 AND state = 'current' AND version < $3`,
			r.Organization, r.Tracker, r.Version)
		if err != nil {
			return err
		}
		_, err = w.ExecContext(ctx, `UPDATE tracker_rules SET state = 'current' WHERE organization = $1 AND tracker = $2 AND version = $3`,
			r.Organization, r.Tracker, r.Version)
		if err != nil {
			return err
		}
		if err := exporting.NoteChanged(ctx, w.Tx, r.Organization, r.Tracker, days); err != nil {
			return err
		}
		// A sweep may have been closed since its answers were counted by these rules.
		return EnterWork(ctx, w.Tx, r.Organization, r.Tracker, earshot.WorkCount, earshot.WorkReview)
	}})
	return engine.Wrap(err, "finish rules")
}

// Analyses calls each for the analyses of answers that were asked between two times. The Analysis is
// reused for the next call.
func (s *Store) Analyses(ctx context.Context, r *Rules, from, until time.Time, each func(*Analysis) error) error {
	// There may be many rows: reuse one variable, omit columns that are the same in all rows, and
	// do not copy the content.
	var a Analysis
	targets := readAnalyses.Targets(&a)
	targets[len(targets)-1] = (*sql.RawBytes)(&a.Content)
	err := s.ShardOf(r.Organization).Reports.Find(ctx, func(found engine.Scanner) error {
		if err := found.Scan(targets...); err != nil {
			return err
		}
		return each(&a)
	}, `SELECT `+readAnalyses.List+` FROM analyses WHERE organization = $1 AND tracker = $2 AND answer >= $3 AND answer < $4 AND rules = $5`,
		r.Organization, r.Tracker, store.FirstID(from.Add(-store.IDEarlier)), store.FirstID(until.Add(store.IDLater)), r.Version)
	return engine.Wrap(err, "read analyses")
}

// Contents returns the content of the analyses by rules of a tracker of answers from one id to
// another, by answer. prompt is the prompt that they answer, or 0 for any.
func (s *Store) Contents(ctx context.Context, organization, tracker string, rules, prompt int, first, last string) (map[string][]byte, error) {
	args := []any{organization, tracker, first, last, rules}
	where := ``
	if prompt != 0 {
		where, args = ` AND prompt = $6`, append(args, prompt)
	}
	all, err := engine.FindMap[string, []byte](ctx, s.ShardOf(organization).Reports,
		`SELECT answer, content FROM analyses WHERE organization = $1 AND tracker = $2 AND answer >= $3 AND answer <= $4 AND rules = $5`+where, args...)
	return all, engine.Wrap(err, "read analyses")
}

// AnalysedTwice calls each for the next answers after an id that were analysed by both versions
// of the rules.
func (s *Store) AnalysedTwice(ctx context.Context, before, after *Rules, from string, limit int, each func(answer string, was, is []byte) error) error {
	err := s.ShardOf(before.Organization).Reports.Find(ctx, func(found engine.Scanner) error {
		var answer string
		var was, is []byte
		if err := found.Scan(&answer, &was, &is); err != nil {
			return err
		}
		return each(answer, was, is)
	}, `SELECT x.answer, w.content, x.content FROM analyses x
		JOIN analyses w ON w.organization = x.organization AND w.tracker = x.tracker AND w.answer = x.answer AND w.rules = $4
		WHERE x.organization = $1 AND x.tracker = $2 AND x.rules = $3 AND x.answer > $5 ORDER BY x.answer LIMIT $6`,
		after.Organization, after.Tracker, after.Version, before.Version, from, limit)
	return engine.Wrap(err, "compare two versions of the rules")
}

// DeleteOldAnalyses deletes a batch of analyses by old rules. It returns the id of the last
// answer, to continue from, or "" at the end.
func (s *Store) DeleteOldAnalyses(ctx context.Context, organization, tracker, after string) (last string, err error) {
	old, err := engine.FindValues[string](ctx, s.ShardOf(organization).Reports, `SELECT x.answer FROM analyses x
		JOIN tracker_rules r ON r.organization = x.organization AND r.tracker = x.tracker AND r.version = x.rules AND r.state = 'old'
		WHERE x.organization = $1 AND x.tracker = $2 AND x.answer > $3 ORDER BY x.answer LIMIT $4`, organization, tracker, after, store.PruneBatch)
	if err != nil {
		return "", fmt.Errorf("find old analyses: %w", err)
	}
	if len(old) == 0 {
		if err := s.deleteOldCounts(organization, tracker); err != nil {
			return "", err
		}
		_, err := s.ShardOf(organization).Run(`UPDATE tracker_rules SET cursor = $3 WHERE organization = $1 AND tracker = $2 AND state = 'old'`, organization, tracker, uuid.Max.String())
		return "", err
	}
	last = old[len(old)-1]
	_, err = s.ShardOf(organization).Run(`DELETE FROM analyses WHERE organization = $1 AND tracker = $2 AND answer > $3 AND answer <= $4 AND rules IN (
		SELECT version FROM tracker_rules r WHERE r.organization = $1 AND r.tracker = $2 AND r.state = 'old')`, organization, tracker, after, last)
	if err != nil {
		return "", fmt.Errorf("delete old analyses: %w", err)
	}
	return last, nil
}

// CellAnalyses returns the analyses of the newest answers of a cell, newest first.
func (s *Store) CellAnalyses(ctx context.Context, r *Rules, prompt, target, limit int) (all []*Analysis, err error) {
	err = s.ShardOf(r.Organization).Reports.Find(ctx, engine.Collect(analysesTable, &all), `
		SELECT `+analysesTable.List+` FROM answers JOIN analyses ON analyses.organization = answers.organization AND analyses.tracker = answers.tracker
			AND analyses.answer = answers.id AND analyses.rules = $5
		WHERE answers.organization = $1 AND answers.tracker = $2 AND answers.prompt = $3 AND answers.target = $4 ORDER BY answers.id DESC LIMIT $6`,
		r.Organization, r.Tracker, prompt, target, r.Version, limit)
	return all, engine.Wrap(err, "read the analyses of a cell")
}
