// Package schema is what the API's Go types say about JSON: it decodes requests
// into them as strictly as they allow, and describes them as JSON Schema.
//
//	parse.go      a body becomes an Object: one document, UTF-8, no duplicate names, bounded depth
//	object.go     fields are taken out of an Object; every problem is collected
//	decode.go     an Object, or a URL's query, becomes a Go value
//	field.go      what the tags of a struct's field say
//	format.go     the formats that a tag can name
//	jsonschema.go a Go type becomes a JSON Schema
//	nearest.go    which known name a misspelt one was meant to be
//
// A client learns of all its mistakes at once. A field that the type does not have
// is one of them.
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

// maxDepth is how deeply arrays and objects may nest. No request of ours needs
// more than four levels; 32 leaves room and keeps recursion harmless.
const maxDepth = 32

// maxValues is how many values a body may hold. Each costs a few hundred bytes
// in memory, so a body of the largest size could otherwise cost a hundredfold.
const maxValues = 10_000

// BodyField is the field that a problem of the document as a whole names.
const BodyField = "body"

// number is a JSON number as it was written, so that integers stay exact.
type number string

// Parse reads body as one JSON object. The error, if any, is a validation
// error that names BodyField.
func Parse(body []byte) (*Object, error) { return ParseUpTo(body, maxValues) }

// ParseUpTo is Parse for a body that may hold another number of values.
func ParseUpTo(body []byte, values int) (*Object, error) {
	r, ok := readers.Get().(*reader)
	if !ok { // there is none to be used again
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

// Split reads body as a JSON array and gives its items as they are written, to be
// parsed one by one: what is wrong inside of one is no fault of the others. There
// must be 1 to most of them.
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
			return nil, Invalid(BodyField, "must hold at most %d items", most)
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
		return nil, Invalid(BodyField, "must hold at least one item")
	}
	return items, nil
}

// maxProblems bounds an error: whoever made more mistakes is not helped by
// hearing of them all.
const maxProblems = 100

// Invalid is the validation error for one problem.
func Invalid(field, format string, args ...any) *earshot.Error {
	return invalid([]earshot.FieldProblem{{Field: shorten(field), Message: fmt.Sprintf(format, args...)}})
}

// shorten cuts what a client wrote where it is only shown back.
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
	errTooMany = errors.New("holds too many values")
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

// pointerToField turns /include/html into include.html.
func pointerToField(p jsontext.Pointer) string {
	field := ""
	for token := range p.Tokens() {
		field = join(field, token)
	}
	return field
}

type reader struct {
	dec  jsontext.Decoder
	in   bytes.Buffer // what dec reads; it takes a *bytes.Buffer's bytes without copying them
	body []byte
	left int // how many more values it may hold
}

// readers are used again: every task is parsed when it is run, and what a decoder
// allocates is more than what a request is.
var readers sync.Pool

func (r *reader) reset(body []byte, values int) {
	r.body, r.left = body, values
	r.in = *bytes.NewBuffer(body)
	r.dec.Reset(&r.in)
}

// free gives the reader back, without the body.
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
