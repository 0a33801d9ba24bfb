package socialassistant

import (
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/responses"
)

// Over a protocol of its own the API answers with outputs: what the assistant says
// and calls, and what its tools give back. Each has a message, or a delta in the
// chunks of a stream. These are the values that count in them.
const (
	rolePrefix    = "ROLE_"
	assistantRole = "ROLE_ASSISTANT"
	stopReason    = "REASON_STOP"
)

// recognisesOutputs tells whether the document is such an answer, by the first
// object in it.
func recognisesOutputs(document []byte) bool {
	for _, o := range answer.FirstPiece(document).Objects("outputs") {
		if message, _ := said(o); strings.HasPrefix(message.Text("role"), rolePrefix) {
			return true
		}
	}
	return false
}

// readOutputs reads such an answer as the response that it would be over the
// ordinary protocol.
func readOutputs(document []byte, want answer.Want) (found *earshot.Answer, err error) {
	err = answer.ReadPieces(document, func(p answer.Pieces) error {
		c := completion{outputs: map[int]*output{}}
		for _, piece := range p.Objects {
			c.take(piece)
		}
		found, err = responses.ReadResponse(c.response(), want)
		return err
	})
	return found, err
}

// completion is what the pieces of an answer so far have told.
type completion struct {
	model    string
	cited    []any           // addresses
	outputs  map[int]*output // by their index
	streamed bool
}

// output is one of the answer's outputs.
type output struct {
	role   string
	text   strings.Builder
	calls  []answer.Object
	pages  []any  // that it cites
	finish string // why it ended
}

// take notes what a piece says.
func (c *completion) take(piece answer.Object) {
	if model := piece.Text("model"); model != "" {
		c.model = model
	}
	if cited, _ := piece["citations"].([]any); len(cited) > 0 {
		c.cited = cited
	}
	for _, o := range piece.Objects("outputs") {
		message, streamed := said(o)
		c.streamed = c.streamed || streamed
		c.output(o).take(message, o.Text("finish_reason"))
	}
}

// said is the message of an output, or the piece of it that a chunk has.
func said(o answer.Object) (message answer.Object, streamed bool) {
	if delta := o.Object("delta"); delta != nil {
		return delta, true
	}
	return o.Object("message"), false
}

// output is the one that an object is about; the index of the first is left out.
func (c *completion) output(o answer.Object) *output {
	index := 0
	if i := o.Count("index"); i != nil {
		index = *i
	}
	if c.outputs[index] == nil {
		c.outputs[index] = &output{}
	}
	return c.outputs[index]
}

func (o *output) take(message answer.Object, finish string) {
	if role := message.Text("role"); role != "" {
		o.role = role
	}
	if finish != "" {
		o.finish = finish
	}
	o.text.WriteString(answer.AsText(message["content"]))
	o.calls = append(o.calls, message.Objects("tool_calls")...)
	for _, citation := range message.Objects("citations") {
		if page := citedPage(citation); page != nil {
			o.pages = append(o.pages, page)
		}
	}
}

// citedPage is the page that a citation names under its kind, with its place in
// the text where it has one.
func citedPage(citation answer.Object) answer.Object {
	for _, kind := range slices.Sorted(maps.Keys(citation)) {
		if link := citation.Object(kind).Text("url"); link != "" {
			return answer.Object{"url": link, "start_index": citation["start_index"], "end_index": citation["end_index"]}
		}
	}
	return nil
}

// response is the same answer over the ordinary protocol. A stream that does not say
// why the assistant stopped was cut off.
func (c *completion) response() answer.Object {
	var items, found []any
	finish := ""
	for _, i := range slices.Sorted(maps.Keys(c.outputs)) {
		o := c.outputs[i]
		items = append(items, o.searches()...)
		if o.role != assistantRole {
			found = append(found, o.pages...)
			continue
		}
		items = append(items, answer.Object{"type": "message", "content": []any{
			answer.Object{"text": o.text.String(), "annotations": o.pages},
		}})
		finish = o.finish
	}
	response := answer.Object{"model": c.model, "output": items, "citations": slices.Concat(c.cited, found)}
	if finish != stopReason && (finish != "" || c.streamed) {
		response["status"] = "incomplete"
		response["incomplete_details"] = answer.Object{"reason": finish}
	}
	return response
}

// searches are the calls that search the web or the network, not those that open
// a page. A call is told again with what it gave back, but a query counts once.
func (o *output) searches() []any {
	var items []any
	for _, call := range o.calls {
		function := call.Object("function")
		name := function.Text("name")
		if strings.HasPrefix(name, "web_search") || strings.HasPrefix(name, "x_") && strings.HasSuffix(name, "_search") {
			items = append(items, answer.Object{"type": "custom_tool_call", "name": name, "arguments": function["arguments"]})
		}
	}
	return items
}
