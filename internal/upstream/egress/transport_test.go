package egress_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"earshot/internal/upstream/egress"
	"earshot/internal/upstream/guard"
)

// assertSecret fails the test if text contains a password, plain or encoded.
func assertSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range []string{user, password, "wrong", "s3cr3t", "a2lyc3Rlbj"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s holds %q: %s", where, secret, text)
		}
	}
}

func TestRequestsByEachKindOfProxy(t *testing.T) {
	t.Parallel()
	plain, secure := startSite(t, false), startSite(t, true)
	for _, scheme := range schemes {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			proxy := startProxy(t, scheme, routes{
				"example.com:80": plain.Listener.Addr().String(), "example.com:443": secure.Listener.Addr().String(),
			})
			routes := open(t, egress.Config{Proxies: map[string]string{"US": proxy.good(), "DE": proxy.url(user, "wrong")}})
			for u, want := range map[string]string{
				"http://example.com/a?b=c":  "200 OK: hello example.com/a?b=c HTTP/1.1",
				"https://example.com/a?b=c": "200 OK: hello example.com/a?b=c HTTP/2.0",
			} {
				if got, err := getFor(t, routes, "US", u); err != nil || got != want {
					t.Errorf("%s: %q, %v", u, got, err)
				}
				before := proxy.saw()
				_, err := getFor(t, routes, "DE", u)
				if !errors.Is(err, egress.ErrProxy) || !strings.Contains(err.Error(), "for DE") || proxy.saw() != before {
					t.Errorf("%s with the wrong password: %v", u, err)
				} else {
					assertSecret(t, "the error", err.Error())
				}
			}
			for _, u := range []string{"http://missing.example.com/", "https://missing.example.com/"} {
				got, err := getFor(t, routes, "US", u)
				if err == nil && !strings.HasPrefix(got, "502 ") || err != nil && !errors.Is(err, egress.ErrProxy) {
					t.Errorf("%s: %q, %v", u, got, err)
				}
			}
			if want := user + " CONNECT example.com:443"; !strings.Contains(proxy.saw(), want) {
				t.Errorf("the proxy saw %s, not %s", proxy.saw(), want)
			}
			if absolute := strings.Contains(proxy.saw(), "GET http://example.com/a?b=c"); absolute != strings.HasPrefix(scheme, "http") {
				t.Errorf("the proxy saw %s", proxy.saw())
			}
		})
	}
}

func TestConnectionsAreKeptButNotSharedBetweenUsersOfAProxy(t *testing.T) {
	t.Parallel()
	site := startSite(t, false)
	proxy := startProxy(t, "socks5", routes{"example.com:80": site.Listener.Addr().String()})
	routes := open(t, egress.Config{Proxies: map[string]string{"US": proxy.url("us", password), "DE": proxy.url("de", password), "FR": proxy.url("us", password)}})
	for _, place := range []string{"US", "DE", "US", "DE", "FR"} {
		if _, err := getFor(t, routes, place, "http://example.com/"); err != nil {
			t.Fatal(err)
		}
	}
	if want := "us CONNECT example.com:80, de CONNECT example.com:80"; proxy.saw() != want {
		t.Errorf("the proxy saw %s, want %s", proxy.saw(), want)
	}
}

func TestUnreachableProxy(t *testing.T) {
	t.Parallel()
	gone := listen(t, func(net.Conn) {}) // accepts connections and closes them
	for _, scheme := range schemes {
		routes := open(t, egress.Config{Proxies: map[string]string{"*": scheme + "://" + user + ":secret-word@" + gone}})
		_, err := getFor(t, routes, "US", "https://example.com/")
		if err == nil || strings.Contains(err.Error(), user) || strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}

func TestAProxyMustShowACertificate(t *testing.T) {
	t.Parallel()
	proxy := startProxy(t, "https", nil)
	routes, err := egress.New(egress.Config{Proxies: map[string]string{"*": proxy.good()}, RootCAs: x509.NewCertPool()})
	if err != nil {
		t.Fatal(err)
	}
	defer routes.Close()
	var unknown x509.UnknownAuthorityError
	if _, err := getFor(t, routes, "US", "http://example.com/"); !errors.Is(err, egress.ErrProxy) || !errors.As(err, &unknown) {
		t.Errorf("a proxy with an unknown certificate: %v", err)
	}
}

// innerURLs are URLs of internal hosts, recognizable without DNS.
var innerURLs = []string{
	"http://169.254.169.254/latest/", "http://localhost/", "http://foo.localhost/", "http://[::1]/", "http://127.0.0.1/", "http://127.1/", "http://2130706433/",
	"http://0x7f.0.0.1/", "http://10.0.0.1/", "https://[::ffff:10.0.0.1]/", "https://[fd00::1]/", "https://metadata.google.internal/", "http://db/", "http://example.com:22/",
}

func TestInternalAddressesAreRefused(t *testing.T) {
	t.Parallel()
	for _, scheme := range append([]string{"direct"}, schemes...) {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			w, by, proxy := &watch{}, "direct", (*testProxy)(nil)
			if scheme != by {
				proxy = startProxy(t, scheme, nil)
				by = proxy.good()
			}
			routes := open(t, egress.Config{Proxies: map[string]string{"US": by}, Guard: w.guard()})
			for _, u := range innerURLs {
				if got, err := getFor(t, routes, "US", u); !errors.Is(err, egress.ErrRefused) {
					t.Errorf("%s: %s, %v", u, got, err)
				}
			}
			if questions, targets := w.saw(); questions+targets != "" || proxy != nil && proxy.saw() != "" {
				t.Errorf("asked for %s, connected to %s", questions, targets)
			}
		})
	}
}

func TestNamesOfInternalHostsAreRefusedUnlessAProxyResolvesThem(t *testing.T) {
	t.Parallel()
	w := &watch{names: map[string]string{"rebind.example.com": "10.0.0.1", "public.example.com": "93.184.215.14"}}
	site := startSite(t, false)
	proxy := startProxy(t, "http", routes{"rebind.example.com:80": site.Listener.Addr().String()})
	routes := open(t, egress.Config{Proxies: map[string]string{"US": proxy.good(), "*": "direct"}, Guard: w.guard()})
	if _, err := getFor(t, routes, "DE", "http://rebind.example.com/"); !errors.Is(err, egress.ErrRefused) {
		t.Errorf("direct: %v", err)
	}
	if _, err := getFor(t, routes, "DE", "http://public.example.com/"); err == nil || errors.Is(err, egress.ErrRefused) {
		t.Errorf("a public address: %v", err)
	}
	if _, err := getFor(t, routes, "US", "http://rebind.example.com/"); err != nil {
		t.Errorf("by a proxy: %v", err)
	}
	if questions, targets := w.saw(); questions != "rebind.example.com public.example.com" || targets != "93.184.215.14:80" {
		t.Errorf("asked for %s, connected to %s", questions, targets)
	}
}

func TestSitesOfTheOperatorMayBePrivate(t *testing.T) {
	t.Parallel()
	site, other := startSite(t, false), startSite(t, true)
	_, port, err := net.SplitHostPort(site.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{names: map[string]string{"lab": "127.0.0.1"}}
	proxy := startProxy(t, "http", routes{site.Listener.Addr().String(): site.Listener.Addr().String(), "lab:" + port: site.Listener.Addr().String()})
	routes := open(t, egress.Config{
		Proxies: map[string]string{"US": proxy.good(), "*": "direct"},
		Sites:   []string{site.URL + "/base", "http://Lab:" + port},
		Guard:   w.guard(),
	})
	for _, place := range []string{"US", "DE"} {
		for _, u := range []string{site.URL + "/x", "http://lab:" + port + "/x", "http://LAB.:" + port + "/x"} {
			if strings.Contains(u, "LAB.") && place == "US" {
				continue // the test proxy knows only one spelling
			}
			if got, err := getFor(t, routes, place, u); err != nil || !strings.HasPrefix(got, "200 OK: hello ") {
				t.Errorf("%s for %s: %q, %v", u, place, got, err)
			}
		}
		for _, u := range []string{other.URL, "http://localhost:" + port, "http://lab/", "http://127.0.0.1/"} {
			if _, err := getFor(t, routes, place, u); !errors.Is(err, egress.ErrRefused) {
				t.Errorf("%s for %s: %v", u, place, err)
			}
		}
	}
}

func TestProxyAuthorizationOfARequestIsNotSent(t *testing.T) {
	t.Parallel()
	site := startSite(t, false) // fails the test if it receives the password
	routes := open(t, egress.Config{Sites: []string{site.URL}})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, site.URL, strings.NewReader("body"))
	request.RequestURI = ""
	request.Header.Set("Proxy-Authorization", "Basic eA==")
	answer, err := routes.Transport().RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if request.Header.Get("Proxy-Authorization") == "" {
		t.Error("the caller's request was changed")
	}
}

func TestAnswersWithEndlessHeadersFail(t *testing.T) {
	t.Parallel()
	size := 60 << 10
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Long", strings.Repeat("a", size)) }))
	defer site.Close()
	routes := open(t, egress.Config{Sites: []string{site.URL}})
	if _, err := getFor(t, routes, "", site.URL); err != nil {
		t.Error(err)
	}
	size = 65 << 10
	if _, err := getFor(t, routes, "", site.URL); err == nil {
		t.Error("65 KiB of headers were read")
	}
}

func TestCloseEndsADNSLookup(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	routes := open(t, egress.Config{Guard: guard.Guard{Resolver: hanging(asked)}})
	failed := make(chan error)
	go func() {
		_, err := getFor(t, routes, "US", "https://example.com/")
		failed <- err
	}()
	<-asked
	if err := routes.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// hanging is a DNS resolver that reports a lookup and never answers it.
type hanging chan struct{}

func (h hanging) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	close(h)
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestNothingRunsAfterClose(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	silent := listen(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 1))
		asked <- struct{}{}
		_, _ = io.Copy(io.Discard, conn) // until the other side closes
	})
	for _, scheme := range schemes {
		routes := open(t, egress.Config{Proxies: map[string]string{"*": scheme + "://" + silent}})
		failed := make(chan error)
		go func() {
			_, err := getFor(t, routes, "US", "https://example.com/")
			failed <- err
		}()
		<-asked
		if err := routes.Close(); err != nil {
			t.Error(err)
		}
		if err := <-failed; err == nil {
			t.Errorf("%s: an answer from a silent proxy", scheme)
		}
		if _, err := getFor(t, routes, "US", "https://example.com/"); err == nil || errors.Is(err, egress.ErrProxy) {
			t.Errorf("%s: after Close: %v", scheme, err)
		}
		if _, err := routes.LocalProxy("US"); err == nil {
			t.Errorf("%s: a local proxy after Close", scheme)
		}
	}
}
