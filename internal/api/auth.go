package api

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/limits/ratelimit"
	"earshot/internal/limits/share"
	"earshot/internal/store"
	"earshot/internal/store/orgs"
	"earshot/internal/store/people"
)

const (
	// keyFreshness is how long a cached key is valid, so a revocation or a change of plan
	// takes effect on every node within a second.
	keyFreshness = 500 * time.Millisecond
	// keyLookups is the size of the pool for concurrent lookups of keys that are not cached,
	// which addresses share. Each lookup is one short read.
	keyLookups = 16
	// maxStrangers is the maximum number of requests that wait for a lookup or for a refusal.
	// One address may have a fifth of them, which is enough for the first requests of thousands of
	// clients behind one proxy after a start.
	maxStrangers  = 16384
	strangersPart = 4
	// sessionUnused is how long an unused session stays in the cache.
	sessionUnused = time.Hour
)

// keyring checks API keys and sessions. It caches them and reads each from the database at most
// twice a second.
type keyring struct {
	orgs    *orgs.Store
	people  *people.Store
	loads   singleflight.Group
	guests  *ratelimit.Local // counts requests without a valid key by address
	lookups *share.Pool      // of keys that are not cached, by address
	// strangers are requests that wait for a lookup or for a refusal, by address.
	strangers *share.Pool

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

func newKeyring(s *orgs.Store, p *people.Store) *keyring {
	return &keyring{
		orgs: s, people: p, guests: ratelimit.NewLocal(), lookups: share.NewPool(keyLookups), strangers: share.NewCrowd(maxStrangers, strangersPart), keys: map[string]*knownKey{},
	}
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

// cached returns a key or session from the cache, or nil.
func (k *keyring) cached(credential string) *knownKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[credential]
}

// authenticate returns the key or session that a client at an address has sent.
func (k *keyring) authenticate(ctx context.Context, sent sentKey, address string) (*knownKey, error) {
	key, err := k.find(ctx, sent.credential, address)
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

// find returns a key or session that was read from the database within keyFreshness. If it is not
// cached, the request waits for the turn of its address.
func (k *keyring) find(ctx context.Context, credential, address string) (*knownKey, error) {
	known := k.cached(credential)
	if known == nil {
		done, err := k.admit(ctx, address)
		if err != nil {
			return nil, err
		}
		defer done()
		known = k.cached(credential) // another request may have read it
	}
	if known != nil && time.Since(known.readAt) < keyFreshness {
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

// admit waits until an address may look up a key that is not cached, and returns a function to call
// after the lookup. An address that has exceeded guestLimit gets no lookup, so that forged keys cost
// the database little.
func (k *keyring) admit(ctx context.Context, address string) (done func(), err error) {
	arrived, ok := k.strangers.Hold(address)
	if !ok {
		return nil, errPastShare("this node is looking up too many unknown keys, try again")
	}
	defer arrived()
	if done, err = k.lookups.Wait(ctx, address); err != nil {
		return nil, err // the client has disconnected
	}
	// Many requests may have arrived before the first lookup failed.
	if window := k.guests.Peek(address, guestLimit); window.Remaining == 0 {
		done()
		return nil, errRateLimit(window)
	}
	return done, nil
}

// holdBack delays the refusal of a client that has exceeded guestLimit. So each of its connections
// is refused about once a second, however fast it sends. The time is random, so that refusals do not
// come all at once.
func (k *keyring) holdBack(ctx context.Context, address string) {
	release, ok := k.strangers.Hold(address)
	if !ok {
		return
	}
	defer release()
	select {
	case <-time.After(ratelimit.Window/2 + rand.N(ratelimit.Window)):
	case <-ctx.Done():
	}
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
