// Package oidc signs people in with one OpenID Connect identity provider, by the authorization
// code flow with PKCE.
//
//	settings.go   the settings of a provider
//	oidc.go       the steps of a sign-in
//	discovery.go  the addresses and keys of a provider
//	token.go      verification of ID tokens, and the person that they describe
package oidc

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// Errors of a sign-in or of a check. They are wrapped in an error with the reason.
var (
	// ErrRefused means that the identity provider refuses the person, or that its answer is
	// not valid.
	ErrRefused = errors.New("the identity provider refuses the sign-in")
	// ErrDenied means that the person has cancelled the sign-in.
	ErrDenied = errors.New("the sign-in was cancelled")
	// ErrUnavailable means that the identity provider cannot be reached or does not work.
	ErrUnavailable = errors.New("the identity provider is not available")
)

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

// unavailable shortens err, because it may contain a document that a provider has sent.
func unavailable(err error) error { return fmt.Errorf("%w: %.300s", ErrUnavailable, err.Error()) }

// Provider is an identity provider. It is safe for concurrent use.
type Provider struct {
	settings Settings
	secret   string
	redirect string
	client   *http.Client

	discovered  atomic.Pointer[discovered]
	discovering singleflight.Group
}

// New returns a provider with valid settings. The provider redirects browsers to the address
// redirect. New sends no requests.
func New(settings Settings, secret, redirect string, transport http.RoundTripper) *Provider {
	return &Provider{settings: settings, secret: secret, redirect: redirect, client: &http.Client{
		Transport: limited{transport},
		Timeout:   10 * time.Second,
		// A redirected request would take the client's secret to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Settings returns the settings of the provider.
func (p *Provider) Settings() *Settings { return &p.settings }

// Attempt is a sign-in that has begun. The browser keeps it until the provider redirects back.
type Attempt struct {
	Provider string `json:"provider"`
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	To       string `json:"to"`       // the page to show afterwards; set by the caller
	Replaces string `json:"replaces"` // the session that the browser had, or ""; set by the caller
}

// Person is a person as the identity provider describes it.
type Person struct {
	Issuer        string
	Subject       string
	Email         string
	EmailVerified bool
	Name          string
	Groups        []string
}

// Tokens are the secrets with which a person is checked again and signed out.
type Tokens struct {
	Subject string `json:"subject"`
	Nonce   string `json:"nonce"`
	ID      string `json:"id"`
	Refresh string `json:"refresh,omitempty"`
	// Failures is the number of checks in a row that have decided nothing; set by the caller.
	Failures int `json:"failures,omitempty"`
}

// Begin returns the address of the provider's sign-in page.
func (p *Provider) Begin(ctx context.Context) (redirect string, attempt Attempt, err error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", attempt, err
	}
	attempt = Attempt{Provider: p.settings.Name, State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	options := []oauth2.AuthCodeOption{oidc.Nonce(attempt.Nonce), oauth2.S256ChallengeOption(attempt.Verifier)}
	for name, value := range p.settings.Parameters {
		options = append(options, oauth2.SetAuthURLParam(name, value))
	}
	return d.oauth.AuthCodeURL(attempt.State, options...), attempt, nil
}

// Finish completes a sign-in with the parameters with which the browser has returned.
func (p *Provider) Finish(ctx context.Context, attempt Attempt, returned url.Values) (Person, Tokens, error) {
	if attempt.Provider != p.settings.Name || attempt.State == "" || !equal(attempt.State, returned.Get("state")) {
		return Person{}, Tokens{}, refused("this browser has not begun it")
	}
	d, err := p.discover(ctx)
	if err != nil {
		return Person{}, Tokens{}, err
	}
	if iss := returned.Get("iss"); iss != p.settings.Issuer && (iss != "" || d.metadata.NamesIssuer) {
		return Person{}, Tokens{}, refused("the response is from another issuer, %.100q", iss)
	}
	switch code := returned.Get("error"); code {
	case "":
	case "access_denied":
		return Person{}, Tokens{}, ErrDenied
	case "server_error", "temporarily_unavailable":
		return Person{}, Tokens{}, unavailable(errors.New(code))
	default:
		return Person{}, Tokens{}, refused("%.100q %.200q", code, returned.Get("error_description"))
	}
	if returned.Get("code") == "" {
		return Person{}, Tokens{}, refused("the response has no code")
	}
	token, err := d.oauth.Exchange(p.context(ctx), returned.Get("code"), oauth2.VerifierOption(attempt.Verifier))
	if err != nil {
		return Person{}, Tokens{}, failure(err)
	}
	raw, _ := token.Extra("id_token").(string)
	claims, err := p.verify(ctx, d, raw, token.AccessToken)
	if err != nil {
		return Person{}, Tokens{}, err
	}
	if nonce := claims.text("nonce"); attempt.Nonce == "" || !equal(attempt.Nonce, nonce) {
		return Person{}, Tokens{}, refused("the ID token is from another sign-in")
	}
	if err := p.complete(ctx, d, token, claims); err != nil {
		return Person{}, Tokens{}, err
	}
	tokens := Tokens{Subject: claims.text("sub"), Nonce: attempt.Nonce, ID: raw, Refresh: token.RefreshToken}
	return p.person(claims), tokens, nil
}

// Check asks the provider for the person again, and returns the tokens for the next check, also
// with an error: many providers replace a refresh token when it is used. Check returns ErrRefused
// if the provider no longer accepts the person, and ErrUnavailable if the answer does not say so.
func (p *Provider) Check(ctx context.Context, tokens Tokens) (Person, Tokens, error) {
	if tokens.Refresh == "" {
		return Person{}, tokens, refused("there is no refresh token")
	}
	d, err := p.discover(ctx)
	if err != nil {
		return Person{}, tokens, err
	}
	token, err := d.oauth.TokenSource(p.context(ctx), &oauth2.Token{RefreshToken: tokens.Refresh}).Token()
	if err != nil {
		return Person{}, tokens, failure(err)
	}
	tokens.Refresh = token.RefreshToken
	claims := claims{}
	if raw, _ := token.Extra("id_token").(string); raw != "" {
		if claims, err = p.verify(ctx, d, raw, token.AccessToken); err != nil {
			return Person{}, tokens, unavailable(err) // a wrong key or clock is not the person's
		}
		// The ID token of a refresh need not have a nonce.
		if nonce := claims.text("nonce"); nonce != "" && !equal(tokens.Nonce, nonce) {
			return Person{}, tokens, refused("the ID token is from another sign-in")
		}
		tokens.ID = raw
	}
	if err := p.complete(ctx, d, token, claims); err != nil {
		return Person{}, tokens, unavailable(err)
	}
	if !equal(tokens.Subject, claims.text("sub")) {
		return Person{}, tokens, refused("the subject has changed")
	}
	return p.person(claims), tokens, nil
}

// SignOutURL returns the address where a person can sign out from the provider, which then
// redirects to the address back. It returns "" if the provider has none or cannot be reached.
func (p *Provider) SignOutURL(ctx context.Context, tokens Tokens, back string) string {
	d, err := p.discover(ctx)
	if err != nil || d.metadata.SignOut == "" {
		return ""
	}
	u, err := url.Parse(d.metadata.SignOut)
	if err != nil {
		return ""
	}
	query := u.Query()
	query.Set("id_token_hint", tokens.ID)
	query.Set("client_id", p.settings.ClientID)
	query.Set("post_logout_redirect_uri", back)
	u.RawQuery = query.Encode()
	return u.String()
}

// overCodes are the error codes of the token endpoint that say that this person's grant is over.
// Others, such as invalid_client, are about this service or the provider (RFC 6749 section 5.2).
var overCodes = []string{"invalid_grant", "access_denied", "interaction_required", "login_required", "consent_required"}

// failure classifies an error of the token endpoint.
func failure(err error) error {
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return unavailable(err)
	}
	// Dex says invalid_request instead of invalid_grant: of tokens in a description, and of people whom
	// its connector does not find without one.
	dex := answer.ErrorCode == "invalid_request" &&
		(strings.HasPrefix(answer.ErrorDescription, "Refresh token ") || answer.ErrorDescription == "" && answer.Response.StatusCode == http.StatusInternalServerError)
	if dex || slices.Contains(overCodes, answer.ErrorCode) {
		return refused("%.300s", err)
	}
	return unavailable(err)
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// context returns a context with the HTTP client for the libraries.
func (p *Provider) context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.client)
}

func (p *Provider) groupsClaim() string { return cmp.Or(p.settings.GroupsClaim, "groups") }
