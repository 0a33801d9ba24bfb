package storetest

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Detour is a TCP proxy in front of PostgreSQL that a test can cut or freeze.
type Detour struct {
	tb     testing.TB
	server string
	own    string // address of the proxy

	frozen sync.RWMutex // write-locked while nothing is passed on

	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
}

// NewDetour starts a proxy for the server of an address, and returns the address of the proxy.
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

// Open accepts connections, at the same address as before.
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
				return // Cut was called
			}
			to, err := net.Dial("tcp", d.server) //nolint:noctx // it lasts as long as the test
			if err != nil {
				_ = from.Close()
				continue
			}
			d.mu.Lock()
			d.conns = append(d.conns, from, to)
			d.mu.Unlock()
			go d.pass(from, to)
			go d.pass(to, from)
		}
	}()
}

func (d *Detour) pass(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		d.frozen.RLock()
		_, failed := to.Write(buffer[:n])
		d.frozen.RUnlock()
		if err != nil || failed != nil { // the end of either direction ends both
			_ = to.Close()
			_ = from.Close()
			return
		}
	}
}

// Freeze accepts connections and passes nothing on, like a server that hangs, until Thaw.
func (d *Detour) Freeze() { d.frozen.Lock() }

// Thaw passes on what has arrived since Freeze.
func (d *Detour) Thaw() { d.frozen.Unlock() }

// Cut closes all connections and refuses new ones.
func (d *Detour) Cut() {
	_ = d.listener.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, conn := range d.conns {
		_ = conn.Close()
	}
	d.conns = nil
}
