package oidc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// skew is the largest difference between the clocks of the identity provider and this machine.
const skew = time.Minute

// claims are the statements of an ID token or of the userinfo endpoint about a person.
type claims map[string]any

// text returns a claim, or "" if it is missing or not text.
func (c claims) text(name string) string {
	s, _ := c[name].(string)
	return s
}

// keySet verifies signatures with a function.
type keySet func(ctx context.Context, jwt string) ([]byte, error)

// VerifySignature implements oidc.KeySet.
func (k keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) { return k(ctx, jwt) }

// verify verifies an ID token, except for its nonce.
func (p *Provider) verify(ctx context.Context, d *discovered, raw, accessToken string) (claims, error) {
	if raw == "" {
		return nil, refused("the response has no ID token")
	}
	var keysFailed error
	keys := keySet(func(ctx context.Context, jwt string) ([]byte, error) {
		payload, err := d.keys.VerifySignature(ctx, jwt)
		if errors.Unwrap(err) != nil { // the error of a request; wrong signatures wrap nothing
			keysFailed = err
		}
		return payload, err
	})
	token, err := oidc.NewVerifier(p.settings.Issuer, keys, &oidc.Config{
		ClientID: p.settings.ClientID, SupportedSigningAlgs: d.metadata.Algorithms,
		SkipExpiryCheck: true, // checked below, with the same skew in both directions
	}).Verify(p.context(ctx), raw)
	if keysFailed != nil {
		return nil, unavailable(keysFailed)
	}
	if err != nil {
		return nil, refused("%.300s", err)
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return nil, refused("%.300s", err)
	}
	now := time.Now()
	notBefore, _ := c["nbf"].(float64)
	azp := c.text("azp")
	switch {
	case token.Expiry.Before(now.Add(-skew)):
		return nil, refused("the ID token expired at %s", token.Expiry)
	case token.IssuedAt.After(now.Add(skew)):
		return nil, refused("the ID token was issued in the future, at %s", token.IssuedAt)
	case time.Unix(int64(notBefore), 0).After(now.Add(skew)):
		return nil, refused("the ID token is not valid yet")
	case token.Subject == "":
		return nil, refused("the ID token has no subject")
	case azp != "" && azp != p.settings.ClientID, azp == "" && len(token.Audience) > 1:
		return nil, refused("the ID token was issued to another client, %.100q", azp)
	case token.AccessTokenHash != "" && token.VerifyAccessToken(accessToken) != nil:
		return nil, refused("the ID token belongs to another access token")
	}
	return c, nil
}

// complete adds claims from the userinfo endpoint if the ID token has no email address or lacks
// the groups that roles depend on.
func (p *Provider) complete(ctx context.Context, d *discovered, token *oauth2.Token, c claims) error {
	enough := c["email"] != nil && (c[p.groupsClaim()] != nil || !p.settings.usesGroups())
	if enough || d.metadata.UserInfo == "" {
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.metadata.UserInfo, nil)
	if err != nil {
		return unavailable(err)
	}
	token.SetAuthHeader(request)
	response, err := p.client.Do(request)
	if err != nil {
		return unavailable(err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode == http.StatusForbidden:
		return refused("the userinfo endpoint answers %s", response.Status)
	case response.StatusCode != http.StatusOK:
		return unavailable(fmt.Errorf("the userinfo endpoint answers %s", response.Status))
	}
	var more claims
	if err := json.NewDecoder(response.Body).Decode(&more); err != nil {
		return unavailable(err)
	}
	if c["sub"] != nil && !equal(c.text("sub"), more.text("sub")) {
		return refused("the userinfo endpoint describes another person")
	}
	for name, value := range more {
		if c[name] == nil {
			c[name] = value
		}
	}
	return nil
}

// person returns the person that claims describe.
func (p *Provider) person(c claims) Person {
	person := Person{
		Issuer: p.settings.Issuer, Subject: c.text("sub"),
		Email: c.text("email"), Name: cmp.Or(c.text("name"), c.text("preferred_username")),
		EmailVerified: c["email_verified"] == true || c["email_verified"] == "true", // Cognito sends text
	}
	if p.settings.TrustEmail {
		person.Email = cmp.Or(person.Email, c.text("preferred_username"), c.text("upn")) // Entra
		person.EmailVerified = true
	}
	switch groups := c[p.groupsClaim()].(type) {
	case string:
		person.Groups = []string{groups}
	case []any:
		for _, group := range groups {
			if name, ok := group.(string); ok {
				person.Groups = append(person.Groups, name)
			}
		}
	}
	return person
}
