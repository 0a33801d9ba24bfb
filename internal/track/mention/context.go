package mention

import (
	"strings"
	"unicode"
)

// Context is a hit with the visible text around it. Each run of white space is one space.
type Context struct{ Before, Hit, After string }

// Context returns a mention of this text with up to n visible characters on either side,
// which may be in other blocks.
func (t Text) Context(m Mention, n int) Context {
	var v visible
	v.read(t)
	return Context{
		Before: v.around(max(0, m.from-n), m.from),
		Hit:    v.around(m.from, m.to),
		After:  v.around(m.to, min(len(v.chars), m.to+n)),
	}
}

// around returns the visible text of a range, with a space between blocks.
func (v *visible) around(from, to int) string {
	var out strings.Builder
	space := false
	for i := from; i < to; i++ {
		if unicode.IsSpace(v.chars[i].r) || i > from && i == v.blockOf(i).from {
			space = true
		}
		if unicode.IsSpace(v.chars[i].r) {
			continue
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		out.WriteRune(v.chars[i].r)
	}
	if space {
		out.WriteByte(' ')
	}
	return out.String()
}

// NameRef refers to a name: Name is 0 for the brand's own name and n for its alias n-1.
type NameRef struct{ Brand, Name int }

// Collision is a name that is part of a name of another brand, or equal to it. Where a text
// has the longer name, the shorter does not count. Of two equal names, the name of the first
// brand counts, unless matching rules tell them apart.
type Collision struct {
	Name   NameRef
	Within NameRef
	Equal  bool
}

// Collisions returns all collisions between names of different brands.
func (r *Rules) Collisions() []Collision {
	var all []Collision
	for i := range r.names {
		outer := &r.names[i]
		var v visible
		v.read(Text{Body: outer.text, Format: Plain})
		s := &scan{Rules: r, v: &v, glyphs: foldVisible(nil, &v)}
		for at := range s.glyphs {
			for _, m := range s.trie.at(s.glyphs, at, nil) {
				inner := &r.names[m.id]
				if inner.brand == outer.brand || !s.wholeAt(at) || !s.wholeAt(m.end) ||
					!s.boundaryAt(at, v.blocks[0]) || !s.boundaryAt(m.end, v.blocks[0]) {
					continue
				}
				all = append(all, Collision{
					Name:   NameRef{inner.brand, inner.nth},
					Within: NameRef{outer.brand, outer.nth},
					Equal:  at == 0 && m.end == len(s.glyphs)-1,
				})
			}
		}
	}
	return all
}
