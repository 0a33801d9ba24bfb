package tracking

import (
	"context"
	"fmt"

	"earshot/internal/store/engine"
)

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

// CellAnalyses returns the analyses of the newest answers of a cell, newest first.
func (s *Store) CellAnalyses(ctx context.Context, r *Rules, prompt, target, limit int) (all []*Analysis, err error) {
	err = s.ShardOf(r.Organization).Reports.Find(ctx, engine.Collect(analysesTable, &all), `
		SELECT `+analysesTable.List+` FROM answers JOIN analyses ON analyses.organization = answers.organization AND analyses.tracker = answers.tracker
			AND analyses.answer = answers.id AND analyses.rules = $5
		WHERE answers.organization = $1 AND answers.tracker = $2 AND answers.prompt = $3 AND answers.target = $4 ORDER BY answers.id DESC LIMIT $6`,
		r.Organization, r.Tracker, prompt, target, r.Version, limit)
	return all, engine.Wrap(err, "read the analyses of a cell")
}

// NewestResults returns answers with their results that are older than the answer before, newest
// first.
func (s *Store) NewestResults(ctx context.Context, t *Tracker, before string, limit int) ([]*Answer, error) {
	return s.withResults(ctx, t.Organization, `AND answers.id < $3 ORDER BY answers.id DESC`, t.ID, before, limit)
}
