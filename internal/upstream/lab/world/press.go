package world

import (
	"fmt"
	"strings"
)

// press adds videos and images and, if a search is allowed, sources and search queries.
func (c *composer) press(a *Answer) {
	if c.q.Search {
		a.Queries = c.several(c.book.Queries, c.between(3, 5))
		a.Sources = c.sources(c.between(4, 8))
	}
	if c.chance(50) {
		a.Videos = c.videos(c.book.Video, c.between(1, 2))
	}
	if c.chance(60) {
		a.Images = c.images(c.between(2, 3))
	}
}

func (c *composer) sources(n int) []Source {
	found := make([]Source, n)
	for i, site := range draw(c.dice, magazines, n) {
		title := c.words.Replace(c.book.Titles[i%len(c.book.Titles)])
		found[i] = Source{
			URL:     fmt.Sprintf("https://%s/%s/%s-%d", c.host(site.word), year, slug(c.named[i%len(c.named)]), c.between(1000, 9999)),
			Title:   title,
			Site:    site.name,
			Snippet: c.one(c.book.Snippets),
		}
		if c.chance(70) {
			found[i].Published = c.date()
		}
	}
	return found
}

func (c *composer) videos(titles []string, n int) []Video {
	found := make([]Video, n)
	for i := range found {
		id := c.between(100000, 999999)
		found[i] = Video{
			Title:     c.words.Replace(titles[i%len(titles)]),
			URL:       fmt.Sprintf("https://www.vidloop.example/watch?v=%d", id),
			Platform:  "VidLoop",
			Channel:   pick(c.dice, channels),
			Duration:  fmt.Sprintf("%d:%02d", c.between(2, 18), c.between(0, 59)),
			Date:      c.date(),
			Thumbnail: fmt.Sprintf("https://img.vidloop.example/%d.jpg", id),
		}
	}
	return found
}

func (c *composer) images(n int) []string {
	found := make([]string, n)
	for i := range found {
		found[i] = fmt.Sprintf("https://images.example/%s/%d.jpg", slug(c.named[i%len(c.named)]), c.between(1000, 9999))
	}
	return found
}

func (c *composer) date() string {
	return fmt.Sprintf("%s-%02d-%02d", year, c.between(1, 9), c.between(1, 28))
}

// slug replaces the characters of a name that do not fit into a path.
func slug(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		default:
			return '-'
		}
	}, strings.ToLower(name))
}
