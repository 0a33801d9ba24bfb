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

// Scope is a permission of a key.
type Scope string

// The scopes.
const (
	ScopeRead    Scope = "read"    // lookups, polling, status, credits
	ScopeMonitor Scope = "monitor" // synchronous calls
	ScopeTasks   Scope = "tasks"   // submit, clear
	ScopeTrack   Scope = "track"   // trackers and their sweeps
	ScopeAdmin   Scope = "admin"   // keys, ledger, webhook settings
	// ScopeOperator is for all organizations. Only an operator can create a key with it, and no role has it.
	ScopeOperator Scope = "operator"
)

// DefaultScopes returns the default scopes of a new key: all except ScopeAdmin.
func DefaultScopes() []Scope { return []Scope{ScopeRead, ScopeMonitor, ScopeTasks, ScopeTrack} }

// knownScopes returns the scopes that an organization can give its keys and users.
func knownScopes() []Scope { return append(DefaultScopes(), ScopeAdmin) }

// ParseScopes parses a comma-separated list of scopes.
func ParseScopes(list string) ([]Scope, error) {
	var scopes []Scope
	for name := range strings.SplitSeq(list, ",") {
		scope := Scope(strings.TrimSpace(name))
		if !slices.Contains(knownScopes(), scope) {
			return nil, fmt.Errorf("no scope is called %q; there are %v", scope, knownScopes())
		}
		scopes = append(scopes, scope)
	}
	return scopes, nil
}

// SecretKind is a kind of secret that a client carries: the beginning of its text.
type SecretKind string

// The kinds of secrets.
const (
	KeySecret        SecretKind = "ear_live_"
	SessionSecret    SecretKind = "ear_sess_"
	InvitationSecret SecretKind = "ear_inv_"
	ShareSecret      SecretKind = "ear_link_"
)

// A secret has the form <kind><id>_<random>. The id is public. The rest consists of 260 random
// bits and a checksum, which rejects mistyped and guessed secrets without a database query.
const (
	idLength    = 16
	sumLength   = 8
	secretChars = 52
)

// Key is a new API key. Text is shown to its owner only once.
type Key struct {
	ID   string
	Text string
	Name string // chosen by the owner; may be empty

	// Credit limits; 0 means no limit.
	CreditsPerDay   int64
	CreditsPerMonth int64
}

// CheckKeyName returns an error if name cannot be a key's name. It may be empty.
func CheckKeyName(name string) error {
	if name == "" {
		return nil
	}
	return CheckName(name)
}

// NewSecret returns a random secret and its public id.
func NewSecret(kind SecretKind) (id, text string) {
	id = strings.ToLower(rand.Text()[:idLength])
	text = string(kind) + id + "_" + rand.Text() + rand.Text()
	return id, text + checksum(text)
}

// NewKey returns a random key without a name.
func NewKey() Key {
	id, text := NewSecret(KeySecret)
	return Key{ID: id, Text: text}
}

// KeyID returns the public id of a key. It returns false if text cannot be a key.
func KeyID(text string) (id string, ok bool) { return SecretID(KeySecret, text) }

// SecretID returns the public id of a secret. It returns false if text cannot be of that kind.
func SecretID(kind SecretKind, text string) (id string, ok bool) {
	rest, found := strings.CutPrefix(text, string(kind))
	if !found || len(rest) != idLength+1+secretChars+sumLength || rest[idLength] != '_' {
		return "", false
	}
	id, body := rest[:idLength], text[:len(text)-sumLength]
	return id, IsKeyID(id) && checksum(body) == text[len(text)-sumLength:]
}

// IsKeyID reports whether text can be the public id of a key.
func IsKeyID(text string) bool { return len(text) == idLength && isLowerBase32(text) }

func isLowerBase32(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '2' || r > '7') })
}

// HashKey returns the stored hash of a key or another secret. A slow hash is not needed, since
// secrets are random.
func HashKey(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// KeyMatches compares a key or another secret with a stored hash in constant time.
func KeyMatches(text string, hash []byte) bool {
	return subtle.ConstantTimeCompare(HashKey(text), hash) == 1
}

// NewWebhookSecret returns a random secret to sign an organization's webhooks.
func NewWebhookSecret() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never returns an error
	return "whsec_" + base64.StdEncoding.EncodeToString(secret)
}

// NewCaptureID returns a random id that cannot be guessed.
func NewCaptureID() string { return strings.ToLower(rand.Text()) }

// IsCaptureID reports whether text has the form of an id from NewCaptureID.
func IsCaptureID(text string) bool { return text != "" && isLowerBase32(text) }

func checksum(text string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
}
