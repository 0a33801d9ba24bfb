package mention

// trie finds all folded texts that begin at a glyph. Each text has an id.
type trie struct {
	nodes []node
	// The children of the root, for speed: most characters begin no text.
	ascii  [128]int32
	beyond map[rune]int32
	// seconds has, for each ASCII character that begins a text, a bit for each ASCII
	// character that may follow.
	seconds [128][2]uint64
}

type node struct {
	edges []edge
	gap   int32   // child for any run of spaces and hyphens, or 0
	ends  []int32 // ids of the texts that end here
}

type edge struct {
	r  rune
	to int32
}

// match is the id of a text that was found, and the glyph after it.
type match struct {
	id  int32
	end int
}

func newTrie() *trie { return &trie{nodes: make([]node, 1), beyond: map[rune]int32{}} }

// insert adds a text. If joined is set, each run of spaces or hyphens between its words
// matches any such run, or none.
func (t *trie) insert(text []rune, joined bool, id int32) {
	t.noteSecond(text, joined)
	n := int32(0)
	for i := 0; i < len(text); i++ {
		end := i
		for joined && i > 0 && end < len(text) && isSeparator(text[end]) {
			end++
		}
		if end > i && end < len(text) {
			n = t.gapFrom(n)
			i = end
		}
		n = t.childFrom(n, text[i])
	}
	t.nodes[n].ends = append(t.nodes[n].ends, id)
}

func (t *trie) noteSecond(text []rune, joined bool) {
	if len(text) == 0 || text[0] >= 128 {
		return
	}
	switch first := &t.seconds[text[0]]; {
	case len(text) == 1 || joined && isSeparator(text[1]):
		*first = [2]uint64{^uint64(0), ^uint64(0)}
	case text[1] < 128:
		first[text[1]/64] |= 1 << (text[1] % 64)
	}
}

func isSeparator(r rune) bool { return r == ' ' || r == '-' }

func (t *trie) gapFrom(n int32) int32 {
	if t.nodes[n].gap == 0 {
		t.nodes = append(t.nodes, node{})
		t.nodes[n].gap = int32(len(t.nodes) - 1)
	}
	return t.nodes[n].gap
}

func (t *trie) childFrom(n int32, r rune) int32 {
	if to := t.nodes[n].child(r); to != 0 {
		return to
	}
	t.nodes = append(t.nodes, node{})
	to := int32(len(t.nodes) - 1)
	t.nodes[n].edges = append(t.nodes[n].edges, edge{r, to})
	switch {
	case n == 0 && r < 128:
		t.ascii[r] = to
	case n == 0:
		t.beyond[r] = to
	}
	return to
}

func (n *node) child(r rune) int32 {
	for _, e := range n.edges {
		if e.r == r {
			return e.to
		}
	}
	return 0
}

// begins returns the node for a first character, or 0.
func (t *trie) begins(r rune) int32 {
	switch {
	case r >= 128:
		return t.beyond[r]
	case r >= 0:
		return t.ascii[r]
	default:
		return 0
	}
}

// mayBegin reports whether a text may begin at glyph i. It checks the first two characters.
func (t *trie) mayBegin(glyphs []glyph, i int) bool {
	first := glyphs[i].r
	if t.begins(first) == 0 {
		return false
	}
	if first >= 128 || i+1 == len(glyphs) {
		return true
	}
	second := glyphs[i+1].r
	return second < 0 || second >= 128 || t.seconds[first][second/64]&(1<<(second%64)) != 0
}

// at appends all texts that begin at glyph i.
func (t *trie) at(glyphs []glyph, i int, found []match) []match {
	n := t.begins(glyphs[i].r)
	if n == 0 {
		return found
	}
	return t.walk(n, glyphs, i+1, found)
}

func (t *trie) walk(n int32, glyphs []glyph, i int, found []match) []match {
	for n != 0 {
		here := &t.nodes[n]
		for _, id := range here.ends {
			found = append(found, match{id, i})
		}
		if here.gap != 0 {
			after := i
			for after < len(glyphs) && isSeparator(glyphs[after].r) {
				after++
			}
			found = t.walk(here.gap, glyphs, after, found)
		}
		if i == len(glyphs) {
			break
		}
		n = here.child(glyphs[i].r)
		i++
	}
	return found
}
