package schema

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"earshot"
)

// Object is a JSON object. Its methods read fields and collect problems; Err returns all
// problems. An Object is not safe for concurrent use.
type Object struct {
	path     string // the object's field name; empty for the body
	fields   map[string]any
	order    []string  // names in the order of the body
	known    []string  // names that were read
	parts    []*Object // nested objects that were read
	raw      []byte
	kind     string                  // of the fields in messages: "parameter", or "" for a field
	problems *[]earshot.FieldProblem // shared with nested objects
}

// Raw returns the text of the object, a part of the parsed body. It is nil if the object
// was absent.
func (o *Object) Raw() []byte { return o.raw }

// Reject adds a problem of field.
func (o *Object) Reject(field, format string, args ...any) {
	*o.problems = append(*o.problems, earshot.FieldProblem{
		Field:   join(o.path, shorten(field)),
		Message: fmt.Sprintf(format, args...),
	})
}

// Valid reports whether no problem was found so far.
func (o *Object) Valid() bool { return len(*o.problems) == 0 }

// Has reports whether the field is present. It may be null.
func (o *Object) Has(name string) bool {
	_, ok := o.fields[name]
	return ok
}

// IsString reports whether the field is present and a string.
func (o *Object) IsString(name string) bool {
	_, ok := o.fields[name].(string)
	return ok
}

// Ignore accepts the field with any value.
func (o *Object) Ignore(name string) { o.known = append(o.known, name) }

// forbid adds the problem that the field must be absent. It replaces all other problems of
// the field.
func (o *Object) forbid(name, message string) {
	path := join(o.path, name)
	*o.problems = slices.DeleteFunc(*o.problems, func(p earshot.FieldProblem) bool {
		return p.Field == path || strings.HasPrefix(p.Field, path+".")
	})
	o.Reject(name, "%s", message)
}

// IgnoreAll accepts all fields with any value.
func (o *Object) IgnoreAll() { o.known = append(o.known, o.order...) }

// Require adds a problem for each of the fields that is absent.
func (o *Object) Require(names ...string) {
	for _, name := range names {
		if !o.Has(name) {
			o.Reject(name, "is required")
		}
	}
}

// String returns a string without changes. It returns false if the field is absent or not
// a string.
func (o *Object) String(name string) (value string, ok bool) {
	return take[string](o, name, "a string")
}

// Text returns a string of 1 to maxLength characters without the white space around it. It
// returns "" if the field is absent or invalid.
func (o *Object) Text(name string, maxLength int) string {
	if text, ok := o.String(name); ok {
		if text, ok = o.checkText(name, text, maxLength); ok {
			return text
		}
	}
	return ""
}

// checkText returns text without the white space around it, and whether it is valid.
func (o *Object) checkText(name, text string, maxLength int) (trimmed string, ok bool) {
	text = strings.TrimSpace(text)
	switch length := utf8.RuneCountInString(text); {
	case strings.ContainsRune(text, 0):
		o.Reject(name, "must not contain a NUL character")
	case !utf8.ValidString(text):
		o.Reject(name, "must be UTF-8")
	case length == 0:
		o.Reject(name, "must not be empty")
	case length > maxLength:
		o.Reject(name, "must have at most %d characters, but has %d", maxLength, length)
	default:
		return text, true
	}
	return text, false
}

// Flag returns a boolean, or false if the field is absent.
func (o *Object) Flag(name string) bool {
	value, _ := take[bool](o, name, "a boolean")
	return value
}

// Int returns an integer from minValue to maxValue, or byDefault if the field is absent.
func (o *Object) Int(name string, minValue, maxValue, byDefault int) int {
	literal, ok := take[number](o, name, "an integer")
	if !ok {
		return byDefault
	}
	value, isInteger := integer(string(literal))
	if !isInteger || value < minValue || value > maxValue {
		o.Reject(name, "must be an integer from %d to %d", minValue, maxValue)
		return byDefault
	}
	return value
}

// integer returns the value of a JSON number that is an integer, in any notation: 5, 5.0 or 5e0.
func integer(literal string) (int, bool) {
	if n, err := strconv.Atoi(literal); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(literal, 64)
	return int(f), err == nil && f == math.Trunc(f) && math.Abs(f) <= 1<<53 && jsontext.Value(literal).IsValid()
}

// Object returns a nested object. It returns an empty object if the field is absent or
// invalid.
func (o *Object) Object(name string) *Object {
	part, ok := take[*Object](o, name, "an object")
	if !ok {
		part = &Object{}
	}
	part.path = join(o.path, name)
	part.problems = o.problems
	if !slices.Contains(o.parts, part) {
		o.parts = append(o.parts, part)
	}
	return part
}

// take returns the field's value if it is present and of type T. If it is of another type,
// take adds a problem the first time that the field is read.
func take[T any](o *Object, name, kind string) (value T, ok bool) {
	again := slices.Contains(o.known, name)
	o.known = append(o.known, name)
	raw, there := o.fields[name]
	if !there {
		return value, false
	}
	value, ok = raw.(T)
	if !ok && !again {
		o.Reject(name, "must be %s", kind)
	}
	return value, ok
}

// Err returns a validation error with all problems so far and all fields that were not
// read, or nil.
func (o *Object) Err() error {
	slices.SortStableFunc(*o.problems, func(a, b earshot.FieldProblem) int {
		return slices.Compare(o.rank(a.Field), o.rank(b.Field))
	})
	o.rejectUnknown()
	if len(*o.problems) == 0 {
		return nil
	}
	return invalid(*o.problems)
}

// rank returns the position of a field in the order in which the fields were read, at each
// level of nesting.
func (o *Object) rank(path string) []int {
	name, rest, nested := strings.Cut(path, ".")
	list, index, isItem := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	at := slices.Index(o.known, list)
	if at < 0 {
		return []int{len(o.known)}
	}
	rank := []int{at}
	if isItem {
		i, _ := strconv.Atoi(index) // written by indexed
		rank = append(rank, i)
	}
	if nested {
		for _, part := range o.parts {
			if part.path == join(o.path, name) {
				return append(rank, part.rank(rest)...)
			}
		}
	}
	return rank
}

func (o *Object) rejectUnknown() {
	for _, name := range o.order {
		if slices.Contains(o.known, name) {
			continue
		}
		if len(*o.problems) > maxProblems {
			return
		}
		name = shorten(name)
		o.Reject(name, "unknown %s %q%s", cmp.Or(o.kind, "field"), name, Hint(name, o.known))
	}
	for _, part := range o.parts {
		part.rejectUnknown()
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
