package mention

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

// A mention in a clause that says that nothing was found is absent: it counts neither as a
// mention nor as the lack of a mention. A clause ends at the end of a block or sentence, at
// a semicolon, and before a contrast word, but not at a comma. The phrases are in
// data/absence.txt, the contrast words in data/contrast.txt. No grammar is analysed: "While
// I could not find information on A, B is good" makes B absent, too.

var (
	//go:embed data/absence.txt
	absenceFile string
	//go:embed data/contrast.txt
	contrastFile string
)

// clauseMark is the meaning of an entry of the tables.
type clauseMark struct {
	contrast bool // a contrast word; otherwise a phrase of absence
	inside   bool // the entry may begin inside a word
}

// clauseTable has the phrases of absence and the contrast words.
type clauseTable struct {
	trie  *trie
	marks []clauseMark
}

func (t *clauseTable) add(text string, mark clauseMark) {
	t.trie.insert(foldText(text, false), false, int32(len(t.marks)))
	t.marks = append(t.marks, mark)
}

var clauses = sync.OnceValue(func() *clauseTable {
	t := &clauseTable{trie: newTrie()}
	for _, line := range dataLines(absenceFile) {
		line, inside := strings.CutPrefix(line, "~")
		for _, text := range expand(line) {
			t.add(text, clauseMark{inside: inside})
		}
	}
	for _, line := range dataLines(contrastFile) {
		for word := range strings.SplitSeq(line, " / ") {
			t.add(word, clauseMark{contrast: true})
		}
	}
	return t
})

// expand returns the phrases of a line: one for each combination of the alternatives in its
// brackets, such as "no (news|information)".
func expand(line string) []string {
	before, rest, found := strings.Cut(line, "(")
	if !found {
		return []string{line}
	}
	choices, after, _ := strings.Cut(rest, ")")
	var phrases []string
	for choice := range strings.SplitSeq(choices, "|") {
		for _, end := range expand(after) {
			phrases = append(phrases, before+choice+end)
		}
	}
	return phrases
}

// markAbsent changes the kind of mentions to Absent if their clause contains a phrase of
// absence.
func (s *scan) markAbsent(mentions []Mention) {
	if len(mentions) == 0 {
		return
	}
	next, start := 0, 0 // the first mention and the first glyph of the block
	for _, b := range s.v.blocks {
		first := next
		for next < len(mentions) && mentions[next].from < b.to {
			next++
		}
		if first < next {
			s.markBlock(mentions[first:next], start, b.glyphs, b)
		}
		if next == len(mentions) {
			return
		}
		start = b.glyphs + 1
	}
}

// markBlock processes the clauses of one block.
func (s *scan) markBlock(mentions []Mention, from, to int, b block) {
	table := clauses()
	absent := false // the current clause contains a phrase of absence
	endClause := func(end int) {
		for len(mentions) > 0 && mentions[0].from < end {
			if absent {
				mentions[0].Kind = Absent
			}
			mentions = mentions[1:]
		}
		absent = false
	}
	word := false // the previous character is an ASCII letter or digit
	for i := from; i < to; i++ {
		g := &s.glyphs[i]
		inside := word
		if word = g.r >= 0 && isASCIIWord(s.v.chars[g.from].r); word && inside {
			continue // fast path: no clause ends and no entry begins inside a word
		}
		if s.v.endsClause(int(g.to)-1, b) && s.wholeAt(i+1) {
			endClause(int(g.to))
			continue
		}
		if !table.trie.mayBegin(s.glyphs, i) {
			continue
		}
		s.found = table.trie.at(s.glyphs, i, s.found[:0])
		for _, m := range s.found {
			mark := table.marks[m.id]
			switch {
			case !s.wholeAt(i) || !mark.inside && !s.boundaryAt(i, b):
			case !mark.contrast:
				absent = true
			case s.wholeAt(m.end) && s.boundaryAt(m.end, b):
				endClause(int(g.from))
			}
		}
	}
	endClause(b.to)
}

// endsClause reports whether a clause ends after character i.
func (v *visible) endsClause(i int, b block) bool {
	switch c := &v.chars[i]; c.r {
	case '.', '!', '?', '…':
		return !c.out && (i+1 == b.to || unicode.IsSpace(v.chars[i+1].r))
	case '。', '！', '？', '؟', '।', ';', '；', '؛', 0x037E: // 0x037E is the Greek question mark
		return !c.out
	}
	return false
}
