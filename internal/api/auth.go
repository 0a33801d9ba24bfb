package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/store"
)

// keyFreshness is how long a key is believed without asking the database, so
// a revocation or a change of plan is seen everywhere within a second.
const keyFreshness = 500 * time.Millisecond

// keyring checks API keys, asking the database for each key at most twice a
// second.
type keyring struct {
	store *store.Store
	loads singleflight.Group

	mu   sync.Mutex
	keys map[string]knownKey // by public id; only keys that exist
}

type knownKey struct {
	*store.StoredKey
	readAt time.Time
}

func newKeyring(s *store.Store) *keyring {
	return &keyring{store: s, keys: map[string]knownKey{}}
}

// authenticate finds whose key the request carries.
func (k *keyring) authenticate(r *http.Request) (*account.Principal, error) {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	text = strings.TrimSpace(text)
	if scheme == "" || (strings.EqualFold(scheme, "Bearer") && text == "") {
		return nil, &earshot.Error{Code: earshot.CodeMissingKey, Message: `an API key is required: "Authorization: Bearer ear_live_…"`}
	}
	id, wellFormed := account.KeyID(text)
	if !strings.EqualFold(scheme, "Bearer") || !wellFormed {
		return nil, errInvalidKey()
	}
	key, err := k.find(r.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		account.KeyMatches(text, nil) // as long as for a key that exists
		return nil, errInvalidKey()
	}
	if err != nil {
		return nil, err
	}
	if !account.KeyMatches(text, key.Hash) {
		return nil, errInvalidKey()
	}
	return &key.Principal, nil
}

func errInvalidKey() error {
	return &earshot.Error{Code: earshot.CodeInvalidKey, Message: "this API key is not valid"}
}

// find gives a key that was read from the database no longer than keyFreshness
// ago.
func (k *keyring) find(ctx context.Context, id string) (*store.StoredKey, error) {
	k.mu.Lock()
	known, ok := k.keys[id]
	k.mu.Unlock()
	if ok && time.Since(known.readAt) < keyFreshness {
		return known.StoredKey, nil
	}
	// One load serves all who wait for it, so it must not end with the first.
	var key *store.StoredKey
	loaded, err, _ := k.loads.Do(id, func() (any, error) { return k.load(context.WithoutCancel(ctx), id) })
	if err == nil {
		key, _ = loaded.(*store.StoredKey) // what load returns
	}
	return key, err
}

func (k *keyring) load(ctx context.Context, id string) (*store.StoredKey, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	readAt := time.Now()
	key, err := k.store.Key(ctx, id, readAt)
	if err != nil {
		k.set(id, nil, readAt)
		return nil, err
	}
	k.set(id, key, readAt)
	k.store.NoteKeyUse(id, readAt)
	return key, nil
}

// set notes what the database says of a key; nil means that it has none.
func (k *keyring) set(id string, key *store.StoredKey, readAt time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key == nil {
		delete(k.keys, id)
		return
	}
	k.keys[id] = knownKey{key, readAt}
}
