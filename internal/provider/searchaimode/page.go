package searchaimode

import (
	"github.com/PuerkitoBio/goquery"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

var layout = chatpage.New(serp.AnswerLayout)

// reading is the content of a page.
type reading struct {
	answer     *earshot.Answer
	offersLink string // the address of the offers for its products, or ""
}

// Parse reads a stored page without resolving its hidden links. country is the country of the
// search, which decides the currency of ambiguous signs. The error is an *upstream.Failure.
func (p Provider) Parse(document []byte, country string) (*earshot.Answer, error) {
	found, err := read(document, p.Engine.NewLinks(nil), answer.Options{Country: country, Markdown: true})
	if err != nil {
		return nil, err
	}
	return found.answer, nil
}

func read(document []byte, links serp.Links, want answer.Options) (*reading, error) {
	var found reading
	var served serp.Redirects
	var err error
	found.answer, err = layout.ReadPrepared(document, want, func(page *goquery.Document) {
		turns := markup.All(page.Nodes[0], serp.IsAnswerTurn)
		if len(turns) == 0 {
			return
		}
		turn := turns[len(turns)-1]
		found.offersLink = markup.Attr(turn, "data-offers-url")
		served, _ = links.PrepareAnswer(turn) // ReadPrepared reports an answer that is too large
	})
	if err != nil {
		return nil, err
	}
	served.Mark(found.answer)
	serp.Tidy(found.answer)
	return &found, nil
}

// clusters returns the products of the answer without duplicates, products on cards first. A
// product without an id is not a cluster.
func (r *reading) clusters() []earshot.Product {
	var shown, clusters []earshot.Product
	for _, card := range r.answer.ShoppingCards {
		shown = append(shown, card.Products...)
	}
	shown = append(shown, r.answer.InlineProducts...)
	seen := map[string]bool{"": true}
	for _, product := range shown {
		if !seen[product.ID] {
			seen[product.ID] = true
			clusters = append(clusters, product)
		}
	}
	return clusters
}
