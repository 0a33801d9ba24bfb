package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"earshot/internal/account"
)

// CreateKey stores a key of an organization. A zero expiry means none.
func (s *Store) CreateKey(organization string, key account.Key, scopes []account.Scope, expires, now time.Time) error {
	return s.execute(func(ctx context.Context, tx *tx) error {
		return insertKey(ctx, tx, organization, key, scopes, expires, now)
	})
}

func insertKey(ctx context.Context, tx *tx, organization string, key account.Key, scopes []account.Scope, expires, now time.Time) error {
	var expiry *int64
	if !expires.IsZero() {
		expiry = new(millis(expires))
	}
	_, err := tx.ExecContext(ctx,
		`INSERT INTO api_keys (id, organization, hash, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		key.ID, organization, account.HashKey(key.Text), joinScopes(scopes), millis(now), expiry)
	if err != nil {
		return fmt.Errorf("create key %s: %w", key.ID, err)
	}
	return nil
}

// RevokeKey ends a key. Returns ErrNotFound; ending it twice is fine.
func (s *Store) RevokeKey(id string, now time.Time) error {
	return s.execute(func(ctx context.Context, tx *tx) error {
		result, err := tx.ExecContext(ctx,
			`UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1`, id, millis(now))
		if err != nil {
			return fmt.Errorf("revoke key %s: %w", id, err)
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return fmt.Errorf("key %s: %w", id, errors.Join(err, ErrNotFound))
		}
		return nil
	})
}

// StoredKey is a key that is valid now, and whose it is.
type StoredKey struct {
	account.Principal
	Hash       []byte
	LastUsedAt int64
}

// Key finds a key that is neither revoked nor expired. Returns ErrNotFound.
func (s *Store) Key(ctx context.Context, id string, now time.Time) (*StoredKey, error) {
	k := &StoredKey{Principal: account.Principal{KeyID: id}}
	var scopes string
	err := s.first(ctx, func(r scanner) error {
		return r.Scan(&k.Hash, &scopes, &k.LastUsedAt, &k.OrganizationID, &k.RequestsPerSecond)
	}, `
		SELECT k.hash, k.scopes, COALESCE(k.last_used_at, 0), o.id, o.requests_per_second
		FROM api_keys k JOIN organizations o ON o.id = k.organization
		WHERE k.id = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)`, id, millis(now))
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", id, err)
	}
	for scope := range strings.SplitSeq(scopes, ",") {
		k.Scopes = append(k.Scopes, account.Scope(scope))
	}
	return k, nil
}

// TouchKey notes that a key was used.
func (s *Store) TouchKey(id string, now time.Time) error {
	return s.execute(func(ctx context.Context, tx *tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE api_keys SET last_used_at = $2 WHERE id = $1`, id, millis(now)); err != nil {
			return fmt.Errorf("touch key %s: %w", id, err)
		}
		return nil
	})
}

func joinScopes(scopes []account.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, ",")
}
