package chatassistant

import (
	"encoding/json"
	"strings"

	"earshot/internal/provider/answer"
)

// rawResponse is a document that was read, as the client may have it: the data
// of each event of a stream, or the whole document. What is JSON stays JSON,
// anything else becomes a string.
func rawResponse(s shape, document []byte) ([]json.RawMessage, error) {
	if s != shapeStream {
		return []json.RawMessage{rawJSON(string(document))}, nil
	}
	var raw []json.RawMessage
	err := answer.ReadEvents(document, func(events []answer.Event) error {
		for _, event := range events {
			if event.Data != "" {
				raw = append(raw, rawJSON(event.Data))
			}
		}
		return nil
	})
	return raw, err
}

func rawJSON(data string) json.RawMessage {
	data = strings.TrimSpace(answer.ValidText(data))
	if json.Valid([]byte(data)) {
		return json.RawMessage(data)
	}
	text, _ := json.Marshal(data) // a string always marshals
	return text
}
