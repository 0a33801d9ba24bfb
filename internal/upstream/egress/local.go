package egress

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

const (
	// connections is the maximum number of connections of one local proxy, which several
	// browsers share.
	connections = 256
	// requestTime is the timeout for reading the header of a request. The browser is on
	// this machine.
	requestTime = 10 * time.Second
	// idleTime is the timeout for tunnels and connections through which no data passes.
	idleTime = 2 * time.Minute
)

// localProxy is a forward proxy for the browsers of this process. It sends all requests
// by one route.
type localProxy struct {
	routes  *Routes
	route   *route
	forward *httputil.ReverseProxy
	server  *http.Server
	address string
}

// LocalProxy returns the address ("127.0.0.1:port") of a forward proxy that uses
// the route for a place. The proxy is started on first use. Places with the same route
// share it.
func (rs *Routes) LocalProxy(place string) (string, error) {
	found, _, err := rs.find(place)
	if err != nil {
		return "", err
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return "", errClosed
	}
	if found.local == nil {
		if found.local, err = rs.startLocal(found); err != nil {
			return "", err
		}
	}
	return found.local.address, nil
}

func (rs *Routes) startLocal(rt *route) (*localProxy, error) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	quiet := slog.NewLogLogger(rs.log.Handler(), slog.LevelDebug)
	p := &localProxy{routes: rs, route: rt, address: listener.Addr().String()}
	p.forward = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.Out.URL.RawQuery = r.In.URL.RawQuery }, // unchanged
		Transport:      rt,
		FlushInterval:  -1, // flush at once, for streamed pages
		ModifyResponse: watchUpgrade,
		ErrorHandler:   p.fail,
		ErrorLog:       quiet,
	}
	p.server = &http.Server{
		Handler:           p,
		ReadHeaderTimeout: requestTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          quiet,
	}
	rs.running.Go(func() {
		// Serve returns after Close. If it fails earlier, visits fail with an error.
		_ = p.server.Serve(limited{TCPListener: listener, slots: make(chan struct{}, connections), ctx: rs.ctx})
	})
	return p, nil
}

func (p *localProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.routes.begin() {
		http.Error(w, "closing", http.StatusServiceUnavailable)
		return
	}
	defer p.routes.running.Done()
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.Scheme == "http":
		if err := p.routes.rules.checkPage(r.URL); err != nil {
			p.fail(w, r, err)
			return
		}
		p.forward.ServeHTTP(w, r)
	default:
		http.Error(w, "this is a proxy", http.StatusBadRequest)
	}
}

// tunnel answers a CONNECT.
func (p *localProxy) tunnel(w http.ResponseWriter, r *http.Request) {
	u := &url.URL{Scheme: "https", Host: r.URL.Host}
	if err := p.routes.rules.checkPage(u); err != nil {
		p.fail(w, r, err)
		return
	}
	target, err := p.route.dial(r.Context(), "tcp", hostPort(u))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		drop(target)
		p.fail(w, r, err)
		return
	}
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		drop(client, target)
		return
	}
	relay(readAhead{Conn: client, reader: buffered.Reader}, target)
}

// fail answers the browser with an error status, and logs the error.
func (p *localProxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, text, level := http.StatusBadGateway, "no connection", slog.LevelDebug
	if errors.Is(err, ErrRefused) {
		status, text = http.StatusForbidden, "address refused"
	}
	if errors.Is(err, ErrProxy) && r.Context().Err() == nil {
		level = slog.LevelWarn // the operator may have to pay a bill or correct a password
	}
	p.routes.log.Log(r.Context(), level, "browser connection failed", "place", p.route.name, "host", r.URL.Host, "error", err)
	http.Error(w, text, status)
}
