package account

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
)

// Scope is something that a key may do.
type Scope string

// The scopes. A new key has those of DefaultScopes.
const (
	ScopeRead    Scope = "read"    // lookups, polling, status, credits
	ScopeMonitor Scope = "monitor" // synchronous calls
	ScopeTasks   Scope = "tasks"   // submit, clear
	ScopeTrack   Scope = "track"   // trackers and their sweeps
	ScopeAdmin   Scope = "admin"   // keys, ledger, webhook settings
)

// DefaultScopes are the scopes that a new key has unless others are named: all that the
// work needs, and none over the account itself.
func DefaultScopes() []Scope { return []Scope{ScopeRead, ScopeMonitor, ScopeTasks, ScopeTrack} }

// IsScope tells whether s is one of the scopes.
func IsScope(s Scope) bool { return slices.Contains(knownScopes(), s) }

func knownScopes() []Scope { return append(DefaultScopes(), ScopeAdmin) }

// ParseScopes reads a comma-separated list of scopes.
func ParseScopes(list string) ([]Scope, error) {
	var scopes []Scope
	for name := range strings.SplitSeq(list, ",") {
		scope := Scope(strings.TrimSpace(name))
		if !IsScope(scope) {
			return nil, fmt.Errorf("no scope is called %q; there are %v", scope, knownScopes())
		}
		scopes = append(scopes, scope)
	}
	return scopes, nil
}

// A key reads ear_live_<id>_<secret>. The id is public. The secret is 260
// random bits and a checksum, which turns away mistyped keys before the
// database is asked.
const (
	keyPrefix   = "ear_live_"
	idLength    = 16
	sumLength   = 8
	secretChars = 52
)

// Key is an API key as it is handed out, once.
type Key struct {
	ID   string
	Text string
	Name string // what its owner calls it; may be ""

	// What it may spend in credits; 0 for no ceiling.
	CreditsPerDay   int64
	CreditsPerMonth int64
}

// CheckKeyName returns what is wrong with a key's name, which may be "".
func CheckKeyName(name string) error {
	if name == "" {
		return nil
	}
	return CheckName(name)
}

// NewKey makes a random key without a name.
func NewKey() Key {
	id := strings.ToLower(rand.Text()[:idLength])
	secret := rand.Text() + rand.Text()
	text := keyPrefix + id + "_" + secret
	return Key{ID: id, Text: text + checksum(text)}
}

// KeyID takes the public id out of a key. It returns false for a text that cannot be a
// key.
func KeyID(text string) (id string, ok bool) {
	rest, found := strings.CutPrefix(text, keyPrefix)
	if !found || len(rest) != idLength+1+secretChars+sumLength || rest[idLength] != '_' {
		return "", false
	}
	id, body := rest[:idLength], text[:len(text)-sumLength]
	return id, IsKeyID(id) && checksum(body) == text[len(text)-sumLength:]
}

// IsKeyID tells whether the text can be the public id of a key.
func IsKeyID(text string) bool { return len(text) == idLength && isLowerBase32(text) }

// isLowerBase32 tells whether the text can be an id of ours.
func isLowerBase32(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '2' || r > '7') })
}

// HashKey is what is stored of a key. Its randomness makes a slow hash needless.
func HashKey(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// KeyMatches compares a key with a stored hash in constant time.
func KeyMatches(text string, hash []byte) bool {
	return subtle.ConstantTimeCompare(HashKey(text), hash) == 1
}

// NewWebhookSecret makes the secret with which an organization's webhooks are
// signed.
func NewWebhookSecret() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: it ends the process instead
	return "whsec_" + base64.StdEncoding.EncodeToString(secret)
}

// NewCaptureID makes an id that nobody can guess.
func NewCaptureID() string { return strings.ToLower(rand.Text()) }

// IsCaptureID tells whether the text can be one that NewCaptureID made.
func IsCaptureID(text string) bool { return text != "" && isLowerBase32(text) }

func checksum(text string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
}
