package oidc_test

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"earshot/internal/signin/oidc"
)

// Wrong settings are refused with the name of the field.
func TestSettings(t *testing.T) {
	t.Parallel()
	const valid = `name: google
title: Google
issuer: https://accounts.google.com
clientId: "1"
clientSecretEnv: GOOGLE_CLIENT_SECRET
scopes: [openid, email]
parameters: {access_type: offline}
groupsClaim: roles
trustEmail: true
roles: [{group: "*", organization: acme, role: viewer}]
`
	tests := []struct{ from, to, want string }{
		{"", "", ""},
		{"https://accounts.google.com", "http://127.0.0.1:5556/dex", ""},
		{"https://accounts.google.com", "http://localhost/dex", ""},
		{"name: google", "name: Google", "name: "},
		{"name: google", "name: a/b", "name: "},
		{"issuer: https://accounts.google.com", "", "issuer: "},
		{"https://accounts.google.com", "http://accounts.google.com", "issuer: "},
		{"https://accounts.google.com", "accounts.google.com", "issuer: "},
		{`clientId: "1"`, "", "clientId: "},
		{"openid, ", "", "scopes: "},
		{"access_type", "state", "parameters: "},
		{`"*"`, `""`, "roles[0].group: "},
		{"acme", `""`, "roles[0].organization: "},
		{"viewer", "owner", "roles[0].role: "},
	}
	for _, tt := range tests {
		var s oidc.Settings
		if err := yaml.UnmarshalWithOptions([]byte(strings.Replace(valid, tt.from, tt.to, 1)), &s, yaml.Strict()); err != nil {
			t.Fatal(err)
		}
		err := s.Check()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%q instead of %q: got %v, want %q", tt.to, tt.from, err, tt.want)
		}
	}
}
