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
	// idlePerHost is as many as one site is asked by at the same time.
	idlePerHost = 256
)

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// way is one way out: direct, or by one proxy. It has connections of its own, so
// that those of two proxies never mix.
type way struct {
	name      string          // the first place that it is for
	proxy     *url.URL        // with a port; nil without a proxy
	proxyTLS  *tls.Config     // for a proxy that is spoken to in TLS
	direct    dialFunc        // to a target, by the rules
	ctx       context.Context // ends all connections
	transport *http.Transport
	local     *localProxy // nil until a browser needs it
}

func newWay(ctx context.Context, name string, proxy *url.URL, direct dialFunc, roots *x509.CertPool) *way {
	y := &way{name: name, proxy: proxy, direct: direct, ctx: ctx}
	y.transport = &http.Transport{
		DialContext:            y.dial,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true, // a dialer of one's own would switch it off
		TLSHandshakeTimeout:    handshakeTime,
		MaxResponseHeaderBytes: maxHeader,
		IdleConnTimeout:        keepIdle,
		MaxIdleConnsPerHost:    idlePerHost,
		ExpectContinueTimeout:  time.Second,
	}
	if !y.speaksHTTP() {
		return y
	}
	y.transport.Proxy = http.ProxyURL(proxy)
	y.transport.DialContext = y.dialProxy
	y.transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		return y.refusal(answer.StatusCode)
	}
	if proxy.Scheme == "https" {
		// The transport's own configuration is for targets: by it, a proxy could
		// choose HTTP/2, in which the transport speaks to no proxy.
		y.proxyTLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, ServerName: proxy.Hostname(), NextProtos: []string{"http/1.1"}}
		y.transport.DialTLSContext = y.dialProxy
	}
	return y
}

func (y *way) speaksHTTP() bool { return y.proxy != nil && !isSOCKS(y.proxy) }

// RoundTrip makes a request whose target has been judged.
func (y *way) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Proxy-Authorization") != "" { // ours is added behind the request's back
		r = r.Clone(r.Context())
		r.Header.Del("Proxy-Authorization")
	}
	answer, err := y.transport.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusProxyAuthRequired && y.speaksHTTP() {
		answer.Body.Close()
		return nil, y.refusal(answer.StatusCode)
	}
	return answer, err
}

// dial connects to a target.
func (y *way) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := y.limit(ctx)
	defer cancel()
	switch {
	case y.proxy == nil:
		conn, err := y.direct(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return bindOut(y.ctx, conn), nil
	case isSOCKS(y.proxy):
		return y.dialSOCKS(ctx, address)
	default:
		return y.dialCONNECT(ctx, address)
	}
}

// dialProxy connects to the proxy, which the operator may have put anywhere.
func (y *way) dialProxy(ctx context.Context, _, _ string) (net.Conn, error) {
	ctx, cancel := y.limit(ctx)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", y.proxy.Host)
	if err != nil {
		return nil, y.failure(err)
	}
	conn = bindOut(y.ctx, conn)
	if y.proxyTLS == nil {
		return conn, nil
	}
	secured := tls.Client(conn, y.proxyTLS)
	if err := secured.HandshakeContext(ctx); err != nil {
		drop(conn)
		return nil, y.failure(err)
	}
	return secured, nil
}

// limit ends what is done to make a connection in time, and when the ways are
// closed. http.Transport goes on dialling when the request is over.
func (y *way) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	stop := context.AfterFunc(y.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

func (y *way) failure(err error) error { return fmt.Errorf("%w for %s: %w", ErrProxy, y.name, err) }

// refusal is the error that a proxy's answer to CONNECT, or a 407, stands for. It
// has none of the proxy's own words: some repeat what they were sent.
func (y *way) refusal(status int) error {
	if status/100 == 2 {
		return nil
	}
	return y.failure(fmt.Errorf("it answers %d %s", status, http.StatusText(status)))
}
