package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrate brings the schema up to date. However many processes start together,
// one does it and the others wait.
func (s *Store) migrate(ctx context.Context) (err error) {
	unlock, err := s.lockMigrations(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	files, err := fs.Sub(migrations, "migrations/"+s.dialect.name)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.Dialect(s.dialect.name), s.writes, files)
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("apply migrations: %w", err)
	}
	return nil
}
