package egress_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"earshot/internal/upstream/egress"
)

// browser returns a transport that uses the local proxy of a place, as a browser does.
func browser(t *testing.T, routes *egress.Routes, place string) *http.Transport {
	t.Helper()
	out := &http.Transport{
		Proxy:             http.ProxyURL(&url.URL{Scheme: "http", Host: local(t, routes, place)}),
		TLSClientConfig:   &tls.Config{RootCAs: testRoots(t)},
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(out.CloseIdleConnections)
	return out
}

func local(t *testing.T, routes *egress.Routes, place string) string {
	t.Helper()
	address, err := routes.LocalProxy(place)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// say opens a connection to a local proxy, sends text, and returns the connection and a
// reader for the answer.
func say(t *testing.T, address, format string, args ...any) (*net.TCPConn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, format, args...)
	tcp, _ := conn.(*net.TCPConn)
	return tcp, bufio.NewReader(conn)
}

// answerTo returns the status and body of a local proxy's answer.
func answerTo(t *testing.T, address, format string, args ...any) string {
	t.Helper()
	_, from := say(t, address, format, args...)
	answer, err := http.ReadResponse(from, nil)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return fmt.Sprintf("%d %s", answer.StatusCode, strings.TrimSpace(string(body)))
}

// direct returns routes without a proxy, which allow the given sites on loopback.
func direct(t *testing.T, sites ...string) *egress.Routes {
	t.Helper()
	return open(t, egress.Config{Sites: sites})
}

func TestABrowserByEachKindOfProxy(t *testing.T) {
	t.Parallel()
	plain, secure := startSite(t, false), startSite(t, true)
	for _, scheme := range schemes {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			proxy := startProxy(t, scheme, routes{
				"example.com:80": plain.Listener.Addr().String(), "example.com:443": secure.Listener.Addr().String(),
			})
			log := &buffer{}
			routes := open(t, egress.Config{
				Proxies: map[string]string{"US": proxy.good(), "DE": proxy.url(user, "wrong")},
				Log:     slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			})
			for u, want := range map[string]string{
				"http://example.com/a?b=c;d&e":  "200 OK: hello example.com/a?b=c;d&e HTTP/1.1",
				"https://example.com/a?b=c;d&e": "200 OK: hello example.com/a?b=c;d&e HTTP/2.0",
			} {
				if got, err := get(t.Context(), t, browser(t, routes, "US"), u); err != nil || got != want {
					t.Errorf("%s: %q, %v", u, got, err)
				}
			}
			for _, request := range []string{"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n"} {
				before := proxy.saw()
				if got := answerTo(t, local(t, routes, "DE"), "%s", request); got != "502 no connection" || proxy.saw() != before {
					t.Errorf("with the wrong password: %s", got)
				}
			}
			if got := answerTo(t, local(t, routes, "US"), "CONNECT missing.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n"); got != "502 no connection" {
				t.Errorf("unreachable target: %s", got)
			}
			if text := log.String(); strings.Count(text, "level=WARN") != 3 || !strings.Contains(text, "place=DE host=example.com:443") {
				t.Errorf("the log: %s", text)
			}
			assertSecret(t, "the log", log.String())
		})
	}
}

// buffer is a bytes.Buffer that is safe for concurrent use.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestABrowserWithoutAProxy(t *testing.T) {
	t.Parallel()
	plain, secure := startSite(t, false), startSite(t, true)
	routes := direct(t, plain.URL, secure.URL)
	for _, u := range []string{plain.URL + "/a?b=c", secure.URL + "/a?b=c"} {
		got, err := get(t.Context(), t, browser(t, routes, "US"), u)
		if err != nil || !strings.HasPrefix(got, "200 OK: hello 127.0.0.1:") {
			t.Errorf("%s: %q, %v", u, got, err)
		}
	}
}

func TestOneLocalProxyForEachRoute(t *testing.T) {
	t.Parallel()
	proxy := startProxy(t, "http", nil)
	routes := open(t, egress.Config{Proxies: map[string]string{"US": proxy.good(), "FR": proxy.good(), "DE": proxy.url("other", password), "CH": "direct", "*": "direct"}})
	if us := local(t, routes, "US"); us != local(t, routes, "US-CA") || us != local(t, routes, "FR") || us == local(t, routes, "DE") || us == local(t, routes, "CH") {
		t.Error("places with the same proxy do not share a route, or places with different proxies do")
	}
	if local(t, routes, "CH") != local(t, routes, "AT") {
		t.Error("there are two direct routes")
	}
	if host, _, _ := net.SplitHostPort(local(t, routes, "US")); host != "127.0.0.1" {
		t.Errorf("it listens on %s", host)
	}
}

func TestBrowserCannotReachInternalAddresses(t *testing.T) {
	t.Parallel()
	other := startSite(t, false)
	site := startSite(t, false)
	for _, scheme := range []string{"direct", "http", "socks5"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			w := &watch{names: map[string]string{"rebind.example.com": "169.254.169.254", "public.example.com": "93.184.215.14"}}
			by, proxy := scheme, (*testProxy)(nil)
			if scheme != "direct" {
				proxy = startProxy(t, scheme, nil)
				by = proxy.good()
			}
			routes := open(t, egress.Config{Proxies: map[string]string{"*": by}, Sites: []string{site.URL}, Guard: w.guard()})
			at := local(t, routes, "US")
			refused := []string{
				other.Listener.Addr().String(), at, "169.254.169.254:80", "localhost:443", "[::1]:443", "2130706433:80", "0x7f000001:443", "127.1:80",
				"example.com:22", "example.com:8080", "example.com:25", "[::ffff:127.0.0.1]:443", "a@127.0.0.1:80",
			}
			if proxy == nil {
				refused = append(refused, "rebind.example.com:80", "rebind.example.com:443")
			}
			for _, target := range refused {
				if got := answerTo(t, at, "CONNECT %s HTTP/1.1\r\nHost: example.com\r\n\r\n", target); got != "403 address refused" {
					t.Errorf("CONNECT %s: %s", target, got)
				}
				if got := answerTo(t, at, "GET http://%s/ HTTP/1.1\r\nHost: example.com\r\n\r\n", target); got != "403 address refused" {
					t.Errorf("GET http://%s: %s", target, got)
				}
			}
			if proxy != nil && proxy.saw() != "" {
				t.Errorf("the proxy was asked for %s", proxy.saw())
			}
			if _, targets := w.saw(); targets != "" {
				t.Errorf("connected to %s", targets)
			}
			if got := answerTo(t, at, "CONNECT public.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n"); got != "502 no connection" {
				t.Errorf("a public target that does not accept connections: %s", got)
			}
		})
	}
}

func TestInvalidProxyRequests(t *testing.T) {
	t.Parallel()
	at := local(t, direct(t), "US")
	for request, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n":                                                             "400 this is a proxy",
		"GET https://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n":                                          "400 this is a proxy",
		"GET file:///etc/passwd HTTP/1.1\r\nHost: example.com\r\n\r\n":                                            "400 this is a proxy",
		"GET http:///x HTTP/1.1\r\nHost: localhost\r\n\r\n":                                                       "403 address refused",
		"CONNECT / HTTP/1.1\r\nHost: localhost\r\n\r\n":                                                           "403 address refused",
		"GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nX: " + strings.Repeat("a", 80<<10) + "\r\n\r\n": "431 431 Request Header Fields Too Large",
	} {
		if got := answerTo(t, at, "%s", request); got != want {
			t.Errorf("%.60q: %s, want %s", request, got, want)
		}
	}
}

// echo starts a server that answers each line in capitals, and says goodbye when the
// client has closed its writing side.
func echo(t *testing.T) string {
	t.Helper()
	return listen(t, func(conn net.Conn) {
		lines := bufio.NewScanner(conn)
		for lines.Scan() {
			fmt.Fprintln(conn, strings.ToUpper(lines.Text()))
		}
		io.WriteString(conn, "goodbye")
	})
}

func TestATunnelPassesBothDirectionsAndTheirEnds(t *testing.T) {
	t.Parallel()
	site := echo(t)
	for _, scheme := range append([]string{"direct"}, schemes...) {
		by := scheme
		if scheme != "direct" {
			by = startProxy(t, scheme, routes{site: site}).good()
		}
		routes := open(t, egress.Config{Proxies: map[string]string{"*": by}, Sites: []string{"http://" + site}})
		// The first line is sent with the request, before the tunnel is established.
		conn, from := say(t, local(t, routes, "US"), "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\nearly\n", site)
		answer, err := http.ReadResponse(from, &http.Request{Method: http.MethodConnect})
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v", scheme, answer, err)
		}
		io.WriteString(conn, "late\n")
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(from); err != nil || string(rest) != "EARLY\nLATE\ngoodbye" {
			t.Errorf("%s: %q, %v", scheme, rest, err)
		}
	}
}

// startSocket starts a site that switches to a protocol that echoes lines.
func startSocket(t *testing.T) *httptest.Server {
	t.Helper()
	var open sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" {
			http.Error(w, "no upgrade", http.StatusUpgradeRequired)
			return
		}
		open.Add(1)
		defer open.Done()
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(conn, buffered)
	}))
	t.Cleanup(func() {
		server.Close()
		open.Wait()
	})
	return server
}

func TestWebSocketAndClose(t *testing.T) {
	t.Parallel()
	site := startSocket(t)
	for _, scheme := range append([]string{"direct"}, schemes...) {
		by := scheme
		if scheme != "direct" {
			by = startProxy(t, scheme, routes{site.Listener.Addr().String(): site.Listener.Addr().String()}).good()
		}
		routes := open(t, egress.Config{Proxies: map[string]string{"*": by}, Sites: []string{site.URL}})
		at := local(t, routes, "US")
		socket, fromSocket := say(t, at, "GET %s/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", site.URL)
		tunnel, fromTunnel := say(t, at, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", site.Listener.Addr())
		io.WriteString(tunnel, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		waiting, fromWaiting := say(t, at, "") // a connection without a request
		if answer, err := http.ReadResponse(fromTunnel, &http.Request{Method: http.MethodConnect}); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v", scheme, answer, err)
		}
		for _, c := range []struct {
			to   *net.TCPConn
			from *bufio.Reader
		}{{socket, fromSocket}, {tunnel, fromTunnel}} {
			answer, err := http.ReadResponse(c.from, nil)
			if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
				t.Fatalf("%s: %v, %v", scheme, answer, err)
			}
			io.WriteString(c.to, "ping\n")
			if line, err := c.from.ReadString('\n'); err != nil || line != "ping\n" {
				t.Fatalf("%s: %q, %v", scheme, line, err)
			}
		}
		if err := routes.Close(); err != nil {
			t.Error(err)
		}
		for _, from := range []*bufio.Reader{fromSocket, fromTunnel, fromWaiting} {
			if rest, _ := io.ReadAll(from); len(rest) > 0 {
				t.Errorf("%s: %q after Close", scheme, rest)
			}
		}
		waiting.Close()
		if conn, err := net.Dial("tcp", at); err == nil {
			conn.Close()
			t.Errorf("%s: it still listens after Close", scheme)
		}
	}
}

func TestCloseEndsHalfClosedTunnels(t *testing.T) {
	t.Parallel()
	site := listen(t, func(conn net.Conn) {
		from := bufio.NewReader(conn)
		if _, err := http.ReadRequest(from); err != nil {
			return
		}
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		if half, ok := conn.(*net.TCPConn); ok {
			_ = half.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, from) // until the other side closes
	})
	upgrade := "GET http://" + site + "/ HTTP/1.1\r\nHost: " + site + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	routes := direct(t, "http://"+site)
	for _, request := range []string{upgrade, "CONNECT " + site + " HTTP/1.1\r\nHost: x\r\n\r\n" + upgrade} {
		_, from := say(t, local(t, routes, "US"), "%s", request)
		if got, err := io.ReadAll(from); err != nil || !strings.Contains(string(got), "101 Switching Protocols") {
			t.Errorf("%q, %v", got, err)
		}
	}
	if err := routes.Close(); err != nil { // although this side is still open
		t.Error(err)
	}
}

func TestDataAfterTheProxysAnswerIsPassedOn(t *testing.T) {
	t.Parallel()
	proxy := listen(t, func(conn net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nwelcome")
		}
	})
	routes := open(t, egress.Config{Proxies: map[string]string{"*": "http://" + proxy}})
	_, from := say(t, local(t, routes, "US"), "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n")
	if got, err := io.ReadAll(from); err != nil || !strings.HasSuffix(string(got), "\r\n\r\nwelcome") {
		t.Errorf("%q, %v", got, err)
	}
}
