package websearch

import (
	"fmt"

	"earshot"
	"earshot/internal/provider/serp"
)

// Score is the number of items of each kind on a page.
type Score struct {
	organic, sitelinks, dated, questions, answered, related, overviews, sources, pills,
	text, shopping, places, products, videos, discussions, panels, unread int
}

// ScoreHead has the names of a score's columns.
var ScoreHead = fmt.Sprintf("%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s",
	"org", "site", "date", "paa", "answ", "rel", "aio", "src", "pill", "text", "shop", "plac", "prod", "vid", "disc", "pan", "left")

// ScoreOf returns the score of a result.
func ScoreOf(result *earshot.WebSearch, unread int) Score {
	s := Score{
		organic: len(result.OrganicResults), questions: len(result.PeopleAlsoAsk), related: len(result.RelatedSearches),
		places: len(result.Places), videos: len(result.Videos), discussions: len(result.Discussions), unread: unread,
	}
	for _, found := range result.OrganicResults {
		s.sitelinks += len(found.Sitelinks)
		if found.Date != "" {
			s.dated++
		}
	}
	for _, q := range result.PeopleAlsoAsk {
		if q.Type != earshot.QuestionUnknown {
			s.answered++
		}
	}
	if overview := result.SearchOverview; overview != nil {
		s.overviews, s.sources, s.pills = 1, len(overview.Sources), len(overview.CitationPills)
	}
	for _, ad := range result.Ads {
		if ad.Type == adText {
			s.text++
		} else {
			s.shopping++
		}
	}
	for _, card := range result.ShoppingCards {
		s.products += len(card.Products)
	}
	if result.KnowledgeGraph != nil {
		s.panels = 1
	}
	return s
}

func (s *Score) fields() []*int {
	return []*int{
		&s.organic, &s.sitelinks, &s.dated, &s.questions, &s.answered, &s.related, &s.overviews, &s.sources, &s.pills,
		&s.text, &s.shopping, &s.places, &s.products, &s.videos, &s.discussions, &s.panels, &s.unread,
	}
}

// Add adds the score of another page.
func (s *Score) Add(other Score) {
	more := other.fields()
	for i, field := range s.fields() {
		*field += *more[i]
	}
}

func (s Score) String() string {
	line := ""
	for _, field := range s.fields() {
		line += fmt.Sprintf("%5d", *field)
	}
	return line
}

// NotUnderstood returns the number of blocks of a page that were not understood.
func NotUnderstood(document []byte, engine serp.Engine) int {
	found, err := parsePage(document, engine.NewLinks(nil), want{})
	if err != nil {
		return 0
	}
	return len(found.unread)
}
