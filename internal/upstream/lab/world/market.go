package world

import (
	"fmt"
	"math"
	"strings"
)

// market adds product cards, products that the text names, and ads.
func (c *composer) market(a *Answer) {
	titles := draw(c.dice, c.book.Card, c.between(1, 2))
	for _, title := range titles {
		card := Card{Title: title, Tags: draw(c.dice, c.book.Tags, c.between(1, 2))}
		for range c.between(2, 4) {
			card.Products = append(card.Products, c.product())
		}
		a.Cards = append(a.Cards, card)
	}
	for range c.between(1, 2) {
		a.Inline = append(a.Inline, c.product())
	}
	a.Ads = c.ads()
}

func (c *composer) product() Product {
	brand := pick(c.dice, c.named)
	title := brand + " " + pick(c.dice, models)
	shop := pick(c.dice, shops)
	dollars := float64(c.between(29, 1499))
	id := c.between(10000, 99999)
	p := Product{
		ID:          fmt.Sprintf("prd-%d", id),
		Title:       title,
		URL:         fmt.Sprintf("https://%s/p/%s-%d", c.host(shop.word), slug(title), id),
		Description: c.one(c.book.Summary),
		Price:       c.purse.write(dollars),
		Merchant:    shop.name,
		Rating:      c.rating(4800),
		Images:      []string{fmt.Sprintf("https://images.example/products/%d.jpg", id)},
	}
	if c.chance(40) {
		p.OldPrice = c.purse.write(dollars * 1.25)
	}
	if c.chance(50) {
		p.Tag = pick(c.dice, c.book.Tags)
	}
	for i, seller := range draw(c.dice, shops, c.between(1, 3)) {
		p.Offers = append(p.Offers, c.offer(p, seller, dollars*(1+float64(i)*0.04), id))
	}
	return p
}

func (c *composer) offer(p Product, seller outlet, dollars float64, id int) Offer {
	condition := c.book.New
	if c.chance(15) {
		condition = c.book.Used
	}
	return Offer{
		Merchant:  seller.name,
		URL:       fmt.Sprintf("https://%s/p/%s-%d", c.host(seller.word), slug(p.Title), id),
		Price:     c.purse.write(dollars),
		Shipping:  pick(c.dice, c.book.Shipping),
		Condition: condition,
		Available: c.chance(85),
	}
}

// ads returns a text ad and, in most cases, a shopping ad.
func (c *composer) ads() []Ad {
	brand := c.named[0]
	list := []Ad{{
		Title:       c.one(c.book.AdTitle),
		URL:         fmt.Sprintf("https://%s/", c.host(slug(brand))),
		Description: c.one(c.book.AdText),
		Brand:       brand,
	}}
	if c.chance(70) {
		p := c.product()
		list = append(list, Ad{
			Title: p.Title, URL: p.URL, Description: c.one(c.book.AdText), Brand: c.named[1],
			Price: p.Price, Merchant: p.Merchant, Image: p.Images[0],
		})
	}
	return list
}

// rating returns a rating by up to maxReviews customers.
func (c *composer) rating(maxReviews int) Rating {
	r := Rating{
		Stars:   math.Round((3.6+c.Float64()*1.3)*10) / 10,
		Reviews: c.between(8, maxReviews),
	}
	r.StarsShown = c.purse.decimal(r.Stars)
	r.ReviewsShown = c.purse.grouped(r.Reviews)
	return r
}

// town adds businesses nearby, for some of the questions that allow a search.
func (c *composer) town(a *Answer) {
	if !c.q.Search || !c.chance(60) {
		return
	}
	a.MapQueries = c.several(c.book.Nearby, c.between(1, 2))
	latitude, longitude := 20+c.Float64()*35, -100+c.Float64()*150
	for _, shop := range draw(c.dice, shops, c.between(2, 3)) {
		a.Places = append(a.Places, Place{
			Name:       shop.name,
			Address:    fmt.Sprintf("%d %s, %s", c.between(1, 180), pick(c.dice, streets), c.q.Country),
			Category:   pick(c.dice, c.book.Trade),
			Phone:      fmt.Sprintf("+00 555 %04d", c.between(0, 9999)),
			Website:    "https://" + c.host(shop.word) + "/",
			Hours:      pick(c.dice, c.book.Hours),
			PriceLevel: strings.Repeat("$", c.between(1, 3)),
			Rating:     c.rating(900),
			Latitude:   math.Round((latitude+c.Float64()*0.1)*1e4) / 1e4,
			Longitude:  math.Round((longitude+c.Float64()*0.1)*1e4) / 1e4,
		})
	}
}
