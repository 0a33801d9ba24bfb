package oidc

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// maxDocument limits the size of a document of an identity provider.
const maxDocument = 512 << 10

// limited limits the size of responses.
type limited struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxDocument)
	}
	return response, err
}

const offlineAccess = "offline_access"

// defaultScopes are requested unless the settings have others.
var defaultScopes = []string{"openid", "email", "profile", offlineAccess}

// asymmetric are the algorithms that may sign ID tokens.
var asymmetric = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512,
	oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// metadata is the part of a discovery document that this package uses.
type metadata struct {
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Keys          string   `json:"jwks_uri"`
	UserInfo      string   `json:"userinfo_endpoint"`
	SignOut       string   `json:"end_session_endpoint"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
	ClientAuth    []string `json:"token_endpoint_auth_methods_supported"`
	Scopes        []string `json:"scopes_supported"`
	NamesIssuer   bool     `json:"authorization_response_iss_parameter_supported"` // RFC 9207
}

// discovered is what is known about an identity provider after discovery.
type discovered struct {
	metadata metadata
	oauth    *oauth2.Config
	keys     *oidc.RemoteKeySet // asks for the keys again when a token has an unknown key
}

// discover returns the cached result of discovery. Until discovery has succeeded, it tries again.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	if d := p.discovered.Load(); d != nil {
		return d, nil
	}
	result := p.discovering.DoChan("", func() (any, error) {
		d, err := p.readMetadata(p.context(context.WithoutCancel(ctx)))
		if err == nil {
			p.discovered.Store(d)
		}
		return d, err
	})
	select {
	case r := <-result:
		if r.Err != nil {
			return nil, unavailable(r.Err)
		}
		return p.discovered.Load(), nil
	case <-ctx.Done():
		return nil, unavailable(ctx.Err())
	}
}

func (p *Provider) readMetadata(ctx context.Context) (*discovered, error) {
	provider, err := oidc.NewProvider(ctx, p.settings.Issuer)
	if err != nil {
		return nil, err
	}
	var m metadata
	if err := provider.Claims(&m); err != nil {
		return nil, err
	}
	for i, address := range []string{m.Authorization, m.Token, m.Keys, m.UserInfo, m.SignOut} {
		if required := i < 3; required || address != "" {
			if err := checkAddress(address); err != nil {
				return nil, fmt.Errorf("an address in the discovery document is not valid: %w", err)
			}
		}
	}
	m.Algorithms = slices.DeleteFunc(m.Algorithms, func(name string) bool { return !slices.Contains(asymmetric, name) })
	scopes := p.settings.Scopes
	if len(scopes) == 0 {
		scopes = slices.DeleteFunc(slices.Clone(defaultScopes), func(scope string) bool {
			// Google refuses this scope. Its parameter is access_type.
			return scope == offlineAccess && len(m.Scopes) > 0 && !slices.Contains(m.Scopes, scope)
		})
	}
	endpoint := oauth2.Endpoint{AuthURL: m.Authorization, TokenURL: m.Token, AuthStyle: oauth2.AuthStyleInHeader}
	if len(m.ClientAuth) > 0 && !slices.Contains(m.ClientAuth, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &discovered{
		metadata: m,
		keys:     oidc.NewRemoteKeySet(ctx, m.Keys),
		oauth: &oauth2.Config{
			ClientID: p.settings.ClientID, ClientSecret: p.secret, RedirectURL: p.redirect,
			Endpoint: endpoint, Scopes: scopes,
		},
	}, nil
}
