package share

import (
	"net"
	"net/netip"
	"sync"
)

// Listener limits connections by remote address. It closes a connection at once if its
// address already has its share of the connections.
type Listener struct {
	net.Listener

	Connections *Pool
}

// Accept waits for the next connection whose address has room.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		release, ok := l.Connections.Hold(Address(conn.RemoteAddr().String()))
		if ok {
			return &connection{Conn: conn, release: release}, nil
		}
		_ = conn.Close() // nothing can be done about an error
	}
}

// connection releases its unit when it is closed.
type connection struct {
	net.Conn

	release func()
	once    sync.Once
	err     error
}

// Close closes the connection.
func (c *connection) Close() error {
	c.once.Do(func() {
		c.err = c.Conn.Close()
		c.release()
	})
	return c.err
}

// Address returns the account of a connection: the host of its remote address, which may
// have a port. For IPv6 it returns the /64 prefix, since one household or server has a
// whole /64.
func Address(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if addr = addr.Unmap(); addr.Is4() {
		return addr.String()
	}
	prefix, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return host
	}
	return prefix.String()
}
