package account

import (
	"fmt"
	"slices"
)

// Role is what a user may do in an organization: a set of scopes.
type Role string

// The roles, from the lowest to the highest.
const (
	RoleViewer Role = "viewer" // reads
	RoleEditor Role = "editor" // runs calls and tasks, changes trackers
	RoleAdmin  Role = "admin"  // changes keys, users, webhooks and channels
)

// Roles returns the roles from the lowest to the highest.
func Roles() []Role { return []Role{RoleViewer, RoleEditor, RoleAdmin} }

// ParseRole returns the role with a name.
func ParseRole(name string) (Role, error) {
	if role := Role(name); slices.Contains(Roles(), role) {
		return role, nil
	}
	return "", fmt.Errorf("no role is called %q; there are %v", name, Roles())
}

// Scopes returns the scopes of a role. It returns none for an unknown role.
func (r Role) Scopes() []Scope {
	switch r {
	case RoleViewer:
		return []Scope{ScopeRead}
	case RoleEditor:
		return DefaultScopes()
	case RoleAdmin:
		return knownScopes()
	}
	return nil
}

// Higher returns the higher one of two roles. An empty role is below all others.
func (r Role) Higher(than Role) Role {
	if slices.Index(Roles(), than) > slices.Index(Roles(), r) {
		return than
	}
	return r
}

// LowestRole returns the lowest role that has a scope.
func LowestRole(scope Scope) Role {
	for _, role := range Roles() {
		if scope == "" || slices.Contains(role.Scopes(), scope) {
			return role
		}
	}
	return ""
}
