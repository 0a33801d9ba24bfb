package mention

import (
	"strings"
	"unicode"
)

// An address is a text that begins with http://, https:// or www., a text <scheme:…>, or an
// email address, also in code. Addresses are not prose: names in them do not count.

// addresses excludes all addresses from the prose and records web addresses as links.
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
				to = i // nothing follows the dot
			}
		case r == '<':
			to = v.angleAddress(i, b)
		case r == '@':
			from, to = v.mailAddress(i, b)
		}
		if to <= i {
			continue
		}
		if r := v.chars[i].r; r != '<' && r != '@' {
			v.noteAddress(from, to)
		}
		v.exclude(from, to)
		i = to - 1
	}
}

// noteAddress records an address as a link, unless it is the text of a link.
func (v *visible) noteAddress(from, to int) {
	if v.chars[from].link {
		return
	}
	for i := from; i < to; i++ {
		v.chars[i].link = true
	}
	v.links = append(v.links, Link{URL: v.text(from, to), Source: -1, from: from, to: to})
}

// webAddress returns the range of the address whose scheme ends at the colon at i. The range
// is empty if there is no address.
func (v *visible) webAddress(i int, b block) (from, to int) {
	for _, scheme := range []string{"https", "http"} {
		if from = i - len(scheme); from >= b.from && v.hasFold(from, b, scheme+"://") {
			if to = v.addressEnd(i+len("://"), b); to > i+len("://") {
				return from, to
			}
		}
	}
	return i, i
}

// addressEnd returns the end of an address whose host begins at i. After the host, see
// restEnd.
func (v *visible) addressEnd(i int, b block) int {
	end := v.hostEnd(i, b)
	if end == i || end < b.to && v.chars[end].r >= 0x80 {
		return end // the following letters belong to the sentence: ollaro.exampleは
	}
	return v.restEnd(i, end, b)
}

// restEnd returns the end of an address that begins at i and contains all characters up to
// end. The address ends at white space, at a quotation mark or an angle bracket, at any
// non-ASCII character that is neither letter, digit nor mark (，。」), and where a link or
// code begins or ends. Punctuation at the end belongs to the sentence, and so does a closing
// bracket that was opened before the address.
func (v *visible) restEnd(i, end int, b block) int {
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
	if c.out || c.r == '<' || c.r == '>' || c.r == '"' || c.r == '`' || c.r == '|' || unicode.IsSpace(c.r) {
		return false
	}
	return c.r < 0x80 || isWord(c.r)
}

// unopened reports whether the range ends with a closing bracket that it does not open.
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

const (
	// maxBrackets is the maximum number of characters that are searched for an opening
	// bracket.
	maxBrackets = 512
	// maxScheme is the maximum length of a scheme in angle brackets (CommonMark 6.5).
	maxScheme = 32
	// maxLocal is the maximum length of the local part of an email address (RFC 5321).
	maxLocal = 64
)

// angleAddress returns the end of an address <scheme:…> that begins at i, or i if there is no
// address.
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
		case r == '<' || unicode.IsSpace(r) || v.chars[end].span != v.chars[i].span:
			return i
		}
	}
	return i
}

// mailAddress returns the range of the email address around the @ at i. The range is empty if
// there is no address.
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

// maxLabels is the maximum number of labels that are read as one host. It keeps the search
// time proportional to the length of the text.
const maxLabels = 8

// hostEnd returns the end of the host that begins at i. A host has labels of letters, digits
// and hyphens, joined by dots. It does not begin or end with a dot or hyphen. It ends where
// the script changes in a way that hosts do not have: ollaro.exampleは ends before は.
func (v *visible) hostEnd(i int, b block) int {
	if i >= b.to || v.chars[i].out || !isWord(v.chars[i].r) {
		return i
	}
	end := i + 1
	for dots := 0; end < b.to && dots < maxLabels && v.inHost(end); end++ {
		if v.chars[end].r == '.' {
			dots++
		}
	}
	for !isWord(v.chars[end-1].r) {
		end--
	}
	return end
}

// inHost reports whether character i continues a host that contains the character before.
func (v *visible) inHost(i int) bool {
	left, right := v.chars[i-1], v.chars[i]
	switch {
	case left.out || right.out || left.span != right.span:
		return false
	case isWord(left.r) && isWord(right.r):
		return writing(left.r) == writing(right.r)
	default:
		return isHost(left.r) && isHost(right.r) && (left.r != '.' || right.r != '.')
	}
}

func isHost(r rune) bool { return isWord(r) || r == '-' || r == '.' }

// writing returns a different number for each script without spaces between words, and -1
// for all other scripts.
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

// hasFold reports whether the characters at i are equal to a lower-case ASCII text, ignoring
// case.
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
