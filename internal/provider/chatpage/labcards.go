package chatpage

import (
	"bytes"
	"math"
	"strconv"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/rawdoc"
	"earshot/internal/provider/webtext"
)

// Only in the lab: no capture shows how a real page marks places, videos, ads, offers and
// specifications. The lab writes the names that this file reads, so tests of them prove nothing
// about real pages. When a capture shows such a card, adapt this file to it.

func (r *turnReader) place(n *html.Node) {
	f := r.fields(n)
	place := earshot.Place{
		Position:   len(r.answer.Places) + 1,
		Name:       f.text("place-name"),
		Address:    f.text("place-address"),
		Category:   f.text("place-category"),
		Rating:     webtext.Decimal(f.text("place-rating")),
		Reviews:    webtext.Count(f.text("place-reviews")),
		PriceLevel: f.text("place-price-level"),
		Phone:      f.text("place-phone"),
		Website:    r.link(f, "place-website"),
		Hours:      f.text("place-hours"),
		Latitude:   coordinate(n, "data-latitude"),
		Longitude:  coordinate(n, "data-longitude"),
	}
	if place.Name != "" {
		r.answer.Places = append(r.answer.Places, place)
	}
}

func (r *turnReader) video(n *html.Node) {
	f := r.fields(n)
	link := r.first(n, atom.A, "href")
	if link == "" {
		return
	}
	r.answer.Videos = append(r.answer.Videos, earshot.Video{
		Position:  len(r.answer.Videos) + 1,
		Title:     f.text("video-title"),
		URL:       link,
		Platform:  f.text("video-platform"),
		Channel:   f.text("video-channel"),
		Duration:  f.text("video-duration"),
		Date:      dateIn(n),
		Thumbnail: r.first(n, atom.Img, "src"),
	})
}

// ad adds an ad. Assistants show ads within their answer; an ad with a price is for a product.
func (r *turnReader) ad(n *html.Node) {
	f := r.fields(n)
	ad := earshot.Ad{
		Position:    len(r.answer.Ads) + 1,
		Block:       "answer",
		Type:        "text",
		Title:       f.text("ad-title"),
		URL:         r.first(n, atom.A, "href"),
		Description: f.text("ad-description"),
		Brand:       f.text("ad-brand"),
		Price:       webtext.Price(f.text("ad-price"), r.want.Country),
		Merchant:    f.text("ad-merchant"),
		ImageURL:    r.first(n, atom.Img, "src"),
	}
	if ad.URL == "" {
		return
	}
	ad.Domain = webtext.Domain(ad.URL)
	if ad.Price != nil {
		ad.Type = "shopping"
	}
	r.answer.Ads = append(r.answer.Ads, ad)
}

func (r *turnReader) offer(n *html.Node) earshot.Offer {
	f := r.fields(n)
	offer := earshot.Offer{
		Merchant:  f.text("offer-merchant"),
		URL:       r.first(n, atom.A, "href"),
		Price:     webtext.Price(f.text("offer-price"), r.want.Country),
		Shipping:  f.text("offer-shipping"),
		Condition: f.text("offer-condition"),
	}
	if available := markup.Attr(n, "data-available"); available != "" {
		yes := available == "true"
		offer.Available = &yes
	}
	return offer
}

// ReadProducts reads the products in a fragment of a page that shows only products, with their
// offers and specifications. prepare changes the page as in ReadPrepared. The error is an
// *upstream.Failure.
func (p *Page) ReadProducts(document []byte, want answer.Options, prepare func(*goquery.Document)) ([]earshot.Product, error) {
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
	for _, line := range r.fields(product).all("specification") {
		f := r.fields(line)
		spec := earshot.Specification{Name: f.text("specification-name"), Value: f.text("specification-value")}
		if spec.Name != "" && spec.Value != "" {
			list = append(list, spec)
		}
	}
	return list
}

func coordinate(n *html.Node, key string) *float64 {
	degrees, err := strconv.ParseFloat(markup.Attr(n, key), 64)
	if err != nil || !(math.Abs(degrees) <= 180) { // also rejects NaN
		return nil
	}
	return &degrees
}
