package serp

import (
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
)

// decode is the document in UTF-8. Pages without scripts are served in encodings
// of their country too; what a page says of itself counts. Stored pages may say
// UTF-8 and hold bytes of the Western encoding, which are read as such.
func decode(document []byte) []byte {
	if utf8.Valid(document) {
		return document
	}
	encoding, name, certain := charset.DetermineEncoding(document, "")
	if certain && name != "utf-8" {
		if decoded, err := encoding.NewDecoder().Bytes(document); err == nil {
			return decoded
		}
	}
	text := make([]byte, 0, len(document)+len(document)/16)
	for len(document) > 0 {
		r, size := utf8.DecodeRune(document)
		if r != utf8.RuneError || size > 1 {
			text = append(text, document[:size]...)
		} else {
			text = utf8.AppendRune(text, charmap.Windows1252.DecodeByte(document[0]))
		}
		document = document[size:]
		plain := 0
		for plain < len(document) && document[plain] < utf8.RuneSelf {
			plain++
		}
		text, document = append(text, document[:plain]...), document[plain:]
	}
	return text
}
