package schema

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"earshot"
)

// Decode takes the fields of the struct that into points to out of the object, each
// as its type and tags demand, and notes what is wrong. What only the caller can
// check is left to it; Err tells at the end.
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

// decodeField takes one field. A kind that no request has is a mistake in the
// program, which every test of a request would show.
func (o *Object) decodeField(f *field, v reflect.Value) {
	switch {
	case f.format.Name == "ignored":
		o.Ignore(f.name)
	case f.format.Name == "object":
		if part, ok := o.part(f.name); ok {
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
	case v.Kind() == reflect.Int:
		low, _ := f.limit("min")
		high, _ := f.limit("max")
		byDefault, _ := f.limit("default")
		v.SetInt(int64(o.Int(f.name, low, high, byDefault)))
	case v.Kind() == reflect.Struct:
		if part, ok := o.part(f.name); ok {
			part.decode(v)
		}
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

// part takes an object. It tells false when the field is absent or something else.
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
		o.Reject(f.name, "must be one of %s", strings.Join(f.enum, ", "))
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

func (o *Object) decodeList(f *field, v reflect.Value) {
	items, ok := take[[]any](o, f.name, "a list")
	if !ok {
		return
	}
	if minItems, _ := f.limit("minItems"); len(items) < minItems {
		o.Reject(f.name, "must be a list of at least %d of %s", minItems, strings.Join(f.enum, ", "))
		return
	}
	var list []string
	for _, item := range items {
		text, isString := item.(string)
		if !isString || !f.allows(text) || f.unique && slices.Contains(list, text) {
			o.Reject(f.name, "must be a list of %s, each at most once", strings.Join(f.enum, ", "))
			return
		}
		list = append(list, text)
	}
	v.Set(reflect.ValueOf(list))
}

// DecodeQuery reads the parameters of a URL into the struct that into points to, by
// the same rules as a body. Parameters that the struct does not have are passed
// over, as are empty ones; one that is given twice is a mistake.
func DecodeQuery(values url.Values, into any) error {
	o := &Object{fields: map[string]any{}, problems: new([]earshot.FieldProblem)}
	o.query(values, reflect.TypeOf(into).Elem())
	o.Decode(into)
	return o.Err()
}

// query takes over the parameters that a struct has.
func (o *Object) query(values url.Values, t reflect.Type) {
	for _, f := range fieldsOf(t) {
		if f.inline {
			o.query(values, f.goType)
			continue
		}
		switch given := values[f.name]; {
		case len(given) > 1:
			o.Reject(f.name, "is given more than once")
		case len(given) == 0 || given[0] == "" && f.enum == nil:
		case f.goType.Kind() == reflect.Int:
			o.fields[f.name] = number(given[0])
		default:
			o.fields[f.name] = given[0]
		}
	}
}
