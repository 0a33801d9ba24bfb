package chatassistant

import (
	"encoding/json"
	"strconv"
	"strings"

	"earshot/internal/provider/answer"
)

// table is a document in which every value is written once: values that hold
// others name them by their index. Lines after the first carry values that were
// not ready when it was written, and say which promise each keeps.
type table struct {
	values   []any
	promises map[string]int // index of the value by the promise's number
	room     int            // how much may still be written out
}

// Limits on what is written out of a table: a value that is named often is
// written out often, so a crafted table of some kilobytes could fill any memory.
const (
	maxWritten   = 12 << 20 // bytes
	valueSize    = 32       // that a value counts for besides its text
	maxTableDeep = 64
)

// decodeTable is the value that a table describes, nil where it is none.
func decodeTable(data string) any {
	t := table{promises: map[string]int{}, room: maxWritten}
	for line := range strings.Lines(answer.ValidText(data)) {
		promise, list := "", line
		if !strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line, ":")
			promise, list = strings.TrimPrefix(head, "P"), rest
		}
		value, _ := answer.DecodeJSON(strings.TrimSpace(list))
		values, _ := value.([]any)
		if promise != "" {
			t.promises[promise] = len(t.values)
		}
		t.values = append(t.values, values...)
	}
	return t.at(0, 0)
}

// at writes out the value of an index. Negative ones stand for null and the like.
func (t *table) at(index, depth int) any {
	if index < 0 || index >= len(t.values) || depth > maxTableDeep || t.room <= 0 {
		return nil
	}
	t.room -= valueSize
	switch v := t.values[index].(type) {
	case string:
		t.room -= len(v)
		return v
	case []any:
		return t.list(v, depth)
	case map[string]any:
		written := make(map[string]any, len(v))
		for key, value := range v {
			if name, ok := t.key(key); ok {
				written[name] = t.named(value, depth)
			}
		}
		return written
	default:
		return v
	}
}

// list writes out a list. One that begins with a letter is no list: of these,
// promises are kept and dates are their number.
func (t *table) list(list []any, depth int) any {
	if kind, ok := firstOf(list).(string); ok && len(list) > 1 {
		number, _ := list[1].(json.Number)
		switch index, kept := t.promises[number.String()]; {
		case kind == "P" && kept:
			return t.at(index, depth+1)
		case kind == "D":
			return number
		default:
			return nil
		}
	}
	written := make([]any, 0, min(len(list), max(0, t.room/valueSize)))
	for _, value := range list {
		if t.room <= 0 {
			break
		}
		written = append(written, t.named(value, depth))
	}
	return written
}

func firstOf(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// named writes out the value that another names.
func (t *table) named(value any, depth int) any {
	number, _ := value.(json.Number)
	index, err := strconv.Atoi(number.String())
	if err != nil {
		return nil
	}
	t.room -= valueSize
	return t.at(index, depth+1)
}

// key is the name that a key such as _12 stands for.
func (t *table) key(key string) (string, bool) {
	index, err := strconv.Atoi(strings.TrimPrefix(key, "_"))
	if err != nil || index < 0 || index >= len(t.values) {
		return "", false
	}
	name, ok := t.values[index].(string)
	t.room -= len(name)
	return name, ok
}
