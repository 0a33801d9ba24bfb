package chatassistant

import (
	"encoding/json"
	"strings"

	"earshot/internal/provider/jsonpatch"
	"earshot/internal/provider/loosejson"
)

// deltas builds messages from the delta encoding. An event adds a message or patches one: the last
// message, unless the event names another. An event without path or operation uses the path or
// operation of the previous event.
type deltas struct {
	path, op string
	textPath string             // where text was last appended
	messages []loosejson.Object // each is {"message": …, …} as it was added
	counters map[string]int     // index of each message by its counter
	current  int                // index of the message to patch
	patcher  jsonpatch.Patcher
}

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
		if _, ok := o["o"].(string); !ok || !isAbsolute(path) {
			return false
		}
	}
	return len(list) > 0
}

// isAbsolute reports whether a path begins at the message, and is not relative to the path of its list
// of patches.
func isAbsolute(path string) bool { return path == "/message" || strings.HasPrefix(path, "/message/") }

func (d *deltas) patch(path, op string, value any) {
	if op == "patch" {
		list, _ := value.([]any)
		for _, item := range list {
			part := loosejson.AsObject(item)
			inner, _ := part["o"].(string)
			where, _ := part["p"].(string)
			if !isAbsolute(where) {
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
	if d.current < len(d.messages) {
		d.patcher.Apply(map[string]any(d.messages[d.current]), path, op, value)
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
