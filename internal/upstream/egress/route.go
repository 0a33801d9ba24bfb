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
	// connectTime is for a connection to a target, DNS and proxy included; a proxy
	// in a home far away takes its time.
	connectTime = 30 * time.Second
	// handshakeTime is for TLS with a target.
	handshakeTime = 10 * time.Second
	// maxHeader leaves room for the cookies and policies of large sites.
	maxHeader = 64 << 10
	// keepIdle is how long a connection waits for its next request.
	keepIdle = 90 * time.Second
	// idlePerHost allows for all requests that one site gets at the same time.
	idlePerHost = 256
)

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// route is one way out: direct, or by one proxy. It has connections of its own, so
// that those of two proxies never mix.
type route struct {
	name      string          // the first place that it is for
	proxy     *url.URL        // with a port; nil without a proxy
	proxyTLS  *tls.Config     // for a proxy that is spoken to in TLS
	direct    dialFunc        // to a target, by the rules
	ctx       context.Context // ends all connections
	transport *http.Transport
	local     *localProxy // nil until a browser needs it
}

func newRoute(ctx context.Context, name string, proxy *url.URL, direct dialFunc, roots *x509.CertPool) *route {
	rt := &route{name: name, proxy: proxy, direct: direct, ctx: ctx}
	rt.transport = &http.Transport{
		DialContext:            rt.dial,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true, // a dialer of one's own would switch it off
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
		// The transport's own configuration is for targets: by it, a proxy could
		// choose HTTP/2, in which the transport speaks to no proxy.
		rt.proxyTLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, ServerName: proxy.Hostname(), NextProtos: []string{"http/1.1"}}
		rt.transport.DialTLSContext = rt.dialProxy
	}
	return rt
}

func (rt *route) speaksHTTP() bool { return rt.proxy != nil && !isSOCKS(rt.proxy) }

// RoundTrip makes a request whose target has been checked.
func (rt *route) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Proxy-Authorization") != "" { // ours is added behind the request's back
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

// dialProxy connects to the proxy, which the operator may have put anywhere.
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

// limit gives a context for making a connection: it ends after connectTime, and when
// the routes are closed. http.Transport goes on dialling when the request is over.
func (rt *route) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	stop := context.AfterFunc(rt.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

func (rt *route) failure(err error) error { return fmt.Errorf("%w for %s: %w", ErrProxy, rt.name, err) }

// refusal is the error for a proxy's answer to CONNECT, or for a 407. It quotes
// nothing of the answer: some proxies repeat the password that they were sent.
func (rt *route) refusal(status int) error {
	if status/100 == 2 {
		return nil
	}
	return rt.failure(fmt.Errorf("it answers %d %s", status, http.StatusText(status)))
}
