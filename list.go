package earshot

import "encoding/json"

// List is a slice that is never null in JSON: a field of this type is always an
// array, empty when there is nothing in it.
type List[T any] []T

// MarshalJSON writes [] for a nil list.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}
