package orgs_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
	"earshot/internal/store/engine"
	"earshot/internal/store/orgs"
	"earshot/internal/store/storetest"
)

func TestAKeyIsValidUntilItIsRevokedOrExpires(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := orgs.New(storetest.Open(t, address))
		o, now := storetest.Organization(t, s.Store, 5, 300), time.Now()
		scopes := []account.Scope{account.ScopeRead, account.ScopeMonitor}
		key := account.NewKey()
		if err := s.CreateKey(o.ID, key, scopes, now.Add(time.Hour), account.Operator(), now); err != nil {
			t.Fatal(err)
		}
		found, err := s.Key(t.Context(), key.ID, now)
		if err != nil {
			t.Fatal(err)
		}
		if !account.KeyMatches(key.Text, found.Hash) || found.OrganizationID != o.ID || !slices.Equal(found.Scopes, scopes) {
			t.Errorf("found %+v", found)
		}
		if _, err := s.Key(t.Context(), key.ID, now.Add(time.Hour)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an expired key is found: %v", err)
		}
		if _, err := s.RevokeKey(t.Context(), key.ID, account.Operator(), now); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Key(t.Context(), key.ID, now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a revoked key is found: %v", err)
		}
		if _, err := s.RevokeKey(t.Context(), "nokey", account.Operator(), now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	})
}

func TestAKeyIsRevokedByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := orgs.New(storetest.Open(t, address))
		o, other, now := storetest.Organization(t, s.Store, 5, 300), storetest.Organization(t, s.Store, 5, 300), time.Now()
		key := account.NewKey()
		if err := s.CreateKey(o.ID, key, account.DefaultScopes(), time.Time{}, account.Operator(), now); err != nil {
			t.Fatal(err)
		}
		if _, err := s.RevokeKeyOf(other.ID, key.ID, account.Operator(), now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another's key: got %v, want ErrNotFound", err)
		}
		if _, err := s.Key(t.Context(), key.ID, now); err != nil {
			t.Errorf("the key cannot be found: %v", err)
		}
		for _, at := range []time.Time{now, now.Add(time.Minute)} {
			revoked, err := s.RevokeKeyOf(o.ID, key.ID, account.Operator(), at)
			if err != nil || revoked.ID != key.ID || revoked.RevokedAt.UnixMilli() != now.UnixMilli() {
				t.Errorf("revoked: %+v, %v", revoked, err)
			}
		}
	})
}

func TestAKeyIsRenamedByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := orgs.New(storetest.Open(t, address))
		o, other, now := storetest.Organization(t, s.Store, 5, 300), storetest.Organization(t, s.Store, 5, 300), time.Now()
		key := account.NewKey()
		key.CreditsPerDay = 7
		if err := s.CreateKey(o.ID, key, account.DefaultScopes(), time.Time{}, account.Operator(), now); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ChangeKey(t.Context(), other.ID, key.ID, earshot.KeyPatch{Name: new("theirs")}, account.Operator(), now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another's key: got %v, want ErrNotFound", err)
		}
		if k, err := s.ChangeKey(t.Context(), o.ID, key.ID, earshot.KeyPatch{Name: new("laptop")}, account.Operator(), now); err != nil || k.Name != "laptop" || k.Budget.CreditsPerDay != 7 {
			t.Errorf("the key is %+v, %v", k, err)
		}
		if k, err := s.Key(t.Context(), key.ID, now); err != nil || k.KeyName != "laptop" {
			t.Errorf("the key is found as %+v, %v", k, err)
		}
	})
}

func TestUsesOfKeysAreShownAtOnceAndWrittenTogether(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s, other := orgs.New(storetest.Open(t, address)), orgs.New(storetest.Open(t, address))
		o, now := storetest.Organization(t, s.Store, 5, 300), time.Now()
		var made []account.Key
		for range 3 {
			key := account.NewKey()
			if err := s.CreateKey(o.ID, key, account.DefaultScopes(), time.Time{}, account.Operator(), now); err != nil {
				t.Fatal(err)
			}
			made = append(made, key)
		}
		check := func(when string, s *orgs.Store, want map[string]time.Time) {
			t.Helper()
			keys, err := s.Keys(t.Context(), o.ID, now)
			if err != nil || len(keys) != 4 {
				t.Fatalf("%s: %d keys, %v", when, len(keys), err)
			}
			for _, k := range keys {
				at, used := want[k.ID]
				if (k.LastUsedAt != nil) != used || (used && k.LastUsedAt.UnixMilli() != at.UnixMilli()) {
					t.Errorf("%s: %s was last used at %v, want %v", when, k.ID, k.LastUsedAt, at)
				}
			}
		}
		write := func(s *orgs.Store) {
			t.Helper()
			if err := s.WriteKeyUses(); err != nil {
				t.Fatal(err)
			}
		}
		write(s) // there is nothing to write
		uses := map[string]time.Time{made[0].ID: now.Add(time.Second), made[1].ID: now}
		s.NoteKeyUse(made[0].ID, now.Add(time.Second))
		s.NoteKeyUse(made[0].ID, now)
		s.NoteKeyUse(made[1].ID, now)
		check("in memory", s, uses)
		check("as others see it before", other, nil)
		write(s)
		check("written", s, uses)
		check("as others see it", other, uses)
		// An earlier use from another node does not replace a later one.
		other.NoteKeyUse(made[0].ID, now)
		other.NoteKeyUse(made[1].ID, now.Add(time.Minute))
		write(other)
		uses[made[1].ID] = now.Add(time.Minute)
		check("after another node's", s, uses)
		s.NoteKeyUse(made[2].ID, now)
		revoked, err := s.RevokeKeyOf(o.ID, made[2].ID, account.Operator(), now)
		if err != nil || revoked.LastUsedAt == nil {
			t.Errorf("revoked: %+v, %v", revoked, err)
		}
	})
}

func TestAnOrganizationHasOnlySoManyValidKeysAndTheyAreAllListed(t *testing.T) {
	t.Parallel()
	storetest.OnEach(t, func(t *testing.T, address string) {
		s := orgs.New(storetest.Open(t, address))
		o, now := storetest.Organization(t, s.Store, 5, 300), time.Now()
		first := time.Now().Add(-time.Hour).UnixMilli()
		// One key in four is valid, and there are more invalid keys than a list shows.
		_, err := s.Run(`
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1992)
			INSERT INTO api_keys (id, organization, hash, scopes, created_at, expires_at, revoked_at)
			SELECT 'key-' || i, organization, hash, scopes, CAST($1 AS bigint) + i, CASE WHEN i % 4 = 1 THEN 1 END, CASE WHEN i % 4 > 1 THEN 1 END
			FROM n, api_keys WHERE organization = $2`, first, o.ID)
		if err != nil {
			t.Fatal(err)
		}
		last := account.NewKey()
		if err := s.CreateKey(o.ID, account.NewKey(), account.DefaultScopes(), now.Add(time.Millisecond), account.Operator(), now); err != nil {
			t.Fatalf("the key before the last: %v", err)
		}
		if err := s.CreateKey(o.ID, last, account.DefaultScopes(), time.Time{}, account.Operator(), now); !errors.Is(err, orgs.ErrTooManyKeys) {
			t.Errorf("one key too many: got %v, want ErrTooManyKeys", err)
		}
		now = now.Add(time.Millisecond) // the previous key has expired
		if err := s.CreateKey(o.ID, last, account.DefaultScopes(), time.Time{}, account.Operator(), now); err != nil {
			t.Errorf("the last key: %v", err)
		}
		keys, err := s.Keys(t.Context(), o.ID, now)
		valid := 0
		for i, k := range keys {
			if k.RevokedAt == nil && k.ExpiresAt == nil {
				valid++
			}
			if i > 0 && k.CreatedAt.After(keys[i-1].CreatedAt.Time) {
				t.Fatalf("%+v is listed after %+v", k, keys[i-1])
			}
		}
		if err != nil || len(keys) != 1000 || valid != 500 || keys[0].ID != last.ID {
			t.Errorf("%d keys are listed, %d of them valid, %v", len(keys), valid, err)
		}
		// Two keys were added to 1,993, and each time 100 that were not listed were deleted.
		kept, err := engine.FindValues[int](t.Context(), s.Lookups, `SELECT COUNT(*) FROM api_keys WHERE organization = $1`, o.ID)
		if err != nil || kept[0] != 1795 {
			t.Errorf("%v keys are kept, %v", kept, err)
		}
		if other, err := s.Keys(t.Context(), storetest.Organization(t, s.Store, 5, 300).ID, now); err != nil || len(other) != 1 || other[0].Scopes[0] != "read" {
			t.Errorf("another's keys are %+v, %v", other, err)
		}
	})
}
