package egress

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"earshot/internal/upstream/guard"
)

// rules tell which targets may be reached.
type rules struct {
	guard guard.Guard
	sites map[string]bool // by host and port
	ports map[string]bool // that a browser may ask for
}

func newRules(g guard.Guard, sites []string) (rules, error) {
	r := rules{guard: g, sites: make(map[string]bool), ports: map[string]bool{"80": true, "443": true}}
	for i, site := range sites {
		if err := (guard.Guard{AllowPrivate: true}).CheckURL(site); err != nil {
			return rules{}, fmt.Errorf("site %d of %d %w", i+1, len(sites), err)
		}
		u, err := url.Parse(site)
		if err != nil {
			return rules{}, fmt.Errorf("site %d of %d: %w", i+1, len(sites), err)
		}
		r.sites[hostPort(u)] = true
		r.ports[portOf(u)] = true
	}
	return r, nil
}

// check decides on the target of a URL as far as possible without DNS, which is all
// that can be done where a proxy resolves the name.
func (r rules) check(u *url.URL) error {
	if r.sites[hostPort(u)] || r.guard.CheckHost(u.Host) == nil {
		return nil
	}
	return ErrRefused
}

// checkPage is check for what pages make a browser request. Unlike the URLs of
// users, they only get the usual ports of the web and those of the sites.
func (r rules) checkPage(u *url.URL) error {
	if !r.ports[portOf(u)] && !r.guard.AllowPrivate {
		return ErrRefused
	}
	return r.check(u)
}

// dial connects to a target without a proxy. Every address of one that is no site
// is checked by the guard.
func (r rules) dial(ctx context.Context, network, address string) (net.Conn, error) {
	g := r.guard
	if r.sites[hostPort(&url.URL{Host: address})] {
		g.AllowPrivate = true
	}
	return g.Dial(ctx, network, address)
}

// hostPort spells the host and port of a URL in one way.
func hostPort(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if address, err := netip.ParseAddr(host); err == nil {
		host = address.String()
	}
	return net.JoinHostPort(host, portOf(u))
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return defaultPorts[u.Scheme]
}
