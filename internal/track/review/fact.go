package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/track/metric"
)

// fact is a fact of a definition in a form that sentences can be compared with.
type fact struct {
	earshot.Fact
	is   value
	near table
	not  table // wrong texts
	own  table // the right text, nil for other kinds
}

// CheckFact returns the field of a fact that is invalid, and the reason. The field is empty if
// the fact is valid.
func CheckFact(f earshot.Fact) (field, problem string) {
	_, field, problem = newFact(f)
	return field, problem
}

func newFact(f earshot.Fact) (made *fact, field, problem string) {
	made = &fact{Fact: f}
	var at int
	if made.near, at = phrases(f.Near...); at >= 0 {
		return nil, fmt.Sprintf("near[%d]", at), "must contain a letter or a digit"
	}
	if made.not, at = phrases(f.Not...); at >= 0 {
		return nil, fmt.Sprintf("not[%d]", at), "must contain a letter or a digit"
	}
	made.is = valueOf(f.Is)
	switch {
	case made.is.kind == priceValue && len(made.is.currencies) != 1:
		return nil, "is", "must name its currency by its code, such as 129 USD: $ is the sign of several currencies"
	case made.is.kind != textValue:
	case strings.Trim(f.Is, "0123456789.,' ") == "":
		return nil, "is", "must be a price with its currency such as 129 USD, a year from 1000 to 2999, a number with a unit such as 280 g, or a text"
	case len(f.Not) == 0:
		return nil, "not", "must list at least one wrong text, because is is a text; only prices, years and numbers with a unit need none"
	default:
		made.own, _ = phrases(f.Is)
	}
	return made, "", ""
}

// valueOf returns the value of a fact. A text that is no other value is a text.
func valueOf(is string) value {
	is = strings.TrimSpace(is)
	if at := numberPattern.FindStringIndex(is); at != nil {
		v, ok := numberAt(is, at[0], at[1])
		if v.kind == "" && v.unit != "" && at[0] == 0 {
			if _, after := wordAfter(is, at[1]); after == len(is) {
				v.kind, v.end = numberValue, after
			}
		}
		if ok && v.kind != "" && v.start == 0 && v.end == len(is) {
			return v
		}
	}
	return value{kind: textValue, text: is}
}

// differences returns the findings in a sentence that names the brand. For each place where one
// of near stands, the closest value of the fact's kind decides.
func (f *fact) differences(text string, words []word) (found []Finding) {
	var values []value // of the fact's kind
	for _, h := range append(f.not.find(words), f.own.find(words)...) {
		values = append(values, value{kind: textValue, text: h.reason, start: words[h.from].start, end: words[h.to-1].end})
	}
	if f.own == nil {
		for _, v := range numbersIn(text, words) {
			if f.comparable(v) {
				values = append(values, v)
			}
		}
	}
	for _, h := range f.near.find(words) {
		start, end := words[h.from].start, words[h.to-1].end
		closest, distance := value{}, -1
		for _, v := range values {
			apart := max(v.start-end, start-v.end, 0)
			if distance < 0 || apart < distance || apart == distance && v.start > start {
				closest, distance = v, apart
			}
		}
		if distance >= 0 && !f.equals(closest) {
			found = append(found, f.finding(text, f.format(closest), closest.start, closest.end))
		}
	}
	return found
}

// inProduct returns the finding for the price of a product, if the product is of the brand, its
// title contains one of near, and its price in the fact's currency is another one.
func (f *fact) inProduct(p metric.Product) (Finding, bool) {
	if f.is.kind != priceValue || p.Price == nil || p.Price.Value == 0 || p.Price.Currency != f.is.currencies[0] || !slices.Contains(p.Named, f.Brand) {
		return Finding{}, false
	}
	words := wordsOf(p.Title)
	near := f.near.find(words)
	v := value{kind: priceValue, low: []float64{p.Price.Value}, currencies: f.is.currencies}
	if len(near) == 0 || f.equals(v) {
		return Finding{}, false
	}
	return f.finding(p.Title, f.format(v), words[near[0].from].start, words[near[0].to-1].end), true
}

func (f *fact) finding(sentence, found string, start, end int) Finding {
	return Finding{
		Brand: f.Brand, Kind: earshot.ReviewFact, Sentence: sentence,
		Fact:    earshot.FactDifference{Name: f.Name, Expected: f.Is, Found: found},
		Matches: []earshot.ReviewedWords{{Reason: string(f.is.kind), Start: start, End: end}},
	}
}

// comparable reports whether a value is of the fact's kind: prices in the same currency, and
// numbers with the same unit.
func (f *fact) comparable(v value) bool {
	switch {
	case f.is.kind == numberValue:
		return (v.kind == numberValue || v.kind == "") && v.unit == f.is.unit
	case f.is.kind != v.kind:
		return false
	case v.kind == priceValue:
		return slices.Contains(v.currencies, f.is.currencies[0])
	default:
		return true
	}
}

// equals reports whether a value is the right one. A range is right if it contains the right
// value.
func (f *fact) equals(v value) bool {
	if v.kind == textValue {
		return f.own != nil && v.text == f.Is
	}
	right := f.is.low[0]
	if v.high == nil {
		return slices.Contains(v.low, right)
	}
	return slices.ContainsFunc(v.low, func(low float64) bool { return low <= right }) && slices.ContainsFunc(v.high, func(high float64) bool { return right <= high })
}

// format returns a value in the form of the fact, so that equal values are one review.
func (f *fact) format(v value) string {
	if v.kind == textValue {
		return v.text
	}
	text := number(v.low[0])
	if v.high != nil {
		text += "–" + number(v.high[0])
	}
	switch {
	case v.kind == priceValue:
		text += " " + f.is.currencies[0]
	case f.is.unit == "%":
		text += " %"
	case f.is.unit != "":
		text += " " + strings.TrimLeft(f.Is, "0123456789.,' \u00a0")
	}
	return text
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
