package websearch

import (
	"cmp"
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

// isVideo reports whether an element that plays a video is in a list of videos. A video whose title
// is an h3 element is an ordinary result. Short videos have no heading.
func isVideo(n *html.Node, m marks) bool {
	heading := serp.Title(n)
	return heading == nil && m.short || heading != nil && heading.DataAtom != atom.H3
}

var (
	duration = regexp.MustCompile(`^\d{1,2}(:\d{2}){1,2}$`)
	inYear   = regexp.MustCompile(`\b(19|20)\d{2}\b|(19|20)\d{2}年`)
	views    = regexp.MustCompile(`\d\s?[KMB]?\+|\d[KMB]\b`) // such as "1.2M+ views" or "12K views"
)

// readVideo reads a video that the page itself can play; n is the whole item.
func (r *reader) readVideo(n *html.Node, m marks) bool {
	heading := cmp.Or(serp.Title(n), n)
	v, ok := r.videoIn(n, heading, m.video)
	if !ok {
		return false
	}
	r.videos = append(r.videos, placed[earshot.Video]{v, r.at})
	r.note(videoBlock(m.short))
	return true
}

// addVideo adds a video on another site; block is the whole item.
func (r *reader) addVideo(block *html.Node, t title, short bool) {
	if v, ok := r.videoIn(block, t.heading, markup.Attr(t.link, "href")); ok {
		r.videos = append(r.videos, placed[earshot.Video]{v, t.at})
		r.noteAt(videoBlock(short), t.at, "")
	}
}

func videoBlock(short bool) earshot.BlockType {
	if short {
		return earshot.BlockShortVideos
	}
	return earshot.BlockVideos
}

// isVideo reports whether the card is a video: a duration is displayed on its image. On a page with
// kinds of clicks, posts and news have such an image too, but in the link with the title.
func (c card) isVideo() bool {
	skip := func(n *html.Node) bool { return inVideo(n) || c.click != serp.ClickNone && n == c.link }
	return slices.ContainsFunc(serp.LinesBut(c.block, skip), duration.MatchString)
}

// inVideo reports whether the element is a key moment of a video or opens the list of them.
func inVideo(n *html.Node) bool {
	return markup.HasAttr(n, "data-time") || markup.HasAttr(n, "aria-expanded")
}

// titleLine returns the first line of the node that is not the duration of a video.
func titleLine(n *html.Node) string {
	for _, line := range serp.Lines(n) {
		if !duration.MatchString(line) {
			return line
		}
	}
	return ""
}

// videoIn reads a video in a list; n is the whole item. The platform and the channel are below the
// title, and the date is below them.
func (r *reader) videoIn(n, heading *html.Node, address string) (v earshot.Video, ok bool) {
	v = earshot.Video{Title: titleLine(heading), Platform: webtext.Line(markup.Attr(n, "data-pubr")), Thumbnail: r.pictures.Of(n)}
	v.URL, v.RedirectLink, ok = r.links.Read(address)
	below, source, labels := false, "", labelsIn(n)
	for _, line := range serp.LinesBut(n, inVideo) {
		switch {
		case duration.MatchString(line):
			v.Duration = cmp.Or(v.Duration, line)
		case line == v.Title:
			below = true
		case !below, line == source, labels[line], readDashed(&v, line):
		case source == "":
			source = line
			readSource(&v, line)
		default:
			below = false // the rest is about the content of the video
			v.Date = cmp.Or(v.Date, dateIn(line))
		}
	}
	return v, ok && v.Title != ""
}

// readDashed reads the line with the platform and the date in a layout (2020) that shows the channel
// above it. It reports whether the line is one.
func readDashed(v *earshot.Video, line string) bool {
	platform, date, dashed := strings.Cut(line, " - ")
	if !dashed || strings.Contains(line, "·") || dateIn(date) == "" {
		return false
	}
	v.Channel, v.Platform, v.Date = v.Platform, platform, date
	return true
}

// labelsIn returns the labels for screen readers in the node. Some are also text, such as the
// duration in words.
func labelsIn(n *html.Node) map[string]bool {
	labels := map[string]bool{}
	for inner := range n.Descendants() {
		if inner.Type == html.ElementNode && markup.HasAttr(inner, "aria-label") {
			labels[webtext.Line(markup.Attr(inner, "aria-label"))] = true
		}
	}
	return labels
}

// readSource reads the line with the platform and the channel of a video.
func readSource(v *earshot.Video, line string) {
	segments := strings.Split(line, "·")
	for i := range segments {
		segments[i] = strings.TrimSpace(segments[i])
	}
	if len(segments) == 1 && inYear.MatchString(line) && serp.MayBeDate(line) {
		v.Date = line
		return
	}
	if v.Platform == "" || segments[0] == v.Platform {
		v.Platform, segments = segments[0], segments[1:]
	}
	if len(segments) > 0 {
		v.Channel = segments[0]
	}
	if len(segments) > 1 {
		v.Date = dateIn(lastOf(segments))
	}
}

// dateIn returns the last segment of a line if it can be a date, or "". The segment before it can be
// the number of views.
func dateIn(line string) string {
	segments := strings.Split(line, "·")
	last := strings.TrimSpace(segments[len(segments)-1])
	if !serp.MayBeDate(last) || views.MatchString(last) {
		return ""
	}
	return last
}
