package mdtext

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"strings"

	"earshot/internal/provider/webtext"
)

// Link is a Markdown link. Label is Markdown.
type Link struct{ Label, URL string }

// anyLink matches web links, but not images.
var anyLink = regexp.MustCompile(`(?:^|[^!\\])\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?(https?://[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)`)

// IsSafe reports whether a link leads to a web or mail address.
func IsSafe(link string) bool {
	u, err := url.Parse(strings.TrimSpace(link))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto")
}

// Patterns for all the ways to write an address in Markdown.
var (
	inlineLink = regexp.MustCompile(`!?\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?[^()]*\)`)
	definition = regexp.MustCompile(`(?m)^ {0,3}\[[^\[\]]+\]:\s*<?([^\s<>]+).*$`)
	autolink   = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*)>`)
)

// KeepSafeLinks removes the links that do not lead to a web or mail address. The labels of inline
// links stay.
func KeepSafeLinks(markdown string) string {
	markdown = replaceUnsafe(inlineLink, markdown, func(found []string) (link, replacement string) { return found[2], found[1] })
	markdown = replaceUnsafe(definition, markdown, func(found []string) (link, replacement string) { return found[1], "" })
	return replaceUnsafe(autolink, markdown, func(found []string) (link, replacement string) { return found[1], "" })
}

// replaceUnsafe replaces each match of the pattern whose link is not safe.
func replaceUnsafe(pattern *regexp.Regexp, text string, parts func(found []string) (link, replacement string)) string {
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		link, replacement := parts(pattern.FindStringSubmatch(found))
		if IsSafe(html.UnescapeString(link)) {
			return found
		}
		return replacement
	})
}

// Escape escapes the characters of plain text that have a meaning in Markdown.
func Escape(text string) string { return specials.Replace(text) }

// specials escapes the characters that have a meaning anywhere in a line.
var specials = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `|`, `\|`, `~~`, `\~~`,
)

// WriteLink returns a Markdown link. The default label is the link's domain.
func WriteLink(label, link string) string {
	return "[" + Escape(cmp.Or(label, webtext.Domain(link))) + "](" + parentheses.Replace(link) + ")"
}

// parentheses escapes the characters that would end the address of a link.
var parentheses = strings.NewReplacer("(", "%28", ")", "%29")
