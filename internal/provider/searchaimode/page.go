package searchaimode

import (
	"github.com/PuerkitoBio/goquery"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/chatpage"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
)

// layout is where things stand on the page.
var layout = chatpage.New(serp.AnswerLayout)

// reading is what a page holds.
type reading struct {
	answer *earshot.Answer
	// offersLink is where the page says that the offers for its products are, ""
	// where it does not.
	offersLink string
}

// Parse reads a stored page. country is where it was asked from, which tells
// currencies apart. Redirect links that do not say where they lead stay as they
// are. The error is an *upstream.Failure.
func (p Provider) Parse(document []byte, country string) (*earshot.Answer, error) {
	found, err := read(document, p.Engine.NewLinks(nil), answer.Want{Country: country, Markdown: true})
	if err != nil {
		return nil, err
	}
	return found.answer, nil
}

func read(document []byte, links serp.Links, want answer.Want) (*reading, error) {
	var found reading
	var served serp.Served
	var err error
	found.answer, err = layout.ReadPrepared(document, want, func(page *goquery.Document) {
		turns := markup.All(page.Nodes[0], serp.IsAnswerTurn)
		if len(turns) == 0 {
			return
		}
		turn := turns[len(turns)-1]
		found.offersLink = markup.Attr(turn, "data-offers-url")
		served, _ = links.PrepareAnswer(turn) // what is too large is refused when it is read
	})
	if err != nil {
		return nil, err
	}
	served.Mark(found.answer)
	serp.Tidy(found.answer)
	return &found, nil
}

// clusters are the products that the answer shows, each once, those on cards
// first. Products without an id are no clusters.
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
