package geo

import (
	"encoding/base64"
	"encoding/binary"
)

// EncodeLocation turns a canonical location name, such as
// "Austin,Texas,United States", into the token that the search engine takes for
// it: "w+" and a small message in base64 whose fields say that a user of the web
// search (2) named a place (32), and its name.
func EncodeLocation(name string) string {
	message := []byte{1 << 3, 2, 2 << 3, 32, 4<<3 | 2}
	message = binary.AppendUvarint(message, uint64(len(name)))
	message = append(message, name...)
	return "w+" + base64.StdEncoding.EncodeToString(message)
}
