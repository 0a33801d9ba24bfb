package world

import (
	"fmt"
	"strings"
)

// Specification is one line of a product's data sheet.
type Specification struct{ Name, Value string }

// sheet is what the lines of a data sheet are called in a language.
type sheet struct{ brand, model, weight, warranty, years string }

var sheets = map[string]sheet{
	"en": {"Brand", "Model", "Weight", "Warranty", "%d years"},
	"de": {"Marke", "Modell", "Gewicht", "Garantie", "%d Jahre"},
	"fr": {"Marque", "Modèle", "Poids", "Garantie", "%d ans"},
	"es": {"Marca", "Modelo", "Peso", "Garantía", "%d años"},
	"pt": {"Marca", "Modelo", "Peso", "Garantia", "%d anos"},
	"it": {"Marca", "Modello", "Peso", "Garanzia", "%d anni"},
	"nl": {"Merk", "Model", "Gewicht", "Garantie", "%d jaar"},
	"ja": {"ブランド", "モデル", "重量", "保証", "%d年"},
}

// specifications is a data sheet that fits whatever the product is.
func (c *composer) specifications(p Product) []Specification {
	s := sheets[c.lang]
	list := []Specification{
		{s.weight, c.purse.decimal(0.3+c.Float64()*9) + " kg"},
		{s.warranty, fmt.Sprintf(s.years, c.between(2, 5))},
	}
	for _, brand := range c.named {
		if model, found := strings.CutPrefix(p.Title, brand+" "); found {
			return append([]Specification{{s.brand, brand}, {s.model, model}}, list...)
		}
	}
	return list
}
