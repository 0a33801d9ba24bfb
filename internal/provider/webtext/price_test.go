package webtext_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"earshot"
	"earshot/internal/provider/webtext"
)

func TestPrice(t *testing.T) {
	t.Parallel()
	price := func(raw string, value float64, currency string) *earshot.Price {
		return &earshot.Price{Raw: raw, Value: &value, Currency: currency}
	}
	for _, test := range []struct {
		raw, country string
		want         *earshot.Price
	}{
		{"1.299,00 €", "DE", price("1.299,00 €", 1299, "EUR")},
		{"€ 12,50", "NL", price("€ 12,50", 12.5, "EUR")},
		{"1\u202f299,99 €", "FR", price("1\u202f299,99 €", 1299.99, "EUR")},
		{"$1,299.00", "US", price("$1,299.00", 1299, "USD")},
		{"$1,299.00", "CA", price("$1,299.00", 1299, "CAD")},
		{"$15", "DE", price("$15", 15, "USD")},
		{"C$ 20", "US", price("C$ 20", 20, "CAD")},
		{"US$ 20", "CA", price("US$ 20", 20, "USD")},
		{"R$ 1.299,90", "BR", price("R$ 1.299,90", 1299.9, "BRL")},
		{"¥12,800", "JP", price("¥12,800", 12800, "JPY")},
		{"12,800円", "JP", price("12,800円", 12800, "JPY")},
		{"¥99", "CN", price("¥99", 99, "CNY")},
		{"CHF 1’299.50", "CH", price("CHF 1’299.50", 1299.5, "CHF")},
		{"1 299 kr", "SE", price("1 299 kr", 1299, "SEK")},
		{"1 299 500,50 kr", "SE", price("1 299 500,50 kr", 1299500.5, "SEK")},
		{"2 1000g", "DE", price("2 1000g", 2, "")},
		{"1 299 kr", "NO", price("1 299 kr", 1299, "NOK")},
		{"99 kr", "DE", price("99 kr", 99, "")},
		{"129,99 zł", "PL", price("129,99 zł", 129.99, "PLN")},
		{"SGD 12.30", "SG", price("SGD 12.30", 12.3, "SGD")},
		{"$1,234,567.89", "US", price("$1,234,567.89", 1234567.89, "USD")},
		{"$0.999", "US", price("$0.999", 0.999, "USD")},
		{"$10 – $20", "US", price("$10 – $20", 10, "USD")},
		{" $5\n", "US", price("$5", 5, "USD")},
		{"129", "US", price("129", 129, "")},
		{"free", "US", &earshot.Price{Raw: "free"}},
		{"", "US", nil},
	} {
		if diff := cmp.Diff(test.want, webtext.Price(test.raw, test.country)); diff != "" {
			t.Errorf("%q in %s:\n%s", test.raw, test.country, diff)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"(1.234)": 1234, "(1,234)": 1234, "87": 87, "2,5K": 2500, "1.2k reviews": 1200, "3M": 3000000, "1 204 avis": 1204,
		"(9k+)": 9000, "1,2 Tsd.": 1200, "2,5 mil": 2500, "1.5万": 15000, "(٢٬٣٤٥)": 2345, "12 Kommentare": 12,
	} {
		if got := webtext.Count(text); got == nil || *got != want {
			t.Errorf("%q: got %v, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "none", "99999999999999"} {
		if got := webtext.Count(text); got != nil {
			t.Errorf("%q: got %d, want nothing", text, *got)
		}
	}
}
