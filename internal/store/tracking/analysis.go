package tracking

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// RulesState is what rules are used for.
type RulesState string

// The states.
const (
	RulesCurrent RulesState = "current" // numbers are read by them
	RulesPending RulesState = "pending" // kept answers are being analysed by them
	RulesOld     RulesState = "old"     // others took their place
)

// Rules say how brands are found in the answers of a tracker.
type Rules struct {
	Organization string
	Tracker      string
	Version      int
	State        RulesState
	Brands       []byte // JSON
	Code         int    // version of the code that finds them
	CreatedAt    time.Time
	FinishedAt   time.Time // when all answers were analysed; zero until then
	Cursor       string    // the last answer that was looked at
	Done         int       // how many were
	Report       []byte    // JSON: what moved when they took over; nil where there is none
}

// Analysis is what rules find in an answer.
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
	readAnalyses   = engine.NewTable("analyses", analysesTable.Only("sweep", "prompt", "target", "outcome", "surface", "content")...)
	insertAnalyses = analysesTable.Insert(`ON CONFLICT (organization, tracker, answer, rules) DO NOTHING`)

	// deleteAnalyses deletes those of answers, by any rules.
	deleteAnalyses = engine.NewStatement([]engine.Column[Answer]{
		engine.Field("organization", "uuid", func(a *Answer) *string { return &a.Organization }),
		engine.Field("tracker", "uuid", func(a *Answer) *string { return &a.Tracker }),
		engine.Field("answer", "uuid", func(a *Answer) *string { return &a.ID }),
	}, func(in engine.Input) string { return `DELETE FROM analyses WHERE ` + in.Matching() })
)

// Analysis is that of an answer, by rules of its tracker.
func (a *Answer) Analysis(rules int, content []byte) *Analysis {
	analysis := &Analysis{Rules: rules, Content: content}
	analysis.place(a)
	return analysis
}

// place says where the answer stands.
func (a *Analysis) place(of *Answer) {
	a.Organization, a.Tracker, a.Answer, a.Sweep = of.Organization, of.Tracker, of.ID, of.Sweep
	a.Prompt, a.Target, a.Sample, a.Outcome, a.Surface = of.Prompt, of.Target, of.Sample, of.Outcome, of.Surface
}

// addAnalyses writes what was found in answers.
func addAnalyses(ctx context.Context, t *engine.Tx, answers []*Answer) error {
	var all []*Analysis
	for _, a := range answers {
		for _, analysis := range a.Analyses {
			analysis.place(a)
			all = append(all, analysis)
		}
	}
	if err := engine.Each(ctx, t, insertAnalyses, all, nil); err != nil {
		return fmt.Errorf("store analyses: %w", err)
	}
	return nil
}

// addRules gives rules the next version. They are current when there are none yet, and
// take the place of those that are pending.
func addRules(ctx context.Context, w *store.Work, t *Tracker, r *Rules) error {
	r.Organization, r.Tracker, r.Version, r.State, r.Cursor = t.Organization, t.ID, 1, RulesCurrent, uuid.Nil.String()
	known, err := engine.FindRows(ctx, w, rulesTable, `WHERE organization = $1 AND tracker = $2 ORDER BY version`, t.Organization, t.ID)
	if err != nil {
		return err
	}
	if len(known) > 0 {
		r.Version, r.State = known[len(known)-1].Version+1, RulesPending
	}
	if len(known) == 0 && t.Version == 1 {
		r.FinishedAt = r.CreatedAt // a new tracker has no answers
	}
	_, err = w.ExecContext(ctx, `UPDATE tracker_rules SET state = 'old', finished_at = $3 WHERE organization = $1 AND tracker = $2 AND state = 'pending'`,
		t.Organization, t.ID, engine.Millis(r.CreatedAt))
	if err != nil {
		return err
	}
	return engine.Each(ctx, w.Tx, insertRules, []*Rules{r}, nil)
}

// expectRules returns ErrChanged unless the newest rules of trackers, by id, are those.
func expectRules(ctx context.Context, w *store.Work, organization string, newest map[string]int) error {
	for tracker, version := range newest {
		found, err := engine.FindValues[int](ctx, w, `SELECT COALESCE(MAX(version), 0) FROM tracker_rules WHERE organization = $1 AND tracker = $2`, organization, tracker)
		if err == nil && found[0] != version {
			err = ErrChanged
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// AddRules has the kept answers of a tracker analysed by new rules. before is the
// version of the newest that the caller knows, 0 for none. Returns ErrChanged.
func (s *Store) AddRules(t *Tracker, r *Rules, before int, now time.Time) error {
	err := s.Commit(store.Change{Organization: t.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		// The organization's row, which is locked, keeps another node from doing the same.
		if err := expectRules(ctx, w, t.Organization, map[string]int{t.ID: before}); err != nil {
			return err
		}
		r.CreatedAt = now
		return addRules(ctx, w, t, r)
	}})
	if err != nil {
		return fmt.Errorf("add rules of tracker %s: %w", t.Name, err)
	}
	return nil
}

// Rules lists the rules that a tracker has and had, by version.
func (s *Store) Rules(ctx context.Context, organization, tracker string) ([]*Rules, error) {
	all, err := engine.FindRows(ctx, s.ShardOf(organization).Lookups, rulesTable, `WHERE organization = $1 AND tracker = $2 ORDER BY version`, organization, tracker)
	if err != nil {
		return nil, fmt.Errorf("list rules: %w", err)
	}
	return all, nil
}

// UnfinishedRules lists the rules by which answers are still to be analysed.
func (s *Store) UnfinishedRules(ctx context.Context) ([]*Rules, error) {
	all, err := engine.RowsFromAllShards(ctx, s.DB, rulesTable, `WHERE finished_at IS NULL AND state <> 'old' ORDER BY organization, tracker, version`)
	if err != nil {
		return nil, fmt.Errorf("list unfinished rules: %w", err)
	}
	return all, nil
}

// TrackersToAnalyse are the trackers that have no rules of this version of the code or a
// later one.
func (s *Store) TrackersToAnalyse(ctx context.Context, code int) ([]*Tracker, error) {
	all, err := engine.RowsFromAllShards(ctx, s.DB, trackersTable, `WHERE state <> 'deleting' AND NOT EXISTS (
		SELECT 1 FROM tracker_rules r WHERE r.organization = trackers.organization AND r.tracker = trackers.id AND r.code >= $1)`, code)
	if err != nil {
		return nil, fmt.Errorf("list trackers to analyse: %w", err)
	}
	return all, nil
}

// TrackersWithOldRules are those of which analyses may be left that nobody reads.
func (s *Store) TrackersWithOldRules(ctx context.Context) ([]*Tracker, error) {
	all, err := engine.RowsFromAllShards(ctx, s.DB, trackersTable, `WHERE EXISTS (
		SELECT 1 FROM tracker_rules r WHERE r.organization = trackers.organization AND r.tracker = trackers.id AND r.state = 'old' AND r.cursor <> $1)`, uuid.Max.String())
	if err != nil {
		return nil, fmt.Errorf("list trackers with old rules: %w", err)
	}
	return all, nil
}

// Unanalysed reads the next answers after one, by id and with their results, that rules
// have not been applied to.
func (s *Store) Unanalysed(ctx context.Context, r *Rules, after string, limit int) ([]*Answer, error) {
	return s.withResults(ctx, r.Organization, `AND answers.id > $3 AND NOT EXISTS (SELECT 1 FROM analyses x WHERE x.organization = answers.organization
		AND x.tracker = answers.tracker AND x.answer = answers.id AND x.rules = $5) ORDER BY answers.id`, r.Tracker, after, limit, r.Version)
}

// SweepResults reads the next answers of a sweep after one, by id and with their results.
func (s *Store) SweepResults(ctx context.Context, t *Tracker, sweep, after string, limit int) ([]*Answer, error) {
	return s.withResults(ctx, t.Organization, `AND answers.id > $3 AND answers.sweep = $5 ORDER BY answers.id`, t.ID, after, limit, sweep)
}

// withResults reads answers that have results: which, and in which order. The first four
// arguments are those of all such queries: organization, tracker, where to go on, limit.
func (s *Store) withResults(ctx context.Context, organization, which string, args ...any) (answers []*Answer, err error) {
	err = s.ShardOf(organization).Reports.Find(ctx, func(found engine.Scanner) error {
		a := new(Answer)
		if err := found.Scan(append(answersTable.Targets(a), &a.packed)...); err != nil {
			return err
		}
		var err error
		a.Result, err = store.Unpack(a.packed)
		a.packed = nil
		answers = append(answers, a)
		return err
	}, `SELECT `+answersTable.List+`, b.content FROM answers JOIN bodies b ON b.organization = answers.organization AND b.hash = answers.body
		WHERE answers.organization = $1 AND answers.tracker = $2 AND answers.outcome IN ('answered', 'refused') `+which+` LIMIT $4`, append([]any{organization}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read answers with their results: %w", err)
	}
	return answers, nil
}

// SaveAnalyses writes what rules found in answers, up to a cursor, and moves r on. It
// returns ErrChanged, and changes nothing, when somebody else has moved them since r was
// read. The cursor alone does not tell: it starts anew at the end.
func (s *Store) SaveAnalyses(r *Rules, cursor string, found []*Analysis) error {
	err := s.ShardOf(r.Organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		n, err := tx.Run(ctx, `UPDATE tracker_rules SET cursor = $4, done = done + $5
			WHERE organization = $1 AND tracker = $2 AND version = $3 AND cursor = $6 AND done = $7 AND finished_at IS NULL`,
			r.Organization, r.Tracker, r.Version, cursor, len(found), r.Cursor, r.Done)
		if err == nil && n == 0 {
			err = ErrChanged
		}
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

// FinishRules makes rules by which all answers are analysed the current ones, and stores
// their report. days are those that are to be exported again. It changes nothing where
// newer ones have taken over.
func (s *Store) FinishRules(r *Rules, days []int64, now time.Time) error {
	err := s.Commit(store.Change{Organization: r.Organization, Apply: func(ctx context.Context, w *store.Work) error {
		n, err := w.Run(ctx, `UPDATE tracker_rules SET finished_at = $4, report = $5 WHERE organization = $1 AND tracker = $2 AND version = $3 AND finished_at IS NULL AND state <> 'old'`,
			r.Organization, r.Tracker, r.Version, engine.Millis(now), nullText(string(r.Report)))
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
		return noteChangedDays(ctx, w.Tx, &Tracker{Organization: r.Organization, ID: r.Tracker}, days)
	}})
	if err != nil {
		return fmt.Errorf("finish rules: %w", err)
	}
	return nil
}

// CountAnswers is how many answers of a tracker have a result.
func (s *Store) CountAnswers(ctx context.Context, organization, tracker string) (n int, err error) {
	err = engine.First(ctx, s.ShardOf(organization).Reports, func(r engine.Scanner) error { return r.Scan(&n) },
		`SELECT COUNT(*) FROM answers WHERE organization = $1 AND tracker = $2 AND body IS NOT NULL`, organization, tracker)
	if err != nil {
		return 0, fmt.Errorf("count answers: %w", err)
	}
	return n, nil
}

// Analyses reads what rules found in the answers that were asked from one time to
// another: where each stands, and what was found. It is overwritten by the next.
func (s *Store) Analyses(ctx context.Context, r *Rules, from, until time.Time, each func(*Analysis) error) error {
	// One place for all rows, no column that is the same in all, and no copy of what was
	// found: they are many.
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
	if err != nil {
		return fmt.Errorf("read analyses: %w", err)
	}
	return nil
}

// Found reads what rules found in the answers from one id to another, by answer. prompt is
// the question that they answer, 0 for any.
func (s *Store) Found(ctx context.Context, t *Tracker, rules, prompt int, first, last string) (map[string][]byte, error) {
	all := map[string][]byte{}
	args := []any{t.Organization, t.ID, first, last, rules}
	where := ``
	if prompt != 0 {
		where, args = ` AND prompt = $6`, append(args, prompt)
	}
	err := s.ShardOf(t.Organization).Reports.Find(ctx, func(found engine.Scanner) error {
		var answer string
		var content []byte
		err := found.Scan(&answer, &content)
		all[answer] = content
		return err
	}, `SELECT answer, content FROM analyses WHERE organization = $1 AND tracker = $2 AND answer >= $3 AND answer <= $4 AND rules = $5`+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read what rules found: %w", err)
	}
	return all, nil
}

// AnalysedTwice reads what two versions of the rules found in the next answers after one,
// by id, that both were applied to.
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
	if err != nil {
		return fmt.Errorf("read what two versions of the rules found: %w", err)
	}
	return nil
}

// DeleteOldAnalyses removes, a batch at a time, what rules found that others took the
// place of. It returns the last answer that it looked at, from which to go on, "" at the
// end.
func (s *Store) DeleteOldAnalyses(ctx context.Context, organization, tracker, after string) (last string, err error) {
	old, err := engine.FindValues[string](ctx, s.ShardOf(organization).Reports, `SELECT x.answer FROM analyses x
		JOIN tracker_rules r ON r.organization = x.organization AND r.tracker = x.tracker AND r.version = x.rules AND r.state = 'old'
		WHERE x.organization = $1 AND x.tracker = $2 AND x.answer > $3 ORDER BY x.answer LIMIT $4`, organization, tracker, after, store.PruneBatch)
	if err != nil {
		return "", fmt.Errorf("find old analyses: %w", err)
	}
	if len(old) == 0 {
		if err := s.deleteOldTallies(organization, tracker); err != nil {
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

// deleteOldTallies removes those of rules that others took the place of.
func (s *Store) deleteOldTallies(organization, tracker string) error {
	err := s.ShardOf(organization).Execute(func(ctx context.Context, tx *engine.Tx) error {
		for _, table := range []string{"tallies", "tally_spans"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE organization = $1 AND tracker = $2 AND rules IN (
				SELECT version FROM tracker_rules r WHERE r.organization = $1 AND r.tracker = $2 AND r.state = 'old')`, organization, tracker); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete old tallies: %w", err)
	}
	return nil
}
