package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/provider"
)

// providerArg is an argument with the name, the task type or the product of a provider.
type providerArg struct{ provider.Definition }

// UnmarshalText sets the provider with the given name.
func (p *providerArg) UnmarshalText(name []byte) (err error) {
	p.Definition, err = app.FindProvider(string(name))
	return err
}

// code is the code of a country or a state, in upper case.
type code string

// UnmarshalText sets the code. The service checks it.
func (c *code) UnmarshalText(text []byte) error {
	*c = code(strings.ToUpper(string(text)))
	return nil
}

// targetArg is a target such as chatassistant/US. Its provider may be the name of a product.
type targetArg string

// UnmarshalText sets the target.
func (t *targetArg) UnmarshalText(text []byte) error {
	*t = targetArg(canonicalTarget(string(text)))
	return nil
}

// canonicalTarget replaces the name of a product in a target, and a country in lower case. It
// does not change parts that it does not know.
func canonicalTarget(target string) string {
	parts := strings.Split(target, "/")
	for n := min(2, len(parts)); n > 0; n-- {
		if about, err := app.FindProvider(strings.Join(parts[:n], "/")); err == nil {
			rest := parts[n:]
			if len(rest) > 0 && len(rest[0]) == 2 {
				rest[0] = strings.ToUpper(rest[0])
			}
			return strings.Join(append([]string{about.Name}, rest...), "/")
		}
	}
	return target
}

// filterArg is a filter of metrics, such as target:chatassistant/US,tag:trail.
type filterArg string

// UnmarshalText sets the filter, with providers and countries as the service knows them.
func (f *filterArg) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ",")
	for i, part := range parts {
		dimension, value, _ := strings.Cut(part, ":")
		switch strings.TrimSpace(dimension) {
		case "target", "provider":
			parts[i] = dimension + ":" + canonicalTarget(value)
		case "country":
			parts[i] = dimension + ":" + strings.ToUpper(value)
		}
	}
	*f = filterArg(strings.Join(parts, ","))
	return nil
}

// moment is a time or a day, such as 2026-11-01. A time before now, such as -7d, becomes a
// day in UTC, or a time if it is in hours or minutes.
type moment string

var relative = regexp.MustCompile(`^-(\d{1,5})([wdhm])$`)

// UnmarshalText parses a time or a day.
func (m *moment) UnmarshalText(text []byte) error {
	*m = moment(text)
	now := time.Now().UTC()
	if *m == "now" {
		*m = moment(now.Format(time.RFC3339))
		return nil
	}
	if parts := relative.FindSubmatch(text); parts != nil {
		n, _ := strconv.Atoi(string(parts[1])) // cannot fail: it has at most five digits
		switch string(parts[2]) {
		case "w":
			*m = moment(now.AddDate(0, 0, -7*n).Format(time.DateOnly))
		case "d":
			*m = moment(now.AddDate(0, 0, -n).Format(time.DateOnly))
		case "h":
			*m = moment(now.Add(-time.Duration(n) * time.Hour).Format(time.RFC3339))
		case "m":
			*m = moment(now.Add(-time.Duration(n) * time.Minute).Format(time.RFC3339))
		}
		return nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if _, err := time.Parse(layout, string(text)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("must be a day such as 2026-11-01, a time such as 2026-11-01T06:00:00Z, now, or before now, such as -7d, -2w or -12h, but is %q", text)
}

// dayArg is a moment that must be a day.
type dayArg string

// UnmarshalText parses a day.
func (d *dayArg) UnmarshalText(text []byte) error {
	if string(text) == "now" {
		text = []byte("-0d")
	}
	if err := (*moment)(d).UnmarshalText(text); err != nil || len(*d) == len(time.DateOnly) {
		return err
	}
	return fmt.Errorf("must be a day such as 2026-11-01, now, or before now, such as -7d or -2w, but is %q", text)
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
		"formats": "table,json,csv,ndjson", "scopes": scopeList(account.DefaultScopes()),
	}
}
