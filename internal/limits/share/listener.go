package share

import (
	"net"
	"net/netip"
	"sync"
)

// Listener shares out connections by the address that they come from: those of one
// that has its share already are closed at once.
type Listener struct {
	net.Listener

	Connections *Pool
}

// Accept waits for the next connection that has room.
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
		_ = conn.Close() // there is nobody to tell
	}
}

// connection gives its place back when it is closed.
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

// Address is whom a connection from a remote address belongs to. One household or
// server has a whole /64 of IPv6.
func Address(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Unmap().Is4() {
		return host
	}
	prefix, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return host
	}
	return prefix.String()
}
