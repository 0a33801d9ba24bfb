// Package jsonpatch applies the patches of streamed answers to decoded JSON. The patches are in the
// style of RFC 6902, with the further operations append and truncate.
package jsonpatch

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/provider/loosejson"
)

const (
	// maxPath limits the steps of a path; real paths have up to six.
	maxPath = 16
	// maxMoved limits how many bytes and list elements may be moved in total by shortening texts
	// and lists, or by inserting into lists. Real streams hardly do either.
	maxMoved = 8 << 20
)

// escapes decodes a step of a JSON Pointer.
var escapes = strings.NewReplacer("~1", "/", "~0", "~")

// Patcher applies the patches of one document. The zero value is ready to use.
type Patcher struct{ moved int }

// Apply applies a patch to root and returns root, which is a new value if the patch replaces root or
// changes the length of a list. A text that is appended to becomes a *strings.Builder. An invalid
// patch changes nothing.
func (p *Patcher) Apply(root any, path, op string, value any) any {
	if path == "" {
		if op == "remove" {
			return nil
		}
		return value
	}
	steps := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(steps) > maxPath {
		return root
	}
	return p.change(root, steps, op, value)
}

func (p *Patcher) change(container any, steps []string, op string, value any) any {
	step := escapes.Replace(steps[0])
	switch c := container.(type) {
	case map[string]any:
		inner, known := c[step]
		switch {
		case len(steps) > 1 && known:
			c[step] = p.change(inner, steps[1:], op, value)
		case len(steps) > 1:
		case op == "remove":
			delete(c, step)
		default:
			c[step] = p.combine(inner, op, value)
		}
		return c
	case []any:
		return p.changeList(c, step, steps[1:], op, value)
	default:
		return container
	}
}

func (p *Patcher) changeList(list []any, step string, steps []string, op string, value any) []any {
	i, err := strconv.Atoi(step)
	if step == "-" {
		i, err = len(list), nil
	}
	switch {
	case err != nil || i < 0 || i > len(list):
	case len(steps) > 0:
		if i < len(list) {
			list[i] = p.change(list[i], steps, op, value)
		}
	case op == "remove":
		if i < len(list) && p.mayMove(len(list)-i) {
			return slices.Delete(list, i, i+1)
		}
	case i == len(list):
		return append(list, value)
	case op == "add":
		if p.mayMove(len(list) - i) {
			return slices.Insert(list, i, value)
		}
	default:
		list[i] = p.combine(list[i], op, value)
	}
	return list
}

// mayMove reports whether this many more bytes or elements may be moved.
func (p *Patcher) mayMove(size int) bool {
	p.moved += size
	return p.moved <= maxMoved
}

// combine applies the operation to the old value and the new one.
func (p *Patcher) combine(old any, op string, value any) any {
	switch op {
	case "append":
		return appended(old, value)
	case "truncate":
		return p.truncated(old, loosejson.Object{"length": value}.Count("length"))
	default:
		return value
	}
}

func appended(old, value any) any {
	switch o := old.(type) {
	case string:
		text, _ := value.(string)
		grown := new(strings.Builder)
		grown.WriteString(o)
		grown.WriteString(text)
		return grown
	case *strings.Builder:
		text, _ := value.(string)
		o.WriteString(text)
		return o
	case []any:
		if list, ok := value.([]any); ok {
			return append(o, list...)
		}
		return append(o, value)
	case map[string]any:
		maps.Copy(o, loosejson.AsObject(value))
		return o
	default:
		return value
	}
}

// truncated returns the beginning of a text, in characters, or of a list.
func (p *Patcher) truncated(old any, length *int) any {
	if length == nil || *length < 0 {
		return old
	}
	if list, ok := old.([]any); ok {
		return list[:min(len(list), *length)]
	}
	text := loosejson.AsText(old)
	if text == "" || !p.mayMove(len(text)) {
		return old
	}
	if characters := []rune(text); *length < len(characters) {
		return string(characters[:*length])
	}
	return old
}
