package claude

import (
	"slices"
	"strings"

	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/rawdoc"
)

// pauseTurn is the stop reason of a message that another request continues.
const pauseTurn = "pause_turn"

// message is a response of the API, whole or assembled from events.
type message struct {
	blocks []loosejson.Object
	model  string
	stop   string // the stop reason; "" if the message is cut off
	why    string // the category of a refusal
}

// conversation is what one or more responses of the API say. Each response after the first one
// continues the answer.
type conversation struct {
	messages []*message
	problem  loosejson.Object // an error in place of a message or after its beginning
}

// read passes the conversation in a document to use. The error comes from use, or is an
// *upstream.Failure with the reason unreadable.
func read(document []byte, use func(*conversation) error) error {
	return rawdoc.ReadPieces(rawdoc.Trimmed(document), func(p rawdoc.Pieces) error {
		c := &conversation{}
		for _, object := range p.Objects {
			c.take(object)
		}
		c.finish()
		return use(c)
	})
}

// take adds a whole message or one event of a stream. Events of a block follow each other.
func (c *conversation) take(event loosejson.Object) {
	switch event.Text("type") {
	case "message":
		c.begin(event)
	case "message_start":
		c.begin(event.Object("message"))
	case "error":
		c.problem = event
	}
	if len(c.messages) == 0 {
		return
	}
	m := c.last()
	switch delta := event.Object("delta"); event.Text("type") {
	case "content_block_start":
		if block := event.Object("content_block"); block != nil {
			m.blocks = append(m.blocks, block)
		}
	case "content_block_delta":
		if len(m.blocks) > 0 {
			change(m.blocks[len(m.blocks)-1], delta)
		}
	case "message_delta":
		m.stop, m.why = delta.Text("stop_reason"), delta.Object("stop_details").Text("category")
	}
}

func (c *conversation) begin(m loosejson.Object) {
	c.messages = append(c.messages, &message{
		blocks: m.Objects("content"), model: m.Text("model"), stop: m.Text("stop_reason"), why: m.Object("stop_details").Text("category"),
	})
}

// change applies a delta to a block. A streamed input arrives as pieces of JSON.
func change(block, delta loosejson.Object) {
	if delta.Text("type") == "citations_delta" {
		list, _ := block["citations"].([]any)
		block["citations"] = append(list, delta["citation"])
		return
	}
	for from, field := range map[string]string{"text": "text", "partial_json": "input", "thinking": "thinking", "signature": "signature"} {
		piece, ok := delta[from].(string)
		if !ok {
			continue
		}
		text, growing := block[field].(*strings.Builder)
		if !growing {
			text = &strings.Builder{}
			text.WriteString(loosejson.AsText(block[field]))
			block[field] = text
		}
		text.WriteString(piece)
	}
}

// finish replaces the texts that grew by plain values.
func (c *conversation) finish() {
	for _, block := range c.blocks() {
		for field, value := range block {
			text, grew := value.(*strings.Builder)
			if !grew {
				continue
			}
			block[field] = text.String()
			if field == "input" {
				block[field] = map[string]any{}
				if input, ok := loosejson.Decode(text.String()); ok {
					block[field] = input
				}
			}
		}
	}
}

// blocks returns the content of all messages.
func (c *conversation) blocks() []loosejson.Object {
	var all [][]loosejson.Object
	for _, m := range c.messages {
		all = append(all, m.blocks)
	}
	return slices.Concat(all...)
}

// last returns the last message.
func (c *conversation) last() *message { return c.messages[len(c.messages)-1] }
