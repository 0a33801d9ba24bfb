package webtext

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decimal reads the first number in text, whichever characters it has for
// groups and for the decimal point. It gives nil when there is none.
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

// firstNumber is the first digits in text with what stands between them: groups
// of three after a space or an apostrophe, then any after dots and commas.
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

// groupMarks stand between groups of digits and nowhere else in a number.
const groupMarks = "'’\u00a0\u202f "

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// countDigits is how many digits text begins with.
func countDigits(text string) int { return len(text) - len(strings.TrimLeftFunc(text, isDigit)) }

// normalize writes a number with a decimal point and without groups. The last
// dot or comma is the decimal point unless three digits follow it or it occurs
// more than once: then it groups.
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

// Count reads a whole number such as that of reviews: "(1.234)", "2,5K". It
// gives nil when there is none.
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
