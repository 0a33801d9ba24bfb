package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
)

// Decode reads the fields of the struct that into points to, by their types and tags, and
// collects problems. The caller may check more and add problems before it calls Err.
func (o *Object) Decode(into any) { o.decode(reflect.ValueOf(into).Elem()) }

func (o *Object) decode(v reflect.Value) {
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		if f.inline {
			o.decode(v.Field(f.index))
			continue
		}
		if f.required || f.unless != "" && !o.Has(f.unless) {
			o.Require(f.name)
		}
		o.decodeField(&f, v.Field(f.index))
	}
	for _, f := range fields {
		for _, other := range f.excludes {
			if o.Has(f.name) && o.Has(other) {
				o.forbid(other, "cannot be combined with "+f.name)
			}
		}
	}
}

// decodeField reads one field. It panics for a type that requests must not have, which is
// a programming error.
func (o *Object) decodeField(f *field, v reflect.Value) {
	switch {
	case f.format.Name == "ignored":
		o.Ignore(f.name)
	case f.format.Name == "object" || f.format.Name == "options":
		if part, ok := o.part(f.name); ok {
			if f.format.Name == "options" {
				part.IgnoreAll()
			}
			v.Set(reflect.ValueOf(json.RawMessage(part.Raw())))
		}
	case v.Type() == reflect.TypeFor[time.Time]():
		o.decodeTime(f, v)
	case v.Kind() == reflect.String:
		if text, ok := o.decodeString(f); ok {
			v.SetString(text)
		}
	case v.Kind() == reflect.Bool:
		v.SetBool(o.Flag(f.name))
	case v.Kind() == reflect.Int || v.Kind() == reflect.Int64:
		low, _ := f.limit("min")
		high, _ := f.limit("max")
		byDefault, _ := f.limit("default")
		v.SetInt(int64(o.Int(f.name, low, high, byDefault)))
	case v.Kind() == reflect.Float64:
		v.SetFloat(o.decodeFloat(f))
	case v.Kind() == reflect.Struct:
		if part, ok := o.part(f.name); ok {
			part.decode(v)
		}
	case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() != reflect.Struct:
		o.decodePointer(f, v)
	case v.Kind() == reflect.Pointer:
		if part, ok := o.part(f.name); ok {
			v.Set(reflect.New(v.Type().Elem()))
			part.decode(v.Elem())
		}
	case v.Kind() == reflect.Slice:
		o.decodeList(f, v)
	default:
		panic(fmt.Sprintf("schema: no request may have a field of type %s", v.Type()))
	}
}

// decodePointer reads a field that is nil if it is absent.
func (o *Object) decodePointer(f *field, v reflect.Value) {
	value := reflect.New(v.Type().Elem())
	sent, present := o.fields[f.name]
	if f.nullable && present && sent == nil {
		o.Ignore(f.name)
	} else {
		o.decodeField(f, value.Elem())
	}
	if present {
		v.Set(value)
	}
}

// part returns a nested object. It returns false if the field is absent or not an object.
func (o *Object) part(name string) (*Object, bool) {
	part := o.Object(name)
	return part, part.raw != nil
}

func (o *Object) decodeString(f *field) (string, bool) {
	if maxLength, isText := f.limit("maxLength"); isText {
		text := o.Text(f.name, maxLength)
		if text != "" && f.format.check != nil && !f.format.check(text) {
			o.Reject(f.name, "%s", f.format.message)
		}
		return text, text != ""
	}
	text, ok := o.String(f.name)
	switch {
	case !ok:
		return "", false
	case !f.allows(text):
		o.Reject(f.name, "%s", NotOneOf(text, f.enum))
		return "", false
	case f.format.check != nil && !f.format.check(text):
		o.Reject(f.name, "%s", f.format.message)
	}
	return text, true
}

func (o *Object) decodeTime(f *field, v reflect.Value) {
	text, ok := o.String(f.name)
	if !ok {
		return
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		o.Reject(f.name, "must be a time in RFC 3339, such as 2026-09-08T09:30:00Z")
		return
	}
	v.Set(reflect.ValueOf(at))
}

// decodeFloat reads a number within the field's limits.
func (o *Object) decodeFloat(f *field) float64 {
	byDefault, _ := f.limit("default")
	literal, ok := take[number](o, f.name, "a number")
	if !ok {
		return float64(byDefault)
	}
	low, _ := f.limit("min")
	high, _ := f.limit("max")
	value, err := strconv.ParseFloat(string(literal), 64)
	if err != nil || value < float64(low) || value > float64(high) {
		o.Reject(f.name, "must be a number from %d to %d", low, high)
		return float64(byDefault)
	}
	return value
}

func (o *Object) decodeList(f *field, v reflect.Value) {
	items, ok := take[[]any](o, f.name, "a list")
	if !ok {
		return
	}
	minItems, _ := f.limit("minItems")
	maxItems, limited := f.limit("maxItems")
	switch {
	case len(items) < minItems && f.enum != nil:
		o.Reject(f.name, "must be a list of at least %d of %s", minItems, strings.Join(f.enum, ", "))
		return
	case len(items) < minItems:
		o.Reject(f.name, "must have at least %d item", minItems)
		return
	case limited && len(items) > maxItems:
		o.Reject(f.name, "must have at most %d items, but has %d", maxItems, len(items))
		return
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if v.Type().Elem().Kind() == reflect.Struct {
			o.decodeItem(f, i, item, list.Index(i))
			continue
		}
		text, isString := item.(string)
		switch {
		case f.enum != nil:
			if !isString || !f.allows(text) || f.unique && slices.Contains(items[:i], item) {
				o.Reject(f.name, "must be a list of %s, each at most once", strings.Join(f.enum, ", "))
				return
			}
		case !isString:
			o.Reject(indexed(f.name, i), "must be a string")
		default:
			maxLength, _ := f.limit("maxLength")
			text, _ = o.checkText(indexed(f.name, i), text, maxLength)
		}
		list.Index(i).SetString(text)
	}
	v.Set(list)
}

// decodeItem reads an item of a list of objects, or a text that is short for an object.
func (o *Object) decodeItem(f *field, i int, item any, v reflect.Value) {
	part, isObject := item.(*Object)
	if text, isString := item.(string); isString && f.short != "" {
		part, isObject = &Object{fields: map[string]any{f.short: text}, order: []string{f.short}}, true
	}
	if !isObject {
		o.Reject(indexed(f.name, i), "must be an object")
		return
	}
	part.path, part.problems = join(o.path, indexed(f.name, i)), o.problems
	o.parts = append(o.parts, part)
	part.decode(v)
}

// indexed returns the path of an item of a list.
func indexed(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }

// DecodeQuery decodes the parameters of a URL into the struct that into points to, by
// the same rules as a body. It ignores empty parameters, and rejects unknown ones and a
// parameter that is given twice.
func DecodeQuery(values url.Values, into any) error {
	o := &Object{fields: map[string]any{}, order: slices.Sorted(maps.Keys(values)), kind: "parameter", problems: new([]earshot.FieldProblem)}
	for _, f := range allFields(reflect.TypeOf(into).Elem()) {
		switch given := values[f.name]; {
		case len(given) > 1:
			o.Reject(f.name, "is given more than once")
		case len(given) == 0 || given[0] == "" && f.enum == nil:
		case f.goType.Kind() == reflect.Int:
			o.fields[f.name] = number(given[0])
		case f.goType.Kind() == reflect.Bool && (given[0] == "true" || given[0] == "false"):
			o.fields[f.name] = given[0] == "true"
		default:
			o.fields[f.name] = given[0]
		}
	}
	o.Decode(into)
	return o.Err()
}
