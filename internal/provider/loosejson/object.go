// Package loosejson reads JSON whose structure may change without notice.
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

// Object is a JSON object with no guaranteed structure. A field that is missing or has an
// unexpected type counts as absent. All methods accept a nil Object.
type Object map[string]any

// Text returns the first of the fields that is a non-empty string, on one line.
func (o Object) Text(fields ...string) string {
	for _, field := range fields {
		if line := webtext.Line(AsText(o[field])); line != "" {
			return line
		}
	}
	return ""
}

// Amount returns the first of the fields that is a price: a number, or a string as displayed.
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

// Number returns the first of the fields that is a finite number.
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

// Count returns the first of the fields that is a number, truncated to an integer. It returns nil
// if the number exceeds 32 bits.
func (o Object) Count(fields ...string) *int {
	n := o.Number(fields...)
	if n == nil || math.Abs(*n) > math.MaxInt32 {
		return nil
	}
	whole := int(*n)
	return &whole
}

// Int returns the number that Count returns, or 0.
func (o Object) Int(field string) int {
	if n := o.Count(field); n != nil {
		return *n
	}
	return 0
}

// Flag returns the field if it is a boolean.
func (o Object) Flag(field string) *bool {
	if b, ok := o[field].(bool); ok {
		return &b
	}
	return nil
}

// Is reports whether the field is true.
func (o Object) Is(field string) bool { return o[field] == true }

// Object returns the object in the field, or nil.
func (o Object) Object(field string) Object { return AsObject(o[field]) }

// Objects returns the objects in the field's list.
func (o Object) Objects(field string) []Object { return AsObjects(o[field]) }

// Texts returns the texts in the field's list. For an item that is an object, the text is its field
// inner.
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

// moment matches a date that is followed by a time of day.
var moment = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]`)

// Date returns the first of the fields that is a date. Seconds since 1970 and timestamps become a
// day; other texts are returned unchanged.
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

// maxSeconds is the end of the year 9999, the last one with four digits.
const maxSeconds = 253402300799

// Destination returns the destination of the first of the fields that is a web address. own is as
// for webtext.Destination.
func (o Object) Destination(own []string, fields ...string) (string, bool) {
	for _, field := range fields {
		if link, ok := webtext.Destination(AsText(o[field]), nil, own); ok {
			return link, true
		}
	}
	return "", false
}

// AsObject returns the value if it is an object, or nil.
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

// AsObjects returns the objects in the value if it is a list.
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

// AsText returns the value if it is a string, or the content of a strings.Builder in which a
// streamed string grows.
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

// Decode reads exactly one JSON value. Numbers become json.Number.
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
