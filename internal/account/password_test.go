package account_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"earshot/internal/account"
)

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		password string
		want     string // part of the error; empty for a valid password
	}{
		{"correct horse", ""},
		{"zwölf Zeiche", ""},
		{strings.Repeat("ö", 200), ""},
		{"elf Zeichen", "has 11"},
		{"", "has 0"},
		{strings.Repeat("ö", 201), "has 201"},
		{"twelve bytes\xff", "UTF-8"},
		{"Ann@Example.com", "email"},
	} {
		err := account.CheckPassword(test.password, "ann@example.com")
		if (test.want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q: %v, want %q", test.password, err, test.want)
		}
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	passwords := account.NewPasswords()
	hash, err := passwords.Hash(t.Context(), "correct horse")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%s, %v", hash, err)
	}
	if again, err := passwords.Hash(t.Context(), "correct horse"); err != nil || again == hash {
		t.Errorf("two hashes of a password have the same salt: %s, %v", again, err)
	}

	// A hash of another implementation, with other parameters.
	encode := base64.RawStdEncoding.EncodeToString
	old := fmt.Sprintf("$argon2id$v=19$m=64,t=3,p=4$%s$%s",
		encode([]byte("somesalt")), encode(argon2.IDKey([]byte("correct horse"), []byte("somesalt"), 3, 64, 4, 24)))

	for _, test := range []struct {
		name, hash, password string
		want                 bool
	}{
		{"the password", hash, "correct horse", true},
		{"another password", hash, "correct horsf", false},
		{"a part of the password", hash, "correct hors", false},
		{"other parameters", old, "correct horse", true},
		{"other parameters, another password", old, "correct horsf", false},
		{"no hash", "", "correct horse", false},
		{"no hash, no password", "", "", false},
	} {
		if got, err := passwords.Matches(t.Context(), test.hash, test.password); err != nil || got != test.want {
			t.Errorf("%s: %t, %v", test.name, got, err)
		}
	}
}

func TestInvalidHashesAreNotComputed(t *testing.T) {
	t.Parallel()
	passwords := account.NewPasswords()
	const rest = "$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	for name, hash := range map[string]string{
		"no hash at all":    "x",
		"another algorithm": "$argon2i$v=19$m=64,t=1,p=1" + rest,
		"another version":   "$argon2id$v=16$m=64,t=1,p=1" + rest,
		"too much memory":   "$argon2id$v=19$m=4194304,t=1,p=1" + rest,
		"too many passes":   "$argon2id$v=19$m=64,t=1000000,p=1" + rest,
		"too many lanes":    "$argon2id$v=19$m=64,t=1,p=255" + rest,
		"no passes":         "$argon2id$v=19$m=64,t=0,p=1" + rest,
		"no lanes":          "$argon2id$v=19$m=64,t=1,p=0" + rest,
		"no numbers":        "$argon2id$v=19$m=,t=,p=" + rest,
		"more parameters":   "$argon2id$v=19$m=64,t=1,p=1,x=1" + rest,
		"a wrong salt":      "$argon2id$v=19$m=64,t=1,p=1$!$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"a short key":       "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAA",
		"no key":            "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ",
	} {
		if matches, err := passwords.Matches(t.Context(), hash, "correct horse"); err == nil || matches {
			t.Errorf("%s: %t, %v", name, matches, err)
		}
	}
}

func TestHashesWaitForAFreeCPU(t *testing.T) {
	t.Parallel()
	passwords := account.NewPasswords()
	release := account.OccupyCPUs(passwords)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := passwords.Hash(ctx, "correct horse"); !errors.Is(err, context.Canceled) {
		t.Errorf("without a free CPU: %v", err)
	}
	if _, err := passwords.Matches(ctx, "", "correct horse"); !errors.Is(err, context.Canceled) {
		t.Errorf("without a free CPU: %v", err)
	}
	release()
	if _, err := passwords.Hash(t.Context(), "correct horse"); err != nil {
		t.Errorf("with a free CPU: %v", err)
	}
}
