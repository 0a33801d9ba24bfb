package world

import (
	"fmt"
	"strconv"
)

// Article is a piece of news.
type Article struct {
	Source

	Ago       string
	Thumbnail string // may be empty
}

// Headlines returns the articles on one page of a news search. They are never sampled.
func Headlines(s Search) []Article {
	s.Sample = nil
	var articles []Article
	for rank, end := s.Start, s.end("news"); rank < end; rank++ {
		articles = append(articles, searcher(s.Question, "news "+strconv.Itoa(rank)).article(rank))
	}
	return articles
}

// article returns the article at a rank. Articles at higher ranks are older.
func (c *composer) article(rank int) Article {
	paper := pick(c.dice, papers)
	id := 100 + rank*11 + c.between(0, 10)
	a := Article{
		Source: Source{
			URL:     fmt.Sprintf("https://%s/news/%s-%d", c.host(paper.word), slug(c.named[0]), id),
			Title:   c.one(c.book.Search.Headlines),
			Site:    paper.name,
			Snippet: c.one(c.book.Search.Reports),
		},
	}
	switch {
	case rank < 3:
		a.Ago = c.book.Search.minutes(c.between(5, 55))
	case rank < 15:
		a.Ago = c.book.Search.hours(c.between(2, 23))
	default:
		a.Ago = c.book.Search.days(c.between(2, 28))
	}
	if c.chance(75) {
		a.Thumbnail = fmt.Sprintf("https://images.example/news/%d.jpg", id)
	}
	return a
}

// papers are the newspapers.
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
