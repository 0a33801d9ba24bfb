package earshot

import (
	"encoding/json"
	"time"
)

// List is a slice that is never null in JSON: a nil list is written as an empty array.
type List[T any] []T

// MarshalJSON writes [] for a nil list.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// Timestamp is a time in the wire format: RFC 3339, UTC, milliseconds.
type Timestamp struct{ time.Time }

const timestampLayout = "2006-01-02T15:04:05.000Z"

// At returns the Timestamp of Unix milliseconds, the format in which the store keeps times.
func At(millis int64) Timestamp { return Timestamp{time.UnixMilli(millis)} }

// When returns the Timestamp of t, or nil if t is zero.
func When(t time.Time) *Timestamp {
	if t.IsZero() {
		return nil
	}
	return &Timestamp{t}
}

// MarshalJSON writes the time in UTC with exactly three decimals.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(timestampLayout) + `"`), nil
}

// Succeeded is the first field of every response to a request that changes something.
type Succeeded struct {
	Success True `json:"success"`
}

// True is a field that is always true on the wire.
type True struct{}

// MarshalJSON writes true.
func (True) MarshalJSON() ([]byte, error) { return []byte("true"), nil }

// UnmarshalJSON ignores the value: a response that is no success has another status.
func (*True) UnmarshalJSON([]byte) error { return nil }
