package egress_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	user     = "kirsten"
	password = "s3cr3t/w:rd"
)

// routes maps targets to listeners on loopback, in place of DNS.
type routes map[string]string

func (r routes) dial(_ context.Context, _, target string) (net.Conn, error) {
	address, ok := r[target]
	if !ok {
		return nil, errors.New("no route to " + target)
	}
	return net.Dial("tcp", address)
}

// testProxy is a small proxy that requires a password.
type testProxy struct {
	scheme, address string
	routes          routes
	mu              sync.Mutex
	seen            []string // user, method and target of each request with the right password
}

// url returns the URL of the proxy, with a user and password.
func (p *testProxy) url(user, password string) string {
	return (&url.URL{Scheme: p.scheme, Host: p.address, User: url.UserPassword(user, password)}).String()
}

func (p *testProxy) good() string { return p.url(user, password) }

func (p *testProxy) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, text)
}

func (p *testProxy) saw() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.seen, ", ")
}

// startProxy starts a proxy for the scheme http, https, socks5 or socks5h.
func startProxy(t *testing.T, scheme string, to routes) *testProxy {
	t.Helper()
	p := &testProxy{scheme: scheme, routes: to}
	if strings.HasPrefix(scheme, "socks") {
		p.serveSOCKS(t)
		return p
	}
	out := &http.Transport{DialContext: to.dial}
	t.Cleanup(out.CloseIdleConnections)
	forward := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.Out.URL.RawQuery = r.In.URL.RawQuery },
		Transport:    out,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok := authorized(r.Header.Get("Proxy-Authorization"))
		switch {
		case !ok:
			// A proxy may repeat the password in its answer. It must not get into our logs.
			http.Error(w, r.Header.Get("Proxy-Authorization"), http.StatusProxyAuthRequired)
		case r.Method == http.MethodConnect:
			p.note(who + " CONNECT " + r.Host)
			p.connect(w, r)
		case r.URL.IsAbs():
			p.note(who + " " + r.Method + " " + r.URL.String())
			forward.ServeHTTP(w, r)
		default:
			http.Error(w, "not for a proxy", http.StatusBadRequest)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if scheme == "https" {
		server.EnableHTTP2 = true // as many proxies do
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	p.address = server.Listener.Addr().String()
	return p
}

func authorized(header string) (string, bool) {
	text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(header, "Basic "))
	who, given, _ := strings.Cut(string(text), ":")
	return who, err == nil && given == password
}

func (p *testProxy) connect(w http.ResponseWriter, r *http.Request) {
	target, err := p.routes.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(w, "no route", http.StatusBadGateway)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		target.Close()
		return
	}
	io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	splice(conn, buffered.Reader, target)
}

func splice(client net.Conn, from io.Reader, target net.Conn) {
	defer client.Close()
	defer target.Close()
	var back sync.WaitGroup
	back.Go(func() { copyAndEnd(client, target) })
	copyAndEnd(target, from)
	back.Wait()
}

func copyAndEnd(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	to.Close()
}

// serveSOCKS implements SOCKS5 (RFC 1928) with passwords (RFC 1929).
func (p *testProxy) serveSOCKS(t *testing.T) {
	t.Helper()
	listener := listen(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		field := func(n int) []byte {
			b := make([]byte, n)
			_, _ = io.ReadFull(r, b) // missing bytes stay zero, which is not a valid request
			return b
		}
		counted := func() []byte { return field(int(field(1)[0])) }
		if field(1)[0] != 5 || !strings.Contains(string(counted()), "\x02") {
			conn.Write([]byte{5, 0xff})
			return
		}
		conn.Write([]byte{5, 2})
		field(1)
		who, given := string(counted()), string(counted())
		if given != password {
			conn.Write([]byte{1, 1})
			return
		}
		conn.Write([]byte{1, 0})
		var host string
		switch field(4)[3] {
		case 1:
			host = net.IP(field(net.IPv4len)).String()
		case 4:
			host = net.IP(field(net.IPv6len)).String()
		default:
			host = string(counted())
		}
		port := field(2)
		target := net.JoinHostPort(host, strconv.Itoa(int(port[0])<<8|int(port[1])))
		p.note(who + " CONNECT " + target)
		to, err := p.routes.dial(t.Context(), "tcp", target)
		if err != nil {
			conn.Write([]byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0})
			return
		}
		conn.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, 0, 80})
		splice(conn, r, to)
	})
	p.address = listener
}

// listen serves every connection to a loopback listener. The test waits for the last
// connection before it ends.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
	return listener.Addr().String()
}
