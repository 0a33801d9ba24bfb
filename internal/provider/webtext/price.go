package webtext

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"earshot"
	"earshot/internal/geo"
)

// sign is a currency sign and what it stands for.
type sign struct{ text, code string }

// signs are those that stand for one currency, longer ones first, since the
// shorter may be part of them.
var signs = []sign{
	{"CA$", "CAD"},
	{"AU$", "AUD"},
	{"NZ$", "NZD"},
	{"US$", "USD"},
	{"HK$", "HKD"},
	{"NT$", "TWD"},
	{"MX$", "MXN"},
	{"R$", "BRL"},
	{"C$", "CAD"},
	{"A$", "AUD"},
	{"S$", "SGD"},
	{"€", "EUR"},
	{"£", "GBP"},
	{"円", "JPY"},
	{"₹", "INR"},
	{"₩", "KRW"},
	{"₺", "TRY"},
	{"₫", "VND"},
	{"฿", "THB"},
	{"₪", "ILS"},
	{"₴", "UAH"},
	{"₦", "NGN"},
	{"₱", "PHP"},
	{"zł", "PLN"},
	{"Kč", "CZK"},
}

// shared are signs that several currencies use; the country tells which, and
// the first of the list stands where the country uses none of them.
var shared = []struct {
	text  string
	codes []string
}{
	{"$", []string{"USD", "CAD", "AUD", "NZD", "MXN", "ARS", "CLP", "COP", "SGD", "HKD", "TWD", "UYU", "JMD", "BBD", "TTD", "BSD", "FJD", "NAD"}},
	{"¥", []string{"JPY", "CNY"}},
	{"￥", []string{"JPY", "CNY"}},
	{"kr", []string{"", "SEK", "NOK", "DKK", "ISK"}},
}

var isoCode = regexp.MustCompile(`\b[A-Z]{3}\b`)

// Price reads a price as it is displayed in the country. It gives nil when
// there is none; value and currency are left out where they cannot be known.
func Price(raw, country string) *earshot.Price {
	raw = Line(raw)
	if raw == "" {
		return nil
	}
	return &earshot.Price{Raw: raw, Value: Decimal(raw), Currency: currencyOf(raw, country)}
}

func currencyOf(raw, country string) string {
	if strings.ContainsFunc(raw, func(r rune) bool { return r == '$' || r >= utf8.RuneSelf }) { // as in all of them
		for _, s := range signs {
			if strings.Contains(raw, s.text) {
				return s.code
			}
		}
	}
	if strings.ContainsFunc(raw, unicode.IsUpper) {
		for _, code := range isoCode.FindAllString(raw, 3) {
			if unit, err := currency.ParseISO(code); err == nil {
				return unit.String()
			}
		}
	}
	for _, s := range shared {
		if !strings.Contains(raw, s.text) {
			continue
		}
		if local := geo.Currency(country); slices.Contains(s.codes, local) {
			return local
		}
		return s.codes[0]
	}
	return ""
}
