package storetest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Detour leads to PostgreSQL by a way that can be cut.
type Detour struct {
	tb     testing.TB
	server string
	own    string // where it listens

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
}

// NewDetour makes a detour to the server of an address, and returns the address by way of it.
func NewDetour(tb testing.TB, address string) (d *Detour, by string) {
	tb.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	d = &Detour{tb: tb, server: parsed.Host, own: "127.0.0.1:0"}
	d.Open()
	tb.Cleanup(d.Cut)
	parsed.Host = d.own
	return d, parsed.String()
}

// Open lets connections through, at the same place as before.
func (d *Detour) Open() {
	d.tb.Helper()
	listener, err := net.Listen("tcp", d.own) //nolint:noctx // it lasts as long as the test
	if err != nil {
		d.tb.Fatal(err)
	}
	d.listener, d.own = listener, listener.Addr().String()
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return // it was cut
			}
			to, err := net.Dial("tcp", d.server) //nolint:noctx // it lasts as long as the test
			if err != nil {
				_ = from.Close()
				continue
			}
			d.mu.Lock()
			d.conns = append(d.conns, from, to)
			d.mu.Unlock()
			go pass(from, to)
			go pass(to, from)
		}
	}()
}

func pass(from, to net.Conn) {
	_, _ = io.Copy(to, from) // whichever ends first ends both
	_ = to.Close()
	_ = from.Close()
}

// Cut breaks all connections and refuses new ones.
func (d *Detour) Cut() {
	_ = d.listener.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, conn := range d.conns {
		_ = conn.Close()
	}
	d.conns = nil
}
