package tracking

import (
	"context"

	"earshot/internal/store/engine"
)

// AnswerPlans returns how PostgreSQL would find answers by their ids: pending ones, and
// completed ones.
func (s *Store) AnswerPlans(ctx context.Context, a *Answer) (plans []string, err error) {
	err = s.Transact(func(ctx context.Context, tx *engine.Tx) error {
		for _, statement := range []engine.Statement[Answer]{selectPending, updateAnswers} {
			statement.Postgres = `EXPLAIN ` + statement.Postgres
			plan := ""
			err := engine.Each(ctx, tx, statement, []*Answer{a}, func(r engine.Scanner) error {
				var line string
				err := r.Scan(&line)
				plan += line + "\n"
				return err
			})
			if err != nil {
				return err
			}
			plans = append(plans, plan)
		}
		return nil
	})
	return plans, err
}

// MaxDefinitions is the limit in tests of this package, which need no large definitions for it.
const MaxDefinitions = 4 << 10

func init() { maxDefinitions = MaxDefinitions }
