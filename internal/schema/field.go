package schema

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// field is a field of a struct with its tags.
type field struct {
	name     string // in JSON
	index    int    // in the struct
	goType   reflect.Type
	required bool // no omitempty, no omitzero, no default
	inline   bool // an embedded struct, whose fields belong to the outer struct
	format   Format
	enum     []string
	limits   map[string]string // min, max, default, maxLength, minItems, maxItems, const
	unique   bool
	nullable bool     // null resets the field to its zero value
	unless   string   // required if this other field is absent
	excludes []string // other fields that must be absent
	short    string   // see fieldsOf
}

// allFields returns the fields of a struct and of its embedded structs, each with the
// struct that declares it.
func allFields(t reflect.Type) iter.Seq2[reflect.Type, field] {
	return func(yield func(reflect.Type, field) bool) {
		for _, f := range fieldsOf(t) {
			if !f.inline {
				if !yield(t, f) {
					return
				}
				continue
			}
			for owner, inner := range allFields(f.goType) {
				if !yield(owner, inner) {
					return
				}
			}
		}
	}
}

// fieldsOf returns the fields of a struct that appear in JSON, in the order of the struct.
//
// The tag schema is a comma-separated list of options:
//
//   - the name of a format;
//   - min=N, max=N and default=N for a number; a field with a default is not required;
//   - maxLength=N for a text or for the texts in a list;
//   - enum=a|b for a string or for the strings in a list;
//   - minItems=N, maxItems=N and unique for a list;
//   - const=true or const=false;
//   - null for a pointer to a text or a number: null is its zero value, and an absent field is nil;
//   - unless=field: this field is required if the other field is absent;
//   - excludes=a|b: this field cannot be combined with these fields;
//   - short=field for a list of objects: a text is short for an object with only this field.
//
// fieldsOf panics if an option is unknown, has an invalid value or names a field that the
// struct does not have.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		known := field{
			name: name, index: i, goType: f.Type, limits: map[string]string{},
			inline:   f.Anonymous && name == "",
			required: !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero"),
		}
		if known.enum = enumOf(f.Type); f.Type.Kind() == reflect.Pointer {
			known.enum = enumOf(f.Type.Elem())
		}
		if tag := f.Tag.Get("schema"); tag != "" {
			if err := known.read(tag); err != nil {
				panic(fmt.Sprintf("schema: the tag of %s.%s: %s", t, f.Name, err))
			}
		}
		fields = append(fields, known)
	}
	for _, f := range fields {
		for _, other := range append(f.excludes, f.unless) {
			if other != "" && !slices.ContainsFunc(fields, func(f field) bool { return f.name == other }) {
				panic(fmt.Sprintf("schema: the tag of %s.%s names %q, which is not a field of the struct", t, t.Field(f.index).Name, other))
			}
		}
	}
	return fields
}

// read parses the tag. It returns an error for the first option that is unknown or has an
// invalid value.
func (f *field) read(tag string) error {
	for option := range strings.SplitSeq(tag, ",") {
		key, value, hasValue := strings.Cut(option, "=")
		valid := hasValue && value != ""
		switch key {
		case "enum":
			f.enum = strings.Split(value, "|")
		case "unique":
			f.unique, valid = true, !hasValue
		case "null":
			f.nullable, valid = true, !hasValue
		case "unless":
			f.unless = value
		case "short":
			f.short = value
		case "excludes":
			f.excludes = strings.Split(value, "|")
		case "const":
			valid = value == "true" || value == "false"
			f.limits[key] = value
		case "min", "max", "default", "maxLength", "minItems", "maxItems":
			_, err := strconv.Atoi(value)
			valid = err == nil
			f.limits[key] = value
			f.required = f.required && key != "default"
		default:
			f.format, valid = formats[option]
			f.format.Name = option
		}
		if !valid {
			return fmt.Errorf("%q is not an option or a format, or has an invalid value", option)
		}
	}
	return nil
}

// limit returns a limit of the field or of its format. It returns false if neither has one.
func (f *field) limit(name string) (int, bool) {
	text, ok := f.limits[name]
	if !ok {
		text, ok = f.format.limits[name]
	}
	n, err := strconv.Atoi(text)
	return n, ok && err == nil
}

// enumOf returns the values of a string type with a method Values, such as earshot.Status.
func enumOf(t reflect.Type) []string {
	if t.Kind() != reflect.String {
		return nil
	}
	method := reflect.Zero(t).MethodByName("Values")
	if !method.IsValid() {
		return nil
	}
	list := method.Call(nil)[0]
	values := make([]string, list.Len())
	for i := range values {
		values[i] = list.Index(i).String()
	}
	return values
}

// allows reports whether the enum contains the value or the field has no enum.
func (f *field) allows(value string) bool { return f.enum == nil || slices.Contains(f.enum, value) }
