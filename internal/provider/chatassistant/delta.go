package chatassistant

import (
	"maps"
	"strconv"
	"strings"

	"earshot/internal/provider/answer"
)

// deltas builds messages from the stream's encoding: an event adds a message or
// patches the last one, and the path and operation that it leaves out are those
// of the event before. Strings that are appended to become *strings.Builder.
type deltas struct {
	path, op string
	messages []answer.Object // each {"message": …, …} as it was added
}

// maxPath is how many steps a patch's path may have; real ones have five.
const maxPath = 16

// apply does what one event says. What makes no sense changes nothing.
func (d *deltas) apply(event answer.Object) {
	if path, ok := event["p"].(string); ok {
		d.path = path
	}
	if op, ok := event["o"].(string); ok {
		d.op = op
	}
	d.patch(d.path, d.op, event["v"])
}

func (d *deltas) patch(path, op string, value any) {
	if op == "patch" {
		list, _ := value.([]any)
		for _, item := range list {
			part := answer.AsObject(item)
			inner, _ := part["o"].(string)
			where, _ := part["p"].(string)
			if inner != "patch" { // patches do not nest
				d.patch(path+where, inner, part["v"])
			}
		}
		return
	}
	if path == "" {
		d.add(value)
		return
	}
	steps := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(d.messages) > 0 && len(steps) <= maxPath {
		change(map[string]any(d.messages[len(d.messages)-1]), steps, op, value)
	}
}

// add begins a further message.
func (d *deltas) add(value any) {
	if added := answer.AsObject(value); answer.AsObject(added["message"]) != nil {
		d.messages = append(d.messages, added)
	}
}

// change applies the operation at the end of steps below container and gives
// the container back, which is a new one where a list grew.
func change(container any, steps []string, op string, value any) any {
	step := stepEscapes.Replace(steps[0])
	switch c := container.(type) {
	case map[string]any:
		if len(steps) > 1 {
			if inner, ok := c[step]; ok {
				c[step] = change(inner, steps[1:], op, value)
			}
			return c
		}
		if op == "remove" {
			delete(c, step)
			return c
		}
		c[step] = combine(c[step], op, value)
		return c
	case []any:
		i, err := strconv.Atoi(step)
		switch {
		case err != nil || i < 0 || i > len(c):
		case i == len(c) && len(steps) == 1 && op != "remove":
			return append(c, value)
		case i == len(c):
		case len(steps) > 1:
			c[i] = change(c[i], steps[1:], op, value)
		case op != "remove": // lists do not shrink in an answer
			c[i] = combine(c[i], op, value)
		}
		return c
	default:
		return container
	}
}

// stepEscapes are those of a JSON Pointer.
var stepEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// combine is what the operation makes of the old value and the new one.
func combine(old any, op string, value any) any {
	if op != "append" {
		return value
	}
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
		maps.Copy(o, answer.AsObject(value))
		return o
	default:
		return value
	}
}
