package chatassistant

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/provider/loosejson"
)

// deltas builds messages from the delta encoding. An event adds a message or patches one: the last
// message, unless the event names another. An event without path or operation uses the path or
// operation of the previous event. Strings that grow become a *strings.Builder.
type deltas struct {
	path, op string
	textPath string             // where text was last appended
	messages []loosejson.Object // each is {"message": …, …} as it was added
	counters map[string]int     // index of each message by its counter
	current  int                // index of the message to patch
	moved    int                // limited by maxMoved
}

const (
	// maxPath limits the steps of a patch's path; real paths have five.
	maxPath = 16
	// maxMoved limits how many bytes and list elements may be moved in total by shortening texts
	// and lists, or by inserting into lists. Real streams hardly do either.
	maxMoved = 8 << 20
)

// apply applies one event. An invalid event changes nothing.
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

// isPatchList reports whether the value is a list of patches.
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

// isWhole reports whether a path begins at the message, and is not relative to the path of its list
// of patches.
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
			if inner != "patch" { // patches are not nested
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

// add appends a message, or replaces an earlier state of the same message.
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

// maxRepeated limits how many messages back add searches for an earlier state.
const maxRepeated = 32

// isSame reports whether a and b are states of the same message. The id is not enough, because
// tools that store streams reuse ids.
func isSame(a, b loosejson.Object) bool {
	return a.Text("id") != "" && a.Text("id") == b.Text("id") &&
		a.Text("channel") == b.Text("channel") && a.Text("recipient") == b.Text("recipient") &&
		a.Object("author").Text("role") == b.Object("author").Text("role") &&
		a.Object("content").Text("content_type") == b.Object("content").Text("content_type")
}

// change applies the operation at the path steps below container and returns the container, which
// is a new slice if a list changed its length.
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

// move reports whether this many bytes or elements may still be moved.
func (d *deltas) move(size int) bool {
	d.moved += size
	return d.moved <= maxMoved
}

// stepEscapes decodes a step of a JSON Pointer.
var stepEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// combine applies the operation to the old value and the new one.
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

// truncated returns the beginning of a text, in characters, or of a list.
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
	if offsets := runeOffsets(text); *length < len(offsets)-1 {
		return text[:offsets[*length]]
	}
	return old
}
