// Package guard prevents server-side request forgery: for a URL given by a user, the
// service connects to public addresses only. CheckURL checks the text before it is stored.
// Transport checks every address when it connects, since a name's DNS records can change
// at any time.
package guard

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Limits on one connection. A request's own deadline is its context's.
const (
	dialTime      = 10 * time.Second // including DNS; http.Transport continues to dial after the request has ended
	connectTime   = 4 * time.Second  // for each address, so that there is time left to try the next one
	handshakeTime = 5 * time.Second
	maxHeader     = 16 << 10 // only the status is used
	maxAddresses  = 4        // otherwise one name could make us connect to many hosts
)

// Reasons why no connection was made. The texts contain no address, port or DNS server,
// so that they can be shown to the user who gave the URL. The first two have the same
// text, because a difference would reveal which names exist in the internal network.
var (
	// ErrRefused means that users may not reach this address or port.
	ErrRefused = errors.New("host has no public address")
	// ErrUnresolved means that the name has no address, or that the DNS lookup failed.
	ErrUnresolved = errors.New("host has no public address")
	// ErrUnreachable means that a public address does not accept the connection.
	ErrUnreachable = errors.New("connection failed")
)

// Resolver looks up the addresses of a name. *net.Resolver implements it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Guard allows public addresses only. The zero value is the strictest. A Guard is safe for
// concurrent use.
type Guard struct {
	// AllowPrivate allows all names, addresses and ports, for development. URLs must still
	// be well-formed.
	AllowPrivate bool
	// Resolver resolves the name for every connection. Default: the system's resolver.
	Resolver Resolver
	// BeforeConnect is called with each allowed address just before connecting to it. If
	// it returns an error, the connection is not made. May be nil.
	BeforeConnect func(ctx context.Context, target netip.AddrPort) error
}

// CheckURL checks a URL given by a user, without DNS. The text of its error can be shown
// to the user after the name of the field ("must be …").
func (g Guard) CheckURL(text string) error {
	t, err := parse(text)
	if err != nil || g.AllowPrivate {
		return err
	}
	return t.check()
}

// CheckHost is CheckURL for a host with or without a port. It rejects texts with a path
// or query.
func (g Guard) CheckHost(hostPort string) error {
	if strings.ContainsAny(hostPort, "/?") {
		return errHost
	}
	return g.CheckURL("http://" + hostPort)
}

// Client returns a client for URLs given by users. It does not follow redirects, since
// their targets have not been checked, and keeps no cookies.
func (g Guard) Client() *http.Client {
	return &http.Client{
		Transport:     g.Transport(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Transport returns a transport for URLs given by users. Its requests fail with
// ErrRefused, ErrUnresolved or ErrUnreachable if no connection is made.
func (g Guard) Transport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true) // HTTP/2 has no benefit for one request per connection, and is easier to attack
	return &http.Transport{
		Proxy:       nil, // a proxy from the environment would connect without our checks
		DialContext: g.Dial,
		// The next request on an idle connection would bypass DNS and the guard.
		DisableKeepAlives:      true,
		DisableCompression:     true, // the body is not read, so it must not be decompressed
		MaxResponseHeaderBytes: maxHeader,
		TLSHandshakeTimeout:    handshakeTime,
		Protocols:              &protocols,
	}
}

// Dial connects to the first address of a host that accepts the connection. It fails
// with ErrRefused, ErrUnresolved or ErrUnreachable.
func (g Guard) Dial(ctx context.Context, _, hostPort string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	targets, err := g.resolve(ctx, hostPort)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: connectTime, ControlContext: g.control}
	for _, target := range targets {
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, "tcp", target.String()); err == nil {
			return conn, nil
		}
		if ctx.Err() != nil || errors.Is(err, ErrRefused) {
			break
		}
	}
	if errors.Is(err, ErrRefused) {
		return nil, ErrRefused
	}
	return nil, failure{class: ErrUnreachable, cause: err}
}

// resolve returns the addresses of a host, with the port. It refuses a host if any of its
// addresses is not public.
func (g Guard) resolve(ctx context.Context, hostPort string) ([]netip.AddrPort, error) {
	host, portText, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, failure{class: ErrRefused, cause: err}
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, failure{class: ErrRefused, cause: err}
	}
	addresses, err := g.lookup(ctx, host)
	if err != nil {
		return nil, failure{class: ErrUnresolved, cause: err}
	}
	if len(addresses) == 0 {
		return nil, ErrUnresolved
	}
	targets := make([]netip.AddrPort, len(addresses))
	for i, address := range addresses {
		targets[i] = netip.AddrPortFrom(address, uint16(port))
		if !g.allows(targets[i]) {
			return nil, ErrRefused
		}
	}
	return targets[:min(len(targets), maxAddresses)], nil
}

func (g Guard) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{address}, nil
	}
	found, err := cmp.Or[Resolver](g.Resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	addresses := make([]netip.Addr, len(found))
	for i, address := range found {
		addresses[i] = address.Unmap() // resolvers may return IPv4 addresses in IPv6 form
	}
	return addresses, nil
}

// control checks the address that the socket is about to connect to, independently of
// all earlier checks.
func (g Guard) control(ctx context.Context, _, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || !g.allows(target) {
		return ErrRefused
	}
	if g.BeforeConnect != nil {
		return g.BeforeConnect(ctx, target)
	}
	return nil
}

func (g Guard) allows(target netip.AddrPort) bool {
	return g.AllowPrivate || isPublic(target.Addr()) && isOpenPort(target.Port())
}

// failure is an error with the text of its class. errors.Is also finds its cause.
type failure struct{ class, cause error }

func (f failure) Error() string { return f.class.Error() }

func (f failure) Unwrap() []error { return []error{f.class, f.cause} }
