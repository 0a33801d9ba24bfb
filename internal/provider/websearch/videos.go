package websearch

import (
	"regexp"
	"strings"
	"unicode"

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
)

// readVideo reads a video in a list; n is the whole item.
func (r *reader) readVideo(n *html.Node, address string, short bool) bool {
	link, redirect, ok := r.links.Read(address)
	heading := serp.Title(n)
	if heading == nil {
		heading = n
	}
	v := earshot.Video{URL: link, RedirectLink: redirect, Thumbnail: r.pictures.Of(n)}
	v.Platform = webtext.Line(markup.Attr(n, "data-pubr"))
	for _, line := range serp.Lines(heading) {
		if v.Title == "" && !duration.MatchString(line) {
			v.Title = line
		}
	}
	if !ok || v.Title == "" {
		return false
	}
	for _, line := range serp.Lines(n) {
		for segment := range strings.SplitSeq(line, "·") {
			readVideoSegment(&v, strings.TrimSpace(segment))
		}
	}
	r.found.Videos = append(r.found.Videos, v)
	if short {
		r.note(earshot.BlockShortVideos)
	} else {
		r.note(earshot.BlockVideos)
	}
	return true
}

// readVideoSegment assigns a segment of text to a field of the video: duration, date, platform or
// channel.
func readVideoSegment(v *earshot.Video, segment string) {
	hasDigit := strings.ContainsFunc(segment, unicode.IsDigit)
	switch {
	case segment == "" || segment == v.Title || segment == v.Platform || strings.HasPrefix(v.Title, segment):
	case duration.MatchString(segment):
		v.Duration = segment
	case v.Date == "" && serp.MayBeDate(segment) && inYear.MatchString(segment): // other numbers are positions in the video and durations
		v.Date = segment
	case v.Date != "" || hasDigit:
	case v.Platform == "":
		v.Platform = segment
	case v.Channel == "":
		v.Channel = segment
	}
}
