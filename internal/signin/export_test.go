package signin

import (
	"context"

	"earshot/internal/signin/oidc"
)

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

// Seal encrypts the tokens of a session.
func Seal(secret string, tokens oidc.Tokens) ([]byte, error) { return seal(secret, tokens) }
