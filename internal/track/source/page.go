package source

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// MaxURL is the longest address that is read, in bytes. What is longer carries
// data, not a place.
const MaxURL = 8 << 10

// Page is a cited page.
type Page struct {
	URL    string // canonical, see Parse
	Host   string // lower case, ASCII, without port
	Domain string // registrable: one label below the public suffix; the host where there is none
}

// Parse reads an address and makes it canonical, so that two ways to write the
// address of one page are equal:
//
//   - scheme and host are in lower case, an international host is in its ASCII form;
//   - the port of the scheme, a dot after the host, user and password are gone;
//   - the fragment is gone, with what it marks in the page's text;
//   - parameters that only tell where a visitor came from are gone (utm_…, gclid …);
//   - the others are sorted by name; those of one name keep their order, and their
//     values are as they were written;
//   - the path has no dot segments, an empty one is "/", and percent signs encode only
//     what needs it, in upper case. A slash at its end stays: with and without it are
//     two addresses, and only the server knows whether they are one page.
//
// http and https stay apart, and so do www and the bare domain, for the same reason.
// An address without scheme, such as www.ollaro.example, is read as https. Any other
// scheme is an error.
func Parse(address string) (Page, error) {
	address = strings.TrimSpace(address)
	if len(address) > MaxURL {
		return Page{}, fmt.Errorf("an address has at most %d bytes", MaxURL)
	}
	if !strings.Contains(address, "://") {
		address = strings.TrimPrefix(address, "//")
		authority, _, _ := strings.Cut(address, "/")
		if _, port, found := strings.Cut(authority, ":"); strings.Contains(authority, "@") || found && strings.Trim(port, "0123456789") != "" {
			return Page{}, errors.New("not a web address") // mailto:, javascript:, a mailbox
		}
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return Page{}, errors.New("not a URL") // the error of url.Parse repeats the address, which may hold a password
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return Page{}, fmt.Errorf("a page has a web address, not one of the scheme %q", u.Scheme)
	}
	host, err := Host(u.Hostname())
	if err != nil {
		return Page{}, err
	}
	clean := url.URL{Scheme: scheme, Host: hostport(host, u.Port(), scheme)}
	return Page{
		URL:    clean.String() + cleanPath(u.EscapedPath()) + cleanQuery(u.RawQuery),
		Host:   host,
		Domain: Domain(host),
	}, nil
}

// Host gives a host in lower case and ASCII, without a dot at its end. An error says
// what makes it none.
func Host(host string) (string, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "" {
		return "", errors.New("no host")
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return address.String(), nil
	}
	if !isASCII(host) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", errors.New("no valid international host")
		}
		host = ascii
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", errors.New("no valid host")
		}
	}
	if len(host) > 253 {
		return "", errors.New("no valid host: longer than 253 bytes")
	}
	return host, nil
}

// BrandDomain gives a domain of a brand, as people write it, in the form of Host. www.
// before it says nothing: every host below counts.
func BrandDomain(domain string) (string, error) {
	host, err := Host(strings.TrimSpace(domain))
	return strings.TrimPrefix(host, "www."), err
}

// Domain gives the registrable domain of a host as Host returns it: example.co.uk of
// www.example.co.uk. An IP address, a public suffix and a single label are their own.
func Domain(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// IsPublicSuffix reports whether a host, as Host returns it, is one below which anybody can
// register a domain, such as co.uk. A suffix of a private owner, such as github.io, is not.
func IsPublicSuffix(host string) bool {
	suffix, icann := publicsuffix.PublicSuffix(host)
	return icann && suffix == host
}

// Within tells whether host is domain or lies below it.
func Within(host, domain string) bool {
	rest, ok := strings.CutSuffix(host, domain)
	return ok && domain != "" && (rest == "" || strings.HasSuffix(rest, "."))
}

func hostport(host, port, scheme string) string {
	standard := map[string]string{"http": "80", "https": "443"}[scheme]
	if port != "" && port != standard {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// cleanPath takes an escaped path.
func cleanPath(p string) string {
	if p == "" {
		return "/"
	}
	p = cleanEscapes(p)
	if !strings.Contains(p, "/.") || strings.Contains(p, "//") {
		return p // no dot segment; or two slashes, of which path.Clean would make one
	}
	folder := strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.") || strings.HasSuffix(p, "/..")
	p = path.Clean(p)
	if folder && p != "/" {
		p += "/"
	}
	return p
}

// cleanEscapes decodes what needs no percent sign (RFC 3986, 6.2.2.2) and writes
// the other escapes in upper case.
func cleanEscapes(p string) string {
	if !strings.Contains(p, "%") {
		return p
	}
	var out strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] != '%' || i+2 >= len(p) || !isHex(p[i+1]) || !isHex(p[i+2]) {
			out.WriteByte(p[i])
			continue
		}
		code := unhex(p[i+1])<<4 | unhex(p[i+2])
		if unreserved(code) {
			out.WriteByte(code)
		} else {
			out.WriteString(strings.ToUpper(p[i : i+3]))
		}
		i += 2
	}
	return out.String()
}

// tracking are parameters that tell where a visitor came from. A name that ends in *
// stands for all that begin so.
var tracking = []string{
	"utm_*", "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_*", "_ga", "_gl", "srsltid", "ved", "fbclid", "fb_*", "igshid",
	"igsh", "msclkid", "twclid", "ttclid", "li_fat_id", "yclid", "_openstat", "mc_cid", "mc_eid", "mkt_tok", "_hsenc",
	"_hsmi", "hsa_*", "vero_*", "oly_*", "rb_clickid", "s_cid", "wickedid", "epik", "irclickid", "ref_src", "ref_url",
	"spm", "scm", "__twitter_impression", "sc_cid", "at_medium", "at_campaign", "mtm_*", "pk_*", "piwik_*", "matomo_*",
}

func isTracking(parameter string) bool {
	parameter = strings.ToLower(parameter)
	return slices.ContainsFunc(tracking, func(known string) bool {
		if stem, open := strings.CutSuffix(known, "*"); open {
			return strings.HasPrefix(parameter, stem)
		}
		return parameter == known
	})
}

// cleanQuery gives the query that is left, with its question mark.
func cleanQuery(query string) string {
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if part != "" && !isTracking(name) {
			kept = append(kept, cleanEscapes(part))
		}
	}
	if len(kept) == 0 {
		return ""
	}
	slices.SortStableFunc(kept, func(a, b string) int {
		nameA, _, _ := strings.Cut(a, "=")
		nameB, _, _ := strings.Cut(b, "=")
		return strings.Compare(nameA, nameB)
	})
	return "?" + strings.Join(kept, "&")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

func unhex(b byte) byte {
	switch {
	case b >= 'a':
		return b - 'a' + 10
	case b >= 'A':
		return b - 'A' + 10
	default:
		return b - '0'
	}
}

func unreserved(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("-._~", b) >= 0
}
