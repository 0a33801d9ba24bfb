package signin

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot/internal/signin/oidc"
	"earshot/internal/store/people"
)

// Issuers returns the issuers of the identity providers.
func (s *Service) Issuers() (issuers []string) {
	for _, p := range s.Settings.Providers {
		issuers = append(issuers, p.Issuer)
	}
	return issuers
}

// Agent returns the id of the session of an access token for a resource. A session of the token's user
// belongs to each token, on all nodes, so that it is listed and can be revoked. The session has no
// secret, so the token opens nothing else. The error wraps oidc.ErrRefused for a token that is not
// valid.
func (s *Service) Agent(ctx context.Context, token, resource string, b *Browser) (id string, err error) {
	i := slices.IndexFunc(s.Settings.Providers, func(p oidc.Settings) bool { return s.providers[p.Name].Issued(token) })
	if i < 0 {
		return "", fmt.Errorf("%w: the token is from no identity provider in the settings", oidc.ErrRefused)
	}
	p := s.providers[s.Settings.Providers[i].Name]
	person, expiry, err := p.Bearer(ctx, token, resource)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(token))
	id = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
	if had, err := s.People.HasSession(ctx, id); had || err != nil {
		return id, err
	}
	u, err := s.userOf(ctx, p, &person, b)
	if err != nil {
		return "", err
	}
	session := people.Session{ID: id, Provider: p.Settings().Name, ExpiresAt: s.People.Now().Add(min(SessionLife, time.Until(expiry)))}
	if _, err = s.open(ctx, u, b, session, nil); err != nil {
		if had, _ := s.People.HasSession(ctx, id); had {
			err = nil // a request at the same time has opened it
		}
	}
	return id, err
}
