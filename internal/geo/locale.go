package geo

import (
	"encoding/base64"
	"encoding/binary"
	"regexp"
	"strings"
)

// Locale is where a question is asked from and in which language.
type Locale struct {
	Country  string // alpha-2, upper case
	State    string // of the US, or ""
	Language string // as the request names it, such as pt-br or en_us, or any text; "" means the country's own
}

// Place is the country, or the country and the state, such as US-CA.
func (l Locale) Place() string {
	if l.State == "" {
		return l.Country
	}
	return l.Country + "-" + l.State
}

var languageTag = regexp.MustCompile(`^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$`)

// AcceptLanguage is the header that a browser in the country sends, set to the
// language asked for. It is set to the country's own language where the request
// names none, or something that the header cannot hold.
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
