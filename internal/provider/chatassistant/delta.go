package chatassistant

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/provider/loosejson"
)

// deltas builds messages from the stream's encoding: an event adds a message or
// patches one, the last unless it says which, and the path and operation that it
// leaves out are those of the event before. Strings that are appended to become
// *strings.Builder.
type deltas struct {
	path, op string
	textPath string             // where text was appended last
	messages []loosejson.Object // each {"message": …, …} as it was added
	counters map[string]int     // index of messages by the counter that came with them
	current  int                // index of the message that is patched
	moved    int                // see maxMoved
}

const (
	// maxPath is how many steps a patch's path may have; real ones have five.
	maxPath = 16
	// maxMoved is how many bytes and elements are moved to make texts and lists
	// shorter, or longer in their middle. Real streams hardly do either.
	maxMoved = 8 << 20
)

// apply does what one event says. What makes no sense changes nothing.
func (d *deltas) apply(event loosejson.Object) {
	value := event["v"]
	if added := loosejson.AsObject(value); loosejson.AsObject(added["message"]) != nil {
		d.path, d.op = "", "add"
		d.add(added)
		if counter := counterOf(event); counter != "" {
			if d.counters == nil {
				d.counters = map[string]int{}
			}
			d.counters[counter] = d.current
		}
		return
	}
	if i, ok := d.counters[counterOf(event)]; ok {
		d.current = i
	}
	path, hasPath := event["p"].(string)
	op, hasOp := event["o"].(string)
	if _, isText := value.(string); isText && !hasPath && !hasOp && d.path == "" {
		path, hasPath, op, hasOp = d.textPath, true, "append", true
	}
	if hasPath {
		d.path = path
	}
	if hasOp {
		d.op = op
	} else if isPatchList(value) {
		d.path, d.op = "", "patch"
	}
	d.patch(d.path, d.op, value)
}

func counterOf(event loosejson.Object) string {
	counter, _ := event["c"].(json.Number)
	return counter.String()
}

// isPatchList tells whether the value is a list of patches.
func isPatchList(value any) bool {
	list, _ := value.([]any)
	for _, item := range list {
		o := loosejson.AsObject(item)
		path, _ := o["p"].(string)
		if _, ok := o["o"].(string); !ok || !isWhole(path) {
			return false
		}
	}
	return len(list) > 0
}

// isWhole tells whether a path begins at the message rather than at where its
// list of patches stands.
func isWhole(path string) bool { return path == "/message" || strings.HasPrefix(path, "/message/") }

func (d *deltas) patch(path, op string, value any) {
	if op == "patch" {
		list, _ := value.([]any)
		for _, item := range list {
			part := loosejson.AsObject(item)
			inner, _ := part["o"].(string)
			where, _ := part["p"].(string)
			if !isWhole(where) {
				where = path + where
			}
			if inner != "patch" { // patches do not nest
				d.patch(where, inner, part["v"])
			}
		}
		return
	}
	if path == "" {
		return
	}
	if _, isText := value.(string); isText && op == "append" {
		d.textPath = path
	}
	steps := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if d.current < len(d.messages) && len(steps) <= maxPath {
		d.change(map[string]any(d.messages[d.current]), steps, op, value)
	}
}

// add begins a further message, or replaces the one that it is again.
func (d *deltas) add(envelope loosejson.Object) {
	message := envelope.Object("message")
	for i := len(d.messages) - 1; i >= max(0, len(d.messages)-maxRepeated); i-- {
		if isSame(d.messages[i].Object("message"), message) {
			d.messages[i], d.current = envelope, i
			return
		}
	}
	d.messages = append(d.messages, envelope)
	d.current = len(d.messages) - 1
}

// maxRepeated is how many messages back one is looked for that comes again.
const maxRepeated = 32

// isSame tells whether two are states of one message. Ids alone do not tell, since
// those who store streams make them alike.
func isSame(a, b loosejson.Object) bool {
	return a.Text("id") != "" && a.Text("id") == b.Text("id") &&
		a.Text("channel") == b.Text("channel") && a.Text("recipient") == b.Text("recipient") &&
		a.Object("author").Text("role") == b.Object("author").Text("role") &&
		a.Object("content").Text("content_type") == b.Object("content").Text("content_type")
}

// change applies the operation at the end of steps below container and gives
// the container back, which is a new one where a list changed its length.
func (d *deltas) change(container any, steps []string, op string, value any) any {
	step := stepEscapes.Replace(steps[0])
	switch c := container.(type) {
	case map[string]any:
		inner, known := c[step]
		switch {
		case len(steps) > 1 && known:
			c[step] = d.change(inner, steps[1:], op, value)
		case len(steps) > 1:
		case op == "remove":
			delete(c, step)
		default:
			c[step] = d.combine(inner, op, value)
		}
		return c
	case []any:
		return d.changeList(c, step, steps[1:], op, value)
	default:
		return container
	}
}

func (d *deltas) changeList(list []any, step string, steps []string, op string, value any) []any {
	i, err := strconv.Atoi(step)
	if step == "-" {
		i, err = len(list), nil
	}
	switch {
	case err != nil || i < 0 || i > len(list):
	case len(steps) > 0:
		if i < len(list) {
			list[i] = d.change(list[i], steps, op, value)
		}
	case op == "remove":
		if i < len(list) && d.move(len(list)-i) {
			return slices.Delete(list, i, i+1)
		}
	case i == len(list):
		return append(list, value)
	case op == "add":
		if d.move(len(list) - i) {
			return slices.Insert(list, i, value)
		}
	default:
		list[i] = d.combine(list[i], op, value)
	}
	return list
}

// move tells whether so much may still be moved.
func (d *deltas) move(size int) bool {
	d.moved += size
	return d.moved <= maxMoved
}

// stepEscapes are those of a JSON Pointer.
var stepEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// combine is what the operation makes of the old value and the new one.
func (d *deltas) combine(old any, op string, value any) any {
	switch op {
	case "append":
		return appended(old, value)
	case "truncate":
		return d.truncated(old, loosejson.Object{"length": value}.Count("length"))
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

// truncated is the beginning of a text, in characters, or of a list.
func (d *deltas) truncated(old any, length *int) any {
	if length == nil || *length < 0 {
		return old
	}
	if list, ok := old.([]any); ok {
		return list[:min(len(list), *length)]
	}
	text := loosejson.AsText(old)
	if text == "" || !d.move(len(text)) {
		return old
	}
	offsets := 0
	for at := range text {
		if offsets == *length {
			return text[:at]
		}
		offsets++
	}
	return old
}
