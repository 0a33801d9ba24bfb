package mention

import (
	"cmp"
	"slices"
)

// Find returns all mentions in a text, in the order of the text. If names overlap, the
// leftmost wins; among names that begin at the same character, the longest; among equal
// names, the name of the brand that is first in the panel.
func (r *Rules) Find(t Text) Found {
	s := r.space()
	defer r.release(s)
	v := s.v
	v.read(t)
	v.addresses()
	v.citations(t.Sources)
	s.hosts = r.hosts(v)
	s.glyphs = foldVisible(s.glyphs, v)
	if t.Prompt != "" && s.cutPrompt(r.readPrompt(t.Prompt)) {
		s.glyphs = foldVisible(s.glyphs, v)
	}
	mentions := s.mentions()
	s.markAbsent(mentions)
	rank(v, mentions, r.brands)
	v.cite(mentions, len(t.Sources))
	return Found{Mentions: mentions, Links: v.links}
}

// maxKept is the maximum text length, in characters, whose buffers are kept in the pool.
const maxKept = 64 << 10

// space returns a scan from the pool. The caller must release it.
func (r *Rules) space() *scan {
	if s, ok := r.scans.Get().(*scan); ok {
		return s
	}
	return &scan{Rules: r, v: &visible{}}
}

func (r *Rules) release(s *scan) {
	if cap(s.v.chars) <= maxKept {
		s.v.links, s.v.notes, s.hosts = nil, nil, nil
		r.scans.Put(s)
	}
}

// mentions returns all hits, as names or domains. markAbsent changes the kind of some.
func (s *scan) mentions() []Mention {
	var hits []Mention
	blocks := s.v.blocks
	nextHost := s.nextHost(0)
	for i := 0; i < len(s.glyphs); {
		g := &s.glyphs[i]
		from := int(g.from)
		if uint32(g.r) < 128 && s.trie.ascii[g.r] == 0 && from < nextHost {
			i++ // fast path: most characters begin no name
			continue
		}
		if from >= nextHost {
			nextHost = s.nextHost(from)
		}
		if g.r == blockEnd {
			blocks = blocks[1:]
		}
		if g.r < 0 || from != nextHost && !s.trie.mayBegin(s.glyphs, i) {
			i++
			continue
		}
		hit, end, ok := s.hitAt(i, blocks[0])
		if !ok {
			i++
			continue
		}
		hits = append(hits, hit)
		i = end
	}
	return hits
}

// nextHost drops the hosts that end at or before a character, and returns the start of the
// next host.
func (s *scan) nextHost(from int) int {
	for len(s.hosts) > 0 && s.hosts[0].to <= from {
		s.hosts = s.hosts[1:]
	}
	if len(s.hosts) == 0 {
		return len(s.v.chars) + 1
	}
	return s.hosts[0].from
}

// hitAt returns the longest hit that begins at glyph i, and the glyph after the hit.
func (s *scan) hitAt(i int, b block) (hit Mention, end int, ok bool) {
	s.found = s.trie.at(s.glyphs, i, s.found[:0])
	from := int(s.glyphs[i].from)
	isHost := len(s.hosts) > 0 && s.hosts[0].from == from
	if len(s.found) == 0 && !isHost {
		return Mention{}, 0, false
	}
	var host hostToken
	if isHost {
		host = s.hosts[0]
	}
	slices.SortFunc(s.found, func(a, b match) int { return cmp.Or(b.end-a.end, int(a.id-b.id)) })
	for _, m := range s.found {
		n := &s.names[m.id]
		to := int(s.glyphs[m.end-1].to)
		if isHost && to < host.to {
			break
		}
		if s.coversHosts(from, to) && s.passes(n, i, m.end, b) {
			return s.mention(Name, n.brand, n.nth, from, to), m.end, true
		}
	}
	if !isHost || host.brand < 0 || s.v.chars[from].out || i > 0 && !s.wholeAt(i) {
		return Mention{}, 0, false
	}
	for end = i; end < len(s.glyphs) && int(s.glyphs[end].from) < host.to && s.glyphs[end].r != blockEnd; {
		end++
	}
	return s.mention(Domain, host.brand, host.nth, host.from, host.to), end, true
}

func (s *scan) mention(kind Kind, brand, nth, from, to int) Mention {
	return Mention{
		Brand: brand, Name: nth, Kind: kind, from: from, to: to,
		Start: int(s.v.chars[from].start), End: int(s.v.chars[to-1].end),
	}
}

// coversHosts reports whether a name covers each host that it overlaps completely.
func (s *scan) coversHosts(from, to int) bool {
	for _, h := range s.hosts {
		if h.from >= to {
			break
		}
		if h.to > from && (h.from < from || h.to > to) {
			return false
		}
	}
	return true
}
