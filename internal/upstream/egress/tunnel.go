package egress

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/proxy"
)

// dialCONNECT connects to a target through an HTTP proxy.
func (rt *route) dialCONNECT(ctx context.Context, target string) (net.Conn, error) {
	conn, err := rt.dialProxy(ctx, "", "")
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	tunnel, err := rt.askForTunnel(conn, target)
	if !stop() { // ctx has ended
		err = rt.failure(ctx.Err())
	}
	if err != nil {
		drop(conn)
		return nil, err
	}
	return tunnel, nil
}

func (rt *route) askForTunnel(conn net.Conn, target string) (net.Conn, error) {
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: make(http.Header)}
	if user := rt.proxy.User; user != nil {
		password, _ := user.Password()
		request.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := request.Write(conn); err != nil {
		return nil, rt.failure(err)
	}
	limited := &io.LimitedReader{R: conn, N: maxHeader}
	reader := bufio.NewReader(limited)
	answer, err := http.ReadResponse(reader, request) //nolint:bodyclose // the tunnel follows the header
	if err != nil {
		return nil, rt.failure(err)
	}
	limited.N = math.MaxInt64
	return readAhead{Conn: conn, reader: reader}, rt.refusal(answer.StatusCode)
}

// readAhead is a connection with a buffered reader, which already holds some bytes.
type readAhead struct {
	net.Conn
	reader *bufio.Reader
}

// Read reads the buffered bytes first.
func (c readAhead) Read(p []byte) (int, error) { return c.reader.Read(p) }

// CloseWrite closes the writing side of the connection.
func (c readAhead) CloseWrite() error { return closeWrite(c.Conn) }

// dialSOCKS connects to a target through a SOCKS5 proxy, which resolves the target's name.
func (rt *route) dialSOCKS(ctx context.Context, target string) (net.Conn, error) {
	var auth *proxy.Auth
	if user := rt.proxy.User; user != nil {
		auth = &proxy.Auth{User: user.Username()}
		auth.Password, _ = user.Password()
	}
	first := &firstHop{route: rt}
	dialer, err := proxy.SOCKS5("tcp", rt.proxy.Host, auth, first)
	if err != nil {
		return nil, rt.failure(err)
	}
	byContext, ok := dialer.(proxy.ContextDialer)
	if !ok {
		return nil, rt.failure(errors.ErrUnsupported)
	}
	if _, err := byContext.DialContext(ctx, "tcp", target); err != nil {
		return nil, rt.failure(err)
	}
	return first.conn, nil
}

// firstHop connects to the proxy and keeps the connection. The connection that the SOCKS
// dialer returns wraps it, and has no CloseWrite.
type firstHop struct {
	route *route
	conn  net.Conn
}

// Dial implements proxy.Dialer for proxy.SOCKS5, which calls DialContext instead.
func (h *firstHop) Dial(network, address string) (net.Conn, error) {
	return h.DialContext(h.route.ctx, network, address)
}

// DialContext connects to the proxy and ignores the address.
func (h *firstHop) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	conn, err := h.route.dialProxy(ctx, "", "")
	h.conn = conn
	return conn, err
}
