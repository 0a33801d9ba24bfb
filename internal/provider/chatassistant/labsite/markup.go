package labsite

import (
	"bytes"
	"strings"
)

// markup writes HTML. It is what a template would be, at a tenth of the time,
// which is most of what an answer of the lab takes.
type markup struct{ bytes.Buffer }

// literal is HTML that is part of this program. A constant becomes one by itself
// and a string that came from elsewhere does not, so the compiler sees to it
// that whatever is asked can only get into a page through fill's escaping.
type literal string

// hole is where fill puts a value: between tags, or between the double quotes of
// an attribute.
const hole = "{}"

// fill writes the HTML with the values in its holes. Values stand for
// themselves, whatever is in them; links must be the lab's own, since nothing
// here looks at where they lead.
func (m *markup) fill(html literal, values ...string) {
	rest := string(html)
	for _, value := range values {
		before, after, _ := strings.Cut(rest, hole)
		m.WriteString(before)
		_, _ = htmlEscapes.WriteString(m, value) // a buffer takes everything
		rest = after
	}
	m.WriteString(rest)
}

// each writes the HTML once for each value, with that in its hole.
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

// htmlEscapes make text stand for itself between tags and in attributes.
var htmlEscapes = strings.NewReplacer(
	"\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;", ">", "&gt;",
)
