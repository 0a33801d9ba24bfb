package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/provider"
)

// providerArg is an argument with the name or the task type of a provider.
type providerArg struct{ provider.Definition }

// UnmarshalText sets the provider with the given name.
func (p *providerArg) UnmarshalText(name []byte) (err error) {
	p.Definition, err = app.FindProvider(string(name))
	return err
}

// providerNames returns the names of all providers.
func providerNames() []string {
	var names []string
	for _, p := range app.Providers() {
		names = append(names, p.Definition().Name)
	}
	return names
}

// apiNames returns the names of the official APIs of all providers.
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

// vendorNames returns the names of all vendors.
func vendorNames() []string {
	var names []string
	for _, v := range app.Vendors() {
		names = append(names, v.Definition().Name)
	}
	return names
}

// scopeList returns scopes in the format of --scopes.
func scopeList(scopes []account.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, ",")
}

// helpVars returns the variables of the help texts.
func helpVars() kong.Vars {
	return kong.Vars{
		"providers": strings.Join(providerNames(), ", "), "apis": strings.Join(apiNames(), ", "),
		"scopes": scopeList(account.DefaultScopes()),
	}
}
