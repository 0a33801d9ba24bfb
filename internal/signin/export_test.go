package signin

import "context"

// CountMatches counts how often the service compares a password with a hash.
func (s *Service) CountMatches(count func()) { s.passwords = counted{s.passwords, count} }

type counted struct {
	hasher
	count func()
}

func (c counted) Matches(ctx context.Context, hash, password string) (bool, error) {
	c.count()
	return c.hasher.Matches(ctx, hash, password)
}
