package geo

import (
	"encoding/base64"
	"encoding/binary"
	"regexp"
	"strings"
)

// Locale is the place and language of a question.
type Locale struct {
	Country  string // alpha-2, upper case
	State    string // US state, or ""
	Language string // as in the request, such as pt-br or en_us; may be any text; empty means the country's language
}

// Place returns the country, or the country and the state, such as US-CA.
func (l Locale) Place() string {
	if l.State == "" {
		return l.Country
	}
	return l.Country + "-" + l.State
}

var languageTag = regexp.MustCompile(`^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$`)

// AcceptLanguage returns the Accept-Language header of a browser in the country, with the
// language of the locale. If that is empty or not a valid language tag, it uses the
// country's language.
func AcceptLanguage(l Locale) string {
	if tag := strings.ReplaceAll(l.Language, "_", "-"); languageTag.MatchString(tag) {
		return tag + ",en;q=0.5"
	}
	lang := Language(l.Country)
	header := lang + "-" + l.Country + "," + lang + ";q=0.9"
	if lang != "en" {
		header += ",en;q=0.5"
	}
	return header
}

// EncodeLocation encodes a canonical location name, such as "Austin,Texas,United States",
// as the search engine's parameter uule: "w+" and a protocol buffer message in base64. The
// fields 1 and 2 of the message are the constants for a place that a user names, 2 and 32.
// Field 4 is the name.
func EncodeLocation(name string) string {
	message := []byte{1 << 3, 2, 2 << 3, 32, 4<<3 | 2}
	message = binary.AppendUvarint(message, uint64(len(name)))
	message = append(message, name...)
	return "w+" + base64.StdEncoding.EncodeToString(message)
}
