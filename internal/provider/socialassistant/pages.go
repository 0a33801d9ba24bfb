package socialassistant

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"

	"earshot"
	"earshot/internal/provider/answer"
	"earshot/internal/provider/loosejson"
	"earshot/internal/provider/webtext"
)

// indexPages stores what the response says about web pages and posts, so that citations by URL get the
// details.
func (r *reader) indexPages(s *streamed) {
	web, posts := slices.Concat(s.cited, s.web), slices.Concat(s.shown, s.posts)
	for _, step := range s.response.Objects("steps") {
		for _, found := range append(step.Objects("toolUsageResults"), step) {
			web = append(web, resultsIn(found, "webSearchResults")...)
			posts = append(posts, resultsIn(found, "xposts", "xSearchResults")...)
		}
	}
	for _, result := range web {
		r.indexPage(webPage(result))
	}
	for _, post := range posts {
		r.indexPage(postPage(post))
	}
}

// indexPage stores the details of a page. Details of a post without an author are replaced.
func (r *reader) indexPage(page answer.Citation) {
	key := pageKey(page.Source.URL)
	if known, noted := r.known[key]; page.Source.URL != "" && (!noted || known.Source.Post != nil && known.Source.Post.Author == "") {
		r.known[key] = page
	}
}

// pageKey returns the URL of a page. For a post it returns the URL without the author, because a
// post has many URLs.
func pageKey(link string) string {
	if _, id := answer.PostAt(link); id != "" {
		return postsBase + nobody + "/status/" + id
	}
	return link
}

// page returns what is known about the page at a URL. A post is recognised by its URL.
func (r *reader) page(link string) answer.Citation {
	if page, ok := r.known[pageKey(link)]; ok {
		return page
	}
	post, _ := answer.PostAt(link)
	page := answer.Citation{Source: earshot.Source{URL: link, Post: post}, Label: webtext.Domain(link)}
	if post != nil && post.Author != "" {
		page.Label = "@" + post.Author
		page.Source.Label = page.Label
	}
	r.known[pageKey(link)] = page
	return page
}

// addUncited adds the sources that the text does not cite: the pages that the response lists as cited,
// and the posts that it shows. If there are no cited pages, the search results are added instead.
func (r *reader) addUncited(s *streamed) {
	r.add(webPage, s.cited)
	nothing := r.sources.Empty()
	if nothing {
		r.add(webPage, s.web)
	}
	r.add(postPage, s.shown)
	if nothing && len(s.shown) == 0 {
		r.add(postPage, s.posts)
	}
}

func (r *reader) add(read func(loosejson.Object) answer.Citation, results []loosejson.Object) {
	for _, result := range results {
		if page := read(result).Source; page.URL != "" {
			r.sources.Add(r.page(page.URL).Source)
		}
	}
}

// webPage returns the page that a search result describes. The URL is "" if the result has none.
func webPage(result loosejson.Object) answer.Citation {
	link, _ := result.Destination(ownSources, "url", "link")
	post, _ := answer.PostAt(link)
	return answer.Citation{
		Source: earshot.Source{
			URL:           link,
			Label:         result.Text("title", "metadataTitle"),
			Description:   result.Text("preview", "description", "snippet"),
			DatePublished: result.Date("publishedDate", "date"),
			Post:          post,
		},
		Label: cmp.Or(result.Text("siteName"), webtext.Domain(link)),
	}
}

// network is the default social network. Its posts have a URL without the author's name, with
// nobody in its place.
const (
	network   = "x"
	postsBase = "https://x.com/"
	nobody    = "i"
)

var digits = regexp.MustCompile(`^[0-9]{1,25}$`)

// postPage returns the page of a post. The URL is "" if it cannot be determined.
func postPage(post loosejson.Object) answer.Citation {
	author := post.Text("username", "screenName", "handle")
	link, ok := post.Destination(ownSources, "url", "link")
	if id := post.Text("postId", "id"); !ok && digits.MatchString(id) {
		link = postsBase + url.PathEscape(cmp.Or(author, nobody)) + "/status/" + id
	}
	label := post.Text("name")
	switch {
	case label == "" && author != "":
		label = "@" + author
	case author != "":
		label += " (@" + author + ")"
	}
	return answer.Citation{
		Source: earshot.Source{
			URL:           link,
			Label:         label,
			DatePublished: post.Date("createTime", "createdAt", "date"),
			Post:          &earshot.Post{Author: author, Text: webtext.Clean(loosejson.AsText(post["text"])), Platform: cmp.Or(post.Text("platform"), network)},
		},
		Label: label,
	}
}
