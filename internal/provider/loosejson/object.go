// Package loosejson reads JSON of which nothing is certain: the interfaces of
// sites change without notice.
package loosejson

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"time"

	"earshot/internal/provider/webtext"
)

// Object is a JSON object of which nothing is certain: interfaces change
// without notice, so a field that is absent or of another kind is just not
// there. All methods may be called on a nil Object.
type Object map[string]any

// Text is the first of the fields that is a string with something in it, on one
// line.
func (o Object) Text(fields ...string) string {
	for _, field := range fields {
		said := AsText(o[field])
		if said == "" { // most often, and cheaper to tell here
			continue
		}
		if line := webtext.Line(said); line != "" {
			return line
		}
	}
	return ""
}

// Amount is a price: a string as displayed, or a number.
func (o Object) Amount(fields ...string) string {
	for _, field := range fields {
		if n, ok := o[field].(json.Number); ok {
			return n.String()
		}
		if s := o.Text(field); s != "" {
			return s
		}
	}
	return ""
}

// Number is the first of the fields that is a number.
func (o Object) Number(fields ...string) *float64 {
	for _, field := range fields {
		if n, ok := o[field].(json.Number); ok {
			if f, err := n.Float64(); err == nil && !math.IsInf(f, 0) {
				return &f
			}
		}
	}
	return nil
}

// Count is the first of the fields that is a number, as a whole one.
func (o Object) Count(fields ...string) *int {
	n := o.Number(fields...)
	if n == nil || math.Abs(*n) > math.MaxInt32 {
		return nil
	}
	whole := int(*n)
	return &whole
}

// Flag is the field where it is a boolean.
func (o Object) Flag(field string) *bool {
	if b, ok := o[field].(bool); ok {
		return &b
	}
	return nil
}

// Is tells whether the field is true.
func (o Object) Is(field string) bool { return o[field] == true }

// Object is the field's object, an empty one where there is none.
func (o Object) Object(field string) Object { return AsObject(o[field]) }

// Objects are the objects in the field's list.
func (o Object) Objects(field string) []Object { return AsObjects(o[field]) }

// Texts are the strings in the field's list, and the given field of the objects
// in it.
func (o Object) Texts(field, inner string) []string {
	list, _ := o[field].([]any)
	var texts []string
	for _, item := range list {
		text := webtext.Line(AsText(item))
		if text == "" {
			text = AsObject(item).Text(inner)
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// moment is a date with a time of day behind it.
var moment = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]`)

// Date is the first of the fields that is a day: its seconds since 1970 as one,
// the day of a moment, or its text as it is.
func (o Object) Date(fields ...string) string {
	for _, field := range fields {
		if seconds := o.Number(field); seconds != nil && *seconds > 0 && *seconds <= maxSeconds {
			return time.Unix(int64(*seconds), 0).UTC().Format(time.DateOnly)
		}
		if text := o.Text(field); text != "" {
			if moment.MatchString(text) {
				return text[:len(time.DateOnly)]
			}
			return text
		}
	}
	return ""
}

// maxSeconds is the end of the year 9999, the last that has four digits.
const maxSeconds = 253402300799

// Destination is where the first of the fields that is a web address leads,
// without the tracking of an engine of one of the names own.
func (o Object) Destination(own []string, fields ...string) (string, bool) {
	for _, field := range fields {
		if link, ok := webtext.Destination(AsText(o[field]), nil, own); ok {
			return link, true
		}
	}
	return "", false
}

// AsObject is the value where it is an object.
func AsObject(value any) Object {
	switch v := value.(type) {
	case map[string]any:
		return v
	case Object:
		return v
	default:
		return nil
	}
}

// AsObjects are the objects in the value where it is a list.
func AsObjects(value any) []Object {
	list, _ := value.([]any)
	var objects []Object
	for _, item := range list {
		if o := AsObject(item); o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}

// AsText is the value where it is a string or one that grew.
func AsText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case *strings.Builder:
		return v.String()
	default:
		return ""
	}
}

// Decode reads one JSON value, numbers as they are written.
func Decode(data string) (any, bool) {
	dec := json.NewDecoder(strings.NewReader(data))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil, false
	}
	_, err := dec.Token()
	return value, errors.Is(err, io.EOF)
}
