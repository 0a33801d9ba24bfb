package world

import (
	"fmt"
	"slices"
	"strings"
)

// clustersPerCard is the number of products on one card.
const clustersPerCard = 4

// ComposeClusters answers a question as Compose does, but with n product clusters. A
// cluster is a product with a unique id and offers of several shops. The text names one
// cluster that is on no card and, if n > 1, one that is also on a card.
func ComposeClusters(q Question, n int) *Answer {
	if q.Sample != nil {
		return composeSampled(q)
	}
	c := newComposer(q)
	return c.compose(func(a *Answer) { c.clusters(a, n) })
}

func (c *composer) clusters(a *Answer, n int) {
	shelf := make([]Product, n)
	for i := range shelf {
		shelf[i] = c.product()
		shelf[i].ID = fmt.Sprintf("%d%02d", c.between(1_000_000, 9_999_999), i) // unique in the answer
		shelf[i].Specifications = c.specifications(shelf[i])
	}
	if n > 0 {
		a.Inline = append(a.Inline, shelf[n-1])
	}
	if n > 1 {
		a.Inline = append(a.Inline, shelf[0])
		shelf = shelf[:n-1]
	}
	for products := range slices.Chunk(shelf, clustersPerCard) {
		a.Cards = append(a.Cards, Card{
			Title:    c.book.Card[len(a.Cards)%len(c.book.Card)],
			Tags:     draw(c.dice, c.book.Tags, c.between(1, 2)),
			Products: products,
		})
	}
	a.Ads = c.ads()
}

// Cluster returns the product of an answer with the given id.
func (a *Answer) Cluster(id string) (Product, bool) {
	shelves := [][]Product{a.Inline}
	for _, card := range a.Cards {
		shelves = append(shelves, card.Products)
	}
	for _, shelf := range shelves {
		for _, p := range shelf {
			if p.ID == id {
				return p, true
			}
		}
	}
	return Product{}, false
}

// Specification is one line of a product's data sheet.
type Specification struct{ Name, Value string }

// specifications returns a data sheet that fits any product.
func (c *composer) specifications(p Product) []Specification {
	sheet := c.book.Sheet
	list := []Specification{
		{sheet.Weight, c.purse.decimal(0.3+c.Float64()*9) + " kg"},
		{sheet.Warranty, number(sheet.Years, c.between(2, 5))},
	}
	for _, brand := range c.named {
		if model, found := strings.CutPrefix(p.Title, brand+" "); found {
			return append([]Specification{{sheet.Brand, brand}, {sheet.Model, model}}, list...)
		}
	}
	return list
}
