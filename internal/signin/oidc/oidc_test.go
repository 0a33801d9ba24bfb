package oidc_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"earshot/internal/signin/oidc"
)

// claim returns a change of a claim; nil removes it.
func claim(name string, value any) func(*answers) {
	return func(a *answers) {
		a.claims[name] = value
		if value == nil {
			delete(a.claims, name)
		}
	}
}

// after returns a change of a claim to the time in some seconds.
func after(name string, seconds int64) func(*answers) {
	return func(a *answers) { a.claims[name] = time.Now().Unix() + seconds }
}

// Every wrong answer of an identity provider is refused with its reason, both at the sign-in and
// at a check, where only answers about the person end the session. Correct answers are accepted.
func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change      func(*answers)
		err         error  // nil if the answer is correct
		reason      string // part of the error
		notAtCheck  bool
		notAtSignIn bool
		ends        bool // a check returns err, and not ErrUnavailable
	}{
		"valid":                    {},
		"audiences and azp":        {change: func(a *answers) { a.claims["aud"], a.claims["azp"] = []string{client, "other"}, client }},
		"expired within the skew":  {change: after("exp", -20)},
		"issued within the skew":   {change: after("iat", 40)},
		"valid within the skew":    {change: after("nbf", 40)},
		"no key id":                {change: func(a *answers) { delete(a.header, "kid") }},
		"no userinfo":              {change: func(a *answers) { a.status["/userinfo"] = 500 }},
		"no nonce at a check":      {change: claim("nonce", nil), notAtSignIn: true},
		"no ID token at a check":   {change: func(a *answers) { a.token["id_token"] = "" }, notAtSignIn: true},
		"other error":              {change: oauthError("invalid_scope", 400), err: oidc.ErrUnavailable, reason: "invalid_scope"},
		"wrong secret":             {change: oauthError("invalid_client", 401), err: oidc.ErrUnavailable, reason: "invalid_client"},
		"malformed request":        {change: oauthError("invalid_request", 400), err: oidc.ErrUnavailable, reason: "invalid_request"},
		"another audience":         {change: claim("aud", "other"), err: oidc.ErrRefused, reason: "expected audience"},
		"no audience":              {change: claim("aud", nil), err: oidc.ErrRefused, reason: "expected audience"},
		"another issuer":           {change: claim("iss", "https://other.example"), err: oidc.ErrRefused, reason: "issued by a different provider"},
		"no issuer":                {change: claim("iss", nil), err: oidc.ErrRefused, reason: "issued by a different provider"},
		"another sign-in":          {change: claim("nonce", "other"), err: oidc.ErrRefused, reason: "from another sign-in", ends: true},
		"no nonce":                 {change: claim("nonce", nil), err: oidc.ErrRefused, reason: "from another sign-in", notAtCheck: true},
		"another azp":              {change: claim("azp", "other"), err: oidc.ErrRefused, reason: "issued to another client"},
		"audiences without azp":    {change: claim("aud", []string{client, "other"}), err: oidc.ErrRefused, reason: "issued to another client"},
		"no subject":               {change: claim("sub", nil), err: oidc.ErrRefused, reason: "no subject"},
		"expired":                  {change: after("exp", -90), err: oidc.ErrRefused, reason: "expired"},
		"no expiry":                {change: claim("exp", nil), err: oidc.ErrRefused, reason: "expired"},
		"issued in the future":     {change: after("iat", 120), err: oidc.ErrRefused, reason: "issued in the future"},
		"not valid yet":            {change: after("nbf", 120), err: oidc.ErrRefused, reason: "not valid yet"},
		"another access token":     {change: claim("at_hash", "b3RoZXI"), err: oidc.ErrRefused, reason: "another access token"},
		"another subject at check": {change: claim("sub", "eve"), err: oidc.ErrRefused, reason: "subject has changed", notAtSignIn: true, ends: true},
		"alg none":                 {change: unsigned("none"), err: oidc.ErrRefused, reason: "malformed jwt"},
		"alg None":                 {change: unsigned("None"), err: oidc.ErrRefused, reason: "malformed jwt"},
		"RS256 without signature":  {change: unsigned("RS256"), err: oidc.ErrRefused, reason: "verify"},
		"public key as a secret": {
			change: func(a *answers) { a.header["alg"], a.sign = "HS256", a.issuer.signWithPublicKey },
			err:    oidc.ErrRefused, reason: "malformed jwt",
		},
		"public key as an RSA secret": {
			change: func(a *answers) { a.sign = a.issuer.signWithPublicKey },
			err:    oidc.ErrRefused, reason: "verify",
		},
		"algorithm not in discovery": {
			change: func(a *answers) { a.header["alg"] = "PS256" },
			err:    oidc.ErrRefused, reason: "malformed jwt",
		},
		"unknown key": {
			change: func(a *answers) { a.header["kid"], a.sign = "2", a.issuer.signer(a.issuer.unknown) },
			err:    oidc.ErrRefused, reason: "verify",
		},
		"another key with a known id": {
			change: func(a *answers) { a.sign = a.issuer.signer(a.issuer.unknown) },
			err:    oidc.ErrRefused, reason: "verify",
		},
		"changed after signing": {
			change: func(a *answers) { sign := a.sign; a.sign = func([]byte) []byte { return sign([]byte("another text")) } },
			err:    oidc.ErrRefused, reason: "verify",
		},
		"no token":   {change: func(a *answers) { a.idToken = func() string { return "token" } }, err: oidc.ErrRefused, reason: "malformed jwt"},
		"no JSON":    {change: func(a *answers) { a.idToken = func() string { return "YQ.YQ.YQ" } }, err: oidc.ErrRefused, reason: "malformed jwt"},
		"two tokens": {change: func(a *answers) { a.idToken = func() string { return a.signed() + "." + a.signed() } }, err: oidc.ErrRefused, reason: "malformed jwt"},
		"no ID token": {
			change: func(a *answers) { a.token["id_token"] = "" },
			err:    oidc.ErrRefused, reason: "no ID token", notAtCheck: true,
		},
		"userinfo of another person": {
			change: func(a *answers) { delete(a.claims, "email"); a.userinfo["sub"] = "eve" },
			err:    oidc.ErrRefused, reason: "another person",
		},
		"userinfo refuses": {
			change: func(a *answers) { delete(a.claims, "email"); a.status["/userinfo"] = 401 },
			err:    oidc.ErrRefused, reason: "401",
		},
		"no ID token and another person": {
			change: func(a *answers) { a.token["id_token"] = ""; a.userinfo["sub"] = "eve" },
			err:    oidc.ErrRefused, reason: "subject has changed", notAtSignIn: true, ends: true,
		},
		"invalid grant":             {change: oauthError("invalid_grant", 400), err: oidc.ErrRefused, reason: "invalid_grant", ends: true},
		"error with status 200":     {change: oauthError("invalid_grant", 200), err: oidc.ErrRefused, reason: "invalid_grant", ends: true},
		"removed person at Dex":     {change: oauthError("invalid_request", 500), err: oidc.ErrRefused, reason: "invalid_request", ends: true},
		"temporary error":           {change: oauthError("temporarily_unavailable", 400), err: oidc.ErrUnavailable, reason: "temporarily"},
		"too many requests":         {change: oauthError("invalid_request", 429), err: oidc.ErrUnavailable, reason: "invalid_request"},
		"gateway error":             {change: oauthError("", 502), err: oidc.ErrUnavailable, reason: "502"},
		"page of a firewall":        {change: oauthError("", 403), err: oidc.ErrUnavailable, reason: "403"},
		"redirected token endpoint": {change: oauthError("", 307), err: oidc.ErrUnavailable, reason: "307"},
		"userinfo does not work": {
			change: func(a *answers) { delete(a.claims, "email"); a.status["/userinfo"] = 500 },
			err:    oidc.ErrUnavailable, reason: "500",
		},
		"large token answer": {change: padding("/token"), err: oidc.ErrUnavailable, reason: "too large"},
		"large userinfo": {
			change: func(a *answers) { delete(a.claims, "email"); padding("/userinfo")(a) },
			err:    oidc.ErrUnavailable, reason: "too large",
		},

		// Discovery and keys are read before the first check.
		"no keys":          {change: func(a *answers) { a.status["/keys"] = 500 }, err: oidc.ErrUnavailable, reason: "500", notAtCheck: true},
		"large keys":       {change: padding("/keys"), err: oidc.ErrUnavailable, reason: "too large", notAtCheck: true},
		"no discovery":     {change: func(a *answers) { a.status[discovery] = 404 }, err: oidc.ErrUnavailable, reason: "404", notAtCheck: true},
		"large discovery":  {change: padding(discovery), err: oidc.ErrUnavailable, reason: "too large", notAtCheck: true},
		"discovery moved":  {change: func(a *answers) { a.status[discovery] = 302 }, err: oidc.ErrUnavailable, reason: "302", notAtCheck: true},
		"another provider": {change: discovered("issuer", "https://other.example"), err: oidc.ErrUnavailable, reason: "did not match", notAtCheck: true},
		"insecure address": {change: discovered("token_endpoint", "http://other.example"), err: oidc.ErrUnavailable, reason: "https", notAtCheck: true},
		"missing address":  {change: discovered("jwks_uri", ""), err: oidc.ErrUnavailable, reason: "https", notAtCheck: true},
	}
	key, unknown := newKey(t), newKey(t)
	for name, tt := range tests {
		check := func(t *testing.T, want, err error) {
			t.Helper()
			if !errors.Is(err, want) || err != nil && !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("got %v, want %v: … %s", err, want, tt.reason)
			}
			if err != nil && len(err.Error()) > 500 {
				t.Errorf("the error has %d characters", len(err.Error()))
			}
		}
		if !tt.notAtSignIn {
			t.Run("sign-in/"+name, func(t *testing.T) {
				t.Parallel()
				i := newIssuer(t, key, unknown)
				_, _, err := i.signIn(t, i.provider(oidc.Settings{}), tt.change, nil)
				check(t, tt.err, err)
			})
		}
		if !tt.notAtCheck {
			t.Run("check/"+name, func(t *testing.T) {
				t.Parallel()
				i := newIssuer(t, key, unknown)
				p := i.provider(oidc.Settings{})
				_, tokens, err := i.signIn(t, p, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				i.set(tokens.Nonce, tt.change)
				_, _, err = p.Check(t.Context(), tokens)
				want := tt.err
				if want != nil && !tt.ends {
					want = oidc.ErrUnavailable
				}
				check(t, want, err)
			})
		}
	}
}

const discovery = "/.well-known/openid-configuration"

// oauthError makes the token endpoint answer with an error.
func oauthError(code string, status int) func(*answers) {
	return func(a *answers) {
		a.status["/token"], a.token = status, map[string]any{"error": code, "id_token": ""}
	}
}

func unsigned(alg string) func(*answers) {
	return func(a *answers) { a.header["alg"], a.sign = alg, func([]byte) []byte { return nil } }
}

func padding(path string) func(*answers) { return func(a *answers) { a.padding[path] = 600 << 10 } }

func discovered(name, value string) func(*answers) {
	return func(a *answers) { a.discovery[name] = value }
}

// The parameters of the callback are checked.
func TestCallback(t *testing.T) {
	t.Parallel()
	set := func(name, value string) func(url.Values) {
		return func(v url.Values) { v.Set(name, value) }
	}
	namesIssuer := func(a *answers) { a.discovery["authorization_response_iss_parameter_supported"] = true }
	tests := map[string]struct {
		callback func(url.Values)
		change   func(*answers)
		err      error
		reason   string
	}{
		"valid":           {},
		"another state":   {set("state", "other"), nil, oidc.ErrRefused, "has not begun"},
		"no state":        {set("state", ""), nil, oidc.ErrRefused, "has not begun"},
		"no code":         {set("code", ""), nil, oidc.ErrRefused, "no code"},
		"another issuer":  {set("iss", "https://other.example"), nil, oidc.ErrRefused, "another issuer"},
		"missing issuer":  {nil, namesIssuer, oidc.ErrRefused, "another issuer"},
		"cancelled":       {set("error", "access_denied"), nil, oidc.ErrDenied, "cancelled"},
		"refused":         {set("error", "invalid_scope"), nil, oidc.ErrRefused, "invalid_scope"},
		"does not work":   {set("error", "server_error"), nil, oidc.ErrUnavailable, "server_error"},
		"error, no state": {func(v url.Values) { v.Set("error", "access_denied"); v.Del("state") }, nil, oidc.ErrRefused, "has not begun"},
	}
	key, unknown := newKey(t), newKey(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t, key, unknown)
			_, _, err := i.signIn(t, i.provider(oidc.Settings{}), tt.change, tt.callback)
			if !errors.Is(err, tt.err) || err != nil && !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("got %v, want %v: … %s", err, tt.err, tt.reason)
			}
		})
	}

	p := newIssuer(t, key, unknown).provider(oidc.Settings{})
	_, attempt, err := p.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	attempt.Provider = "other"
	for _, attempt := range []oidc.Attempt{{Provider: "forged"}, attempt} {
		_, _, err := p.Finish(t.Context(), attempt, url.Values{"state": {attempt.State}, "code": {"code"}})
		if err == nil || !strings.Contains(err.Error(), "has not begun") {
			t.Errorf("Finish of %+v: %v", attempt, err)
		}
	}
}

// A refresh token that the provider has replaced is returned although the check fails.
func TestReplacedRefreshToken(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, newKey(t), newKey(t))
	p := i.provider(oidc.Settings{})
	_, tokens, err := i.signIn(t, p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	i.set(tokens.Nonce, func(a *answers) {
		a.token["refresh_token"] = "next"
		delete(a.claims, "email")
		a.status["/userinfo"] = 500
	})
	if _, tokens, err = p.Check(t.Context(), tokens); !errors.Is(err, oidc.ErrUnavailable) || tokens.Refresh != "next" {
		t.Errorf("got %q, %v", tokens.Refresh, err)
	}
	tokens.Refresh = ""
	if _, _, err := p.Check(t.Context(), tokens); !errors.Is(err, oidc.ErrRefused) {
		t.Errorf("Check without a refresh token: %v", err)
	}
}

// Claims of several providers describe a person.
func TestPerson(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		settings oidc.Settings
		claims   map[string]any // nil removes a claim
		userinfo map[string]any
		want     oidc.Person
	}{
		"complete":        {want: oidc.Person{Email: "ann@acme.example", EmailVerified: true, Groups: []string{"staff"}}},
		"name":            {claims: map[string]any{"name": "Ann"}, want: oidc.Person{Email: "ann@acme.example", EmailVerified: true, Name: "Ann", Groups: []string{"staff"}}},
		"one group":       {claims: map[string]any{"groups": "staff"}, want: oidc.Person{Email: "ann@acme.example", EmailVerified: true, Groups: []string{"staff"}}},
		"strange groups":  {claims: map[string]any{"groups": []any{1, "a", nil}}, want: oidc.Person{Email: "ann@acme.example", EmailVerified: true, Groups: []string{"a"}}},
		"another claim":   {settings: oidc.Settings{GroupsClaim: "roles"}, claims: map[string]any{"roles": []string{"r"}}, want: oidc.Person{Email: "ann@acme.example", EmailVerified: true, Groups: []string{"r"}}},
		"verified text":   {claims: map[string]any{"email_verified": "true"}, want: oidc.Person{Email: "ann@acme.example", EmailVerified: true, Groups: []string{"staff"}}},
		"unverified text": {claims: map[string]any{"email_verified": "false"}, want: oidc.Person{Email: "ann@acme.example", Groups: []string{"staff"}}},
		"unverified":      {claims: map[string]any{"email_verified": nil}, want: oidc.Person{Email: "ann@acme.example", Groups: []string{"staff"}}},
		"trusted":         {settings: oidc.Settings{TrustEmail: true}, claims: map[string]any{"email_verified": nil}, want: oidc.Person{Email: "ann@acme.example", EmailVerified: true, Groups: []string{"staff"}}},
		"upn": {
			settings: oidc.Settings{TrustEmail: true}, claims: map[string]any{"email": nil, "upn": "ann@upn.example"}, userinfo: map[string]any{"email": nil},
			want: oidc.Person{Email: "ann@upn.example", EmailVerified: true, Groups: []string{"staff"}},
		},
		"upn without trust": {
			claims: map[string]any{"email": nil, "upn": "ann@upn.example"}, userinfo: map[string]any{"email": nil},
			want: oidc.Person{EmailVerified: true, Groups: []string{"staff"}},
		},
		"userinfo": {
			claims: map[string]any{"email": nil, "email_verified": nil, "groups": nil},
			want:   oidc.Person{Email: "ann@info.example", Groups: []string{"info"}},
		},
		"groups from userinfo": {
			claims: map[string]any{"groups": nil}, want: oidc.Person{Email: "ann@acme.example", EmailVerified: true, Groups: []string{"info"}},
		},
	}
	key := newKey(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t, key, key)
			p := i.provider(tt.settings)
			got, _, err := i.signIn(t, p, func(a *answers) {
				for name, value := range tt.claims {
					claim(name, value)(a)
				}
				for name, value := range tt.userinfo {
					a.userinfo[name] = value
				}
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Issuer, tt.want.Subject = i.URL, "ann"
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The redirect has the settings' parameters and the scopes that the provider supports.
func TestRedirect(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, newKey(t), nil)
	i.set("", func(a *answers) { a.discovery["scopes_supported"] = []string{"openid", "email", "profile"} })
	p := i.provider(oidc.Settings{Parameters: map[string]string{"access_type": "offline"}})
	redirect, attempt, err := p.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(redirect)
	if err != nil {
		t.Fatal(err)
	}
	got := u.Query()
	want := url.Values{
		"access_type": {"offline"}, "client_id": {client}, "code_challenge": got["code_challenge"], "code_challenge_method": {"S256"},
		"nonce": {attempt.Nonce}, "redirect_uri": {callback}, "response_type": {"code"}, "scope": {"openid email profile"}, "state": {attempt.State},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got.Get("code_challenge")) != 43 {
		t.Errorf("(-want +got):\n%s", diff)
	}

	signOut, err := url.Parse(p.SignOutURL(t.Context(), oidc.Tokens{ID: "token"}, "https://earshot.example/"))
	want = url.Values{"realm": {"a"}, "id_token_hint": {"token"}, "client_id": {client}, "post_logout_redirect_uri": {"https://earshot.example/"}}
	if diff := cmp.Diff(want, signOut.Query()); err != nil || diff != "" || signOut.Path != "/logout" {
		t.Errorf("sign-out address %s, %v (-want +got):\n%s", signOut, err, diff)
	}
}

// An access token must be for the resource, or for an audience in the settings. It also passes the checks of an
// ID token, which TestAnswers tests.
func TestBearer(t *testing.T) {
	t.Parallel()
	const resource = "https://earshot.example/mcp"
	i := newIssuer(t, newKey(t), newKey(t))
	p := i.provider(oidc.Settings{Audiences: []string{"agents"}})
	other := i.provider(oidc.Settings{})
	for name, c := range map[string]struct {
		p      *oidc.Provider
		change func(*answers)
		reason string // "" if the token is valid
	}{
		"for the resource":  {p, claim("aud", []string{"other", resource}), ""},
		"for the audience":  {p, claim("aud", "agents"), ""},
		"for no audience":   {other, claim("aud", "agents"), "not for " + resource},
		"for the dashboard": {p, claim("aud", client), "not for " + resource},
		"for nobody":        {p, claim("aud", nil), "not for " + resource},
		"expired":           {p, func(a *answers) { claim("aud", resource)(a); after("exp", -90)(a) }, "expired"},
		"signed by another": {p, func(a *answers) { claim("aud", resource)(a); a.sign = a.issuer.signer(a.issuer.unknown) }, "verify"},
		"signed by nobody":  {p, func(a *answers) { claim("aud", resource)(a); unsigned("none")(a) }, "malformed jwt"},
		"issued by another": {p, func(a *answers) { claim("aud", resource)(a); a.claims["iss"] = "https://other.example" }, "different provider"},
		"of another person": {p, func(a *answers) { claim("aud", resource)(a); delete(a.claims, "email"); a.userinfo["sub"] = "eve" }, "another person"},
		"groups from userinfo": {p, func(a *answers) {
			claim("aud", resource)(a)
			delete(a.claims, "groups")
			a.userinfo["groups"] = []string{"staff"}
		}, ""},
	} {
		i.set("", c.change)
		a := i.valid()
		c.change(a)
		token := a.signed()
		if a.idToken != nil {
			token = a.idToken()
		}
		person, expiry, err := c.p.Bearer(t.Context(), token, resource)
		if c.reason == "" && (err != nil || person.Email != "ann@acme.example" || person.Groups[0] != "staff" || time.Until(expiry) > 300*time.Second || !c.p.Issued(token)) {
			t.Errorf("%s: %+v until %s (%v)", name, person, expiry, err)
		}
		if c.reason != "" && (!errors.Is(err, oidc.ErrRefused) || !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p.Issued("ear_live_x") || p.Issued("a.b.c") || p.Issued("") {
		t.Error("a key is taken for a token")
	}
}
