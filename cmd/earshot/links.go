package main

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"earshot"
)

// aLink matches a Markdown link: its text, which may contain brackets, and its URL, which
// may contain parentheses.
const aLink = `!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+"[^"]*")?\s*\)`

var (
	link = regexp.MustCompile(aLink)
	// citations matches links that are enclosed in parentheses.
	citations = regexp.MustCompile(`\(\s*` + aLink + `(?:\s*[,;]?\s*` + aLink + `)*\s*\)`)
	// number matches the text of a link that is only a number.
	number = regexp.MustCompile(`^[\[\]\s\d]*$`)
)

// numberLinks replaces the links of a text by [n], the position of their source. It returns
// the sources, including new ones for links that are not in sources.
func numberLinks(text string, sources []earshot.Source) (string, []earshot.Source) {
	l := &linked{sources: append([]earshot.Source{}, sources...), positions: map[string]int{}}
	for _, s := range sources {
		l.last = max(l.last, s.Position)
		for _, address := range []string{s.RedirectLink, s.URL} {
			if address != "" {
				l.positions[address] = s.Position
			}
		}
	}
	text = citations.ReplaceAllStringFunc(text, func(group string) string {
		var marks strings.Builder
		for _, parts := range link.FindAllStringSubmatch(group, -1) {
			marks.WriteString(l.mark(parts[1], parts[2]))
		}
		return marks.String()
	})
	text = link.ReplaceAllStringFunc(text, func(one string) string {
		parts := link.FindStringSubmatch(one)
		label := strings.TrimSpace(parts[1])
		switch {
		case strings.HasPrefix(one, "!"): // an image
			return label
		case number.MatchString(label):
			return l.mark("", parts[2])
		default:
			return label + " " + l.mark(label, parts[2])
		}
	})
	return text, l.sources
}

// linked is the sources of a text, and their positions by URL.
type linked struct {
	sources   []earshot.Source
	positions map[string]int
	last      int
}

// mark returns the replacement of a link, and adds its source if it is new.
func (l *linked) mark(label, address string) string {
	position, known := l.positions[address]
	if !known {
		l.last++
		position = l.last
		l.positions[address] = position
		source := earshot.Source{Position: position, Label: strings.TrimSpace(label), URL: address}
		if target, err := url.Parse(address); err == nil {
			source.Domain = strings.TrimPrefix(target.Hostname(), "www.")
		}
		l.sources = append(l.sources, source)
	}
	return "[" + strconv.Itoa(position) + "]"
}
