package world

import (
	"fmt"
	"strings"
)

// Blocks are the further blocks on a page of a search. Every page has stories, pictures,
// posts and things. Each other block is on some of the pages.
type Blocks struct {
	Stories  []Article
	Pictures []Picture
	Posts    []Post
	Things   []Picture // related searches with pictures
	Recipes  []Dish
	Events   []Occasion
	Jobs     []Opening
	Hotels   []Place
	Quoted   *Quotation // above the results
	Sum      *Sum       // above the results
	Riddle   string     // heading of a block that no parser knows
}

// Picture is a picture with the page that it is on.
type Picture struct{ Title, URL, Site, Image string }

// Dish is a recipe.
type Dish struct {
	Source

	Rating   Rating
	Duration string
}

// Occasion is an event.
type Occasion struct{ Month, Day, Town, Time, Venue, Seller, URL string }

// Opening is a job offer.
type Opening struct{ ID, Title, Company, Town, Site string }

// Quotation is a featured snippet: an answer that is quoted from a page.
type Quotation struct {
	Source

	Items []string
}

// Sum is the result of a calculator.
type Sum struct{ Asked, Result string }

// often is the percentage of pages that have a rare block.
const often = 40

// blocks composes the blocks.
func blocks(s Search) Blocks {
	c := searcher(s.Question, "blocks")
	s.Start = 0
	stories := Headlines(s)
	b := Blocks{Stories: stories[:min(len(stories), 3)]}
	for i := range 4 {
		page := c.result(60 + i)
		b.Pictures = append(b.Pictures, Picture{page.Title, page.URL, page.Site, fmt.Sprintf("https://images.example/found/%d.jpg", 100+c.between(0, 800))})
	}
	for i, member := range members[:3] {
		b.Posts = append(b.Posts, Post{
			Handle: member[0], Name: member[1], Text: c.one(c.book.Snippets),
			URL:       fmt.Sprintf("https://www.chirpline.example/%s/status/%d", member[0], 1_900_000+c.between(0, 99_999)),
			Published: c.book.Search.hours(2 + i),
		})
	}
	for _, name := range c.named {
		b.Things = append(b.Things, Picture{Title: name, Site: year, Image: "https://images.example/brand/" + slug(name) + ".jpg"})
	}
	c.rare(&b)
	return b
}

// rare adds the blocks that only some pages have.
func (c *composer) rare(b *Blocks) {
	towns := []string{"Harbor Falls", "Millbrook", "Eastvale"}
	if c.chance(often) {
		for i := range 3 {
			b.Recipes = append(b.Recipes, Dish{Source: c.result(70 + i).Source, Rating: c.rating(900), Duration: fmt.Sprintf("%d min", 5*c.between(2, 11))})
		}
	}
	if c.chance(often) {
		for i, town := range towns {
			b.Events = append(b.Events, Occasion{
				Month: "Nov", Day: fmt.Sprint(12 + i), Town: town, Time: "Thu 19:00", Venue: town + " Hall",
				Seller: "Lab Tickets", URL: fmt.Sprintf("https://tickets.example/event/%d", 1000+c.between(0, 999)),
			})
		}
	}
	if c.chance(often) {
		for i, town := range towns {
			b.Jobs = append(b.Jobs, Opening{fmt.Sprintf("job%d%d", i, c.between(100, 999)), c.named[0] + " Product Tester", c.named[i%len(c.named)] + " Inc.", town, "Lab Jobs"})
		}
	}
	if c.chance(often) {
		b.Hotels = c.places()
	}
	if c.chance(often) {
		page := c.result(80)
		b.Quoted = &Quotation{Source: page.Source}
		if c.chance(50) {
			b.Quoted.Items = c.named
		}
	} else if c.chance(often) {
		first, second := c.between(2, 40), c.between(2, 40)
		b.Sum = &Sum{fmt.Sprintf("%d × %d =", first, second), fmt.Sprint(first * second)}
	}
	if c.chance(often) {
		b.Riddle = "About " + strings.ToLower(c.named[0])
	}
}
