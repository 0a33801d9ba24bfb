package webtext

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// number matches a number: digits with optional groups of three after a space or an apostrophe, then
// any number of digits after dots and commas.
var number = regexp.MustCompile(`[0-9]+(?:['’\x{a0}\x{202f} ][0-9]{3}\b)*(?:[.,][0-9]+)*`)

// Decimal returns the first number in the text, in any notation of digit groups and decimal point.
// It returns nil if the text has no number.
func Decimal(text string) *float64 {
	found := number.FindString(ASCIIDigits(text))
	if found == "" || len(found) > 24 { // longer than any amount of money
		return nil
	}
	value, err := strconv.ParseFloat(normalize(found), 64)
	if err != nil {
		return nil
	}
	return &value
}

// ASCIIDigits replaces the digits of other scripts, and the marks between Arabic digits.
func ASCIIDigits(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '٫':
			return '.'
		case r == '٬':
			return ','
		case r < utf8.RuneSelf || !unicode.IsDigit(r):
			return r
		}
		zero := r
		for unicode.IsDigit(zero - 1) {
			zero--
		}
		return '0' + (r-zero)%10
	}, text)
}

// normalize rewrites a number with a decimal point and without group separators. The last dot or
// comma is the decimal point, unless it occurs more than once or exactly three digits follow it:
// then it separates groups.
func normalize(text string) string {
	last := strings.LastIndexAny(text, ".,")
	if last < 0 {
		return digits(text)
	}
	whole, fraction := text[:last], text[last+1:]
	mark := text[last : last+1]
	groups := strings.Contains(whole, mark)
	if len(fraction) == 3 && !strings.ContainsAny(whole, ".,") && strings.TrimLeft(whole, "0") != "" {
		groups = true
	}
	if groups {
		return digits(text)
	}
	return digits(whole) + "." + digits(fraction)
}

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}

// Count returns a whole number such as the number of reviews: "(1.234)", "2,5K", "1,2 Tsd.". It
// returns nil if the text has no number.
func Count(text string) *int {
	text = ASCIIDigits(text)
	value := Decimal(text)
	if value == nil {
		return nil
	}
	after := strings.TrimSpace(text[strings.LastIndexAny(text, "0123456789")+1:])
	end := strings.IndexFunc(after, func(r rune) bool { return !unicode.IsLetter(r) })
	if end >= 0 {
		after = after[:end]
	}
	switch after {
	case "K", "k", "mil", "Tsd", "tys", "tis", "тыс":
		*value *= 1e3
	case "万", "萬", "만":
		*value *= 1e4
	case "M":
		*value *= 1e6
	}
	if *value > math.MaxInt32 {
		return nil
	}
	count := int(math.Round(*value))
	return &count
}
