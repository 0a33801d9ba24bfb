package egress

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var placeForm = regexp.MustCompile(`^([A-Z]{2}(-[A-Z0-9]{1,3})?|\*)$`)

// maxSOCKS is the maximum length of a SOCKS user name or password.
const maxSOCKS = 255

// defaultPorts maps the supported schemes to their default ports.
var defaultPorts = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}

// parseEntry parses one entry of the list of proxies. It returns nil for a direct
// connection. The text may contain a password, possibly in the wrong position, so errors
// do not quote the text.
func parseEntry(place, text string) (*url.URL, error) {
	if !placeForm.MatchString(place) {
		return nil, errors.New(`a place with a proxy must be a country such as US, a state such as US-CA, or *`)
	}
	if text == noProxy {
		return nil, nil
	}
	proxy, err := parseProxy(text)
	if err != nil {
		return nil, fmt.Errorf("the proxy for %s %w", place, err)
	}
	return proxy, nil
}

func parseProxy(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("must be a URL, with special characters of user and password percent-encoded")
	}
	port := portOf(u)
	password, _ := u.User.Password()
	switch {
	case defaultPorts[u.Scheme] == "" || u.Opaque != "":
		return nil, errors.New(`must start with http://, https://, socks5:// or socks5h://, or be "direct"`)
	case u.Hostname() == "":
		return nil, errors.New("must have a host")
	case !isPort(port):
		return nil, errors.New("must have a port from 1 to 65535")
	case strings.TrimPrefix(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must have nothing after its host and port")
	case isSOCKS(u) && u.User != nil && (u.User.Username() == "" || len(u.User.Username()) > maxSOCKS || len(password) > maxSOCKS):
		return nil, errors.New("must have a user of 1 to 255 bytes and a password of at most 255")
	}
	return &url.URL{Scheme: u.Scheme, User: u.User, Host: net.JoinHostPort(u.Hostname(), port)}, nil
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

func isSOCKS(proxy *url.URL) bool { return proxy.Scheme == "socks5" || proxy.Scheme == "socks5h" }
