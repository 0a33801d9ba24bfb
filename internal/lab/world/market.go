package world

import (
	"fmt"
	"math"
)

// market fills the shop window: cards, products that the text names, ads.
func (c *composer) market(a *Answer) {
	titles := draw(c.dice, c.book.card, c.between(1, 2))
	for _, title := range titles {
		card := Card{Title: title, Tags: draw(c.dice, c.book.tags, c.between(1, 2))}
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
		Description: c.one(c.book.summary),
		Price:       c.purse.write(dollars),
		Merchant:    shop.name,
		Rating:      c.rating(4800),
		Images:      []string{fmt.Sprintf("https://images.example/products/%d.jpg", id)},
	}
	if c.chance(40) {
		p.OldPrice = c.purse.write(dollars * 1.25)
	}
	if c.chance(50) {
		p.Tag = pick(c.dice, c.book.tags)
	}
	for i, seller := range draw(c.dice, shops, c.between(1, 3)) {
		p.Offers = append(p.Offers, c.offer(p, seller, dollars*(1+float64(i)*0.04), id))
	}
	return p
}

func (c *composer) offer(p Product, seller outlet, dollars float64, id int) Offer {
	condition := c.book.new
	if c.chance(15) {
		condition = c.book.used
	}
	return Offer{
		Merchant:  seller.name,
		URL:       fmt.Sprintf("https://%s/p/%s-%d", c.host(seller.word), slug(p.Title), id),
		Price:     c.purse.write(dollars),
		Shipping:  pick(c.dice, c.book.shipping),
		Condition: condition,
		Available: c.chance(85),
	}
}

// ads are a text ad and, mostly, a shopping ad.
func (c *composer) ads() []Ad {
	brand := c.named[0]
	list := []Ad{{
		Title:       c.one(c.book.adTitle),
		URL:         fmt.Sprintf("https://%s/", c.host(slug(brand))),
		Description: c.one(c.book.adText),
		Brand:       brand,
	}}
	if c.chance(70) {
		p := c.product()
		list = append(list, Ad{
			Title: p.Title, URL: p.URL, Description: c.one(c.book.adText), Brand: c.named[1],
			Price: p.Price, Merchant: p.Merchant, Image: p.Images[0],
		})
	}
	return list
}

// rating is that of up to most customers.
func (c *composer) rating(most int) Rating {
	r := Rating{
		Stars:   math.Round((3.6+c.Float64()*1.3)*10) / 10,
		Reviews: c.between(8, most),
	}
	r.StarsShown = c.purse.decimal(r.Stars)
	r.ReviewsShown = c.purse.grouped(r.Reviews)
	return r
}
