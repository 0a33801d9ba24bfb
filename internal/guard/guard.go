// Package guard decides to which addresses a URL given by a user may make us
// connect: CheckURL judges the text before it is stored, and Transport judges
// every address again when it connects, since a name can be pointed elsewhere
// at any time.
package guard

import (
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
	dialTime      = 10 * time.Second // with DNS; http.Transport goes on dialling when the request is over
	connectTime   = 4 * time.Second  // for each address, so that a dead one leaves time for the next
	handshakeTime = 5 * time.Second
	maxHeader     = 16 << 10 // nothing but the status is of interest
	maxAddresses  = 4        // more would let a name send our connections to a crowd
)

// Why no connection was made. The texts name the class alone, neither address
// nor port nor DNS server, so that they can be shown to whoever gave the URL.
// The first two read the same: telling them apart would tell which names exist
// inside.
var (
	// ErrRefused is for an address or a port that is not for users to reach.
	ErrRefused = errors.New("host has no public address")
	// ErrUnresolved is for a name without an address, and for a DNS that fails.
	ErrUnresolved = errors.New("host has no public address")
	// ErrUnreachable is for a public address that takes no connection.
	ErrUnreachable = errors.New("connection failed")
)

// Resolver finds the addresses of a name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Guard allows public addresses only. The zero value is the strictest; it is
// safe for concurrent use.
type Guard struct {
	// AllowPrivate lifts the rules on names, addresses and ports, for
	// development. URLs must still be well-formed.
	AllowPrivate bool
	// Resolver is asked for every name on every connection. Nil means the
	// system's.
	Resolver Resolver
	// BeforeConnect is told of each address that passed, just before the
	// connection; its error stops it. Nil means that nobody needs to know.
	BeforeConnect func(ctx context.Context, target netip.AddrPort) error
}

// CheckURL tells what is wrong with a URL that a user wants called, as far as
// can be seen without asking DNS. The error's text is fit to be shown to the
// user after the field's name ("must be …").
func (g Guard) CheckURL(text string) error {
	t, err := parse(text)
	if err != nil || g.AllowPrivate {
		return err
	}
	return t.check()
}

// CheckHost tells what is wrong with a host that somebody other than the operator
// named, with its port or without, as CheckURL does. Since nothing but a host may
// be written there, what passed is what will be connected to.
func (g Guard) CheckHost(hostPort string) error {
	if strings.ContainsAny(hostPort, "/?") {
		return errHost
	}
	return g.CheckURL("http://" + hostPort)
}

// Client makes a client for such URLs. It hands a redirect to its caller, since
// nobody has judged the place it leads to, and keeps no cookies.
func (g Guard) Client() *http.Client {
	return &http.Client{
		Transport:     g.Transport(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Transport makes a transport for such URLs. Its requests fail with ErrRefused,
// ErrUnresolved or ErrUnreachable when no connection is made.
func (g Guard) Transport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true) // one request a connection has no use for HTTP/2 and its own set of attacks
	return &http.Transport{
		Proxy:       nil, // a proxy from the environment would connect in our place, unjudged
		DialContext: g.Dial,
		// A kept connection would carry the next request without asking DNS or
		// the guard again.
		DisableKeepAlives:      true,
		DisableCompression:     true, // nobody reads the body, so nothing may inflate
		MaxResponseHeaderBytes: maxHeader,
		TLSHandshakeTimeout:    handshakeTime,
		Protocols:              &protocols,
	}
}

// Dial connects to the first address of a host that answers. It fails with
// ErrRefused, ErrUnresolved or ErrUnreachable.
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

// resolve lists where to connect for a host and port. One address that is not
// public condemns the host: an honest one has none, and which of the others
// answers is nobody's business then.
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
	var resolver Resolver = net.DefaultResolver
	if g.Resolver != nil {
		resolver = g.Resolver
	}
	found, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	addresses := make([]netip.Addr, len(found))
	for i, address := range found {
		addresses[i] = address.Unmap() // resolvers give IPv4 in either form, and sockets take both for IPv4
	}
	return addresses, nil
}

// control has the last word: it sees the address that the socket is about to
// connect to, whatever was resolved and decided before.
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

// failure shows its class alone; errors.Is finds the cause as well.
type failure struct{ class, cause error }

func (f failure) Error() string { return f.class.Error() }

func (f failure) Unwrap() []error { return []error{f.class, f.cause} }
