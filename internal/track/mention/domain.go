package mention

import (
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"earshot/internal/track/source"
)

// A host without scheme is labels joined by dots, of which the last is a public suffix
// of ICANN's part of the list, or the whole is of a domain of the panel. It is one
// token, with its path. It is a domain mention of the brand whose domain it is or ends
// in; names inside it do not count, unless one covers the whole host (decision 17).

// hostToken is a host in running text.
type hostToken struct {
	from, to   int // the host
	end        int // of its path
	brand, nth int // whose domain it is, and which of them; brand is -1 where it is nobody's
}

// hosts finds the hosts of all blocks and takes their paths out of the prose.
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

// hostStart goes back to where the label before the dot at i begins.
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

// host reads the labels of a range, fewer from the end where all of them are no host:
// of "ollaro.com.But" it is ollaro.com.
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

// maxHost is the length of the longest host (RFC 1035).
const maxHost = 253

// pathEnd is where the path, query or port behind a host ends.
func (v *visible) pathEnd(to int, b block) int {
	if to >= b.to || !strings.ContainsRune("/?#:", v.chars[to].r) || v.chars[to].span != v.chars[to-1].span {
		return to
	}
	if v.chars[to].r != '/' && (to+1 >= b.to || !isWord(v.chars[to+1].r)) {
		return to // a question mark or colon of the sentence
	}
	if v.chars[to].r == ':' && (v.chars[to+1].r < '0' || v.chars[to+1].r > '9') {
		return to
	}
	end := to
	for end < b.to && v.inAddress(end) && v.chars[end].span == v.chars[to].span {
		end++
	}
	for end > to && (strings.ContainsRune("?!.,:;*_~'", v.chars[end-1].r) || v.unopened(to, end)) {
		end--
	}
	return end
}

// hostName gives a host in lower case and in ASCII where it can be.
func hostName(text string) string {
	if name, err := source.Host(text); err == nil {
		return name
	}
	return strings.ToLower(text)
}

// brandOf gives the brand with the longest domain that a host is or ends in.
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

// isPublic tells whether the last label of a host is a public suffix of ICANN's part
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
