package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
)

// mostKeys is how many valid keys an organization may have: one for each of many
// machines, but no more than a list can show.
const mostKeys = 500

// ErrTooManyKeys is returned when an organization has all the keys that it may.
var ErrTooManyKeys = fmt.Errorf("the organization has %d valid keys already; revoke one first", mostKeys)

// isValid picks the keys that are neither revoked nor expired at $2.
const isValid = `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`

// CreateKey stores a key of an organization. A zero expiry means none. Returns
// ErrTooManyKeys.
func (s *Store) CreateKey(organization string, key account.Key, scopes []account.Scope, expires, now time.Time) error {
	return s.execute(func(ctx context.Context, tx *tx) error {
		var valid int
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM api_keys WHERE organization = $1 AND `+isValid, organization, millis(now)).Scan(&valid)
		if err != nil {
			return fmt.Errorf("count keys: %w", err)
		}
		if valid >= mostKeys {
			return ErrTooManyKeys
		}
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

// RevokeKeyOf ends a key of an organization and tells how it stands then. Returns
// ErrNotFound; ending it twice is fine.
func (s *Store) RevokeKeyOf(organization, id string, now time.Time) (revoked *earshot.Key, err error) {
	err = s.execute(func(ctx context.Context, tx *tx) error {
		revoked = nil
		err := find(ctx, tx, func(r scanner) (err error) {
			revoked, err = scanKey(r)
			return err
		}, `UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $3) WHERE organization = $1 AND id = $2 RETURNING `+keyColumns,
			organization, id, millis(now))
		if err == nil && revoked == nil {
			return ErrNotFound
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("revoke key %s: %w", id, err)
	}
	return revoked, nil
}

const keyColumns = `id, scopes, created_at, expires_at, last_used_at, revoked_at`

func scanKey(found scanner) (*earshot.Key, error) {
	k := &earshot.Key{}
	var scopes string
	var created int64
	var expires, used, revoked *int64
	if err := found.Scan(&k.ID, &scopes, &created, &expires, &used, &revoked); err != nil {
		return nil, err
	}
	k.Scopes = strings.Split(scopes, ",")
	k.CreatedAt = earshot.At(created)
	k.ExpiresAt, k.LastUsedAt, k.RevokedAt = atIfAny(expires), atIfAny(used), atIfAny(revoked)
	return k, nil
}

func atIfAny(millis *int64) *earshot.Timestamp {
	if millis == nil {
		return nil
	}
	return new(earshot.At(*millis))
}

// Keys lists an organization's keys, newest first: all that are valid, and
// the newest of those that are not.
func (s *Store) Keys(ctx context.Context, organization string, now time.Time) (keys []*earshot.Key, err error) {
	err = s.find(ctx, func(r scanner) error {
		k, err := scanKey(r)
		keys = append(keys, k)
		return err
	}, `
		SELECT `+keyColumns+` FROM api_keys WHERE organization = $1
		ORDER BY CASE WHEN `+isValid+` THEN 0 ELSE 1 END, created_at DESC, id LIMIT $3`, organization, millis(now), 2*mostKeys)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	slices.SortStableFunc(keys, func(a, b *earshot.Key) int { return b.CreatedAt.Compare(a.CreatedAt.Time) })
	return keys, nil
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
