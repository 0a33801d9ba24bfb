package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// textField is where a provider's request holds the question.
func textField(provider string) string {
	if provider == "websearch" || strings.HasPrefix(provider, "websearch/") {
		return "query"
	}
	return "prompt"
}

// taskType is what tasks of a provider are called.
func taskType(provider string) string {
	return strings.ToUpper(strings.ReplaceAll(provider, "/", "_"))
}

// providerOf is the provider of a task type, or of a name in any letter case.
func providerOf(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "/")
}

// include asks for further parts of the result. In order, so that a part of a part
// comes after it.
func include(request map[string]any, parts ...string) {
	for _, part := range slices.Sorted(slices.Values(parts)) {
		var value any = true
		if part == "searchoverview" {
			value = map[string]any{} // it has a choice of its own
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

// fieldValue reads a value in a flag or a cell: JSON where it is, text otherwise.
// What people write in words is always text, "2024" too.
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
