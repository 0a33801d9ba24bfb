package egress

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"earshot/internal/upstream/guard"
)

// rules decide which targets may be reached.
type rules struct {
	guard guard.Guard
	sites map[string]bool // by host and port
	ports map[string]bool // ports that a browser may connect to
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

// check checks the target of a URL without DNS. Nothing more can be checked if a proxy
// resolves the name.
func (r rules) check(u *url.URL) error {
	if r.sites[hostPort(u)] || r.guard.CheckHost(u.Host) == nil {
		return nil
	}
	return ErrRefused
}

// checkPage is check for the requests of pages in a browser. Pages may only use the ports
// 80 and 443 and the ports of the sites.
func (r rules) checkPage(u *url.URL) error {
	if !r.ports[portOf(u)] && !r.guard.AllowPrivate {
		return ErrRefused
	}
	return r.check(u)
}

// dial connects to a target without a proxy. Unless the target is one of the sites, the
// guard checks its addresses.
func (r rules) dial(ctx context.Context, network, address string) (net.Conn, error) {
	g := r.guard
	if r.sites[hostPort(&url.URL{Host: address})] {
		g.AllowPrivate = true
	}
	return g.Dial(ctx, network, address)
}

// hostPort returns the host and port of a URL in a canonical spelling.
func hostPort(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if address, err := netip.ParseAddr(host); err == nil {
		host = address.String()
	}
	return net.JoinHostPort(host, portOf(u))
}

func portOf(u *url.URL) string {
	return cmp.Or(u.Port(), defaultPorts[u.Scheme])
}
