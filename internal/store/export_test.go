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
