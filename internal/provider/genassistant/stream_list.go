package genassistant

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"earshot/internal/provider/loosejson"
)

// list is a message of the site or a part of one. Fields have positions instead of names, and any
// field can have any type. All methods accept a nil list.
type list []any

func asList(value any) list {
	items, _ := value.([]any)
	return items
}

// at returns the field at a position, counted from 0. Fields with a high position may be in an
// object at the end of the list, whose keys count from 1.
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

// below returns the nested list at a path of positions.
func (l list) below(path ...int) list {
	for _, place := range path {
		l = l.list(place)
	}
	return l
}

// fields returns the values of a list or an object, in order.
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

// number returns the field if it is a whole number, and otherwise 0.
func (l list) number(place int) int {
	written, _ := l.at(place).(json.Number)
	number, _ := strconv.Atoi(written.String())
	return number
}
