package store

import (
	"context"
)

// Exec runs a statement that no method would, for tests of what others broke.
func (s *Store) Exec(query string, args ...any) error {
	return s.execute(func(ctx context.Context, tx *tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	})
}

// Columns lists the tables and columns of the schema as table.column.
func (s *Store) Columns(ctx context.Context) ([]string, error) {
	query := `SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_xinfo(m.name) c WHERE m.type = 'table' ORDER BY 1`
	if s.dialect.name == postgresDialect.name {
		query = `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1`
	}
	rows, err := s.reads.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var columns []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		columns = append(columns, name)
	}
	return columns, rows.Err()
}

// Plan tells how PostgreSQL would run the statement that starts tasks, and the one
// that takes out those that end.
func (s *Store) Plan(ctx context.Context, organization string) (start, takeOut string, err error) {
	text := func(int) string { return organization }
	number := func(int) int64 { return 5 }
	claims := table(1).uuid("owner", text).int("take", number).uuid("runs", text).int("at", number)
	settles := table(1).uuid("organization", text).uuid("id", text).uuid("node", text)
	err = s.transact(func(ctx context.Context, tx *tx) error {
		for _, one := range []struct {
			rows *rows
			text string
			plan *string
		}{{claims, startBest, &start}, {settles, takeOutJobs, &takeOut}} {
			err := tx.each(ctx, one.rows, `EXPLAIN `+one.text, func(r scanner) error {
				var line string
				err := r.Scan(&line)
				*one.plan += line + "\n"
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return start, takeOut, err
}
