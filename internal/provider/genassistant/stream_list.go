package genassistant

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"earshot/internal/provider/loosejson"
)

// list is a message of the interface, or a part of one: fields have places
// instead of names. Of none it is certain what it holds; all methods may be
// called on a nil list.
type list []any

func asList(value any) list {
	items, _ := value.([]any)
	return items
}

// at is the field at a place, counted from 0. Those far from the beginning may
// stand in an object at the end, under their numbers, which count from 1.
func (l list) at(place int) any {
	if last := len(l) - 1; last >= 0 && place >= last {
		if further := loosejson.AsObject(l[last]); further != nil {
			return further[strconv.Itoa(place+1)]
		}
	}
	if place >= len(l) {
		return nil
	}
	return l[place]
}

func (l list) text(place int) string { return loosejson.AsText(l.at(place)) }

func (l list) list(place int) list { return asList(l.at(place)) }

// below is the list that a path of places leads to.
func (l list) below(path ...int) list {
	for _, place := range path {
		l = l.list(place)
	}
	return l
}

// fields are the values in a part of a message, in their order.
func fields(value any) []any {
	switch v := value.(type) {
	case []any:
		return v
	case map[string]any:
		inner := make([]any, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			inner = append(inner, v[key])
		}
		return inner
	default:
		return nil
	}
}

// number is the field where it is a whole number, 0 elsewhere.
func (l list) number(place int) int {
	written, _ := l.at(place).(json.Number)
	number, _ := strconv.Atoi(written.String())
	return number
}
