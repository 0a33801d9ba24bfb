package geo

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// DecodeLocation returns the location name in a token as EncodeLocation writes it, or "" if
// the token names no place.
func DecodeLocation(token string) string {
	encoded, ok := strings.CutPrefix(token, "w+")
	if !ok {
		return ""
	}
	message, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return ""
	}
	_, name, found := strings.Cut(string(message), string([]byte{4<<3 | 2}))
	if !found {
		return ""
	}
	length, n := binary.Uvarint([]byte(name))
	if n <= 0 || length > uint64(len(name)-n) {
		return ""
	}
	return name[n : n+int(length)]
}
