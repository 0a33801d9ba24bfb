// Package schema decodes JSON requests strictly into the API's Go types, and describes
// the types as JSON Schema.
//
//	parse.go      parses a body into an Object: one document, UTF-8, no duplicate names, limited depth
//	object.go     reads the fields of an Object and collects problems
//	decode.go     decodes an Object, or a URL's query, into a Go value
//	field.go      reads the tags of a struct's fields
//	format.go     the formats that a tag can name
//	jsonschema.go describes a Go type as a JSON Schema
//	nearest.go    suggests a known name for a misspelt one
//
// An error reports all problems of a request at once, including unknown fields.
package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"earshot"
)

// maxDepth is the maximum nesting of arrays and objects. Requests need at most four
// levels; 32 leaves room and limits recursion.
const maxDepth = 32

// maxValues is the maximum number of values in a body. Each value needs a few hundred
// bytes of memory, so without a limit a body could need a hundred times its size.
const maxValues = 10_000

// BodyField is the field name for problems of the whole body.
const BodyField = "body"

// number is the text of a JSON number, so that integers stay exact.
type number string

// Parse parses body as one JSON object. Its error is a validation error for BodyField or
// for a duplicate field.
func Parse(body []byte) (*Object, error) { return ParseUpTo(body, maxValues) }

// ParseUpTo is Parse with another maximum number of values.
func ParseUpTo(body []byte, values int) (*Object, error) {
	r, ok := readers.Get().(*reader)
	if !ok { // the pool is empty
		r = new(reader)
	}
	defer r.free()
	r.reset(body, values)
	value, err := r.value()
	if err != nil {
		return nil, bodyError(err)
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, Invalid(BodyField, "must be a single JSON document, but more follows it")
	}
	object, ok := value.(*Object)
	if !ok {
		return nil, Invalid(BodyField, "must be a JSON object")
	}
	object.problems = new([]earshot.FieldProblem)
	return object, nil
}

// Split parses body as a JSON array of 1 to most items and returns the text of each item.
// The items are parsed separately, so that an invalid item does not affect the others.
func Split(body []byte, most int) ([][]byte, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if kind := dec.PeekKind(); kind != '[' && kind != 0 {
		return nil, Invalid(BodyField, "must be a JSON array")
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, bodyError(err)
	}
	var items [][]byte
	for dec.PeekKind() != ']' {
		item, err := dec.ReadValue()
		if err != nil {
			return nil, bodyError(err)
		}
		if len(items) == most {
			return nil, Invalid(BodyField, "must have at most %d items", most)
		}
		items = append(items, bytes.Clone(item))
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, bodyError(err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, Invalid(BodyField, "must be a single JSON document, but more follows it")
	}
	if len(items) == 0 {
		return nil, Invalid(BodyField, "must have at least one item")
	}
	return items, nil
}

// maxProblems is the maximum number of problems in an error.
const maxProblems = 100

// Invalid returns a validation error with one problem.
func Invalid(field, format string, args ...any) *earshot.Error {
	return invalid([]earshot.FieldProblem{{Field: shorten(field), Message: fmt.Sprintf(format, args...)}})
}

// shorten cuts a name from a client for an error message.
func shorten(name string) string {
	const most = 64
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

func invalid(problems []earshot.FieldProblem) *earshot.Error {
	first := problems[0]
	message := fmt.Sprintf("%s: %s", first.Field, first.Message)
	if more := len(problems) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	details := problems[:min(len(problems), maxProblems)]
	return &earshot.Error{Code: earshot.CodeValidation, Message: message, Details: details}
}

var (
	errTooDeep = fmt.Errorf("nests deeper than %d levels", maxDepth)
	errTooMany = errors.New("has too many values")
)

func bodyError(err error) *earshot.Error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTooDeep), errors.Is(err, errTooMany):
		return Invalid(BodyField, "%v", err)
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return Invalid(pointerToField(syntax.JSONPointer), "appears more than once")
	case errors.Is(err, io.EOF):
		return Invalid(BodyField, "is empty; a JSON object is required")
	case errors.As(err, &syntax):
		return Invalid(BodyField, "is not valid JSON: %v at byte %d", syntax.Err, syntax.ByteOffset)
	default:
		return Invalid(BodyField, "is not valid JSON")
	}
}

// pointerToField converts /include/html to include.html.
func pointerToField(p jsontext.Pointer) string {
	field := ""
	for token := range p.Tokens() {
		field = join(field, token)
	}
	return field
}

type reader struct {
	dec  jsontext.Decoder
	in   bytes.Buffer // input of dec, which reads a *bytes.Buffer without copying
	body []byte
	left int // number of further values that are allowed
}

// readers is a pool because every task is parsed when it runs, and a decoder allocates
// more memory than a request.
var readers sync.Pool

func (r *reader) reset(body []byte, values int) {
	r.body, r.left = body, values
	r.in = *bytes.NewBuffer(body)
	r.dec.Reset(&r.in)
}

// free returns the reader to the pool, without the body.
func (r *reader) free() {
	r.reset(nil, 0)
	readers.Put(r)
}

// value reads the next value: a string, a number, a bool, nil, a []any or an
// *Object.
func (r *reader) value() (any, error) {
	if r.dec.StackDepth() > maxDepth {
		return nil, errTooDeep
	}
	if r.left--; r.left < 0 {
		return nil, errTooMany
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return r.object(int(r.dec.InputOffset()) - 1)
	case '[':
		var list []any
		for r.dec.PeekKind() != ']' {
			item, err := r.value()
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := r.dec.ReadToken()
		return list, err
	case '"':
		return token.String(), nil
	case '0':
		return number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	default:
		return nil, nil
	}
}

func (r *reader) object(start int) (*Object, error) {
	o := &Object{fields: map[string]any{}}
	for r.dec.PeekKind() != '}' {
		name, err := r.dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		o.fields[key] = value
		o.order = append(o.order, key)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, err
	}
	o.raw = r.body[start:r.dec.InputOffset()]
	return o, nil
}
