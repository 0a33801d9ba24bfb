package review

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"earshot/internal/provider/webtext"
)

// valueKind is the kind of a value that a fact can have.
type valueKind string

// The kinds. They are the reasons of the matches of a fact.
const (
	priceValue  valueKind = "price"
	yearValue   valueKind = "year"
	numberValue valueKind = "number"
	textValue   valueKind = "text"
)

// value is a value in a text. A range such as "120–150 USD" has two numbers.
type value struct {
	kind       valueKind
	low, high  []float64 // the possible readings: "1.299" may be 1299 or 1.299; high is nil unless it is a range
	currencies []string  // a price may be in any of these: $ has many
	unit       string
	text       string // of a text
	start, end int
}

var numberPattern = regexp.MustCompile(`[0-9]+(?:['’\x{a0}\x{202f} ][0-9]{3}\b)*(?:[.,][0-9]+)*`)

// currencyWords are the names of currencies that have no sign.
var currencyWords = map[string][]string{
	"euro": {"EUR"}, "euros": {"EUR"}, "dollar": {"USD", "CAD", "AUD"}, "dollars": {"USD", "CAD", "AUD"}, "dólares": {"USD", "CAD", "AUD"},
	"pounds": {"GBP"}, "yen": {"JPY"}, "francs": {"CHF"}, "franken": {"CHF"}, "zł": {"PLN"}, "reais": {"BRL"},
}

// units returns the canonical spelling of each unit.
var units = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, line := range lines("data/units.txt") {
		names := strings.Fields(line)
		for _, name := range names {
			all[name] = names[0]
		}
	}
	return all
})

// numbersIn returns the prices, years and numbers with units in prose. words are its words.
func numbersIn(text string, words []word) []value {
	var all []value
	for _, at := range numberPattern.FindAllStringIndex(text, -1) {
		if v, ok := numberAt(text, at[0], at[1]); ok {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil
	}
	all = joinRanges(all, text)
	limits := lexicon()[bounds].find(words)
	return slices.DeleteFunc(all, func(v value) bool {
		return v.kind == "" && v.unit == "" || v.high == nil && isBound(limits, words, text, v.start)
	})
}

// numberAt returns the value of the number at a range of the text. Its kind is empty if the
// number has neither a currency nor a unit and is not a year.
func numberAt(text string, start, end int) (v value, ok bool) {
	digits := text[start:end]
	if before, _ := utf8.DecodeLastRuneInString(text[:start]); unicode.IsLetter(before) || before == '#' || len(digits) > 24 {
		if _, isSign := signBefore(text[:start]); isSign == nil {
			return v, false // a part of a name such as V2
		}
	}
	v = value{low: readings(digits), start: start, end: end}
	if len(v.low) == 0 {
		return v, false
	}
	if at, found := signBefore(text[:start]); found != nil {
		v.kind, v.currencies, v.start = priceValue, found, at
		return v, true
	}
	next, after := wordAfter(text, end)
	if found := currenciesOf(next); found != nil {
		v.kind, v.currencies, v.end = priceValue, found, after
		return v, true
	}
	lower := strings.ToLower(next)
	if unit, known := units()[lower]; known {
		v.kind, v.unit, v.end = numberValue, unit, after
		return v, true
	}
	follows, _ := utf8.DecodeRuneInString(text[end:])
	switch {
	case len(digits) == 4 && digits[0] >= '1' && digits[0] <= '2' && strings.Trim(digits, "0123456789") == "" && !unicode.IsLetter(follows):
		v.kind = yearValue
	case lower != "":
		v.unit = lower // a unit that only a fact knows
	}
	return v, true
}

// readings returns the numbers that a text may mean.
func readings(digits string) []float64 {
	first := webtext.Decimal(digits)
	if first == nil {
		return nil
	}
	all := []float64{*first}
	if at := strings.IndexAny(digits, ".,"); at > 0 && at <= 3 && len(digits)-at == 4 {
		if second, err := strconv.ParseFloat(strings.Replace(digits, ",", ".", 1), 64); err == nil && second != *first {
			all = append(all, second)
		}
	}
	return all
}

// signBefore returns the currencies of the sign or code at the end of a text, and its start.
func signBefore(text string) (start int, currencies []string) {
	trimmed := strings.TrimRight(text, " \u00a0\u202f")
	if len(text)-len(trimmed) > 3 {
		return 0, nil
	}
	start = len(strings.TrimRightFunc(trimmed, func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) }))
	return start, currenciesOf(trimmed[start:])
}

var afterNumber = regexp.MustCompile(`^[ \x{a0}\x{202f}-]*([%\p{Sc}]|[\p{L}\p{M}]*)`)

// wordAfter returns the word or sign after a number and its end.
func wordAfter(text string, end int) (next string, after int) {
	at := afterNumber.FindStringSubmatchIndex(text[end:])
	if at[2] > 3 {
		return "", end
	}
	return text[end+at[2] : end+at[3]], end + at[3]
}

// currenciesOf returns the currencies that a sign, a code or a word means, or nil.
func currenciesOf(text string) []string {
	if text == "" {
		return nil
	}
	if found := currencyWords[strings.ToLower(text)]; found != nil {
		return found
	}
	return webtext.Currencies(text)
}

// rangeWords join the two ends of a range. The ones with true need "between" before.
var rangeWords = map[string]bool{
	"-": false, "–": false, "—": false, "to": false, "bis": false, "à": false, "hasta": false, "até": false, "tot": false,
	"and": true, "und": true, "et": true, "y": true, "e": true, "en": true,
}

// joinRanges joins two numbers such as "$120–150" to one value.
func joinRanges(all []value, text string) (joined []value) {
	for _, v := range all {
		last := len(joined) - 1
		if last < 0 || joined[last].high != nil || v.start < joined[last].end { // "149 $ 129" has one sign for both
			joined = append(joined, v)
			continue
		}
		low := joined[last]
		needs, joins := rangeWords[strings.TrimSpace(text[low.end:v.start])]
		if needs {
			before := strings.TrimSpace(text[:low.start])
			joins = slices.Contains([]string{"between", "zwischen", "entre", "tra", "fra", "tussen"}, strings.ToLower(before[strings.LastIndexAny(before, " \n")+1:]))
		}
		kind, other := v, low
		if kind.kind == "" {
			kind, other = low, v
		}
		if !joins || kind.kind == "" || kind.kind == yearValue || other.kind != "" && other.kind != kind.kind {
			joined = append(joined, v)
			continue
		}
		joined[last] = value{kind: kind.kind, low: low.low, high: v.low, currencies: kind.currencies, unit: kind.unit, start: low.start, end: v.end}
	}
	return joined
}
