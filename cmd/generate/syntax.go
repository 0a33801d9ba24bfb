package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"earshot/internal/schema"
)

// syntax is how a language writes types.
type syntax struct {
	words    map[string]string             // types and constants of JSON that have another name
	literal  func(values ...string) string // the type of these values
	longEnum int                           // from so many values on, an enum without a name is a plain string
	list     string                        // format of a list's type
	object   string                        // the type of an object without known fields
	inline   bool                          // types of objects may have fields
	any      string
}

var typeScriptSyntax = syntax{
	words:   map[string]string{"integer": "number"},
	literal: func(values ...string) string { return strings.Join(values, " | ") }, longEnum: 1000,
	list: "Array<%s>", object: "Record<string, unknown>", inline: true, any: "unknown",
}

var pythonSyntax = syntax{
	words: map[string]string{
		"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "true": "True", "false": "False",
	},
	literal: func(values ...string) string { return "Literal[" + strings.Join(values, ", ") + "]" }, longEnum: 20, // such as the US states
	list: "List[%s]", object: "Dict[str, Any]", any: "Any",
}

func (s *syntax) word(name string) string { return cmp.Or(s.words[name], name) }

// quoted returns values as the code of strings.
func quoted(values ...string) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = fmt.Sprintf("%q", value)
	}
	return all
}

// typeOf returns the type of a schema. It ignores conditions (if, then, else).
func (s *syntax) typeOf(shape schema.Map) string {
	if ref, ok := shape.Get("$ref").(string); ok {
		return componentName(ref)
	}
	if values, ok := shape.Get("enum").([]string); ok && len(values) < s.longEnum {
		return s.literal(quoted(values...)...)
	}
	switch only := shape.Get("const").(type) {
	case string:
		return s.literal(quoted(only)...)
	case bool, int:
		return s.literal(s.word(fmt.Sprint(only)))
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		if choices, ok := shape.Get(union).([]schema.Map); ok {
			types := make([]string, len(choices))
			for i, choice := range choices {
				types[i] = s.typeOf(choice)
			}
			return strings.Join(types, " | ")
		}
	}
	switch kind := shape.Get("type").(type) {
	case []string: // such as string or null
		inner := slices.Clone(shape)
		inner.Set("type", kind[0])
		return s.typeOf(inner) + " | " + s.word("null")
	case string:
		return s.plain(kind, shape)
	default:
		return s.any
	}
}

func (s *syntax) plain(kind string, shape schema.Map) string {
	switch properties := shape.At("properties"); {
	case kind == "array":
		return fmt.Sprintf(s.list, s.typeOf(shape.At("items")))
	case kind == "object" && s.inline && properties != nil:
		var fields []string
		for name, field := range properties.Objects() {
			fields = append(fields, fieldType(shape, name, field))
		}
		return "{ " + strings.Join(fields, " ") + " }"
	case kind == "object":
		return s.object
	default:
		return s.word(kind)
	}
}
