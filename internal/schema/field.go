package schema

import (
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
			known.read(tag)
		}
		fields = append(fields, known)
	}
	return fields
}

func (f *field) read(tag string) {
	for option := range strings.SplitSeq(tag, ",") {
		key, value, hasValue := strings.Cut(option, "=")
		switch {
		case key == "enum":
			f.enum = strings.Split(value, "|")
		case key == "unique":
			f.unique = true
		case key == "unless":
			f.unless = value
		case key == "short":
			f.short = value
		case key == "excludes":
			f.excludes = strings.Split(value, "|")
		case hasValue:
			f.limits[key] = value
			f.required = f.required && key != "default"
		default:
			f.format = formatNamed(key)
		}
	}
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
