package tracking

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"earshot/internal/store"
	"earshot/internal/store/analysing"
	"earshot/internal/store/engine"
)

// AnswerFilter selects the answers of a tracker to list, newest first.
type AnswerFilter struct {
	Sweep       string             // "" for all; if set, From and Until should be the times of the sweep
	Prompt      int                // 0 for all
	From, Until time.Time          // time of asking, Until excluded; zero for no limit
	Match       func(*Answer) bool // any other condition; nil for all
	// Choose filters answers by a condition that needs another query; nil for all.
	Choose func(ctx context.Context, some []*Answer) ([]*Answer, error)
	Before string // only ids before this one; "" for all
	Limit  int
}

// Answers lists answers without their results. It reads a limited number of rows; next is the id
// to continue from, or "" at the end.
func (s *Store) Answers(ctx context.Context, t *Tracker, filter AnswerFilter) (found []*Answer, next string, err error) {
	before := cmp.Or(filter.Before, uuid.Max.String())
	if !filter.Until.IsZero() {
		before = min(before, store.FirstID(filter.Until.Add(store.IDLater)))
	}
	oldest := uuid.Nil.String()
	if !filter.From.IsZero() {
		oldest = store.FirstID(filter.From.Add(-store.IDEarlier))
	}
	where := `WHERE organization = $1 AND tracker = $2 AND id >= $3 AND id < $4 `
	if filter.Prompt != 0 {
		where += `AND prompt = $6 `
	}
	batch := filter.Limit + 1 // enough if all of them match
	for rows := 0; rows < store.ScannedRows; batch = store.ScanBatch {
		batch = min(batch, store.ScannedRows-rows)
		page := []any{t.Organization, t.ID, oldest, before, batch}
		if filter.Prompt != 0 {
			page = append(page, filter.Prompt)
		}
		read, err := engine.FindRows(ctx, s.ShardOf(t.Organization).Reports, answersTable, where+`ORDER BY id DESC LIMIT $5`, page...)
		if err != nil {
			return nil, "", fmt.Errorf("list answers: %w", err)
		}
		chosen, err := filter.chosen(ctx, read)
		if err != nil {
			return nil, "", fmt.Errorf("list answers: %w", err)
		}
		if found = append(found, chosen...); len(found) > filter.Limit {
			found = found[:filter.Limit]
			return found, found[filter.Limit-1].ID, nil
		}
		if len(read) < batch {
			return found, "", nil
		}
		rows, before = rows+len(read), read[len(read)-1].ID
	}
	return found, before, nil
}

// chosen returns the answers that match the filter.
func (f *AnswerFilter) chosen(ctx context.Context, of []*Answer) (matching []*Answer, err error) {
	for _, a := range of {
		if f.matches(a) {
			matching = append(matching, a)
		}
	}
	if f.Choose == nil || len(matching) == 0 {
		return matching, nil
	}
	return f.Choose(ctx, matching)
}

func (f *AnswerFilter) matches(a *Answer) bool {
	return (f.Sweep == "" || f.Sweep == a.Sweep) && (f.Prompt == 0 || f.Prompt == a.Prompt) &&
		!a.AskedAt.Before(f.From) && (f.Until.IsZero() || a.AskedAt.Before(f.Until)) && (f.Match == nil || f.Match(a))
}

// Answer returns an answer with its result. It returns ErrNotFound.
func (s *Store) Answer(ctx context.Context, t *Tracker, id string) (*Answer, error) {
	id, err := store.CanonicalID(id)
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	a, err := engine.FirstRow(ctx, s.ShardOf(t.Organization).Lookups, answersTable, `WHERE organization = $1 AND tracker = $2 AND id = $3`, t.Organization, t.ID, id)
	if err != nil {
		return nil, fmt.Errorf("answer %s: %w", id, err)
	}
	return a, readResult(ctx, s.ShardOf(t.Organization).Lookups, a)
}

// CellAnswer returns a sample of a cell of a sweep with its result. It returns ErrNotFound.
func (s *Store) CellAnswer(ctx context.Context, t *Tracker, sweep string, prompt, target, sample int) (*Answer, error) {
	a, err := engine.FirstRow(ctx, s.ShardOf(t.Organization).Lookups, answersTable,
		`WHERE organization = $1 AND tracker = $2 AND sweep = $3 AND prompt = $4 AND target = $5 AND sample = $6`, t.Organization, t.ID, sweep, prompt, target, sample)
	if err != nil {
		return nil, fmt.Errorf("answer of sweep %s: %w", sweep, err)
	}
	return a, readResult(ctx, s.ShardOf(t.Organization).Lookups, a)
}

// ReadResult reads the result of an answer, if it has one. It uses the connections for reports.
func (s *Store) ReadResult(ctx context.Context, a *Answer) error {
	return readResult(ctx, s.ShardOf(a.Organization).Reports, a)
}

func readResult(ctx context.Context, from engine.Querier, a *Answer) error {
	if a.hash == nil {
		return nil
	}
	err := engine.First(ctx, from, func(r engine.Scanner) error { return r.Scan(&a.packed) }, `SELECT content FROM bodies WHERE organization = $1 AND hash = $2`, a.Organization, a.hash)
	if err == nil {
		a.Result, err = store.Unpack(a.packed)
		a.packed = nil
	}
	return engine.Wrap(err, "result of answer %s", a.ID)
}

// withResults returns answers that have results. which selects and sorts them. The first four
// arguments of the query are the organization, the tracker, the id to start from and the limit.
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
	return answers, engine.Wrap(err, "read answers with their results")
}

// Unanalysed returns the next answers after an id, with their results, that were not analysed by
// the rules.
func (s *Store) Unanalysed(ctx context.Context, r *analysing.Rules, after string, limit int) ([]*Answer, error) {
	return s.withResults(ctx, r.Organization, `AND answers.id > $3 AND NOT EXISTS (SELECT 1 FROM analyses x WHERE x.organization = answers.organization
		AND x.tracker = answers.tracker AND x.answer = answers.id AND x.rules = $5) ORDER BY answers.id`, r.Tracker, after, limit, r.Version)
}

// SweepResults returns the next answers of a sweep after an id, with their results.
func (s *Store) SweepResults(ctx context.Context, t *Tracker, sweep, after string, limit int) ([]*Answer, error) {
	return s.withResults(ctx, t.Organization, `AND answers.id > $3 AND answers.sweep = $5 ORDER BY answers.id`, t.ID, after, limit, sweep)
}

// NewestResults returns answers with their results that are older than the answer before, newest
// first.
func (s *Store) NewestResults(ctx context.Context, t *Tracker, before string, limit int) ([]*Answer, error) {
	return s.withResults(ctx, t.Organization, `AND answers.id < $3 ORDER BY answers.id DESC`, t.ID, before, limit)
}

// CountAnswers returns the number of answers of a tracker that have a result.
func (s *Store) CountAnswers(ctx context.Context, organization, tracker string) (n int, err error) {
	err = engine.First(ctx, s.ShardOf(organization).Reports, func(r engine.Scanner) error { return r.Scan(&n) },
		`SELECT COUNT(*) FROM answers WHERE organization = $1 AND tracker = $2 AND body IS NOT NULL`, organization, tracker)
	return n, engine.Wrap(err, "count answers")
}

// cellNeighbours limits the answers of a cell before and after an answer. It is enough for the
// answer's own sweep and the neighbouring sweep, with at most ten samples each.
const cellNeighbours = 20

// CellAround returns the answers of the same cell, without results, that were asked right before
// and right after an answer, nearest first.
func (s *Store) CellAround(ctx context.Context, a *Answer) (before, after []*Answer, err error) {
	for _, side := range []struct {
		rows         *[]*Answer
		which, order string
	}{{&before, `<`, `DESC`}, {&after, `>`, `ASC`}} {
		*side.rows, err = engine.FindRows(ctx, s.ShardOf(a.Organization).Reports, answersTable, `WHERE organization = $1 AND tracker = $2 AND prompt = $3 AND target = $4 AND id `+
			side.which+` $5 ORDER BY id `+side.order+` LIMIT $6`, a.Organization, a.Tracker, a.Prompt, a.Target, a.ID, cellNeighbours)
		if err != nil {
			return nil, nil, fmt.Errorf("read the answers around an answer: %w", err)
		}
	}
	return before, after, nil
}
