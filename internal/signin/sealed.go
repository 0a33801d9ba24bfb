package signin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"earshot/internal/signin/oidc"
)

// seal encrypts the tokens of an identity provider with a session's secret. Only the hash of the
// secret is stored, so the database alone does not reveal the tokens.
func seal(secret string, tokens oidc.Tokens) ([]byte, error) {
	aead, err := cipherOf(secret)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(tokens)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never returns an error
	return aead.Seal(nonce, nonce, text, nil), nil
}

// unseal decrypts what seal has encrypted.
func unseal(secret string, sealed []byte) (tokens oidc.Tokens, err error) {
	aead, err := cipherOf(secret)
	if err != nil {
		return tokens, err
	}
	if len(sealed) < aead.NonceSize() {
		return tokens, errors.New("the sealed tokens are too short")
	}
	text, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], nil)
	if err != nil {
		return tokens, err
	}
	err = json.Unmarshal(text, &tokens)
	return tokens, err
}

func cipherOf(secret string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "tokens of a session", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
