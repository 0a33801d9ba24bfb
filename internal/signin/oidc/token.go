package oidc

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
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
	token, c, err := p.signed(ctx, d, raw, &oidc.Config{ClientID: p.settings.ClientID})
	if err != nil {
		return nil, err
	}
	azp := c.text("azp")
	switch {
	case azp != "" && azp != p.settings.ClientID, azp == "" && len(token.Audience) > 1:
		return nil, refused("the ID token was issued to another client, %.100q", azp)
	case token.AccessTokenHash != "" && token.VerifyAccessToken(accessToken) != nil:
		return nil, refused("the ID token belongs to another access token")
	}
	return c, nil
}

// Bearer returns the person of an access token that a client has sent to a resource, and when the token
// expires. The token must be a JWT for the resource, or for one of the audiences in the settings.
func (p *Provider) Bearer(ctx context.Context, raw, resource string) (person Person, expiry time.Time, err error) {
	d, err := p.discover(ctx)
	if err != nil {
		return person, expiry, err
	}
	token, c, err := p.signed(ctx, d, raw, &oidc.Config{SkipClientIDCheck: true})
	if err != nil {
		return person, expiry, err
	}
	if !slices.ContainsFunc(token.Audience, func(audience string) bool {
		return audience == resource || slices.Contains(p.settings.Audiences, audience)
	}) {
		return person, expiry, refused("the token is for %.200q, not for %s", token.Audience, resource)
	}
	err = p.complete(ctx, d, &oauth2.Token{AccessToken: raw}, c)
	return p.person(c), token.Expiry, err
}

// Issued reports whether a token says that it is from this provider. It does not verify the token.
func (p *Provider) Issued(raw string) bool {
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		return false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	var says struct {
		Issuer string `json:"iss"`
	}
	return err == nil && json.Unmarshal(payload, &says) == nil && says.Issuer == p.settings.Issuer
}

// signed verifies the issuer, the signature, the times and the audience of a token.
func (p *Provider) signed(ctx context.Context, d *discovered, raw string, config *oidc.Config) (*oidc.IDToken, claims, error) {
	var keysFailed error
	keys := keySet(func(ctx context.Context, jwt string) ([]byte, error) {
		payload, err := d.keys.VerifySignature(ctx, jwt)
		if errors.Unwrap(err) != nil { // the error of a request; wrong signatures wrap nothing
			keysFailed = err
		}
		return payload, err
	})
	config.SupportedSigningAlgs = d.metadata.Algorithms
	config.SkipExpiryCheck = true // checked below, with the same skew in both directions
	token, err := oidc.NewVerifier(p.settings.Issuer, keys, config).Verify(p.context(ctx), raw)
	if keysFailed != nil {
		return nil, nil, unavailable(keysFailed)
	}
	if err != nil {
		return nil, nil, refused("%.300s", err)
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return nil, nil, refused("%.300s", err)
	}
	now := time.Now()
	notBefore, _ := c["nbf"].(float64)
	switch {
	case token.Expiry.Before(now.Add(-skew)):
		return nil, nil, refused("the token expired at %s", token.Expiry)
	case token.IssuedAt.After(now.Add(skew)):
		return nil, nil, refused("the token was issued in the future, at %s", token.IssuedAt)
	case time.Unix(int64(notBefore), 0).After(now.Add(skew)):
		return nil, nil, refused("the token is not valid yet")
	case token.Subject == "":
		return nil, nil, refused("the token has no subject")
	}
	return token, c, nil
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
