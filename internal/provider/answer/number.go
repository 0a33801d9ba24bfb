package answer

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// number finds digits with what may stand between them.
var number = regexp.MustCompile(`[0-9]+(?:['’\x{a0}\x{202f} ][0-9]{3}\b)*(?:[.,][0-9]+)*`)

// Decimal reads the first number in text, whichever characters it has for
// groups and for the decimal point. It gives nil when there is none.
func Decimal(text string) *float64 {
	found := number.FindString(text)
	if found == "" || len(found) > 24 { // longer than any amount of money
		return nil
	}
	value, err := strconv.ParseFloat(normalize(found), 64)
	if err != nil {
		return nil
	}
	return &value
}

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
		if r >= '0' && r <= '9' {
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
