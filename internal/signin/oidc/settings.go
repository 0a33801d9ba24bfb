package oidc

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"

	"earshot/internal/account"
)

// Settings describe an identity provider. They are part of the settings file.
type Settings struct {
	Name            string            `yaml:"name"` // in the address to which the provider redirects
	Title           string            `yaml:"title"`
	Issuer          string            `yaml:"issuer"`
	ClientID        string            `yaml:"clientId"`
	ClientSecretEnv string            `yaml:"clientSecretEnv"` // the environment variable that contains the secret
	Scopes          []string          `yaml:"scopes"`          // empty means defaultScopes
	Parameters      map[string]string `yaml:"parameters"`      // added to the address of the provider's sign-in page
	GroupsClaim     string            `yaml:"groupsClaim"`     // empty means groups
	TrustEmail      bool              `yaml:"trustEmail"`      // takes every email address as verified
	// Audiences are audiences of access tokens that AI agents may use, besides the address of /mcp.
	Audiences []string `yaml:"audiences"`
	Roles     []Role   `yaml:"roles"`
}

// Role is the role that a group of the identity provider has in an organization.
type Role struct {
	Group        string       `yaml:"group"` // "*" matches everybody
	Organization string       `yaml:"organization"`
	Role         account.Role `yaml:"role"`
}

const everybody = "*"

var (
	providerName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	// ownParameters of the sign-in page are set by this package.
	ownParameters = []string{
		"client_id", "code_challenge", "code_challenge_method", "nonce", "redirect_uri",
		"response_mode", "response_type", "scope", "state",
	}
)

// Check returns an error that begins with the name of the wrong field.
func (s *Settings) Check() error {
	if !providerName.MatchString(s.Name) {
		return fmt.Errorf("name: %q must consist of 1 to 40 lower-case letters, digits and hyphens", s.Name)
	}
	if err := checkAddress(s.Issuer); err != nil {
		return fmt.Errorf("issuer: %w", err)
	}
	if s.ClientID == "" {
		return errors.New("clientId: is missing")
	}
	if len(s.Scopes) > 0 && !slices.Contains(s.Scopes, "openid") {
		return fmt.Errorf("scopes: %q must contain openid", s.Scopes)
	}
	for _, name := range ownParameters {
		if _, ok := s.Parameters[name]; ok {
			return fmt.Errorf("parameters: %s cannot be changed", name)
		}
	}
	for i, r := range s.Roles {
		if r.Group == "" {
			return fmt.Errorf(`roles[%d].group: is missing; "*" means everybody`, i)
		}
		if r.Organization == "" {
			return fmt.Errorf("roles[%d].organization: is missing", i)
		}
		if _, err := account.ParseRole(string(r.Role)); err != nil {
			return fmt.Errorf("roles[%d].role: %w", i, err)
		}
	}
	return nil
}

// usesGroups reports whether a role depends on the groups of a person.
func (s *Settings) usesGroups() bool {
	return slices.ContainsFunc(s.Roles, func(r Role) bool { return r.Group != everybody })
}

// checkAddress returns an error unless address is an HTTPS address. HTTP is allowed on this
// machine.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	local := u.Hostname() == "localhost" || ip.IsLoopback()
	if u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return fmt.Errorf("%q must begin with https://", address)
	}
	return nil
}
