package providertest

import "earshot/internal/cassette"

// Recorded are the bodies in a recording of requests and responses, or the
// document itself where it is none.
func Recorded(document []byte) [][]byte {
	exchanges := cassette.Bodies(document)
	if exchanges == nil {
		return [][]byte{document}
	}
	bodies := make([][]byte, len(exchanges))
	for i, exchange := range exchanges {
		bodies[i] = exchange.Body
	}
	return bodies
}
