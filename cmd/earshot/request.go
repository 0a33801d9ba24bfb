package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

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

// helpVars are what the help texts take from the definitions of the providers.
func helpVars() kong.Vars {
	return kong.Vars{"providers": strings.Join(providerNames(), ", "), "apis": strings.Join(apiNames(), ", ")}
}

// include requests further parts of the result. They are sorted, so that a part comes
// before the parts below it.
func include(request map[string]any, parts ...string) {
	for _, part := range slices.Sorted(slices.Values(parts)) {
		var value any = true
		if part == "searchoverview" {
			value = map[string]any{} // it has parts of its own
		}
		// A part below one that is switched on already changes nothing.
		_ = setField(request, "include."+part, value)
	}
}

// setField sets a field by its name; dots lead into objects.
func setField(request map[string]any, name string, value any) error {
	names := strings.Split(name, ".")
	object := request
	for _, outer := range names[:len(names)-1] {
		if object[outer] == nil {
			object[outer] = map[string]any{}
		}
		inner, ok := object[outer].(map[string]any)
		if !ok {
			return fmt.Errorf("%s is no object", outer)
		}
		object = inner
	}
	object[names[len(names)-1]] = value
	return nil
}

// fieldValue reads a value in a flag or a cell: as JSON if it is valid JSON, and as text
// if not. Fields that hold words are always text, even "2024".
func fieldValue(field, text string) any {
	switch field {
	case "prompt", "query", "url", "location":
		return text
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}
