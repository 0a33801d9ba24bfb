package mention

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
