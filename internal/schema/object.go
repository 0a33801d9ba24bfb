package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"earshot"
)

// Object is a JSON object whose fields are taken out by rule. Its methods note
// what is wrong and go on; Err tells at the end. It is not safe for concurrent
// use.
type Object struct {
	path     string // the object's own field name, "" at the top
	fields   map[string]any
	order    []string // names as written
	known    []string // names that a rule asked for
	parts    []*Object
	raw      []byte
	problems *[]earshot.FieldProblem // shared with the objects inside
}

// Raw is the object as it was written. It aliases the parsed body, and is nil
// for an object that was absent.
func (o *Object) Raw() []byte { return o.raw }

// Reject notes that field is wrong.
func (o *Object) Reject(field, format string, args ...any) {
	*o.problems = append(*o.problems, earshot.FieldProblem{
		Field:   join(o.path, shorten(field)),
		Message: fmt.Sprintf(format, args...),
	})
}

// Has tells whether the field is there, null included.
func (o *Object) Has(name string) bool {
	_, ok := o.fields[name]
	return ok
}

// IsString tells whether the field is there and a string.
func (o *Object) IsString(name string) bool {
	_, ok := o.fields[name].(string)
	return ok
}

// Ignore accepts the field, whatever it holds.
func (o *Object) Ignore(name string) { o.known = append(o.known, name) }

// forbid notes that the field must not be there at all, in the place of whatever
// else is wrong with it.
func (o *Object) forbid(name, message string) {
	path := join(o.path, name)
	*o.problems = slices.DeleteFunc(*o.problems, func(p earshot.FieldProblem) bool {
		return p.Field == path || strings.HasPrefix(p.Field, path+".")
	})
	o.Reject(name, "%s", message)
}

// IgnoreAll accepts every field, whatever it holds.
func (o *Object) IgnoreAll() { o.known = append(o.known, o.order...) }

// Require notes a problem for each of the fields that is absent.
func (o *Object) Require(names ...string) {
	for _, name := range names {
		if !o.Has(name) {
			o.Reject(name, "is required")
		}
	}
}

// String takes a string as it was written; ok tells that it is there.
func (o *Object) String(name string) (value string, ok bool) {
	return take[string](o, name, "a string")
}

// Text takes a string of 1 to maxLength characters, after white space around it is
// removed. It returns "" when the field is absent or wrong.
func (o *Object) Text(name string, maxLength int) string {
	text, ok := o.String(name)
	if !ok {
		return ""
	}
	text = strings.TrimSpace(text)
	switch length := utf8.RuneCountInString(text); {
	case strings.ContainsRune(text, 0):
		o.Reject(name, "must not contain a NUL character")
	case length == 0:
		o.Reject(name, "must not be empty")
	case length > maxLength:
		o.Reject(name, "must have at most %d characters, but has %d", maxLength, length)
	default:
		return text
	}
	return ""
}

// Flag takes a boolean; absent means false.
func (o *Object) Flag(name string) bool {
	value, _ := take[bool](o, name, "a boolean")
	return value
}

// Int takes an integer from minValue to maxValue; absent means byDefault.
func (o *Object) Int(name string, minValue, maxValue, byDefault int) int {
	literal, ok := take[number](o, name, "an integer")
	if !ok {
		return byDefault
	}
	value, err := strconv.Atoi(string(literal))
	if err != nil || value < minValue || value > maxValue {
		o.Reject(name, "must be an integer from %d to %d", minValue, maxValue)
		return byDefault
	}
	return value
}

// Enum takes one of the values; absent means "".
func (o *Object) Enum(name string, values ...string) string {
	value, ok := o.String(name)
	if !ok {
		return ""
	}
	if !slices.Contains(values, value) {
		o.Reject(name, "must be one of %s", strings.Join(values, ", "))
		return ""
	}
	return value
}

// Object takes an object; absent or wrong gives an empty one, so that its
// fields can be asked for all the same.
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

// take gives the field's value where it is there and of type T. It notes a problem
// where it is of another type, once however often the field is taken.
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

// Err is a validation error with every problem noted so far and every field
// that no rule asked for, or nil.
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

// rank is the place of a field among those that were asked for, at each level.
func (o *Object) rank(path string) []int {
	name, rest, nested := strings.Cut(path, ".")
	list, index, isItem := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	at := slices.Index(o.known, list)
	if at < 0 {
		return []int{len(o.known)}
	}
	rank := []int{at}
	if isItem {
		i, _ := strconv.Atoi(index) // as it was written by indexed
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
		if near := Nearest(name, o.known); near != "" {
			o.Reject(name, "unknown field %q, did you mean %q?", name, near)
		} else {
			o.Reject(name, "unknown field %q", name)
		}
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
