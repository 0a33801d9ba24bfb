package chatpage

import (
	"bytes"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/rawdoc"
)

// ReadProducts reads the products on a piece of a page that shows nothing else,
// with their offers and specifications, once prepare has changed it as for
// ReadPrepared. The error is an *upstream.Failure.
func (p *Page) ReadProducts(document []byte, want answer.Want, prepare func(*goquery.Document)) ([]earshot.Product, error) {
	var products []earshot.Product
	err := rawdoc.ReadHTML(bytes.TrimSpace(document), func(page *goquery.Document) error {
		prepare(page)
		r := turnReader{page: p, want: want}
		for n := range page.Nodes[0].Descendants() {
			if n.Type != html.ElementNode || p.marks.of(n)&partProduct == 0 {
				continue
			}
			if err := markup.CheckSize(n); err != nil {
				return err
			}
			product, ok := r.product(n)
			if !ok {
				continue
			}
			product.Position = len(products) + 1
			product.Specifications = r.specifications(n)
			products = append(products, product)
		}
		return nil
	})
	return products, err
}

func (r *turnReader) specifications(product *html.Node) []earshot.Specification {
	var list []earshot.Specification
	for _, line := range r.fields(product)["specification"] {
		f := r.fields(line)
		spec := earshot.Specification{Name: f.text("specification-name"), Value: f.text("specification-value")}
		if spec.Name != "" && spec.Value != "" {
			list = append(list, spec)
		}
	}
	return list
}
