package world

import (
	"fmt"
	"math"
	"strings"

	"earshot/internal/geo"
)

// money is the price format of a country.
type money struct {
	scale    float64 // rough exchange rate for one US dollar
	decimals int
	pattern  string // contains # for the number
	group    string
	point    string
}

// purses are the formats of some currencies. Any other currency is written with its code,
// at the rate of the dollar.
var purses = map[string]money{
	"USD": {scale: 1, decimals: 2, pattern: "$#"},
	"CAD": {scale: 1.4, decimals: 2, pattern: "$#"},
	"AUD": {scale: 1.5, decimals: 2, pattern: "$#"},
	"NZD": {scale: 1.6, decimals: 2, pattern: "$#"},
	"MXN": {scale: 18, decimals: 2, pattern: "$#"},
	"EUR": {scale: 0.9, decimals: 2}, // the pattern depends on the language
	"GBP": {scale: 0.8, decimals: 2, pattern: "£#"},
	"JPY": {scale: 150, pattern: "¥#"},
	"KRW": {scale: 1300, pattern: "₩#"},
	"INR": {scale: 83, decimals: 2, pattern: "₹#"},
	"BRL": {scale: 5, decimals: 2, pattern: "R$ #"},
	"CHF": {scale: 0.9, decimals: 2, pattern: "CHF #"},
	"PLN": {scale: 4, decimals: 2, pattern: "# zł"},
	"SEK": {scale: 10, pattern: "# kr"},
	"NOK": {scale: 10, pattern: "# kr"},
	"DKK": {scale: 7, pattern: "# kr"},
}

func moneyOf(country string, book *phrases) money {
	code := geo.Currency(country)
	m, known := purses[code]
	if !known {
		m = money{scale: 1, decimals: 2, pattern: code + " #"}
		if code == "" {
			m.pattern = "$#"
		}
	}
	if code == "EUR" {
		m.pattern = book.Numbers.Euros
	}
	m.group, m.point = book.Numbers.Group, book.Numbers.Point
	return m
}

// write formats a price that is given in US dollars.
func (m money) write(dollars float64) string {
	amount := math.Round(dollars * m.scale)
	if m.decimals == 0 {
		amount = math.Round(amount/10) * 10
	}
	number := m.grouped(int(amount))
	if m.decimals > 0 {
		number += m.point + "99"
	}
	return strings.Replace(m.pattern, "#", number, 1)
}

// decimal formats a number with one digit after the point.
func (m money) decimal(f float64) string {
	return strings.Replace(fmt.Sprintf("%.1f", f), ".", m.point, 1)
}

func (m money) grouped(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + m.group + digits[i:]
	}
	return digits
}
