package webtext

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/currency"

	"earshot"
	"earshot/internal/geo"
)

// sign is a currency sign and the ISO code of its currency.
type sign struct{ text, code string }

// signs are the signs of exactly one currency. Longer signs come first because they can contain
// shorter ones.
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

// shared are signs that several currencies use. The country decides which one is meant; if the
// country uses none of them, the first code applies.
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

// Price reads a price as displayed in the country. It returns nil for an empty text. Value and
// Currency stay empty if they cannot be determined.
func Price(raw, country string) *earshot.Price {
	raw = Line(raw)
	if raw == "" {
		return nil
	}
	return &earshot.Price{Raw: raw, Value: Decimal(raw), Currency: currencyOf(raw, country)}
}

func currencyOf(raw, country string) string {
	for _, s := range signs {
		if strings.Contains(raw, s.text) {
			return s.code
		}
	}
	for _, code := range isoCode.FindAllString(raw, 3) {
		if unit, err := currency.ParseISO(code); err == nil {
			return unit.String()
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

// Currencies returns the ISO codes of the currencies that a sign or a code stands for: several
// for a sign such as $, none for any other text.
func Currencies(sign string) []string {
	for _, s := range signs {
		if s.text == sign {
			return []string{s.code}
		}
	}
	for _, s := range shared {
		if s.text == sign {
			return slices.DeleteFunc(slices.Clone(s.codes), func(code string) bool { return code == "" })
		}
	}
	if isoCode.FindString(sign) != sign || sign == "" {
		return nil
	}
	if _, err := currency.ParseISO(sign); err != nil {
		return nil
	}
	return []string{sign}
}
