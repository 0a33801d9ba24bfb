package oidc_test

import (
	"bytes"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/signin/oidc"
)

const client = "client"

// issuer is an identity provider that can send wrong documents.
type issuer struct {
	*httptest.Server
	key, unknown *rsa.PrivateKey // unknown is not in the key set

	mu     sync.Mutex
	nonce  string
	change func(*answers)
}

// answers are the documents of an issuer and how it signs an ID token.
type answers struct {
	issuer                                   *issuer
	discovery, keys, token, userinfo, claims map[string]any
	header                                   map[string]any
	sign                                     func(text []byte) []byte
	status                                   map[string]int // by path, instead of 200
	padding                                  map[string]int // by path, bytes of spaces before a document
	idToken                                  func() string  // instead of signed
}

func newIssuer(t *testing.T, key, unknown *rsa.PrivateKey) *issuer {
	t.Helper()
	i := &issuer{key: key, unknown: unknown}
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

func newKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// set sets the nonce of the next ID token and the changes of documents.
func (i *issuer) set(nonce string, change func(*answers)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.nonce, i.change = nonce, change
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	a := i.valid()
	if i.change != nil {
		i.change(a)
	}
	document := map[string]any{
		"/.well-known/openid-configuration": a.discovery, "/keys": a.keys, "/token": a.token, "/userinfo": a.userinfo,
	}[r.URL.Path]
	if r.URL.Path == "/token" && a.token["id_token"] == nil {
		a.token["id_token"] = a.signed()
		if a.idToken != nil {
			a.token["id_token"] = a.idToken()
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if status := a.status[r.URL.Path]; status != 0 {
		w.Header().Set("Location", "https://elsewhere.example/")
		w.WriteHeader(status)
	}
	_, _ = w.Write(bytes.Repeat([]byte(" "), a.padding[r.URL.Path]))
	_ = json.NewEncoder(w).Encode(document)
}

// valid returns correct documents.
func (i *issuer) valid() *answers {
	now := time.Now().Unix()
	return &answers{
		issuer: i,
		discovery: map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
			"jwks_uri": i.URL + "/keys", "userinfo_endpoint": i.URL + "/userinfo",
			"end_session_endpoint": i.URL + "/logout?realm=a", "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		},
		keys: map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig",
			"n": encode(i.key.N.Bytes()), "e": encode(big.NewInt(int64(i.key.E)).Bytes()),
		}}},
		token:    map[string]any{"access_token": "access", "token_type": "Bearer", "refresh_token": "refresh"},
		userinfo: map[string]any{"sub": "ann", "email": "ann@info.example", "groups": []string{"info"}},
		claims: map[string]any{
			"iss": i.URL, "aud": client, "sub": "ann", "nonce": i.nonce, "iat": now, "exp": now + 300,
			"email": "ann@acme.example", "email_verified": true, "groups": []string{"staff"},
		},
		header:  map[string]any{"alg": "RS256", "kid": "1"},
		sign:    i.signer(i.key),
		status:  map[string]int{},
		padding: map[string]int{},
	}
}

// signed returns an ID token with the claims.
func (a *answers) signed() string {
	header, _ := json.Marshal(a.header)
	claims, _ := json.Marshal(a.claims)
	text := encode(header) + "." + encode(claims)
	return text + "." + encode(a.sign([]byte(text)))
}

func (i *issuer) signer(key *rsa.PrivateKey) func([]byte) []byte {
	return func(text []byte) []byte {
		sum := sha256.Sum256(text)
		signature, _ := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
		return signature
	}
}

// signWithPublicKey signs with HMAC, and the public key as the secret.
func (i *issuer) signWithPublicKey(text []byte) []byte {
	der, _ := x509.MarshalPKIXPublicKey(&i.key.PublicKey)
	mac := hmac.New(sha256.New, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	mac.Write(text)
	return mac.Sum(nil)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// provider returns a provider for the issuer.
func (i *issuer) provider(settings oidc.Settings) *oidc.Provider {
	settings.Name, settings.Issuer, settings.ClientID = "forged", i.URL, client
	settings.Roles = []oidc.Role{{Group: "staff", Organization: "acme", Role: account.RoleViewer}}
	return oidc.New(settings, "secret", callback, http.DefaultTransport)
}

// signIn signs in with changed documents and a changed callback.
func (i *issuer) signIn(t *testing.T, p *oidc.Provider, change func(*answers), callback func(url.Values)) (oidc.Person, oidc.Tokens, error) {
	t.Helper()
	i.set("", change)
	_, attempt, err := p.Begin(t.Context())
	if err != nil {
		return oidc.Person{}, oidc.Tokens{}, err
	}
	i.set(attempt.Nonce, change)
	returned := url.Values{"state": {attempt.State}, "code": {"code"}}
	if callback != nil {
		callback(returned)
	}
	return p.Finish(t.Context(), attempt, returned)
}
