package answerengine

import (
	"slices"
	"strconv"
	"strings"

	"earshot/internal/provider/loosejson"
)

// Limits on a patch. Real paths have up to six steps. Real lists have up to a few dozen elements,
// except the chunks of a text, which grow only at the end.
const (
	maxPath  = 16
	maxShift = 1000 // elements that may move when one is inserted or removed
)

// escapes decodes a step of a JSON Pointer.
var escapes = strings.NewReplacer("~1", "/", "~0", "~")

// apply applies an RFC 6902 patch to a block and returns the block, which is a new value if the
// patch replaces the whole block. An invalid patch changes nothing.
func apply(block any, patch loosejson.Object) any {
	path, _ := patch["path"].(string)
	op, _ := patch["op"].(string)
	if path == "" {
		if op == "remove" {
			return nil
		}
		return patch["value"]
	}
	steps := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(steps) > maxPath {
		return block
	}
	return change(block, steps, op, patch["value"])
}

// change applies the operation at the path steps below container and returns the container, which
// is a new slice if a list grew.
func change(container any, steps []string, op string, value any) any {
	step := escapes.Replace(steps[0])
	switch c := container.(type) {
	case map[string]any:
		inner, known := c[step]
		switch {
		case len(steps) > 1 && known:
			c[step] = change(inner, steps[1:], op, value)
		case len(steps) > 1:
		case op == "remove":
			delete(c, step)
		default:
			c[step] = value
		}
		return c
	case []any:
		i, err := strconv.Atoi(step)
		if step == "-" {
			i, err = len(c), nil
		}
		if err != nil || i < 0 || i > len(c) {
			return c
		}
		if len(steps) > 1 {
			if i < len(c) {
				c[i] = change(c[i], steps[1:], op, value)
			}
			return c
		}
		return changeList(c, i, op, value)
	default:
		return container
	}
}

// changeList applies the operation to element i of the list; i may be the length of the list.
func changeList(list []any, i int, op string, value any) []any {
	last := i == len(list)
	switch {
	case op == "add" && (last || len(list)-i <= maxShift):
		return slices.Insert(list, i, value)
	case op == "remove" && !last && len(list)-i <= maxShift:
		return slices.Delete(list, i, i+1)
	case op == "replace" && !last:
		list[i] = value
	}
	return list
}
