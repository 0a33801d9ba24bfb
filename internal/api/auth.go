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
	"earshot/internal/limits/share"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
)

const (
	// keyFreshness is how long a cached key is valid, so a revocation or a change of plan
	// takes effect on every node within a second.
	keyFreshness = 500 * time.Millisecond
	// keyLookups is the size of the pool for concurrent lookups of keys that are not
	// cached; unknown clients get a share of it. Each lookup is one short read.
	keyLookups = 72
)

// keyring checks API keys. It caches keys and reads each key from the database at most twice
// a second.
type keyring struct {
	orgs    *orgs.Store
	loads   singleflight.Group
	lookups *share.Pool // of keys that are not cached

	mu   sync.Mutex
	keys map[string]knownKey // the cache, by key id; only keys that exist
}

type knownKey struct {
	*orgs.StoredKey
	readAt time.Time
}

func newKeyring(s *orgs.Store, lookups *share.Pool) *keyring {
	return &keyring{orgs: s, lookups: lookups, keys: map[string]knownKey{}}
}

// sentKey is the key of a request.
type sentKey struct{ id, text string }

// bearer returns the key in the Authorization header, or an error with CodeMissingKey or
// CodeInvalidKey.
func bearer(r *http.Request) (sentKey, error) {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	text = strings.TrimSpace(text)
	if scheme == "" || (strings.EqualFold(scheme, "Bearer") && text == "") {
		return sentKey{}, &earshot.Error{Code: earshot.CodeMissingKey, Message: `an API key is required: "Authorization: Bearer ear_live_…"`}
	}
	if !strings.EqualFold(scheme, "Bearer") {
		return sentKey{}, &earshot.Error{Code: earshot.CodeInvalidKey, Message: `the header must be "Authorization: Bearer ear_live_…", with the word Bearer before the key`}
	}
	return readKey(text)
}

// readKey returns the key in text, or an error if text does not have the form of a key.
func readKey(text string) (sentKey, error) {
	id, wellFormed := account.KeyID(text)
	if !wellFormed {
		return sentKey{}, errInvalidKey()
	}
	return sentKey{id, text}, nil
}

// knows reports whether a key is cached.
func (k *keyring) knows(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.keys[id]
	return ok
}

// authenticate returns the owner of a key.
func (k *keyring) authenticate(ctx context.Context, sent sentKey) (*account.Principal, error) {
	key, err := k.find(ctx, sent.id)
	if errors.Is(err, store.ErrNotFound) {
		account.KeyMatches(sent.text, nil) // takes as long as for a key that exists
		return nil, errInvalidKey()
	}
	if err != nil {
		return nil, err
	}
	if !account.KeyMatches(sent.text, key.Hash) {
		return nil, errInvalidKey()
	}
	return &key.Principal, nil
}

func errInvalidKey() error {
	return &earshot.Error{Code: earshot.CodeInvalidKey, Message: "this API key is not valid"}
}

// find returns a key that was read from the database within keyFreshness.
func (k *keyring) find(ctx context.Context, id string) (*orgs.StoredKey, error) {
	k.mu.Lock()
	known, ok := k.keys[id]
	k.mu.Unlock()
	if ok && time.Since(known.readAt) < keyFreshness {
		return known.StoredKey, nil
	}
	// One load serves all waiting requests, so it must not be canceled with the first one.
	var key *orgs.StoredKey
	loaded, err, _ := k.loads.Do(id, func() (any, error) { return k.load(context.WithoutCancel(ctx), id) })
	if err == nil {
		key, _ = loaded.(*orgs.StoredKey) // always the type
	}
	return key, err
}

func (k *keyring) load(ctx context.Context, id string) (*orgs.StoredKey, error) {
	if !k.knows(id) {
		done, ok := k.lookups.Hold(share.Stranger)
		if !ok {
			return nil, errPastShare("this node is looking up too many unknown keys, try again")
		}
		defer done()
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	readAt := time.Now()
	key, err := k.orgs.Key(ctx, id, k.orgs.Now())
	if err != nil {
		k.set(id, nil, readAt)
		return nil, err
	}
	k.set(id, key, readAt)
	k.orgs.NoteKeyUse(id, k.orgs.Now())
	return key, nil
}

// set updates the cache; a nil key is removed.
func (k *keyring) set(id string, key *orgs.StoredKey, readAt time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key == nil {
		delete(k.keys, id)
		return
	}
	k.keys[id] = knownKey{key, readAt}
}
