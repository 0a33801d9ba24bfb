package chatassistant

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"time"

	"earshot/internal/provider/answer"
)

// object is a JSON object of which nothing is certain: the interface changes
// without notice, so a field that is absent or of another kind is just not
// there.
type object map[string]any

// text is the first of the fields that is a string with something in it, on one
// line.
func (o object) text(fields ...string) string {
	for _, field := range fields {
		if s := answer.Line(asText(o[field])); s != "" {
			return s
		}
	}
	return ""
}

// amount is a price: a string as displayed, or a number.
func (o object) amount(fields ...string) string {
	for _, field := range fields {
		if n, ok := o[field].(json.Number); ok {
			return n.String()
		}
		if s := o.text(field); s != "" {
			return s
		}
	}
	return ""
}

func (o object) number(fields ...string) *float64 {
	for _, field := range fields {
		if n, ok := o[field].(json.Number); ok {
			if f, err := n.Float64(); err == nil && !math.IsInf(f, 0) {
				return &f
			}
		}
	}
	return nil
}

func (o object) count(fields ...string) *int {
	n := o.number(fields...)
	if n == nil || math.Abs(*n) > math.MaxInt32 {
		return nil
	}
	whole := int(*n)
	return &whole
}

func (o object) flag(field string) *bool {
	if b, ok := o[field].(bool); ok {
		return &b
	}
	return nil
}

// object is the field's object, an empty one where there is none.
func (o object) object(field string) object { return asObject(o[field]) }

// objects are the objects in the field's list.
func (o object) objects(field string) []object {
	list, _ := o[field].([]any)
	var objects []object
	for _, item := range list {
		if inner := asObject(item); inner != nil {
			objects = append(objects, inner)
		}
	}
	return objects
}

// texts are the strings in the field's list, and the given field of the objects
// in it.
func (o object) texts(field, inner string) []string {
	list, _ := o[field].([]any)
	var texts []string
	for _, item := range list {
		text := answer.Line(asText(item))
		if text == "" {
			text = asObject(item).text(inner)
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// date is a day: the field's seconds since 1970 as one, or its text as it is.
func (o object) date(field string) string {
	seconds := o.number(field)
	if seconds == nil {
		return o.text(field)
	}
	if *seconds <= 0 || *seconds > maxSeconds {
		return ""
	}
	return time.Unix(int64(*seconds), 0).UTC().Format(time.DateOnly)
}

// maxSeconds is the end of the year 9999, the last that has four digits.
const maxSeconds = 253402300799

func asObject(value any) object {
	o, _ := value.(map[string]any)
	return o
}

// asText is the value where it is a string or one that grew.
func asText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case *strings.Builder:
		return v.String()
	default:
		return ""
	}
}

// decodeJSON reads one JSON value, numbers as they are written.
func decodeJSON(data string) (any, bool) {
	dec := json.NewDecoder(strings.NewReader(data))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil, false
	}
	_, err := dec.Token()
	return value, errors.Is(err, io.EOF)
}
