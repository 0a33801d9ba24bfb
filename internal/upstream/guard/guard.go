// Package guard decides to which addresses the service connects for a URL given by a
// user: CheckURL checks the text before it is stored, and Transport checks every
// address again when it connects, since a name can be pointed elsewhere at any time.
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
	maxHeader     = 16 << 10 // only the status is used
	maxAddresses  = 4        // with more, one name could make us connect to many hosts
)

// Why no connection was made. The texts name neither address nor port nor DNS server,
// so that they can be shown to the user who gave the URL. The first two have the same
// text: otherwise they would reveal which names exist in the internal network.
var (
	// ErrRefused is for an address or a port that users may not reach.
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
	// BeforeConnect is called with each address that passed, just before the connection
	// is made; an error prevents that. May be nil.
	BeforeConnect func(ctx context.Context, target netip.AddrPort) error
}

// CheckURL returns what is wrong with a URL from a user, as far as that can be found
// without DNS. The error's text can be shown to the user after the field's name
// ("must be …").
func (g Guard) CheckURL(text string) error {
	t, err := parse(text)
	if err != nil || g.AllowPrivate {
		return err
	}
	return t.check()
}

// CheckHost is CheckURL for a host with or without a port. It accepts nothing but a
// host, so the host that passed is the one that will be connected to.
func (g Guard) CheckHost(hostPort string) error {
	if strings.ContainsAny(hostPort, "/?") {
		return errHost
	}
	return g.CheckURL("http://" + hostPort)
}

// Client makes a client for such URLs. It returns a redirect as the response, since
// its target has not been checked, and keeps no cookies.
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
	protocols.SetHTTP1(true) // with one request a connection, HTTP/2 would only add its own attacks
	return &http.Transport{
		Proxy:       nil, // a proxy from the environment would connect without our checks
		DialContext: g.Dial,
		// A kept connection would carry the next request without asking DNS or
		// the guard again.
		DisableKeepAlives:      true,
		DisableCompression:     true, // the body is not read, so it must not be inflated
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

// resolve lists the addresses to connect to for a host and port. A host with even one
// address that is not public is refused: honest hosts have none.
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

// control is the last check: it sees the address that the socket is about to connect
// to, whatever was resolved and decided before.
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

// failure has the text of its class only; errors.Is finds the cause as well.
type failure struct{ class, cause error }

func (f failure) Error() string { return f.class.Error() }

func (f failure) Unwrap() []error { return []error{f.class, f.cause} }
