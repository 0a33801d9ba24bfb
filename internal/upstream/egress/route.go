package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// connectTime is the timeout for connecting to a target, including DNS and proxy. A
	// residential proxy in a remote country is slow.
	connectTime = 30 * time.Second
	// handshakeTime is the timeout for the TLS handshake with a target.
	handshakeTime = 10 * time.Second
	// maxHeader is large enough for the cookies and policies of large sites.
	maxHeader = 64 << 10
	// keepIdle is how long an idle connection is kept.
	keepIdle = 90 * time.Second
	// idlePerHost is enough for all concurrent requests to one site.
	idlePerHost = 256
)

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// route is one way out: direct, or through one proxy. Each route has its own connection
// pool, so that connections of different proxies never mix.
type route struct {
	name      string          // the first place that uses this route
	proxy     *url.URL        // with a port; nil for direct connections
	proxyTLS  *tls.Config     // for an https proxy
	direct    dialFunc        // connects to a target without a proxy, if the rules allow it
	ctx       context.Context // its end closes all connections
	transport *http.Transport
	local     *localProxy // nil until a browser needs it
}

func newRoute(ctx context.Context, name string, proxy *url.URL, direct dialFunc, roots *x509.CertPool) *route {
	rt := &route{name: name, proxy: proxy, direct: direct, ctx: ctx}
	rt.transport = &http.Transport{
		DialContext:            rt.dial,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true, // http.Transport disables HTTP/2 if DialContext is set
		TLSHandshakeTimeout:    handshakeTime,
		MaxResponseHeaderBytes: maxHeader,
		IdleConnTimeout:        keepIdle,
		MaxIdleConnsPerHost:    idlePerHost,
		ExpectContinueTimeout:  time.Second,
	}
	if !rt.speaksHTTP() {
		return rt
	}
	rt.transport.Proxy = http.ProxyURL(proxy)
	rt.transport.DialContext = rt.dialProxy
	rt.transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		return rt.refusal(answer.StatusCode)
	}
	if proxy.Scheme == "https" {
		// The transport's TLS configuration would let the proxy choose HTTP/2, which
		// http.Transport does not support for proxies.
		rt.proxyTLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, ServerName: proxy.Hostname(), NextProtos: []string{"http/1.1"}}
		rt.transport.DialTLSContext = rt.dialProxy
	}
	return rt
}

func (rt *route) speaksHTTP() bool { return rt.proxy != nil && !isSOCKS(rt.proxy) }

// RoundTrip makes a request whose target has been checked.
func (rt *route) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Proxy-Authorization") != "" { // only the transport may set this header
		r = r.Clone(r.Context())
		r.Header.Del("Proxy-Authorization")
	}
	answer, err := rt.transport.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusProxyAuthRequired && rt.speaksHTTP() {
		answer.Body.Close()
		return nil, rt.refusal(answer.StatusCode)
	}
	return answer, err
}

// dial connects to a target.
func (rt *route) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := rt.limit(ctx)
	defer cancel()
	switch {
	case rt.proxy == nil:
		conn, err := rt.direct(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return bindOut(rt.ctx, conn), nil
	case isSOCKS(rt.proxy):
		return rt.dialSOCKS(ctx, address)
	default:
		return rt.dialCONNECT(ctx, address)
	}
}

// dialProxy connects to the proxy. The guard does not check its address, because the
// operator configured it.
func (rt *route) dialProxy(ctx context.Context, _, _ string) (net.Conn, error) {
	ctx, cancel := rt.limit(ctx)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", rt.proxy.Host)
	if err != nil {
		return nil, rt.failure(err)
	}
	conn = bindOut(rt.ctx, conn)
	if rt.proxyTLS == nil {
		return conn, nil
	}
	secured := tls.Client(conn, rt.proxyTLS)
	if err := secured.HandshakeContext(ctx); err != nil {
		drop(conn)
		return nil, rt.failure(err)
	}
	return secured, nil
}

// limit returns a context for dialling. It ends after connectTime, and when the routes
// are closed: http.Transport continues to dial after the request has ended.
func (rt *route) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	stop := context.AfterFunc(rt.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

func (rt *route) failure(err error) error { return fmt.Errorf("%w for %s: %w", ErrProxy, rt.name, err) }

// refusal returns an error for the status of a proxy's answer, or nil if it is 2xx. The
// error quotes nothing of the answer, because some proxies repeat the password.
func (rt *route) refusal(status int) error {
	if status/100 == 2 {
		return nil
	}
	return rt.failure(fmt.Errorf("the proxy answered %d %s", status, http.StatusText(status)))
}
