package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/provider"
)

// providerArg is an argument that names a provider, or its task type.
type providerArg struct{ provider.Definition }

// UnmarshalText finds the provider.
func (p *providerArg) UnmarshalText(name []byte) (err error) {
	p.Definition, err = app.FindProvider(string(name))
	return err
}

// providerNames are the names of all providers.
func providerNames() []string {
	var names []string
	for _, p := range app.Providers() {
		names = append(names, p.Definition().Name)
	}
	return names
}

// apiNames are the names of the official APIs of all providers.
func apiNames() []string {
	var names []string
	for _, p := range app.Providers() {
		for _, api := range p.Definition().APIs {
			names = append(names, api.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// scopeList returns scopes as --scopes takes them.
func scopeList(scopes []account.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, ",")
}

// helpVars are what the help texts take from the definitions of the providers.
func helpVars() kong.Vars {
	return kong.Vars{
		"providers": strings.Join(providerNames(), ", "), "apis": strings.Join(apiNames(), ", "),
		"scopes": scopeList(account.DefaultScopes()),
	}
}
