package reduce

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"earshot/internal/provider/markup"
)

var (
	mailAddress = regexp.MustCompile(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)
	// account matches the label of an account: "Google Account: Ann Example (ann@mail.example)".
	account = regexp.MustCompile(`(\pL[\pL.' -]{1,60}?)(?:\s|\\x26#10;)*\([\w.+-]+@[\w-]+\.`)
	// edge matches the beginning and the end of a text of letters.
	edge = regexp.MustCompile(`^\b|\b$`)
	// token matches what may be an identifier of a session, and escapes in links, which are no part of it.
	token = regexp.MustCompile(`%(?:25)*[0-9a-fA-F]{2}|[\w-]{20,}`)
)

// private has the texts of a page that belong to its visitor: the query and the names of accounts.
// Addresses and tokens are recognised by their form.
type private struct {
	texts  []*regexp.Regexp
	tokens map[string]string // numbers of tokens
}

// privateIn returns what is private on a page.
func privateIn(root *html.Node) private {
	var all []string
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.DataAtom == atom.Title && n.Parent.Parent.DataAtom == atom.Head:
			query := n.Data
			if i := strings.LastIndex(query, " - "); i > 0 {
				query = query[:i] // without the name of the site
			}
			all = append(all, query)
		case n.Type == html.TextNode && n.Parent.DataAtom == atom.Textarea && markup.Attr(n.Parent, "name") == "q":
			all = append(all, n.Data)
		case (n.DataAtom == atom.Input || n.DataAtom == atom.Textarea) && markup.Attr(n, "name") == "q":
			all = append(all, markup.Attr(n, "value"))
		}
	}
	for _, v := range values(root) {
		if text := v.get(); strings.Contains(text, "@") {
			for _, found := range account.FindAllStringSubmatch(text, -1) {
				all = append(all, found[1])
				all = append(all, slices.DeleteFunc(strings.Fields(found[1]), isShort)...)
			}
		}
	}
	p := private{tokens: map[string]string{}}
	for _, text := range all {
		text = strings.TrimSpace(text)
		if isShort(text) {
			continue
		}
		for _, form := range []string{text, url.QueryEscape(text), url.PathEscape(text)} {
			// A boundary only next to a letter: "c++" has none at its end.
			p.texts = append(p.texts, regexp.MustCompile(`(?i)`+edge.ReplaceAllString(regexp.QuoteMeta(form), `\b`)))
		}
	}
	// Longer texts first: a name contains its words.
	slices.SortStableFunc(p.texts, func(a, b *regexp.Regexp) int { return len(b.String()) - len(a.String()) })
	return p
}

// without returns a value with neutral text in place of everything private.
func (p private) without(v value) string {
	text := mailAddress.ReplaceAllStringFunc(v.get(), Neutral)
	if v.key != "id" && v.key != "class" && v.key != "role" {
		for _, own := range p.texts {
			text = own.ReplaceAllStringFunc(text, blank)
		}
	}
	return token.ReplaceAllStringFunc(text, func(run string) string {
		first := strings.IndexFunc(run, unicode.IsLetter)
		if run[0] == '%' || first < 0 || !strings.ContainsFunc(run, unicode.IsDigit) || letters(run, unicode.ToLower(rune(run[first]))) == run {
			return run
		}
		// The same token stays the same, because a page can refer to an identifier.
		if p.tokens[run] == "" {
			p.tokens[run] = "x" + strconv.Itoa(len(p.tokens))
		}
		return p.tokens[run]
	})
}

func blank(text string) string { return letters(text, 'x') }

// isShort reports whether a text is too short to tell anything about its owner.
func isShort(text string) bool { return utf8.RuneCountInString(text) < 3 }
