package providertest

import (
	"bytes"
	"encoding/json"
)

// Recorded are the bodies in a recording of requests and responses, one JSON
// object a line, or the document itself where it is none.
func Recorded(document []byte) [][]byte {
	var bodies [][]byte
	for line := range bytes.Lines(document) {
		var exchange struct {
			Body string `json:"response_body"`
		}
		if json.Unmarshal(line, &exchange) == nil && exchange.Body != "" {
			bodies = append(bodies, []byte(exchange.Body))
		}
	}
	if bodies == nil {
		return [][]byte{document}
	}
	return bodies
}
