package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// field is what the tags of a struct's field say.
type field struct {
	name     string // on the wire
	index    int    // in the struct
	goType   reflect.Type
	required bool // on the wire: no omitempty, no omitzero, no default
	inline   bool // an embedded struct, whose fields belong to the outer one
	format   Format
	enum     []string
	limits   map[string]string // min, max, default, minItems, maxItems, const
	unique   bool
	unless   string   // required unless this other field is there
	excludes []string // other fields that must not be there with it
	short    string   // the field of an item of a list that a text alone stands for
}

// fieldsOf lists the fields of a struct that appear in JSON, in their order.
//
// The tag schema is a list of: the name of a format; min=N, max=N and default=N of
// a number, which is not required where it has a default; maxLength=N of a text; enum=a|b of a string or of the strings in a
// list; minItems=N, maxItems=N and unique of a list; const=V; unless=field for one
// that is required when the other field is absent; excludes=a|b for fields that
// cannot be combined with it; short=field for a list of objects in which a text alone
// stands for an object with that one field.
//
// Tags are part of the program, so fieldsOf panics for an option that is unknown, has a
// wrong value or names a field that the struct does not have.
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
		known.enum = enumOf(f.Type)
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
				panic(fmt.Sprintf("schema: the tag of %s.%s names %q, which is not a field beside it", t, t.Field(f.index).Name, other))
			}
		}
	}
	return fields
}

// read reads the tag. It returns an error for the first option that is unknown or has a
// value that such an option cannot have.
func (f *field) read(tag string) error {
	for option := range strings.SplitSeq(tag, ",") {
		key, value, hasValue := strings.Cut(option, "=")
		valid := hasValue && value != ""
		switch key {
		case "enum":
			f.enum = strings.Split(value, "|")
		case "unique":
			f.unique, valid = true, !hasValue
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
			return fmt.Errorf("%q is not an option or a format, or has a wrong value", option)
		}
	}
	return nil
}

// limit is a limit of the field, and whether it has one.
func (f *field) limit(name string) (int, bool) {
	text, ok := f.limits[name]
	if !ok {
		text, ok = f.format.limits[name]
	}
	n, err := strconv.Atoi(text)
	return n, ok && err == nil
}

// enumOf lists the values of a type that has a method Values, such as
// earshot.Status.
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

// has tells whether the enum is empty or has the value.
func (f *field) allows(value string) bool { return f.enum == nil || slices.Contains(f.enum, value) }
