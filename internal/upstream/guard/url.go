package guard

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxURL is the maximum length of a URL in bytes. In a properly escaped URL, each
// character is one byte.
const maxURL = 2048

var (
	errAbsolute  = errors.New("must be an absolute http or https URL")
	errLong      = errors.New("must be at most 2048 characters")
	errCharacter = errors.New("must be without white space, control characters and backslashes")
	errFragment  = errors.New("must be without a fragment")
	errUserInfo  = errors.New("must be without a user name or password")
	errEscape    = errors.New("must be a URL with valid percent escapes")
	errHost      = errors.New("must be a URL with a host name in ASCII (xn-- for others), a plain dotted IPv4 address or an IPv6 address in brackets")
	errPort      = errors.New("must be a URL with a port from 1 to 65535, or with none")
)

// target is the host and port of a URL.
type target struct {
	address netip.Addr // invalid if the host is a name
	name    string     // lower case
	port    uint16
}

// parse parses a URL. It accepts only one spelling of each host, so that no other parser
// can read a different host from the same text.
func parse(text string) (target, error) {
	if err := checkText(text); err != nil {
		return target{}, err
	}
	u, err := url.Parse(text)
	if err != nil {
		return target{}, parseError(err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.Host == "" {
		return target{}, errAbsolute
	}
	if u.User != nil {
		return target{}, errUserInfo
	}
	if _, err := url.PathUnescape(u.RawQuery); err != nil {
		return target{}, errEscape
	}
	// The parsed host must be exactly as written in the text, without any decoding.
	written, _, _ := strings.Cut(text[len(u.Scheme):], "?")
	if written != "://"+u.Host && !strings.HasPrefix(written, "://"+u.Host+"/") {
		return target{}, errHost
	}
	t, err := parseHost(u)
	if err != nil {
		return target{}, err
	}
	t.port, err = parsePort(u)
	return t, err
}

func checkText(text string) error {
	if len(text) > maxURL {
		return errLong
	}
	if !utf8.ValidString(text) {
		return errCharacter
	}
	for _, r := range text {
		// IsPrint also rejects characters that reverse or hide text.
		if r == ' ' || r == '\\' || !unicode.IsPrint(r) {
			return errCharacter
		}
	}
	if strings.Contains(text, "#") {
		return errFragment // a fragment is never sent
	}
	return nil
}

// parseError converts an error of url.Parse into a message for the user.
func parseError(err error) error {
	if _, ok := errors.AsType[url.EscapeError](err); ok {
		return errEscape
	}
	return errAbsolute
}

func parseHost(u *url.URL) (target, error) {
	if strings.HasPrefix(u.Host, "[") {
		address, err := netip.ParseAddr(u.Hostname())
		// An IPv6 address with a dot ends with an embedded IPv4 address.
		if err != nil || !address.Is6() || address.Zone() != "" || strings.Contains(u.Hostname(), ".") {
			return target{}, errHost
		}
		return target{address: address}, nil
	}
	host := u.Hostname()
	if endsInNumber(host) {
		// ParseAddr accepts only four decimal numbers without leading zeros.
		address, err := netip.ParseAddr(host)
		if err != nil || !address.Is4() {
			return target{}, errHost
		}
		return target{address: address}, nil
	}
	if !isHostName(host) { // also rejects a final dot, a second spelling of the same name
		return target{}, errHost
	}
	return target{name: strings.ToLower(host)}, nil
}

// endsInNumber reports whether some parser may read host as an IPv4 address: its last
// label starts with a digit, as in 127.1 or 0x7f.0x1. No top-level domain starts with a
// digit.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && '0' <= last[0] && last[0] <= '9'
}

// isHostName reports whether the labels of name consist of ASCII letters, digits and inner
// hyphens (RFC 1123). Call it before changing the case of name, since strings.ToLower
// turns some non-ASCII letters into ASCII letters.
func isHostName(name string) bool {
	if len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.ContainsFunc(label, notInLabel) || !isPlainOrEncoded(strings.ToLower(label)) {
			return false
		}
	}
	return true
}

func notInLabel(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
}

// isPlainOrEncoded reports whether label is no xn-- label, or the canonical encoding of
// its name. Any other encoding could be shown or resolved as a different name.
func isPlainOrEncoded(label string) bool {
	if !strings.HasPrefix(label, "xn--") {
		return true
	}
	again, err := idna.Lookup.ToASCII(label)
	return err == nil && again == label
}

func parsePort(u *url.URL) (uint16, error) {
	text := u.Port()
	if text == "" {
		if strings.HasSuffix(u.Host, ":") {
			return 0, errPort
		}
		if u.Scheme == "https" {
			return 443, nil
		}
		return 80, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || text[0] == '0' { // rejects port 0 and leading zeros
		return 0, errPort
	}
	return uint16(port), nil
}
