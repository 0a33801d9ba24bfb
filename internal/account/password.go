package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// CheckPassword returns an error if a user with this email may not choose this password.
func CheckPassword(password, email string) error {
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return errors.New("a password must be valid UTF-8")
	case n < 12 || n > 200:
		return fmt.Errorf("a password must have 12 to 200 characters, but has %d", n)
	case strings.EqualFold(password, email):
		return errors.New("a password must not be the email address")
	}
	return nil
}

// argon holds the parameters of a hash.
type argon struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
}

// hashFormat is the PHC string format of the parameters, which precede the salt and the key.
const hashFormat = "$argon2id$v=19$m=%d,t=%d,p=%d"

// String returns the parameters in the PHC string format.
func (a argon) String() string { return fmt.Sprintf(hashFormat, a.memory, a.passes, a.lanes) }

var (
	// newHash has the parameters of new hashes, as OWASP recommends.
	newHash = argon{memory: 19 * 1024, passes: 2, lanes: 1}
	// largestHash has the largest parameters of a stored hash, so that a corrupted row cannot
	// exhaust memory.
	largestHash = argon{memory: 64 * 1024, passes: 10, lanes: 8}
)

const (
	saltLength = 16
	hashLength = 32
)

// Passwords hashes passwords with Argon2id. It is safe for concurrent use.
type Passwords struct {
	// slots bounds the memory and the CPU time of concurrent hashes.
	slots chan struct{}
}

// NewPasswords returns a Passwords that uses each CPU for one hash at a time.
func NewPasswords() *Passwords {
	return &Passwords{slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// Hash returns the hash of a password to store, with a random salt. It fails only if ctx ends
// before a CPU is free.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never returns an error
	key, err := p.derive(ctx, newHash, password, salt, hashLength)
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString
	return newHash.String() + "$" + encode(salt) + "$" + encode(key), nil
}

// Matches reports whether a hash is the hash of a password. The empty hash, which stands for
// an unknown user or a user without a password, matches nothing but takes the same time.
func (p *Passwords) Matches(ctx context.Context, hash, password string) (bool, error) {
	parameters, salt, want := newHash, make([]byte, saltLength), make([]byte, hashLength)
	if hash != "" {
		var err error
		if parameters, salt, want, err = parseHash(hash); err != nil {
			return false, err
		}
	}
	key, err := p.derive(ctx, parameters, password, salt, len(want))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(key, want) == 1 && hash != "", nil
}

// derive waits for a free CPU and computes a hash.
func (p *Passwords) derive(ctx context.Context, a argon, password string, salt []byte, length int) ([]byte, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.slots }()
	return argon2.IDKey([]byte(password), salt, a.passes, a.memory, a.lanes, uint32(length)), nil
}

// parseHash returns the parameters, the salt and the key of a hash.
func parseHash(hash string) (a argon, salt, key []byte, err error) {
	invalid := errors.New("the stored hash of a password is invalid")
	parts := strings.Split(hash, "$")
	if len(parts) != 6 {
		return a, nil, nil, invalid
	}
	parameters := strings.Join(parts[:4], "$")
	if _, err := fmt.Sscanf(parameters, hashFormat, &a.memory, &a.passes, &a.lanes); err != nil || a.String() != parameters {
		return a, nil, nil, invalid
	}
	salt, errSalt := base64.RawStdEncoding.DecodeString(parts[4])
	key, errKey := base64.RawStdEncoding.DecodeString(parts[5])
	if errSalt != nil || errKey != nil || len(key) < 16 || len(key) > 64 ||
		a.passes < 1 || a.lanes < 1 || a.memory > largestHash.memory || a.passes > largestHash.passes || a.lanes > largestHash.lanes {
		return a, nil, nil, invalid
	}
	return a, salt, key, nil
}
