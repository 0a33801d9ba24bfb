package world

import (
	"fmt"
	"strconv"
)

// Article is a piece of news.
type Article struct {
	Source

	Ago       string
	Thumbnail string // "" where there is none
}

// Headlines are the articles on one page of a news search, and how many there
// are over all pages.
func Headlines(s Search) (articles []Article, total int) {
	total = searcher(s.Question, "news").between(54, 66)
	if s.Total != nil {
		total = *s.Total
	}
	for rank := s.Start; rank < min(s.Start+PageSize, total); rank++ {
		articles = append(articles, searcher(s.Question, "news "+strconv.Itoa(rank)).article(rank))
	}
	return articles, total
}

// article is the one at a rank; later ones are older.
func (c *finder) article(rank int) Article {
	paper := pick(c.dice, papers)
	id := 100 + rank*11 + c.between(0, 10)
	a := Article{
		Source: Source{
			URL:     fmt.Sprintf("https://%s/news/%s-%d", c.host(paper.word), slug(c.named[0]), id),
			Title:   c.one(c.say.headlines),
			Site:    paper.name,
			Snippet: c.one(c.say.reports),
		},
	}
	switch {
	case rank < 3:
		a.Ago = c.say.minutes(c.between(5, 55))
	case rank < 15:
		a.Ago = c.say.hours(c.between(2, 23))
	default:
		a.Ago = c.say.days(c.between(2, 28))
	}
	if c.chance(75) {
		a.Thumbnail = fmt.Sprintf("https://images.example/news/%d.jpg", id)
	}
	return a
}

// papers bring the news.
var papers = []outlet{
	{"Morning Ledger", "morningledger"},
	{"The Harbour Post", "harbourpost"},
	{"Northern Dispatch", "northerndispatch"},
	{"Evening Signal", "eveningsignal"},
	{"Trade Courier", "tradecourier"},
	{"City Bulletin", "citybulletin"},
	{"Daily Compass", "dailycompass"},
	{"Market Lens", "marketlens"},
}
