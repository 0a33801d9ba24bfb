package schema

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Fit returns the fields of value that the struct has, with the names of the struct. The
// letter case of names does not matter. It also returns the names of the other fields, as
// dotted paths.
func Fit(value map[string]any, structure any) (fitted map[string]any, unknown []string) {
	return fit(value, reflect.TypeOf(structure), "")
}

func fit(value map[string]any, t reflect.Type, path string) (fitted map[string]any, unknown []string) {
	fitted = map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		known, ok := fieldNamed(t, name)
		if !ok {
			unknown = append(unknown, join(path, name))
			continue
		}
		inner := known.goType
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		object, isObject := value[name].(map[string]any)
		if !isObject || inner.Kind() != reflect.Struct {
			fitted[known.name] = value[name]
			continue
		}
		part, rest := fit(object, inner, join(path, name))
		fitted[known.name], unknown = part, append(unknown, rest...)
	}
	return fitted, unknown
}

// fieldNamed returns the field with a name, in any letter case.
func fieldNamed(t reflect.Type, name string) (field, bool) {
	for _, f := range allFields(t) {
		if strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return field{}, false
}
