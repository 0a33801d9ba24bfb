package mention

import (
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"earshot/internal/track/source"
)

// A host without a scheme consists of labels joined by dots. Either its last label is a
// public suffix in the ICANN section of the public suffix list, or the host belongs to a
// domain of the panel. A host of a brand's domain or subdomain is a domain mention of the
// brand. Names inside a host or its path do not count, unless a name covers the whole host.

// hostToken is a host in running text.
type hostToken struct {
	from, to   int // the host
	end        int // end of the path
	brand, nth int // the brand and the index of its domain; brand is -1 if there is none
}

// hosts returns the hosts of all blocks and excludes their paths from the prose.
func (r *Rules) hosts(v *visible) []hostToken {
	var found []hostToken
	for _, b := range v.blocks {
		for i := b.from; i < b.to; i++ {
			if v.chars[i].r != '.' || v.chars[i].out || i == b.from || i+1 == b.to || !isWord(v.chars[i-1].r) || !isWord(v.chars[i+1].r) {
				continue
			}
			start := v.hostStart(i, b)
			end := v.hostEnd(start, b)
			if end <= i {
				continue
			}
			if host, ok := r.host(v, start, end, b); ok {
				found = append(found, host)
				v.exclude(host.to, host.end)
				end = max(end, host.end)
			}
			i = end - 1
		}
	}
	return found
}

// hostStart returns the start of the label before the dot at i.
func (v *visible) hostStart(i int, b block) int {
	start := i
	for start > b.from {
		c := v.chars[start-1]
		if c.out || c.span != v.chars[i].span || !isWord(c.r) && c.r != '-' {
			break
		}
		if start < i && isWord(c.r) && isWord(v.chars[start].r) && isBoundary(c.r, v.chars[start].r) && writing(c.r) != writing(v.chars[start].r) {
			break
		}
		start--
	}
	for start < i && v.chars[start].r == '-' {
		start++
	}
	return start
}

// host finds the host at the start of a range. It drops labels from the end until the rest is
// a host: in "ollaro.com.But" the host is ollaro.com.
func (r *Rules) host(v *visible, start, end int, b block) (hostToken, bool) {
	for to := end; to > start; {
		if to-start <= maxHost {
			name := hostName(v.text(start, to))
			brand, nth := r.brandOf(name)
			if brand >= 0 || isPublic(name) {
				return hostToken{from: start, to: to, end: v.pathEnd(to, b), brand: brand, nth: nth}, true
			}
		}
		for to--; to > start && v.chars[to].r != '.'; {
			to--
		}
	}
	return hostToken{}, false
}

// maxHost is the maximum length of a host (RFC 1035).
const maxHost = 253

// pathEnd returns the end of the port, path or query after a host.
func (v *visible) pathEnd(to int, b block) int {
	if to >= b.to || !strings.ContainsRune("/?#:", v.chars[to].r) || v.chars[to].span != v.chars[to-1].span {
		return to
	}
	if v.chars[to].r != '/' && (to+1 >= b.to || !isWord(v.chars[to+1].r)) {
		return to // the question mark or colon belongs to the sentence
	}
	if v.chars[to].r == ':' && (v.chars[to+1].r < '0' || v.chars[to+1].r > '9') {
		return to
	}
	return v.restEnd(to, to, b)
}

// hostName normalizes a host: in lower case and, if possible, in ASCII.
func hostName(text string) string {
	if name, err := source.Host(text); err == nil {
		return name
	}
	return strings.ToLower(text)
}

// brandOf returns the brand with the longest domain that contains a host, or -1.
func (r *Rules) brandOf(host string) (brand, nth int) {
	for domain := host; len(r.domains) > 0; {
		if owner, ok := r.domains[domain]; ok {
			return owner.brand, owner.nth
		}
		_, parent, more := strings.Cut(domain, ".")
		if !more {
			break
		}
		domain = parent
	}
	return -1, 0
}

// isPublic reports whether the last label of a host is a public suffix in the ICANN section
// of the list.
func isPublic(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	if dot <= 0 || dot+1 == len(host) {
		return false
	}
	label := host[dot+1:]
	if strings.Trim(label, "0123456789") == "" || len(label) > 63 {
		return false
	}
	ascii, err := idna.Punycode.ToASCII(label)
	if err != nil {
		return false
	}
	_, icann := publicsuffix.PublicSuffix("a.b." + ascii)
	return icann
}
