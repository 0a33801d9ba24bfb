package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"earshot"
)

// Map is a JSON object that keeps the order of its names.
type Map []Entry

// Entry is a name in a Map and its value.
type Entry struct {
	Key   string
	Value any
}

// Get returns the value of a name, or nil.
func (m Map) Get(key string) any {
	for _, e := range m {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// At returns the object at a path of names, or nil.
func (m Map) At(path ...string) Map {
	for _, key := range path {
		m, _ = m.Get(key).(Map)
	}
	return m
}

// Objects returns the names and values of the entries that are objects.
func (m Map) Objects() iter.Seq2[string, Map] {
	return func(yield func(string, Map) bool) {
		for _, e := range m {
			if object, ok := e.Value.(Map); ok && !yield(e.Key, object) {
				return
			}
		}
	}
}

// Set replaces the value of a name, or adds it at the end.
func (m *Map) Set(key string, value any) {
	for i := range *m {
		if (*m)[i].Key == key {
			(*m)[i].Value = value
			return
		}
	}
	*m = append(*m, Entry{key, value})
}

// MarshalJSON encodes the entries in order.
func (m Map) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, e := range m {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := encoder.Encode(e.Key); err != nil {
			return nil, fmt.Errorf("encode %s: %w", e.Key, err)
		}
		out.WriteByte(':')
		if err := encoder.Encode(e.Value); err != nil {
			return nil, fmt.Errorf("encode %s: %w", e.Key, err)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// refPrefix is the path of schemas in the OpenAPI document.
const refPrefix = "#/components/schemas/"

// Ref returns a reference to a component.
func Ref(name string) Map { return Map{{"$ref", refPrefix + name}} }

// Describer describes Go types as JSON Schemas. Every named struct and every named string
// type with a list of values becomes a component.
type Describer struct {
	// Comments are the doc comments of types and fields, by Type and Type.field.
	Comments   map[string]string
	Components Map
}

// Of returns the schema of a value's type.
func (d *Describer) Of(value any) Map { return d.schema(reflect.TypeOf(value)) }

// Parameters returns the fields of a struct as parameters of a query.
func (d *Describer) Parameters(value any) []Map {
	var parameters []Map
	for owner, f := range allFields(reflect.TypeOf(value)) {
		s := d.field(owner, &f)
		p := Map{{"name", f.name}, {"in", "query"}}
		if f.required {
			p.Set("required", true)
		}
		if text := s.Get("description"); text != nil {
			p.Set("description", text)
			s = slices.DeleteFunc(s, func(e Entry) bool { return e.Key == "description" })
		}
		p.Set("schema", s)
		parameters = append(parameters, p)
	}
	return parameters
}

func (d *Describer) schema(t reflect.Type) Map {
	switch {
	case t == reflect.TypeFor[earshot.Timestamp]():
		return Map{{"type", "string"}, {"format", "date-time"}, {"pattern", `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`}}
	case t == reflect.TypeFor[time.Time]():
		return Map{{"type", "string"}, {"format", "date-time"}}
	case t == reflect.TypeFor[earshot.True]():
		return Map{{"type", "boolean"}, {"const", true}}
	case t == reflect.TypeFor[json.RawMessage]():
		return Map{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.schema(t.Elem())
	case reflect.Struct:
		return d.component(t, d.object)
	case reflect.String:
		if t.Name() != "string" && enumOf(t) != nil {
			return d.component(t, func(t reflect.Type) Map { return Map{{"type", "string"}, {"enum", enumOf(t)}} })
		}
		return Map{{"type", "string"}}
	case reflect.Bool:
		return Map{{"type", "boolean"}}
	case reflect.Int, reflect.Int64:
		return Map{{"type", "integer"}}
	case reflect.Float64:
		return Map{{"type", "number"}}
	case reflect.Slice:
		return Map{{"type", "array"}, {"items", d.schema(t.Elem())}}
	case reflect.Interface:
		return Map{}
	default:
		panic(fmt.Sprintf("schema: the API has no values of type %s", t))
	}
}

// component returns a reference to the type's component, which it adds if it is missing.
func (d *Describer) component(t reflect.Type, describe func(reflect.Type) Map) Map {
	if d.Components.Get(t.Name()) == nil {
		d.Components.Set(t.Name(), Map{}) // a type may refer to itself
		var s Map
		if text := d.Comments[t.Name()]; text != "" {
			s.Set("description", text)
		}
		d.Components.Set(t.Name(), append(s, describe(t)...))
	}
	return Ref(t.Name())
}

func (d *Describer) object(t reflect.Type) Map {
	var properties Map
	var required []string
	for owner, f := range allFields(t) {
		properties.Set(f.name, d.field(owner, &f))
		if f.required {
			required = append(required, f.name)
		}
	}
	s := Map{{"type", "object"}, {"additionalProperties", false}}
	if required != nil {
		s.Set("required", required)
	}
	s = append(s, Entry{"properties", properties})
	return append(s, conditions(fieldsOf(t))...)
}

// conditions returns the rules between fields.
func conditions(fields []field) Map {
	var s, dependent Map
	for _, f := range fields {
		if f.name == "state" && slices.ContainsFunc(fields, func(other field) bool { return other.name == "country" }) {
			dependent.Set(f.name, Map{{"properties", Map{{"country", Map{{"const", "US"}}}}}})
		}
		if f.excludes != nil {
			var others []Map
			for _, other := range f.excludes {
				others = append(others, Map{{"required", []string{other}}})
			}
			dependent.Set(f.name, Map{{"not", Map{{"anyOf", others}}}})
		}
		if f.unless != "" {
			s.Set("if", Map{{"not", Map{{"required", []string{f.unless}}}}})
			s.Set("then", Map{{"required", []string{f.name}}})
		}
	}
	if dependent != nil {
		s.Set("dependentSchemas", dependent)
	}
	return s
}

// field returns the schema of a struct's field: the schema of its type, with its comment
// and the rules of its tags.
func (d *Describer) field(owner reflect.Type, f *field) Map {
	var s Map
	if text := d.comment(owner, f); text != "" {
		s.Set("description", text)
	}
	base := d.schema(f.goType)
	if ref := f.format.Schema.Get("$ref"); ref != nil {
		base = f.format.Schema
	}
	for _, e := range base {
		s.Set(e.Key, e.Value)
	}
	if items, isList := s.Get("items").(Map); isList {
		items = f.describeValue(items)
		if n, ok := f.limit("maxLength"); ok {
			items = append(items, Entry{"minLength", 1}, Entry{"maxLength", n})
		}
		if f.short != "" {
			items = Map{{"anyOf", []Map{{{"type", "string"}, {"minLength", 1}}, items}}}
		}
		s.Set("items", items)
	} else {
		s = f.describeValue(s)
	}
	f.describeLimits(&s)
	if f.goType.Kind() == reflect.Pointer && f.required || f.nullable {
		nullable(&s)
	}
	return s
}

// describeValue adds the rules of the format and the enum to the schema of the value, or
// of a list's items.
func (f *field) describeValue(s Map) Map {
	for _, e := range f.format.Schema {
		s.Set(e.Key, e.Value)
	}
	if f.enum == nil || slices.Equal(f.enum, enumOf(f.goType)) {
		return s // the component of the type has the values
	}
	s = slices.DeleteFunc(s, func(e Entry) bool { return e.Key == "$ref" })
	s.Set("type", "string")
	s.Set("enum", f.enum)
	return s
}

// comment returns the comment of the field, or the description of its format.
func (d *Describer) comment(owner reflect.Type, f *field) string {
	if text := d.Comments[owner.Name()+"."+f.name]; text != "" {
		return text
	}
	return f.format.Description
}

func (f *field) describeLimits(s *Map) {
	for _, limit := range []struct{ tag, key string }{
		{"min", "minimum"}, {"max", "maximum"}, {"minItems", "minItems"}, {"maxItems", "maxItems"}, {"maxLength", "maxLength"}, {"default", "default"},
	} {
		n, ok := f.limit(limit.tag)
		if !ok || limit.tag == "maxLength" && f.goType.Kind() == reflect.Slice { // the limit is in the schema of the list's items
			continue
		}
		if limit.tag == "maxLength" {
			s.Set("minLength", 1)
			if s.Get("pattern") == nil {
				s.Set("pattern", `\S`)
			}
		}
		s.Set(limit.key, n)
	}
	if value, ok := f.limits["const"]; ok {
		s.Set("const", value == "true")
	}
	if f.unique {
		s.Set("uniqueItems", true)
	}
	if f.goType.Kind() == reflect.Bool && !f.required {
		s.Set("default", false)
	}
}

// nullable changes the schema to allow null.
func nullable(s *Map) {
	if kind, ok := s.Get("type").(string); ok {
		s.Set("type", []string{kind, "null"})
		return
	}
	if ref, ok := s.Get("$ref").(string); ok {
		*s = slices.DeleteFunc(*s, func(e Entry) bool { return e.Key == "$ref" })
		s.Set("anyOf", []Map{Ref(strings.TrimPrefix(ref, refPrefix)), {{"type", "null"}}})
	}
}
