package webtext

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decimal returns the first number in the text, in any notation of digit groups and decimal point.
// It returns nil if the text has no number.
func Decimal(text string) *float64 {
	found := firstNumber(text)
	if found == "" || len(found) > 24 { // longer than any amount of money
		return nil
	}
	value, err := strconv.ParseFloat(normalize(found), 64)
	if err != nil {
		return nil
	}
	return &value
}

// firstNumber returns the first number in the text as written. It may have groups of three digits
// after a space or an apostrophe, then any number of digits after dots and commas.
func firstNumber(text string) string {
	start := strings.IndexFunc(text, isDigit)
	if start < 0 {
		return ""
	}
	text = text[start:]
	end := countDigits(text)
	for {
		mark, size := utf8.DecodeRuneInString(text[end:])
		group := text[end+size:]
		if !strings.ContainsRune(groupMarks, mark) || countDigits(group) != 3 || len(group) > 3 && isWordByte(group[3]) {
			break
		}
		end += size + 3
	}
	for end < len(text) && (text[end] == '.' || text[end] == ',') {
		more := countDigits(text[end+1:])
		if more == 0 {
			break
		}
		end += 1 + more
	}
	return text[:end]
}

// groupMarks are the characters that only separate groups of digits.
const groupMarks = "'’\u00a0\u202f "

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// countDigits returns the number of leading digits.
func countDigits(text string) int { return len(text) - len(strings.TrimLeftFunc(text, isDigit)) }

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
		if isDigit(r) {
			return r
		}
		return -1
	}, text)
}

// Count returns a whole number such as the number of reviews: "(1.234)", "2,5K". It returns nil if
// the text has no number.
func Count(text string) *int {
	value := Decimal(text)
	if value == nil {
		return nil
	}
	switch after := strings.TrimSpace(text[strings.LastIndexAny(text, "0123456789")+1:]); {
	case strings.HasPrefix(after, "K"), strings.HasPrefix(after, "k"):
		*value *= 1e3
	case strings.HasPrefix(after, "M"):
		*value *= 1e6
	}
	if *value > math.MaxInt32 {
		return nil
	}
	count := int(math.Round(*value))
	return &count
}
