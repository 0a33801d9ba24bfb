package brave

import (
	"cmp"

	"earshot"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// readNews reads an answer to a news search. The merger sets the positions.
func readNews(document []byte) (found earshot.List[earshot.NewsResult], err error) {
	err = read(document, typeNews, func(o loosejson.Object) {
		found = collect(o, readArticle)
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
		Source:    cmp.Or(plain(o, "source"), plain(o.Object("profile"), "name", "long_name"), webtext.Domain(to)),
		Date:      date(o),
		Thumbnail: image(o),
	}
	return article, article.Title != "" && to != ""
}
