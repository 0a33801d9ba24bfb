package websearch

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot"
	"earshot/internal/provider/markup"
	"earshot/internal/provider/serp"
	"earshot/internal/provider/webtext"
)

// card is a link with a title that is not a web result: a news article, a recipe, a post, or an
// item in a row of others.
type card struct {
	title

	block              *html.Node // the largest element without another title
	name, to, redirect string
	lines              []string // the text besides its title
}

// Kinds of clicks on news articles.
const (
	clickStory       serp.Click = 78268
	clickStoryMobile serp.Click = 63568
	clickStoryOld    serp.Click = 31301 // mobile, 2021
	clickStoryCopy   serp.Click = 26568 // mobile, 2021, for the engine's copy of an article
)

func isStoryClick(c serp.Click) bool {
	return c == clickStory || c == clickStoryMobile || c == clickStoryOld || c == clickStoryCopy
}

// addCard adds a link with a title that is not a web result.
func (r *reader) addCard(t title, block *html.Node, to, redirect string) {
	inside := serp.Lines(t.heading)
	if len(inside) == 0 {
		return
	}
	c := card{title: t, block: block, to: to, redirect: redirect}
	c.lines = slices.DeleteFunc(serp.LinesBut(t.link, func(n *html.Node) bool { return n == t.heading }), func(line string) bool { return !hasWords(line) })
	if last := len(inside) - 1; last > 0 && len(c.lines) == 0 && serp.MayBeDate(inside[last]) { // the heading contains all text of the card
		c.lines = append(c.lines, inside[last])
		inside = inside[:last]
		if last > 1 {
			c.lines = append([]string{inside[0]}, c.lines...)
			inside = inside[1:]
		}
	}
	c.name = strings.Join(inside, " ")
	r.cards = append(r.cards, c)
}

// sortCards decides for each section what its cards are.
func (r *reader) sortCards() {
	for from := 0; from < len(r.cards); {
		to := from + 1
		for to < len(r.cards) && r.cards[to].list == r.cards[from].list {
			to++
		}
		r.sortSection(r.cards[from:to])
		from = to
	}
}

func (r *reader) sortSection(cards []card) {
	videos, posts, stories, recipes := 0, 0, 0, 0
	sites := map[string]bool{}
	for _, c := range cards {
		sites[webtext.Domain(c.to)] = true
		switch {
		case isStoryClick(c.click):
			stories++
		case c.isVideo():
			videos++
		case platformOf(c.to) != "":
			posts++
		case c.isRecipe():
			recipes++
		case c.isStory():
			stories++
		}
	}
	most := func(n int) bool { return 2*n > len(cards) }
	switch {
	case most(videos):
		for _, c := range cards {
			r.addVideo(c.block, c.title, false)
		}
	case most(posts):
		for _, c := range cards {
			r.addPost(c.post(), c.at)
		}
	case most(stories) && (len(sites) > 1 || isStoryClick(cards[0].click)):
		for _, c := range cards {
			r.found.TopStories = append(r.found.TopStories, r.story(c))
			r.noteAt(earshot.BlockTopStories, c.at, "")
		}
	case most(recipes):
		for _, c := range cards {
			r.found.Recipes = append(r.found.Recipes, c.recipe())
			r.noteAt(earshot.BlockRecipes, c.at, "")
		}
	case len(cards) >= minThings && cards[0].section != "":
		r.cardCarousel(cards)
	}
}

// cardCarousel adds a carousel of cards that are of no other kind.
func (r *reader) cardCarousel(cards []card) {
	list := earshot.Carousel{Title: cutTitle(cards[0].section)}
	for _, c := range cards {
		list.Items = append(list.Items, earshot.CarouselItem{
			Title: c.name, Link: c.to, RedirectLink: c.redirect, Subtitle: strings.Join(c.lines, " "), ImageURL: r.pictures.Of(c.link),
		})
		r.noteAt(earshot.BlockCarousel, c.at, cards[0].section)
	}
	r.rows = append(r.rows, placed[earshot.Carousel]{list, cards[0].at})
}

// isStory reports whether the card is a news article: the source is before its title and the date
// after it, on a line of its own.
func (c card) isStory() bool {
	if len(c.lines) == 0 || len(c.lines) > 3 {
		return false
	}
	last := c.lines[len(c.lines)-1]
	return serp.MayBeDate(last) && !strings.Contains(last, "·") && !isPrice(last) && !starCount.MatchString(last)
}

// story reads a news article. If the source is shown as a logo, its name is the alternative text.
func (r *reader) story(c card) earshot.TopStory {
	found := earshot.TopStory{Title: c.name, Link: c.to, RedirectLink: c.redirect, Thumbnail: r.pictures.Of(c.link)}
	lines := c.lines
	if last := len(lines) - 1; last >= 0 && serp.MayBeDate(lines[last]) {
		found.Date, lines = strings.TrimPrefix(lines[last], labelIn(c.link)), lines[:last]
	}
	found.Source = lastOf(lines) // a line before it may be a label such as "live"
	if found.Source == "" {
		logo := markup.Find(c.link, func(n *html.Node) bool { return n.DataAtom == atom.Img && markup.Attr(n, "alt") != "" })
		if logo != nil {
			found.Source = webtext.Line(markup.Attr(logo, "alt"))
		} else {
			found.Source = webtext.Domain(c.to)
		}
	}
	return found
}

// labelIn returns the label on an image, such as "live".
func labelIn(n *html.Node) string {
	return serp.Line(markup.Find(n, func(n *html.Node) bool { return n.DataAtom == atom.Span && markup.Attr(n, "aria-hidden") == "true" }))
}

var (
	reviewCount = regexp.MustCompile(`^\(?[\d.,]+[KkM]?\)$`)
	starCount   = regexp.MustCompile(`^([0-5][.,]\d)(?:[\s\x{a0}]*\(([\d.,]+[KkM]?)\))?$`)
	howLong     = regexp.MustCompile(`^\d{1,3}\s?\pL{1,8}\.?(\s\d{1,2}\s?\pL{1,8}\.?)?$`)
)

// isRecipe reports whether the card is a recipe: it names a site without an address and has at
// least two lines of text, such as a rating and a duration.
func (c card) isRecipe() bool {
	site := c.site()
	return site != nil && !isAddress(serp.Line(site)) && len(c.lines) > 1
}

func (c card) site() *html.Node {
	return markup.Find(c.link, func(n *html.Node) bool { return n.DataAtom == atom.Cite })
}

// recipe reads a recipe: its site, rating and duration.
func (c card) recipe() earshot.Recipe {
	found := earshot.Recipe{Title: c.name, Link: c.to, RedirectLink: c.redirect, Source: serp.Line(c.site())}
	found.Rating, found.Reviews = ratingIn(c.link)
	for _, line := range c.lines {
		if stars := starCount.FindStringSubmatch(line); stars != nil && found.Rating == nil {
			found.Rating = webtext.Decimal(stars[1])
			found.Reviews = cmp.Or(webtext.Count(stars[2]), found.Reviews)
		}
		if reviewCount.MatchString(line) && found.Reviews == nil {
			found.Reviews = webtext.Count(strings.Trim(line, "()"))
		}
		if found.Duration == "" && howLong.MatchString(line) {
			found.Duration = line
		}
	}
	return found
}

// platforms maps domains to the names of the networks whose posts have a block of their own.
var platforms = map[string]string{
	"x.com": "X", "twitter.com": "X", "reddit.com": "Reddit", "instagram.com": "Instagram", "facebook.com": "Facebook",
	"tiktok.com": "TikTok", "linkedin.com": "LinkedIn", "threads.net": "Threads", "threads.com": "Threads", "bsky.app": "Bluesky",
	"medium.com": "Medium", "quora.com": "Quora", "substack.com": "Substack", "pinterest.com": "Pinterest", "tumblr.com": "Tumblr",
	"youtube.com": "YouTube", "mastodon.social": "Mastodon",
}

// platformOf returns the network of a link, or "".
func platformOf(link string) string {
	domain := webtext.Domain(link)
	for {
		if name, ok := platforms[domain]; ok {
			return name
		}
		_, rest, found := strings.Cut(domain, ".")
		if !found {
			return ""
		}
		domain = rest
	}
}

// post reads a post. The author is next to the network's name; the date follows a dot.
func (c card) post() earshot.SearchPost {
	p := earshot.SearchPost{Title: c.name, Link: c.to, RedirectLink: c.redirect, Platform: cmp.Or(platformOf(c.to), webtext.Domain(c.to))}
	for i, line := range c.lines {
		segments := strings.Split(line, "·")
		for j, segment := range segments {
			segment = strings.TrimSpace(segment)
			switch {
			case segment == p.Platform && j > 0 && p.Author == "":
				p.Author = strings.TrimSpace(segments[j-1])
			case segment == p.Platform && j == 0 && i > 0 && p.Author == "" && !strings.Contains(c.lines[i-1], "·"):
				p.Author = c.lines[i-1]
			case j > 0 && serp.MayBeDate(segment):
				p.Date = segment
			}
		}
	}
	return p
}

// isOfX reports whether a link is in the block of posts on X. Links there have a parameter that
// says where the visitor comes from.
func isOfX(address string) bool {
	_, campaign, found := strings.Cut(address, "twcamp")
	return found && (strings.HasPrefix(campaign, "%5Eserp") || strings.HasPrefix(campaign, "^serp"))
}

// readX reads a post on X. The image and the text of a post have the same link; the post is added
// once. A link to an author is the heading of the block.
func (r *reader) readX(n *html.Node) bool {
	to, redirect, ok := r.links.Read(markup.Attr(n, "href"))
	u, err := url.Parse(to)
	if !ok || err != nil {
		return false
	}
	u.RawQuery = ""
	author, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	if !strings.HasPrefix(rest, "status/") {
		r.author = authorIn(n)
		return true
	}
	box := n
	for range 4 {
		if box.Parent == nil || box.Data == "g-inner-card" || markup.Attr(box, "role") == "listitem" {
			break
		}
		box = box.Parent
	}
	if box.Data != "g-inner-card" && markup.Attr(box, "role") != "listitem" {
		box = n
	}
	p := earshot.SearchPost{Platform: platforms["x.com"], Author: cmp.Or(r.author, "@"+author), Link: u.String(), RedirectLink: redirect}
	heading := serp.Title(box)
	p.Text = serp.Line(heading)
	for _, line := range serp.LinesBut(box, func(n *html.Node) bool { return n == heading }) {
		name, when, dotted := strings.Cut(line, "·")
		switch {
		case dotted && serp.MayBeDate(strings.TrimSpace(when)) && serp.IsShort(name):
			p.Date = strings.TrimSpace(when)
		case p.Text == "":
			p.Text = line
		}
	}
	r.addPost(p, r.at)
	return true
}

// addPost adds a post unless it was added before.
func (r *reader) addPost(p earshot.SearchPost, at int) {
	known := slices.ContainsFunc(r.posts, func(other placed[earshot.SearchPost]) bool { return other.thing.Link == p.Link })
	if known || len(r.posts) == maxTitles {
		return
	}
	r.posts = append(r.posts, placed[earshot.SearchPost]{p, at})
	r.noteAt(earshot.BlockPosts, at, "")
}

// authorIn returns the author of the posts in a block, without the network's name.
func authorIn(n *html.Node) string {
	if heading := serp.Title(n); heading != nil {
		name, _, _ := strings.Cut(serp.Line(heading), " · ")
		return name
	}
	return lastOf(serp.Lines(n))
}
