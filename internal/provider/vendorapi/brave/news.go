package brave

import (
	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// NewsPage is a page of a news search.
type NewsPage struct {
	Result *earshot.NewsSearch
	More   bool // whether there may be another page; the API does not say
}

// ReadNews reads the API's answer for page n of a news search, counted from 1. A page without
// results is valid. The error is an *upstream.Failure.
func ReadNews(document []byte, n int) (*NewsPage, error) {
	merged := newMerger()
	more, err := merged.news(document, n)
	if err != nil {
		return nil, err
	}
	return &NewsPage{Result: &earshot.NewsSearch{NewsResults: merged.articles}, More: more}, nil
}

// readNews reads an answer to a news search. The merger sets the positions.
func readNews(document []byte) (found earshot.List[earshot.NewsResult], err error) {
	err = read(document, typeNews, func(o loosejson.Object) {
		for _, item := range results(o) {
			if article, ok := readArticle(item); ok {
				found = append(found, article)
			}
		}
	})
	return found, err
}

func readArticle(o loosejson.Object) (article earshot.NewsResult, ok bool) {
	to := link(o, "url")
	article = earshot.NewsResult{
		Title:     plain(o, "title"),
		Link:      to,
		Domain:    webtext.Domain(to),
		Snippet:   prose(o, "description"),
		Source:    plain(o, "source"),
		Date:      date(o),
		Thumbnail: image(o),
	}
	if article.Source == "" {
		article.Source = plain(o.Object("profile"), "name", "long_name")
	}
	if article.Source == "" {
		article.Source = article.Domain
	}
	return article, article.Title != "" && to != ""
}
