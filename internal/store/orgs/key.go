package orgs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
)

// maxKeys limits the valid keys of an organization: enough for one per machine, few enough
// for a list.
const maxKeys = 500

// ErrTooManyKeys is returned when an organization has maxKeys valid keys.
var ErrTooManyKeys = fmt.Errorf("the organization has %d valid keys already; revoke one first", maxKeys)

// isValid is the condition that a key is neither revoked nor expired at $2.
const isValid = `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`

// listed is the order of a list of keys: the valid ones first.
const listed = `ORDER BY CASE WHEN ` + isValid + ` THEN 0 ELSE 1 END, created_at DESC, id`

// CreateKey stores a key of an organization, and deletes old keys that are no longer listed. With
// a zero time in expires the key never expires. CreateKey returns ErrTooManyKeys.
func (s *Store) CreateKey(organization string, key account.Key, scopes []account.Scope, expires time.Time, by account.Actor, now time.Time) error {
	return s.Commit(store.Change{Organization: organization, Across: true, Apply: func(ctx context.Context, w *store.Work) error {
		if err := w.KeepAnswer(ctx, by.Once, now); err != nil {
			return err
		}
		valid, err := engine.FindValues[int](ctx, w, `SELECT COUNT(*) FROM api_keys WHERE organization = $1 AND `+isValid, organization, engine.Millis(now))
		if err != nil {
			return fmt.Errorf("count keys: %w", err)
		}
		if valid[0] >= maxKeys {
			return ErrTooManyKeys
		}
		// A transaction deletes few of the keys that are not listed, because others wait for it.
		if _, err := w.Run(ctx, `DELETE FROM api_keys WHERE id IN (SELECT id FROM api_keys WHERE organization = $1 `+listed+` LIMIT 100 OFFSET $3)`,
			organization, engine.Millis(now), 2*maxKeys); err != nil {
			return fmt.Errorf("delete old keys: %w", err)
		}
		if err := insertKey(ctx, w.Tx, organization, key, scopes, expires, now); err != nil {
			return err
		}
		if err := w.SetBudget(ctx, organization, key.ID, key.CreditsPerDay, key.CreditsPerMonth, now); err != nil {
			return err
		}
		after := auditedKey{key.Name, joinScopes(scopes), earshot.When(expires), key.CreditsPerDay, key.CreditsPerMonth}
		return w.Audit(organization, by, store.Audited{Action: "key.create", Subject: key.ID, After: after}, now)
	}})
}

// apiKey is a row of api_keys.
type apiKey struct {
	id           string
	organization string
	hash         []byte
	scopes       string // separated by commas
	createdAt    int64
	expiresAt    time.Time // zero for never, as the next two
	revokedAt    time.Time
	lastUsedAt   time.Time
	name         string
}

var (
	apiKeysTable = engine.NewTable("api_keys",
		engine.TextField("id", func(k *apiKey) *string { return &k.id }),
		engine.Field("organization", "uuid", func(k *apiKey) *string { return &k.organization }),
		engine.Field("hash", "bytea", func(k *apiKey) *[]byte { return &k.hash }),
		engine.TextField("scopes", func(k *apiKey) *string { return &k.scopes }),
		engine.IntField("created_at", func(k *apiKey) *int64 { return &k.createdAt }),
		engine.TimeField("expires_at", func(k *apiKey) *time.Time { return &k.expiresAt }),
		engine.TimeField("revoked_at", func(k *apiKey) *time.Time { return &k.revokedAt }),
		engine.TimeField("last_used_at", func(k *apiKey) *time.Time { return &k.lastUsedAt }),
		engine.TextField("name", func(k *apiKey) *string { return &k.name }))
	insertAPIKey = apiKeysTable.Insert("")
)

// shown returns the key in the form that its organization sees.
func (k *apiKey) shown() *earshot.Key {
	return &earshot.Key{
		ID: k.id, Name: k.name, Scopes: strings.Split(k.scopes, ","), CreatedAt: earshot.At(k.createdAt),
		ExpiresAt: earshot.When(k.expiresAt), LastUsedAt: earshot.When(k.lastUsedAt), RevokedAt: earshot.When(k.revokedAt),
	}
}

func insertKey(ctx context.Context, tx *engine.Tx, organization string, key account.Key, scopes []account.Scope, expires, now time.Time) error {
	err := engine.Each(ctx, tx, insertAPIKey, []*apiKey{{
		id: key.ID, organization: organization, hash: account.HashKey(key.Text), scopes: joinScopes(scopes),
		createdAt: engine.Millis(now), expiresAt: expires, name: key.Name,
	}}, nil)
	return engine.Wrap(err, "create key %s", key.ID)
}

// auditedKey is a key in the audit log.
type auditedKey struct {
	Name            string             `json:"name"`
	Scopes          string             `json:"scopes"`
	ExpiresAt       *earshot.Timestamp `json:"expiresAt"`
	CreditsPerDay   int64              `json:"creditsPerDay"`
	CreditsPerMonth int64              `json:"creditsPerMonth"`
}

// tag returns the version of the key.
func (k auditedKey) tag(revoked bool) string { return store.Tag(k, revoked) }

// SetTag sets the version of a key.
func SetTag(k *earshot.Key) {
	budget := earshot.KeyBudget{}
	if k.Budget != nil {
		budget = *k.Budget
	}
	k.ETag = auditedKey{k.Name, strings.Join(k.Scopes, ","), k.ExpiresAt, budget.CreditsPerDay, budget.CreditsPerMonth}.tag(k.RevokedAt != nil)
}

// ofKey reads a key of an organization for a change. It returns ErrNotFound.
func ofKey(ctx context.Context, w *store.Work, organization, id string) (*apiKey, auditedKey, error) {
	k, err := engine.FirstRow(ctx, w, apiKeysTable, `WHERE organization = $1 AND id = $2`, organization, id)
	if err != nil {
		return nil, auditedKey{}, err
	}
	perDay, perMonth, err := w.Budget(ctx, organization, id)
	return k, auditedKey{k.name, k.scopes, earshot.When(k.expiresAt), perDay, perMonth}, err
}

// RevokeKey is RevokeKeyOf for a key of any organization.
func (s *Store) RevokeKey(ctx context.Context, id string, by account.Actor, now time.Time) (*earshot.Key, error) {
	organization, err := engine.FirstOf(engine.FindValues[string](ctx, s.Lookups, `SELECT organization FROM api_keys WHERE id = $1`, id))
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", id, err)
	}
	return s.RevokeKeyOf(organization, id, by, now)
}

// RevokeKeyOf revokes a key of an organization and returns the revoked key. It returns
// ErrNotFound; revoking a key twice is no error.
func (s *Store) RevokeKeyOf(organization, id string, by account.Actor, now time.Time) (*earshot.Key, error) {
	var revoked *apiKey
	err := s.Commit(store.Change{Organization: organization, Across: true, Apply: func(ctx context.Context, w *store.Work) (err error) {
		var before auditedKey
		if revoked, before, err = ofKey(ctx, w, organization, id); err == nil {
			err = store.Expect(by, before.tag(!revoked.revokedAt.IsZero()))
		}
		if err != nil || !revoked.revokedAt.IsZero() {
			return err
		}
		revoked.revokedAt = now
		if _, err := w.Run(ctx, `UPDATE api_keys SET revoked_at = $2 WHERE id = $1`, id, engine.Millis(now)); err != nil {
			return err
		}
		return w.Audit(organization, by, store.Audited{Action: "key.revoke", Subject: id, Before: before}, now)
	}})
	if err != nil {
		return nil, fmt.Errorf("revoke key %s: %w", id, err)
	}
	s.addUse(revoked)
	shown := revoked.shown()
	SetTag(shown)
	return shown, nil
}

// Keys lists an organization's keys, newest first: all valid keys, and the newest of the
// others.
func (s *Store) Keys(ctx context.Context, organization string, now time.Time) ([]*earshot.Key, error) {
	keys, err := s.findKeys(ctx, now, `WHERE organization = $1 `+listed+` LIMIT $3`, organization, engine.Millis(now), 2*maxKeys)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	slices.SortStableFunc(keys, func(a, b *earshot.Key) int { return b.CreatedAt.Compare(a.CreatedAt.Time) })
	return keys, nil
}

// KeyOf returns a key of an organization. It returns ErrNotFound.
func (s *Store) KeyOf(ctx context.Context, organization, id string, now time.Time) (*earshot.Key, error) {
	key, err := engine.FirstOf(s.findKeys(ctx, now, `WHERE organization = $1 AND id = $2`, organization, id))
	return key, engine.Wrap(err, "key %s", id)
}

// findKeys returns keys of an organization ($1) with their budgets.
func (s *Store) findKeys(ctx context.Context, now time.Time, clause string, organization string, more ...any) (keys []*earshot.Key, err error) {
	found, err := engine.FindRows(ctx, s.Reports, apiKeysTable, clause, append([]any{organization}, more...)...)
	if err != nil {
		return nil, err
	}
	for _, k := range found {
		s.addUse(k)
		keys = append(keys, k.shown())
	}
	budgets, err := s.KeyBudgets(ctx, organization, now)
	for _, k := range keys {
		k.Budget = budgets[k.ID]
		SetTag(k)
	}
	return keys, err
}

// ChangeKey changes a key and returns the updated key. Spending counts from when the key first had a
// limit. ChangeKey returns ErrNotFound.
func (s *Store) ChangeKey(ctx context.Context, organization, id string, change earshot.KeyPatch, by account.Actor, now time.Time) (*earshot.Key, error) {
	err := s.Commit(store.Change{Organization: organization, Across: true, Apply: func(ctx context.Context, w *store.Work) error {
		k, before, err := ofKey(ctx, w, organization, id)
		if err == nil {
			err = store.Expect(by, before.tag(!k.revokedAt.IsZero()))
		}
		if err != nil {
			return err
		}
		after := before
		set(&after.Name, change.Name)
		set(&after.CreditsPerDay, change.CreditsPerDay)
		set(&after.CreditsPerMonth, change.CreditsPerMonth)
		if after == before {
			return nil
		}
		if _, err := w.Run(ctx, `UPDATE api_keys SET name = $2 WHERE id = $1`, id, after.Name); err != nil {
			return err
		}
		if err := w.SetBudget(ctx, organization, id, after.CreditsPerDay, after.CreditsPerMonth, now); err != nil {
			return err
		}
		return w.Audit(organization, by, store.Audited{Action: "key.change", Subject: id, Before: before, After: after}, now)
	}})
	if err != nil {
		return nil, fmt.Errorf("change key %s: %w", id, err)
	}
	return s.KeyOf(ctx, organization, id, now)
}

// set assigns a new value, if there is one.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// principalColumns are the columns of the organization that a principal needs.
const principalColumns = `o.id, o.requests_per_second, o.slots, o.running, o.balance`

// StoredKey is a valid key with its hash.
type StoredKey struct {
	account.Principal
	Hash []byte
}

// Key returns a key that is neither revoked nor expired. It returns ErrNotFound.
func (s *Store) Key(ctx context.Context, id string, now time.Time) (*StoredKey, error) {
	k := &StoredKey{Principal: account.Principal{KeyID: id}}
	var scopes string
	ofOrganization := []any{&k.OrganizationID, &k.RequestsPerSecond, &k.Slots, &k.Running, &k.Balance}
	err := engine.First(ctx, s.Lookups, func(r engine.Scanner) error {
		return r.Scan(append([]any{&k.Hash, &scopes, &k.KeyName}, ofOrganization...)...)
	}, `
		SELECT k.hash, k.scopes, k.name, `+principalColumns+` FROM api_keys k JOIN organizations o ON o.id = k.organization
		WHERE k.id = $1 AND `+isValid, id, engine.Millis(now))
	if err == nil && s.Sharded() { // the coordinator's row of the organization has only its name
		err = engine.First(ctx, s.ShardOf(k.OrganizationID).Lookups, func(r engine.Scanner) error { return r.Scan(ofOrganization...) },
			`SELECT `+principalColumns+` FROM organizations o WHERE o.id = $1`, k.OrganizationID)
	}
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", id, err)
	}
	for scope := range strings.SplitSeq(scopes, ",") {
		k.Scopes = append(k.Scopes, account.Scope(scope))
	}
	return k, nil
}

// NoteKeyUse records in memory that a key was used. WriteKeyUses writes it to the database.
func (s *Store) NoteKeyUse(id string, now time.Time) { s.uses.Note(id, now) }

// WriteKeyUses writes when keys were last used.
func (s *Store) WriteKeyUses() error { return s.uses.Write(s.DB) }

// addUse sets the last use of a key to the cached time if that is later.
func (s *Store) addUse(k *apiKey) {
	if at := s.uses.Latest(k.id); at.After(k.lastUsedAt) {
		k.lastUsedAt = at
	}
}

func joinScopes(scopes []account.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, ",")
}
