package source

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// MaxURL is the largest length of an address in bytes. Longer addresses contain data instead
// of a location.
const MaxURL = 8 << 10

// Page is a cited page.
type Page struct {
	URL    string // canonical, see Parse
	Host   string // lower case, ASCII, without port
	Domain string // registrable: the public suffix and one more label; the host if it has none
}

// Parse returns the page of an address. It makes the address canonical, so that different
// spellings of one address become equal:
//
//   - Scheme and host are in lower case. An international host is in its ASCII form.
//   - The default port, a dot after the host, user, password and fragment are removed.
//   - Tracking parameters (utm_…, gclid …) are removed.
//   - Other parameters are sorted by name. Parameters with the same name keep their order,
//     and values are not changed.
//   - Dot segments of the path are resolved, and an empty path becomes "/".
//   - Percent-encoding is used only where it is needed, in upper case.
//
// Parse keeps a slash at the end of the path, the difference between http and https, and the
// host's www., because only the server knows whether they matter. An address without a
// scheme, such as www.ollaro.example, is read as https. Other schemes are errors.
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
		return Page{}, errors.New("not a URL") // the error of url.Parse contains the address, which may contain a password
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return Page{}, fmt.Errorf("not a web address: the scheme is %q", u.Scheme)
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

// Host returns a host in lower case and ASCII, without a dot at its end. It returns an error
// if the host is not valid.
func Host(host string) (string, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "" {
		return "", errors.New("no host")
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return address.String(), nil
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
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

// BrandDomain returns a domain of a brand in the form of Host, without www. The domain
// includes all of its subdomains.
func BrandDomain(domain string) (string, error) {
	host, err := Host(strings.TrimSpace(domain))
	return strings.TrimPrefix(host, "www."), err
}

// Domain returns the registrable domain of a host in the form of Host, such as example.co.uk
// for www.example.co.uk. It returns an IP address, a public suffix or a single label unchanged.
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

// IsPublicSuffix reports whether a host in the form of Host is a public suffix of ICANN, such
// as co.uk. It returns false for suffixes of private owners, such as github.io.
func IsPublicSuffix(host string) bool {
	suffix, icann := publicsuffix.PublicSuffix(host)
	return icann && suffix == host
}

// Within reports whether host is domain or one of its subdomains.
func Within(host, domain string) bool {
	rest, ok := strings.CutSuffix(host, domain)
	return ok && domain != "" && (rest == "" || strings.HasSuffix(rest, "."))
}

// Lookup returns the value of the longest domain in a table that contains a host.
func Lookup[V any](table map[string]V, host string) (value V, ok bool) {
	for more := true; more && !ok; _, host, more = strings.Cut(host, ".") {
		value, ok = table[host]
	}
	return value, ok
}

func hostport(host, port, scheme string) string {
	isDefault := scheme == "http" && port == "80" || scheme == "https" && port == "443"
	if port != "" && !isDefault {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// cleanPath returns the canonical form of an escaped path.
func cleanPath(p string) string {
	if p == "" {
		return "/"
	}
	p = cleanEscapes(p)
	if !strings.Contains(p, "/.") || strings.Contains(p, "//") {
		return p // no dot segment, or a double slash, which path.Clean would remove
	}
	folder := strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.") || strings.HasSuffix(p, "/..")
	p = path.Clean(p)
	if folder && p != "/" {
		p += "/"
	}
	return p
}

// escaped matches a percent-encoded byte.
var escaped = regexp.MustCompile("%[0-9A-Fa-f]{2}")

// cleanEscapes decodes unreserved characters (RFC 3986, 6.2.2.2) and writes other escapes in
// upper case.
func cleanEscapes(p string) string {
	if !strings.Contains(p, "%") { // most paths; the regular expression would take longer
		return p
	}
	return escaped.ReplaceAllStringFunc(p, func(escape string) string {
		if code, err := hex.DecodeString(escape[1:]); err == nil && unreserved(code[0]) {
			return string(code)
		}
		return strings.ToUpper(escape)
	})
}

// tracking are parameters that only identify where a visitor came from. A * at the end
// matches any suffix.
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

// cleanQuery returns the canonical query with its question mark, or an empty string.
func cleanQuery(query string) string {
	if query == "" {
		return ""
	}
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
	name := func(part string) string { before, _, _ := strings.Cut(part, "="); return before }
	slices.SortStableFunc(kept, func(a, b string) int { return strings.Compare(name(a), name(b)) })
	return "?" + strings.Join(kept, "&")
}

func unreserved(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("-._~", b) >= 0
}
