package mention

import (
	"strings"
	"unicode"
)

// An address is a link target wherever it stands, in code as well (decision 16):
// what begins with http://, https:// or www., <…:…>, and e-mail addresses. It is no
// prose, whatever names are in it.

// addresses takes all addresses out of the prose and notes those of the web as links.
func (v *visible) addresses() {
	for _, b := range v.blocks {
		v.addressesIn(b)
	}
}

func (v *visible) addressesIn(b block) {
	for i := b.from; i < b.to; i++ {
		from, to := i, i
		switch r := v.chars[i].r; {
		case v.chars[i].out:
			continue
		case r == ':':
			from, to = v.webAddress(i, b)
		case r == 'w' || r == 'W':
			if v.hasFold(i, b, "www.") && (i == b.from || !isASCIIWord(v.chars[i-1].r)) {
				to = v.addressEnd(i+len("www."), b)
			}
			if to <= i+len("www.") {
				to = i // nothing behind the dot
			}
		case r == '<':
			to = v.angleAddress(i, b)
		case r == '@':
			from, to = v.mailAddress(i, b)
		}
		if to <= i {
			continue
		}
		if first := v.chars[from].r; first == 'h' || first == 'H' || first == 'w' || first == 'W' {
			if v.chars[i].r != '@' {
				v.noteAddress(from, to)
			}
		}
		v.exclude(from, to)
		i = to - 1
	}
}

// noteAddress notes an address that is not the text of a link as one.
func (v *visible) noteAddress(from, to int) {
	if v.chars[from].link {
		return
	}
	for i := from; i < to; i++ {
		v.chars[i].link = true
	}
	v.links = append(v.links, Link{URL: v.text(from, to), Source: -1, from: from, to: to})
}

// webAddress finds the address whose scheme ends at the colon at i.
func (v *visible) webAddress(i int, b block) (from, to int) {
	if !v.hasFold(i, b, "://") {
		return i, i
	}
	for _, scheme := range []string{"https", "http"} {
		if start := i - len(scheme); start >= b.from && v.hasFold(start, b, scheme) {
			if end := v.addressEnd(i+len("://"), b); end > i+len("://") {
				return start, end
			}
		}
	}
	return i, i
}

// addressEnd is where an address ends that began before i: at white space, at a
// quotation mark or an angle bracket, at any character beyond ASCII that is neither
// letter, digit nor mark (，。」), and where a link or code begins or ends. A full stop
// or the like at the end belongs to the sentence, and so does a closing bracket that
// was opened before the address.
func (v *visible) addressEnd(i int, b block) int {
	end := v.hostEnd(i, b)
	if end == i || end < b.to && v.chars[end].r >= 0x80 {
		return end // the letters behind are those of the sentence: ollaro.exampleは
	}
	for end < b.to && v.inAddress(end) && v.chars[end].span == v.chars[i].span {
		end++
	}
	for end > i && (strings.ContainsRune("?!.,:;*_~'", v.chars[end-1].r) || v.unopened(i, end)) {
		end--
	}
	return end
}

func (v *visible) inAddress(i int) bool {
	c := v.chars[i]
	if c.out || c.r == '<' || c.r == '>' || c.r == '"' || c.r == '`' || c.r == '|' || isSpace(c.r) {
		return false
	}
	return c.r < 0x80 || isWord(c.r)
}

// unopened tells whether the range ends with a bracket that it does not open.
func (v *visible) unopened(from, end int) bool {
	pairs := map[rune]rune{')': '(', ']': '[', '}': '{'}
	closing := v.chars[end-1].r
	opening, ok := pairs[closing]
	if !ok {
		return false
	}
	depth := 0
	for _, c := range v.chars[max(from, end-maxBrackets):end] {
		switch c.r {
		case opening:
			depth++
		case closing:
			depth--
		}
	}
	return depth < 0
}

// maxBrackets bounds how far back an opening bracket is looked for.
const maxBrackets = 512

// maxScheme is the longest scheme of an address in angle brackets (CommonMark 6.5).
const maxScheme = 32

// angleAddress finds where <scheme:…> ends that begins at i.
func (v *visible) angleAddress(i int, b block) int {
	colon := i + 1
	for colon < b.to && colon-i <= maxScheme && isSchemeChar(v.chars[colon].r) {
		colon++
	}
	if colon-i < 3 || colon >= b.to || v.chars[colon].r != ':' || !isASCIILetter(v.chars[i+1].r) {
		return i
	}
	for end := colon; end < b.to; end++ {
		switch r := v.chars[end].r; {
		case r == '>':
			return end + 1
		case r == '<' || isSpace(r) || v.chars[end].span != v.chars[i].span:
			return i
		}
	}
	return i
}

// maxLocal is the longest local part of an e-mail address (RFC 5321).
const maxLocal = 64

// mailAddress finds the e-mail address around the @ at i.
func (v *visible) mailAddress(i int, b block) (from, to int) {
	from = i
	for from > b.from && i-from < maxLocal && v.inLocalPart(from-1) {
		from--
	}
	for from < i && v.chars[from].r == '.' {
		from++
	}
	to = v.hostEnd(i+1, b)
	if from == i || !strings.Contains(v.text(i+1, to), ".") {
		return i, i
	}
	return from, to
}

func (v *visible) inLocalPart(i int) bool {
	r := v.chars[i].r
	return !v.chars[i].out && (isWord(r) && !isUnspaced(r) || strings.ContainsRune("._%+-", r))
}

// hostEnd is where the host ends that begins at i: labels of letters, digits and
// hyphens, joined by dots. It has no dot or hyphen at its end, and it ends where the
// script changes in a way that no host does: ollaro.exampleは ends before は.
func (v *visible) hostEnd(i int, b block) int {
	end := i
	for end < b.to && v.inHost(end, i) {
		end++
	}
	for end > i && (v.chars[end-1].r == '.' || v.chars[end-1].r == '-') {
		end--
	}
	return end
}

// inHost tells whether the character at i goes on with a host that began at start.
func (v *visible) inHost(i, start int) bool {
	c := v.chars[i]
	if c.out || c.span != v.chars[start].span {
		return false
	}
	if i > start && isWord(c.r) && isWord(v.chars[i-1].r) && isBoundary(v.chars[i-1].r, c.r) && writing(c.r) != writing(v.chars[i-1].r) {
		return false
	}
	switch c.r {
	case '-':
		return i > start
	case '.':
		return i > start && v.chars[i-1].r != '.'
	}
	return isWord(c.r)
}

// writing tells scripts without spaces from each other and from all others.
func writing(r rune) int {
	if isKatakana(r) {
		return -2
	}
	for n, script := range unspaced {
		if r >= 0xE00 && unicode.Is(script, r) {
			return n
		}
	}
	return -1
}

// hasFold tells whether ASCII in lower case stands at i, in any case.
func (v *visible) hasFold(i int, b block, text string) bool {
	if i+len(text) > b.to {
		return false
	}
	for n := range len(text) {
		if c := v.chars[i+n]; c.out || lower(c.r) != rune(text[n]) {
			return false
		}
	}
	return true
}

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func isSchemeChar(r rune) bool { return isASCIIWord(r) || r == '+' || r == '.' || r == '-' }
