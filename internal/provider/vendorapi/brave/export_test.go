package brave

import "earshot"

// Page is a page of a web search or a news search.
type Page[T any] struct {
	Result T
	More   bool // whether there may be another page
}

// ReadWeb reads page n of a web search.
func ReadWeb(document []byte, n int) (*Page[*earshot.WebSearch], error) {
	merged := newMerger()
	more, err := merged.web(document, n)
	if err != nil {
		return nil, err
	}
	return &Page[*earshot.WebSearch]{merged.result, more}, nil
}

// ReadNews reads page n of a news search.
func ReadNews(document []byte, n int) (*Page[*earshot.NewsSearch], error) {
	merged := newMerger()
	more, err := merged.news(document, n)
	if err != nil {
		return nil, err
	}
	return &Page[*earshot.NewsSearch]{&earshot.NewsSearch{NewsResults: merged.articles}, more}, nil
}
