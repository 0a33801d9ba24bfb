package mdtext

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"strings"

	"earshot/internal/provider/webtext"
)

// Link is a link in running text.
type Link struct{ Label, URL string }

// anyLink finds links, but not pictures.
var anyLink = regexp.MustCompile(`(?:^|[^!\\])\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?(https?://[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)`)

// IsSafe tells whether a reader may follow a link: it leads to a web or mail
// address.
func IsSafe(link string) bool {
	u, err := url.Parse(strings.TrimSpace(link))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto")
}

// These find the other ways to write an address in Markdown.
var (
	inlineLink = regexp.MustCompile(`!?\[((?:[^\[\]\\]|\\.)*)\]\(\s*<?([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?[^()]*\)`)
	definition = regexp.MustCompile(`(?m)^ {0,3}\[[^\[\]]+\]:\s*<?([^\s<>]+).*$`)
	autolink   = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*)>`)
)

// KeepSafeLinks takes those links out of Markdown that lead elsewhere than to a
// web or mail address; their labels stay.
func KeepSafeLinks(markdown string) string {
	markdown = replaceUnsafe(inlineLink, markdown, func(found []string) (link, replacement string) { return found[2], found[1] })
	markdown = replaceUnsafe(definition, markdown, func(found []string) (link, replacement string) { return found[1], "" })
	return replaceUnsafe(autolink, markdown, func(found []string) (link, replacement string) { return found[1], "" })
}

// replaceUnsafe replaces what the pattern finds where it is a link that must not
// be followed.
func replaceUnsafe(pattern *regexp.Regexp, text string, parts func(found []string) (link, replacement string)) string {
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		link, replacement := parts(pattern.FindStringSubmatch(found))
		if IsSafe(html.UnescapeString(link)) {
			return found
		}
		return replacement
	})
}

// Escape escapes the characters of plain text that mean something in Markdown.
func Escape(text string) string {
	if !strings.ContainsAny(text, "\\`*_[]<|~") { // nearly all text, and the replacer is slow to tell
		return text
	}
	return specials.Replace(text)
}

// specials are the characters that mean something wherever they stand.
var specials = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `|`, `\|`, `~~`, `\~~`,
)

// WriteLink writes a link. Without a label it shows the link's domain.
func WriteLink(label, link string) string {
	return "[" + Escape(cmp.Or(label, webtext.Domain(link))) + "](" + parentheses.Replace(link) + ")"
}

// parentheses would end a link's address too early.
var parentheses = strings.NewReplacer("(", "%28", ")", "%29")
