package oidc_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/account"
	"earshot/internal/signin/oidc"
	"earshot/test/harness/dex"
)

const callback = "http://127.0.0.1/signin/dex/callback"

// A real identity provider: sign-in, and everything that can happen to a person afterwards.
func TestDex(t *testing.T) {
	t.Parallel()
	d := dex.Start(t)
	d.AllowRedirect(t, callback)
	settings := oidc.Settings{
		Name: "dex", Issuer: d.Issuer, ClientID: d.ClientID,
		Scopes: []string{"openid", "email", "profile", "groups", "offline_access"},
		Roles:  []oidc.Role{{Group: "staff", Organization: "acme", Role: account.RoleViewer}},
	}
	p := oidc.New(settings, d.ClientSecret, callback, http.DefaultTransport)
	// The provider is not there at first.
	d.Down(t, "/")
	if _, _, err := p.Begin(t.Context()); !errors.Is(err, oidc.ErrUnavailable) {
		t.Fatalf("Begin without a provider: %v", err)
	}
	d.Up(t)

	begin := func(t *testing.T, user string) (oidc.Attempt, url.Values) {
		t.Helper()
		redirect, attempt, err := p.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return attempt, d.SignIn(t, redirect, user).Query()
	}
	signIn := func(t *testing.T, user string) (oidc.Person, oidc.Tokens) {
		t.Helper()
		attempt, returned := begin(t, user)
		person, tokens, err := p.Finish(t.Context(), attempt, returned)
		if err != nil {
			t.Fatal(err)
		}
		return person, tokens
	}

	t.Run("changed person", func(t *testing.T) {
		d.SetUser(t, "ann", dex.User{Email: "ann@acme.example", Verified: true, Name: "Ann", Groups: []string{"staff", "admins"}})
		person, tokens := signIn(t, "ann")
		want := oidc.Person{
			Issuer: d.Issuer, Subject: person.Subject, Email: "ann@acme.example", EmailVerified: true,
			Name: "Ann", Groups: []string{"staff", "admins"},
		}
		if diff := cmp.Diff(want, person); diff != "" || person.Subject == "" {
			t.Errorf("person (-want +got):\n%s", diff)
		}
		d.SetUser(t, "ann", dex.User{Email: "ann@new.example", Name: "Ann Lee"})
		person, next, err := p.Check(t.Context(), tokens)
		if err != nil {
			t.Fatal(err)
		}
		want.Email, want.EmailVerified, want.Name, want.Groups = "ann@new.example", false, "Ann Lee", nil
		if diff := cmp.Diff(want, person); diff != "" {
			t.Errorf("changed person (-want +got):\n%s", diff)
		}
		if _, _, err := p.Check(t.Context(), next); err != nil {
			t.Errorf("Check with the next token: %v", err)
		}
		if _, _, err := p.Check(t.Context(), tokens); !errors.Is(err, oidc.ErrRefused) {
			t.Errorf("Check with a used token: %v", err)
		}
	})

	t.Run("removed person", func(t *testing.T) {
		d.SetUser(t, "bob", dex.User{Email: "bob@acme.example"})
		_, tokens := signIn(t, "bob")
		d.RemoveUser(t, "bob")
		if _, _, err := p.Check(t.Context(), tokens); !errors.Is(err, oidc.ErrRefused) {
			t.Errorf("Check of a removed user: %v", err)
		}
	})

	t.Run("replayed callback", func(t *testing.T) {
		d.SetUser(t, "eve", dex.User{Email: "eve@acme.example"})
		attempt, returned := begin(t, "eve")
		other, _ := begin(t, "eve")
		if _, _, err := p.Finish(t.Context(), other, returned); !errors.Is(err, oidc.ErrRefused) {
			t.Errorf("Finish of another attempt: %v", err)
		}
		wrong := attempt
		wrong.Verifier = other.Verifier
		if _, _, err := p.Finish(t.Context(), wrong, returned); !errors.Is(err, oidc.ErrRefused) {
			t.Errorf("Finish with another verifier: %v", err)
		}
		attempt, returned = begin(t, "eve")
		if _, _, err := p.Finish(t.Context(), attempt, returned); err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Finish(t.Context(), attempt, returned); !errors.Is(err, oidc.ErrRefused) {
			t.Errorf("Finish with a used code: %v", err)
		}
	})

	t.Run("rotated keys", func(t *testing.T) {
		d.SetUser(t, "ida", dex.User{Email: "ida@acme.example"})
		_, tokens := signIn(t, "ida")
		d.Rotate(t)
		_, tokens, err := p.Check(t.Context(), tokens)
		if err != nil {
			t.Errorf("Check after a rotation: %v", err)
		}
		d.Rotate(t)
		signIn(t, "ida")
		if address := p.SignOutURL(t.Context(), tokens, "http://127.0.0.1/"); address != "" {
			t.Errorf("SignOutURL is %q, but Dex has none", address)
		}
	})

	t.Run("provider down", func(t *testing.T) {
		d.SetUser(t, "joe", dex.User{Email: "joe@acme.example"})
		_, tokens := signIn(t, "joe")
		d.Down(t, "/")
		_, tokens, err := p.Check(t.Context(), tokens)
		if !errors.Is(err, oidc.ErrUnavailable) || errors.Is(err, oidc.ErrRefused) {
			t.Errorf("Check without a provider: %v", err)
		}
		d.Up(t)
		if _, _, err := p.Check(t.Context(), tokens); err != nil {
			t.Errorf("Check afterwards: %v", err)
		}
	})

	t.Run("wrong secret", func(t *testing.T) {
		d.SetUser(t, "kim", dex.User{Email: "kim@acme.example"})
		_, tokens := signIn(t, "kim")
		attempt, returned := begin(t, "kim")
		other := oidc.New(settings, "wrong", callback, http.DefaultTransport)
		if _, _, err := other.Finish(t.Context(), attempt, returned); !errors.Is(err, oidc.ErrUnavailable) {
			t.Errorf("Finish with a wrong secret: %v", err)
		}
		if _, _, err := other.Check(t.Context(), tokens); !errors.Is(err, oidc.ErrUnavailable) {
			t.Errorf("Check with a wrong secret: %v", err)
		}
	})
}
