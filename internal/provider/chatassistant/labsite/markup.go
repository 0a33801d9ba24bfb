package labsite

import (
	"bytes"
	"strings"
)

// markup writes HTML. It takes a tenth of the time of html/template, in which the lab would spend
// most of its time per answer.
type markup struct{ bytes.Buffer }

// literal is HTML that is part of this program. Constants convert to it implicitly, but string
// variables do not. So the compiler ensures that a prompt can get into a page only as an escaped
// value of fill.
type literal string

// hole is the placeholder for a value of fill: between tags, or in a double-quoted attribute.
const hole = "{}"

// fill writes the HTML with the escaped values in its holes. Links must be the lab's own, because
// fill does not check them.
func (m *markup) fill(html literal, values ...string) {
	rest := string(html)
	for _, value := range values {
		before, after, _ := strings.Cut(rest, hole)
		m.WriteString(before)
		_, _ = htmlEscapes.WriteString(m, value) // a buffer never fails
		rest = after
	}
	m.WriteString(rest)
}

// each writes the HTML once for each value.
func (m *markup) each(html literal, values []string) {
	for _, value := range values {
		m.fill(html, value)
	}
}

// optional writes the HTML with the value in its hole, unless the value is "".
func (m *markup) optional(html literal, value string) {
	if value != "" {
		m.fill(html, value)
	}
}

// htmlEscapes escapes text between tags and in attributes.
var htmlEscapes = strings.NewReplacer(
	"\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;", ">", "&gt;",
)
