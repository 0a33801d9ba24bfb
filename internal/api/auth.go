package api

import (
	"context"
	"errors"
	"maps"
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
	"earshot/internal/store/people"
)

const (
	// keyFreshness is how long a cached key is valid, so a revocation or a change of plan
	// takes effect on every node within a second.
	keyFreshness = 500 * time.Millisecond
	// keyLookups is the size of the pool for concurrent lookups of keys that are not
	// cached; unknown clients get a share of it. Each lookup is one short read.
	keyLookups = 72
	// sessionUnused is how long an unused session stays in the cache.
	sessionUnused = time.Hour
)

// keyring checks API keys and sessions. It caches them and reads each from the database at most
// twice a second.
type keyring struct {
	orgs    *orgs.Store
	people  *people.Store
	loads   singleflight.Group
	lookups *share.Pool // of keys that are not cached

	mu   sync.Mutex
	keys map[string]*knownKey // the cache, by credential; only keys and sessions that exist
	// cleanedAt is when unused sessions were last removed from the cache.
	cleanedAt time.Time
}

// knownKey is a valid key or session.
type knownKey struct {
	account.Principal
	hash    []byte
	session *people.Session // nil for a key
	readAt  time.Time
}

func newKeyring(s *orgs.Store, p *people.Store, lookups *share.Pool) *keyring {
	return &keyring{orgs: s, people: p, lookups: lookups, keys: map[string]*knownKey{}}
}

// sentKey is the key or the session of a request.
type sentKey struct {
	credential string // its public part; see account.Principal.Credential
	text       string
}

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
func readKey(text string) (sentKey, error) { return readSecret(account.KeySecret, text) }

func readSecret(kind account.SecretKind, text string) (sentKey, error) {
	id, wellFormed := account.SecretID(kind, text)
	if !wellFormed {
		return sentKey{}, errInvalidKey()
	}
	return sentKey{string(kind) + id, text}, nil
}

// knows reports whether a key or session is cached.
func (k *keyring) knows(credential string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.keys[credential]
	return ok
}

// authenticate returns the key or session that a client has sent.
func (k *keyring) authenticate(ctx context.Context, sent sentKey) (*knownKey, error) {
	key, err := k.find(ctx, sent.credential)
	if errors.Is(err, store.ErrNotFound) {
		account.KeyMatches(sent.text, nil) // takes as long as for a key that exists
		return nil, sent.invalid()
	}
	if err != nil {
		return nil, err
	}
	if !account.KeyMatches(sent.text, key.hash) {
		return nil, sent.invalid()
	}
	return key, nil
}

func (s sentKey) invalid() error {
	if strings.HasPrefix(s.credential, string(account.SessionSecret)) {
		return errSessionEnded()
	}
	return errInvalidKey()
}

func errSessionEnded() error {
	return &earshot.Error{Code: earshot.CodeInvalidKey, Message: "this session has ended; sign in again"}
}

func errInvalidKey() error {
	return &earshot.Error{Code: earshot.CodeInvalidKey, Message: "this API key is not valid"}
}

// find returns a key or session that was read from the database within keyFreshness.
func (k *keyring) find(ctx context.Context, credential string) (*knownKey, error) {
	k.mu.Lock()
	known, ok := k.keys[credential]
	k.mu.Unlock()
	if ok && time.Since(known.readAt) < keyFreshness {
		return known, nil
	}
	// One load serves all waiting requests, so it must not be canceled with the first one.
	var key *knownKey
	loaded, err, _ := k.loads.Do(credential, func() (any, error) { return k.load(context.WithoutCancel(ctx), credential) })
	if err == nil {
		key, _ = loaded.(*knownKey) // always the type
	}
	return key, err
}

func (k *keyring) load(ctx context.Context, credential string) (*knownKey, error) {
	if !k.knows(credential) {
		done, ok := k.lookups.Hold(share.Stranger)
		if !ok {
			return nil, errPastShare("this node is looking up too many unknown keys, try again")
		}
		defer done()
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	readAt := time.Now()
	key, err := k.read(ctx, credential)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		delete(k.keys, credential)
		return nil, err
	}
	key.readAt = readAt
	k.keys[credential] = key
	k.forgetUnused(readAt)
	return key, nil
}

// forgetUnused removes sessions from the cache that have not been used for an hour: most of them
// have ended. The caller holds mu.
func (k *keyring) forgetUnused(now time.Time) {
	if now.Sub(k.cleanedAt) < sessionUnused {
		return
	}
	k.cleanedAt = now
	maps.DeleteFunc(k.keys, func(_ string, known *knownKey) bool {
		return known.session != nil && now.Sub(known.readAt) > sessionUnused
	})
}

func (k *keyring) read(ctx context.Context, credential string) (*knownKey, error) {
	now := k.orgs.Now()
	if id, isSession := strings.CutPrefix(credential, string(account.SessionSecret)); isSession {
		open, err := k.people.Open(ctx, id, now)
		if err != nil {
			return nil, err
		}
		return &knownKey{Principal: open.Principal, hash: open.Session.Hash, session: open.Session}, nil
	}
	id := strings.TrimPrefix(credential, string(account.KeySecret))
	key, err := k.orgs.Key(ctx, id, now)
	if err != nil {
		return nil, err
	}
	k.orgs.NoteKeyUse(id, now)
	return &knownKey{Principal: key.Principal, hash: key.Hash}, nil
}

// forget removes a key or session from the cache, after it was changed on this node.
func (k *keyring) forget(credential string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.keys, credential)
}
