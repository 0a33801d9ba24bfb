package mention

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"earshot/internal/track/source"
)

// A host without a scheme consists of labels joined by dots. Either its last label is a
// public suffix in the ICANN section of the public suffix list, or the host belongs to a
// domain of the panel. A host of a brand's domain or subdomain is a domain mention of the
// brand. Names inside a host or its path do not count, unless a name covers the whole host.
//
// Many answers lack the space between two sentences ("unlimited text.Mint Mobile"), and many
// words are public suffixes. A dot before an upper-case letter therefore ends a sentence,
// except before "Com" and in hosts of the panel's domains.

// hostToken is a host in running text.
type hostToken struct {
	from, to   int
	brand, nth int // the brand and the index of its domain; brand is -1 if there is none
}

// hosts returns the hosts of all blocks and excludes their paths from the prose.
func (r *Rules) hosts(v *visible) []hostToken {
	var found []hostToken
	for _, b := range v.blocks {
		for i := b.from + 1; i+1 < b.to; i++ {
			if v.chars[i].r != '.' || v.chars[i].out || !isWord(v.chars[i-1].r) || !isWord(v.chars[i+1].r) {
				continue
			}
			start := v.hostStart(i, b)
			end := v.hostEnd(start, b)
			next := i // the end of the sentence or of the labels
			for next < end && (v.chars[next].r != '.' || !v.beginsSentence(next+1, b)) {
				next++
			}
			if host, ok := r.host(v, start, end, next); ok {
				found = append(found, host)
				next = v.pathEnd(host.to, b)
				v.exclude(host.to, next)
			}
			i = next
		}
	}
	return found
}

// beginsSentence reports whether a sentence begins at character i, which follows a dot.
func (v *visible) beginsSentence(i int, b block) bool {
	return unicode.IsUpper(v.chars[i].r) && (!v.hasFold(i, b, "com") || i+3 < b.to && isWord(v.chars[i+3].r))
}

// hostStart returns the start of the label before the dot at i.
func (v *visible) hostStart(i int, b block) int {
	start := i
	for start > b.from && v.chars[start-1].r != '.' && v.inHost(start) {
		start--
	}
	for start < i && v.chars[start].r == '-' {
		start++
	}
	return start
}

// host finds the longest host that begins at start. A host ends at or before end, and unless
// it belongs to the panel, in the first sentence.
func (r *Rules) host(v *visible, start, end, sentence int) (hostToken, bool) {
	for to := end; to > start; {
		name := hostName(v.text(start, to))
		brand, nth := r.brandOf(name)
		if brand >= 0 || to <= sentence && isPublic(name) {
			return hostToken{from: start, to: to, brand: brand, nth: nth}, true
		}
		for to--; to > start && v.chars[to].r != '.'; {
			to--
		}
	}
	return hostToken{}, false
}

// pathEnd returns the end of the port, path or query after a host.
func (v *visible) pathEnd(to int, b block) int {
	if to+1 >= b.to || v.chars[to].span != v.chars[to-1].span {
		return to
	}
	next, ok := v.chars[to+1].r, false
	switch v.chars[to].r {
	case '/':
		ok = true
	case '#':
		ok = isWord(next)
	case '?':
		ok = isWord(next) && !unicode.IsUpper(next) // otherwise the next sentence begins
	case ':':
		ok = next >= '0' && next <= '9'
	}
	if !ok {
		return to
	}
	return v.restEnd(to, to, b)
}

// hostName normalizes a host: in lower case and, if possible, in ASCII.
func hostName(text string) string {
	if utf8.RuneCountInString(text) < len(text) {
		if name, err := source.Host(text); err == nil {
			return name
		}
	}
	return strings.ToLower(text)
}

// brandOf returns the brand with the longest domain that contains a host, or -1.
func (r *Rules) brandOf(host string) (brand, nth int) {
	if owner, ok := source.Lookup(r.domains, host); ok {
		return owner.brand, owner.nth
	}
	return -1, 0
}

// isPublic reports whether a host has several labels, the last a public suffix in the ICANN
// section of the list.
func isPublic(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	_, icann := publicsuffix.PublicSuffix("a." + hostName(host[dot+1:]))
	return icann && dot > 0
}
