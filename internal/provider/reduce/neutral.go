package reduce

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot/internal/provider/serp"
)

// domain matches the name of a host.
var domain = regexp.MustCompile(`(?i)\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}\b`)

var spaces = regexp.MustCompile(`\s\s+`)

const (
	neutralDomain = "example.com"
	neutralImage  = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
)

// Neutral returns a text of the same shape without its content: other letters and digits, the host
// example.com. Neutral texts stay unchanged, so two texts have the same shape if their neutral texts are equal.
func Neutral(text string) string { return neutral(text, 'x') }

func neutral(text string, letter rune) string {
	if strings.HasPrefix(text, "data:image/") {
		return neutralImage
	}
	if u := linkIn(text); u != nil {
		if u.Host != "" {
			u.Host = neutralDomain
		}
		u.User, u.Fragment = nil, letters(u.Fragment, letter)
		u.Path, u.RawPath = letters(u.Path, letter), ""
		u.RawQuery = neutralQuery(u, 0)
		return u.String()
	}
	var out strings.Builder
	text = spaces.ReplaceAllString(text, " ")
	for text != "" {
		found := domain.FindStringIndex(text)
		if found == nil {
			break
		}
		out.WriteString(letters(text[:found[0]], letter) + neutralDomain)
		text = text[found[1]:]
	}
	return out.String() + letters(text, letter)
}

// varied returns a neutral text with the n-th letter instead of x, so that texts of the same shape differ.
func varied(text string, n int) string { return neutral(text, rune('a'+n%('w'-'a'))) }

// linkIn returns the link that a text is, or nil.
func linkIn(text string) *url.URL {
	if !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return u
}

// shortParameter is the length of parameters that choose a function of a site, such as hl=en.
const shortParameter = 3

// neutralParameters returns a link with only its parameters neutral, if they are longer than shortParameter.
func neutralParameters(text string) string {
	u := linkIn(text)
	if u == nil {
		return text
	}
	u.RawQuery = neutralQuery(u, shortParameter)
	return u.String()
}

// neutralQuery returns the parameters of a link with neutral values, except for short ones.
func neutralQuery(u *url.URL, short int) string {
	query := u.Query()
	for name, list := range query {
		for i, v := range list {
			switch {
			case name == "ved":
				list[i] = plainClick(v)
			case utf8.RuneCountInString(v) > short:
				list[i] = Neutral(v)
			}
		}
	}
	return query.Encode()
}

// plainClick returns the shortest form of a search engine's code for a click, which has no session.
func plainClick(text string) string {
	if click := serp.ReadClick(text); click != serp.ClickNone {
		return "1t:" + strconv.Itoa(int(click))
	}
	return text
}

// letters replaces the letters and digits of a text. Scripts whose words the parsers treat differently keep a letter of their own.
func letters(text string, letter rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '1'
		case unicode.Is(unicode.Han, r):
			return '字'
		case unicode.Is(unicode.Hiragana, r):
			return 'あ'
		case unicode.Is(unicode.Katakana, r):
			return 'ア'
		case unicode.IsUpper(r):
			return unicode.ToUpper(letter)
		case unicode.IsLetter(r):
			return letter
		default:
			return r
		}
	}, text)
}
