package cassette

import (
	"bytes"
	"encoding/json"
)

// call is an interaction over gRPC, of which a recording tells the messages as
// JSON too. There is one response, or a stream of chunks.
type call struct {
	Sample struct {
		JSON json.RawMessage `json:"json"`
	} `json:"response_sample"`
	Stream struct {
		Chunks []struct {
			Chunk json.RawMessage `json:"chunk"`
		} `json:"chunks_json"`
	} `json:"response_stream"`
}

// body is the response, or its chunks as JSON lines; nil where there is none.
func (c call) body() []byte {
	if isObject(c.Sample.JSON) {
		return c.Sample.JSON
	}
	var lines bytes.Buffer
	for _, c := range c.Stream.Chunks {
		if isObject(c.Chunk) && json.Compact(&lines, c.Chunk) == nil {
			lines.WriteByte('\n')
		}
	}
	return lines.Bytes()
}

func isObject(value json.RawMessage) bool { return bytes.HasPrefix(value, []byte("{")) }
