package docs

import (
	"slices"
	"strings"
	"testing"
)

// TestClientsCanBeGenerated keeps two things out of the API's description that are
// allowed there and break generators: a type of several, other than null, and a
// schema with the name that they give to the answer of an operation.
func TestClientsCanBeGenerated(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	decode(t, "docs/openapi.yaml", &document)
	operations := 0
	for path, methods := range document.Paths {
		for method, value := range methods {
			operation, _ := value.(map[string]any)
			id, _ := operation["operationId"].(string)
			if id == "" {
				continue
			}
			operations++
			if name := strings.ToUpper(id[:1]) + id[1:] + "Response"; known(document.Components.Schemas, name) {
				t.Errorf("%s %s: there is a schema %s", method, path, name)
			}
		}
	}
	if operations < 30 {
		t.Errorf("only %d operations were found", operations)
	}
	for name, schema := range document.Components.Schemas {
		for _, types := range mixedTypes(schema) {
			t.Errorf("%s: no generator knows what to make of the type %v; use oneOf", name, types)
		}
	}
}

// mixedTypes finds the types of several in a schema.
func mixedTypes(schema any) [][]any {
	var found [][]any
	switch schema := schema.(type) {
	case map[string]any:
		if types, ok := schema["type"].([]any); ok && (len(types) != 2 || !slices.Contains(types, any("null"))) {
			found = append(found, types)
		}
		for _, part := range schema {
			found = append(found, mixedTypes(part)...)
		}
	case []any:
		for _, part := range schema {
			found = append(found, mixedTypes(part)...)
		}
	}
	return found
}
